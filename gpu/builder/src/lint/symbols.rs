//! External functions: only those that the driver supplies when it loads a module, and those that the source imports (`#[device]`).
//!
//! Source: CUDA programming guide, "Formatted Output", "Dynamic Global Memory Allocation", "Assertion", "Conditional Graph Nodes", "CUDA Dynamic Parallelism".

use super::ptx::Module;
use super::{Finding, Rule};

/// Device-side system calls.
const SUPPLIED: [&str; 5] = [
    "vprintf",
    "malloc",
    "free",
    "__assertfail",
    "cudaGraphSetConditional",
];
/// Entry points of dynamic parallelism, which linking with `cudadevrt` supplies.
const DYNAMIC_PARALLELISM: [&str; 2] = ["cuda", "__cudaCDP2"];

pub(super) fn check(module: &Module, imports: &[String]) -> Vec<Finding> {
    let is_supplied = |name: &str| {
        SUPPLIED.contains(&name)
            || imports.iter().any(|import| import == name)
            || DYNAMIC_PARALLELISM.iter().any(|prefix| {
                name.strip_prefix(prefix)
                    .is_some_and(|rest| rest.starts_with(char::is_uppercase))
            })
    };
    let unresolved = module.externs.iter().filter(|(name, _)| !is_supplied(name));
    unresolved
        .map(|(name, line)| {
            let caller = module.functions.iter().find_map(|function| {
                let call = function.instructions.iter().find(|at| at.callee() == Some(name))?;
                Some((function.name.clone(), call.line, module.place(call.loc)))
            });
            let (function, line, source) = caller.unwrap_or_else(|| (name.clone(), *line, None));
            Finding {
                rule: Rule::UnresolvedSymbol,
                function,
                line,
                source,
                message: format!(
                    "`{name}` is defined nowhere, and the driver supplies only {}: define it, use lanewise_std's function for it, or declare it with `#[device]` where a module that is linked has it",
                    SUPPLIED.join(", ")
                ),
            }
        })
        .collect()
}
