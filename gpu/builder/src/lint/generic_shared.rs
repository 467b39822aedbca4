//! The check that shared variables are accessed natively.
//!
//! `cvta.shared` converts an address in shared memory to a generic address. The check follows this
//! address through the function's registers: an address computed from it is also such an address,
//! and a value loaded through it is not. LLVM assigns a register once or twice, so the order of the
//! instructions does not matter.

use std::collections::HashSet;

use super::ptx::{Function, Instruction, Module};
use super::{Finding, Rule};

pub(super) fn check(module: &Module) -> Vec<Finding> {
    module
        .functions
        .iter()
        .flat_map(|function| check_function(module, function))
        .collect()
}

fn check_function(module: &Module, function: &Function) -> Vec<Finding> {
    let generic = generic_addresses(function);
    if generic.is_empty() {
        return Vec::new();
    }
    let accesses = function
        .instructions
        .iter()
        .filter(|at| is_generic_access(at));
    accesses
        .filter(|at| address(at).is_some_and(|register| generic.contains(register)))
        .map(|at| Finding {
            rule: Rule::GenericShared,
            function: function.name.clone(),
            line: at.line,
            source: module.place(at.loc),
            message: format!(
                "`{}` reaches shared memory through a generic address, which is slower than `.shared`; take the address \
                 from the shared array in the same function, or mark the function in between #[inline(always)]",
                at.text
            ),
        })
        .collect()
}

/// Returns the registers that hold a generic address of shared memory.
fn generic_addresses(function: &Function) -> HashSet<&str> {
    let mut found = HashSet::new();
    let begins = |at: &Instruction| at.text.starts_with("cvta.shared");
    // Most functions have no such address, so this avoids a look at every register.
    if !function.instructions.iter().any(begins) {
        return found;
    }
    loop {
        let before = found.len();
        for at in &function.instructions {
            let opcode = at.opcode();
            let makes = opcode.starts_with("cvta.shared");
            let carries = ["add", "sub", "mov", "selp", "or", "mad", "cvta"]
                .contains(&first_word(opcode))
                && !opcode.starts_with("cvta.to");
            let registers = registers(&at.text[opcode.len()..]);
            let from_shared = registers
                .iter()
                .skip(1)
                .any(|register| found.contains(register));
            if let Some(result) = registers
                .first()
                .copied()
                .filter(|_| makes || (carries && from_shared))
            {
                found.insert(result);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Returns whether this is a load, store or atomic operation without a state space.
fn is_generic_access(at: &Instruction) -> bool {
    const SPACES: [&str; 5] = ["global", "shared", "local", "const", "param"];
    // `shared::cluster` and `param::func` are state spaces with a suffix.
    let names_space = |word: &str| SPACES.contains(&word.split(':').next().unwrap_or_default());
    let opcode = at.opcode();
    matches!(first_word(opcode), "ld" | "st" | "atom" | "red" | "ldu")
        && !opcode.split('.').any(names_space)
}

fn first_word(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or_default()
}

/// Returns the register inside `[...]`.
fn address(at: &Instruction) -> Option<&str> {
    let inside = at.text.split_once('[')?.1.split(']').next()?;
    registers(inside).first().copied()
}

/// Returns every register in a text, in order.
fn registers(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "%_$".contains(c)))
        .filter(|word| word.starts_with('%'))
        .collect()
}
