//! Shared variables are accessed natively.
//!
//! `cvta.shared` makes a generic address of one in shared memory. From there it is followed through
//! the function's registers: an address computed from it is such an address, a value loaded through
//! it is not. LLVM assigns a register once or twice, so the order of instructions need not be
//! known.

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

/// Registers that hold a generic address of shared memory.
fn generic_addresses(function: &Function) -> HashSet<&str> {
    let mut found = HashSet::new();
    let begins = |at: &Instruction| at.text.starts_with("cvta.shared");
    // Most functions have none, and an answer without a look at every register.
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

/// A load, store or atomic that names no state space.
fn is_generic_access(at: &Instruction) -> bool {
    const SPACES: [&str; 5] = ["global", "shared", "local", "const", "param"];
    // `shared::cluster` and `param::func` are spaces with a part.
    let names_space = |word: &str| SPACES.contains(&word.split(':').next().unwrap_or_default());
    let opcode = at.opcode();
    matches!(first_word(opcode), "ld" | "st" | "atom" | "red" | "ldu")
        && !opcode.split('.').any(names_space)
}

fn first_word(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or_default()
}

/// The register inside `[...]`.
fn address(at: &Instruction) -> Option<&str> {
    let inside = at.text.split_once('[')?.1.split(']').next()?;
    registers(inside).first().copied()
}

/// Every register that a text names, in order.
fn registers(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "%_$".contains(c)))
        .filter(|word| word.starts_with('%'))
        .collect()
}
