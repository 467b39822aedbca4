//! Finds recursion, whose stack size is not known before it runs.
//!
//! The driver reserves the stack of every thread before a launch. It takes the size that ptxas adds
//! up over the calls. For a function that can reach itself there is no such sum, and the driver
//! reserves the context's limit (1 KB per thread, unless the host sets more). A thread that writes
//! past the end of its stack makes the launch fail. So recursion is allowed, but a warning reports
//! it. Calls through a pointer are not followed.
//!
//! Source: CUDA programming guide, "Recursion"; driver API, `CU_LIMIT_STACK_SIZE`.

use std::collections::BTreeSet;

use inkwell::module::Module;
use inkwell::values::{AsValueRef, CallSiteValue, FunctionValue};

use crate::cargo::source_paths::SourcePaths;
use crate::llvm;

/// Returns one warning for each function that can reach itself, except functions of libraries.
pub(crate) fn warnings(module: &Module<'_>, paths: &SourcePaths) -> Vec<String> {
    let functions = module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0)
        .filter(|function| !is_library(*function, paths) && reaches_itself(*function));
    let warnings: BTreeSet<String> = functions.map(|function| message(function, paths)).collect();
    warnings.into_iter().collect()
}

/// Returns whether a function belongs to a library. `core`'s formatting reaches itself through
/// panics, which users cannot change.
fn is_library(function: FunctionValue<'_>, paths: &SourcePaths) -> bool {
    llvm::function_place(function).is_some_and(|place| paths.is_library(&place))
}

fn message(function: FunctionValue<'_>, paths: &SourcePaths) -> String {
    let name = llvm::path(function);
    let place = llvm::function_place(function)
        .map(|place| format!(" ({})", paths.short(&place)))
        .unwrap_or_default();
    format!(
        "`{name}`{place} calls itself, so the stack that it needs is not known: a thread has 1024 bytes unless the host \
         raises the context's limit (`ResourceLimit::StackSize`) before the launch; a loop with an array of its own needs \
         no limit"
    )
}

fn reaches_itself(function: FunctionValue<'_>) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![function];
    while let Some(at) = work.pop() {
        let calls = llvm::instructions(at).filter_map(|at| CallSiteValue::try_from(at).ok());
        for callee in calls.filter_map(llvm::callee) {
            if callee == function {
                return true;
            }
            if callee.count_basic_blocks() > 0 && seen.insert(callee.as_value_ref()) {
                work.push(callee);
            }
        }
    }
    false
}
