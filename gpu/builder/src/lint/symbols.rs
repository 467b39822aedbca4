//! External functions: the only ones allowed are those that the driver supplies when it loads a
//! module, and those that the source imports (`#[device]`).
//!
//! Source: CUDA programming guide, "Formatted Output", "Dynamic Global Memory Allocation",
//! "Assertion", "Conditional Graph Nodes", "CUDA Dynamic Parallelism".

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

fn is_of_dynamic_parallelism(name: &str) -> bool {
    DYNAMIC_PARALLELISM.iter().any(|prefix| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with(char::is_uppercase))
    })
}

pub(super) fn check(module: &Module<'_>, imports: &[String]) -> Vec<Finding> {
    let is_supplied = |name: &str| {
        SUPPLIED.contains(&name)
            || imports.iter().any(|import| import == name)
            || is_of_dynamic_parallelism(name)
    };
    let unresolved = (module.externs.iter()).filter(|(name, _)| !is_supplied(name));
    unresolved
        .map(|(name, line)| {
            let caller = module.functions.iter().find_map(|function| {
                let call = function.instructions().find(|at| at.callee() == Some(name))?;
                Some((function.name(), call.line(), module.place(call.loc())))
            });
            let (function, line, source) = caller.unwrap_or((name, *line, None));
            Finding {
                rule: Rule::UnresolvedSymbol,
                function: function.to_owned(),
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every function that the lint allows also exists on the simulator, and the lint allows every
    /// function that the simulator provides.
    #[test]
    fn what_the_driver_supplies_is_what_the_simulator_provides() {
        let provided: BTreeSet<&str> = lanewise_sim::module::functions().collect();
        let supplied = BTreeSet::from(SUPPLIED);
        assert!(supplied.is_subset(&provided), "{provided:?}");
        let mut others = provided.difference(&supplied);
        assert!(
            others.all(|name| is_of_dynamic_parallelism(name)),
            "{provided:?}"
        );
    }
}
