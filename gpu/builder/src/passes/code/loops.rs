//! Loops whose addresses step, each from the one before, as nvcc has them.
//!
//! Left to itself, LLVM copies a loop's body in O3 (four times, the rest in a loop of its own) and
//! reduces the index arithmetic of the copies later, in code generation. Where an address moves by
//! a stride that only the launch knows, as down the column of a matrix, that keeps every multiple
//! of the stride in a pair of registers; ptxas runs short of them, and waits for early loads before
//! it has issued the late ones. Here the order is the other one: the arithmetic is reduced to a
//! pointer and its step first, and then the body is copied, so that an address is the last one plus
//! the step.
//!
//! LLVM's own copying and reducing are switched off for that, by options of the library
//! (`llvm::OPTIONS`).
//! Source: LLVM, "LLVM's Analysis and Transform Passes": `loop-reduce`, `loop-unroll`.

use inkwell::module::Module;
use inkwell::targets::TargetMachine;

use crate::error::CodegenError;
use crate::llvm;
use crate::passes::{Options, by_name};

/// `lcssa` and `loop-simplify` give loops the shape that the others ask for; what is at the end
/// clears up behind them.
const STEP_THEN_COPY: &str = "function(adce,loop-simplify,lcssa,loop(loop-reduce),loop-unroll<O3;runtime>,instcombine<no-verify-fixpoint>,simplifycfg)";

/// Reduces the arithmetic of loops, then copies their bodies. To be run after O3.
pub(crate) fn run(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<(), CodegenError> {
    drop_assumptions(module);
    by_name(module, STEP_THEN_COPY, "loops", options, machine)
}

/// Drops what rustc says can be assumed, of indices above all: O3 has made what it could of it, and
/// from here on it would only keep an index alive beside the pointer.
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
