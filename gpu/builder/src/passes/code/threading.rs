//! Leads a branch whose result is known straight to its target, as LLVM's jump threading does.
//!
//! An adapter of an iterator asks twice: the inner iterator whether there is an element, and then
//! the outer one whether it got any. As long as both branches are there, the loop has no known
//! number of iterations: it is not unrolled, and the array that it walks over stays in local
//! memory. LLVM runs jump threading for CPUs only, because lanes that take different paths run
//! copied instructions one after the other. Here it may copy no more than a handful of
//! instructions (`llvm::OPTIONS`), and nothing that synchronises, since that is `convergent`. What
//! follows takes apart what can be seen then.
//!
//! Source: LLVM, "LLVM's Analysis and Transform Passes": `jump-threading`.

use std::ffi::CStr;
use std::ptr::null_mut;

use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use inkwell::llvm_sys::target_machine::LLVMTargetMachineRef;
use inkwell::llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPassesOnFunction,
};
use inkwell::module::Module;
use inkwell::targets::TargetMachine;
use inkwell::values::{AsValueRef, FunctionValue};

use crate::error::CodegenError;
use crate::llvm;
use crate::passes::Options;

/// The array of a loop that is unrolled now becomes registers.
const TAKE_APART: &CStr = c"simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,lcssa,loop(indvars,loop-deletion,loop-unroll-full),sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,adce";

/// Threads the branches of all functions. It must run after O3.
pub(crate) fn run(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<(), CodegenError> {
    let failed = |reason| options.failed("jump threading", reason);
    for function in module.get_functions() {
        let size = || {
            (
                function.count_basic_blocks(),
                llvm::instructions(function).count(),
            )
        };
        let before = size();
        // For a target whose lanes may diverge, the pass does nothing.
        on(function, c"jump-threading", null_mut()).map_err(failed)?;
        if size() != before {
            on(function, TAKE_APART, machine.as_mut_ptr()).map_err(failed)?;
        }
    }
    Ok(())
}

/// Runs passes on one function. Without a machine, LLVM assumes a simple target.
fn on(
    function: FunctionValue<'_>,
    passes: &CStr,
    machine: LLVMTargetMachineRef,
) -> Result<(), String> {
    if function.count_basic_blocks() == 0 {
        return Ok(());
    }
    // SAFETY: the function is live, has a body, and no other thread uses it. The options are freed
    // once, and so is the message, after it was copied.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let at = function.as_value_ref();
        let error = LLVMRunPassesOnFunction(at, passes.as_ptr(), machine, options);
        LLVMDisposePassBuilderOptions(options);
        if error.is_null() {
            return Ok(());
        }
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(text)
    }
}
