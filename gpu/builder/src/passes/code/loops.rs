//! Reduces addresses in loops to steps, each from the address before it, as nvcc does.
//!
//! By default, LLVM's O3 copies a loop's body (four times, with the rest in a loop of its own) and
//! reduces the index arithmetic of the copies later, in code generation. If an address moves by a
//! stride that is known only at launch, as in a column of a matrix, every multiple of the stride
//! stays in a pair of registers. ptxas then has too few registers, and waits for early loads before
//! it has issued the late ones. This pass uses the opposite order. It first reduces the arithmetic
//! to a pointer and its step, and then copies the body, so that each address is the previous one
//! plus the step.
//!
//! For this, options of the library (`llvm::OPTIONS`) switch off LLVM's own copying and reducing.
//! Source: LLVM, "LLVM's Analysis and Transform Passes": `loop-reduce`, `loop-unroll`.

use inkwell::module::Module;
use inkwell::targets::TargetMachine;

use crate::error::CodegenError;
use crate::llvm;
use crate::passes::{Options, by_name};

/// `lcssa` and `loop-simplify` give loops the form that the other passes require. The passes at the
/// end remove what these leave.
const STEP_THEN_COPY: &str = "function(adce,loop-simplify,lcssa,loop(loop-reduce),loop-unroll<O3;runtime>,instcombine<no-verify-fixpoint>,simplifycfg)";

/// Reduces the arithmetic of loops, then copies their bodies. It must run after O3.
pub(crate) fn run(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<(), CodegenError> {
    drop_assumptions(module);
    by_name(module, STEP_THEN_COPY, "loops", options, machine)
}

/// Removes the assumptions that rustc emits, mostly about indices. O3 has already used them. From
/// here on they would only keep an index alive beside the pointer.
fn drop_assumptions(module: &Module<'_>) {
    let instructions: Vec<_> = module
        .get_functions()
        .flat_map(llvm::instructions)
        .filter(|at| llvm::callee_name(*at).is_some_and(|name| name == "llvm.assume"))
        .collect();
    for assumption in instructions {
        assumption.erase_from_basic_block();
    }
}
