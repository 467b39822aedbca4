//! The check that shared variables are accessed natively.
//!
//! `cvta.shared` converts an address in shared memory to a generic address. The check follows this
//! address through the function's registers: an address computed from it is also such an address,
//! and a value loaded through it is not. LLVM assigns a register once or twice, so the order of the
//! instructions does not matter.

use std::collections::HashSet;

use lanewise_ptx::ast::{Base, Modifier, Opcode, Operand, RegisterId};

use super::ptx::{Function, Instruction, Module};
use super::{Finding, Rule};

pub(super) fn check(module: &Module<'_>) -> Vec<Finding> {
    module
        .functions
        .iter()
        .flat_map(|function| check_function(module, function))
        .collect()
}

fn check_function(module: &Module<'_>, function: &Function<'_>) -> Vec<Finding> {
    let generic = generic_addresses(function);
    if generic.is_empty() {
        return Vec::new();
    }
    let accesses = function.instructions().filter(|at| is_generic_access(*at));
    accesses
        .filter(|at| address(*at).is_some_and(|register| generic.contains(&register)))
        .map(|at| Finding {
            rule: Rule::GenericShared,
            function: function.name().to_owned(),
            line: at.line(),
            source: module.place(at.loc()),
            message: format!(
                "`{}` reaches shared memory through a generic address, which is slower than `.shared`; take the address \
                 from the shared array in the same function, or mark the function in between #[inline(always)]",
                at.text()
            ),
        })
        .collect()
}

/// Returns the registers that hold a generic address of shared memory.
fn generic_addresses(function: &Function<'_>) -> HashSet<RegisterId> {
    let mut found = HashSet::new();
    // Most functions have no such address, so this avoids a look at every register.
    if !function.instructions().any(makes_generic) {
        return found;
    }
    loop {
        let before = found.len();
        for at in function.instructions() {
            let Some((Operand::Register(result), from)) = at.operands().split_first() else {
                continue;
            };
            let mut from = from.iter().filter_map(register);
            if makes_generic(at) || (carries(at) && from.any(|register| found.contains(&register)))
            {
                found.insert(*result);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Returns whether this makes a generic address of one in shared memory.
fn makes_generic(at: Instruction<'_>) -> bool {
    at.syntax.opcode == Opcode::Cvta
        && at.names_space("shared")
        && !at.syntax.modifiers.has(Modifier::To)
}

/// Returns whether the result is an address if an operand is one.
fn carries(at: Instruction<'_>) -> bool {
    use Opcode::{Add, Cvta, Mad, Mov, Or, Selp, Sub};
    matches!(at.syntax.opcode, Add | Sub | Mov | Selp | Or | Mad | Cvta)
        && !at.syntax.modifiers.has(Modifier::To)
}

/// Returns whether this is a load, store or atomic operation without a state space.
fn is_generic_access(at: Instruction<'_>) -> bool {
    use Opcode::{Atom, Ld, Ldu, Red, St};
    const SPACES: [&str; 5] = ["global", "shared", "local", "const", "param"];
    matches!(at.syntax.opcode, Ld | St | Atom | Red | Ldu)
        && !SPACES.iter().any(|space| at.names_space(space))
}

/// Returns the register inside `[...]`.
fn address(at: Instruction<'_>) -> Option<RegisterId> {
    let address = |operand: &Operand<'_>| matches!(operand, Operand::Address(..));
    at.operands()
        .iter()
        .find(|it| address(it))
        .and_then(register)
}

/// Returns the register of a source operand.
fn register(operand: &Operand<'_>) -> Option<RegisterId> {
    match *operand {
        Operand::Register(id) | Operand::Sum(id, _) | Operand::Address(Base::Register(id), _) => {
            Some(id)
        }
        _ => None,
    }
}
