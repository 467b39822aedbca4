//! Marks as `convergent` every function, and every call whose callee is not a function. LLVM must
//! not make the execution of such a call depend on more conditions.
//!
//! A barrier or a shuffle involves other threads. LLVM may not copy or move a `convergent` call
//! into a branch. It treats an unmarked call like any other code, and one barrier may become two in
//! two arms, which is undefined behaviour on a GPU. rustc marks nothing (rust-lang/rust#137086), so
//! this pass marks everything: function definitions and declarations, and the calls that have no
//! function to mark, which are inline assembly and calls through a pointer. A direct call uses the
//! mark of its function. Assembly that Rust calls pure, such as `tanh.approx`, is not marked if it
//! has no instruction that involves other threads. O3 removes the mark if it proves that nothing
//! below synchronises. LLVM's own intrinsics already have the right mark.
//!
//! Source: LLVM Language Reference, "convergent"; LLVM's "Convergence and Uniformity".

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::CallSiteValue;

use crate::lint::may_synchronise;
use crate::llvm;

/// Marks the whole module.
pub(crate) fn mark(module: &Module<'_>) {
    let kind = Attribute::get_named_enum_kind_id("convergent");
    let convergent = module.get_context().create_enum_attribute(kind, 0);
    for function in module
        .get_functions()
        .filter(|function| function.get_intrinsic_id() == 0)
    {
        function.add_attribute(AttributeLoc::Function, convergent);
    }
    for call in llvm::calls(module)
        .into_iter()
        .filter(|call| llvm::callee(*call).is_none() && !is_local(*call))
    {
        call.add_attribute(AttributeLoc::Function, convergent);
    }
}

/// Returns whether a call is inline assembly by which each thread computes for itself.
fn is_local(call: CallSiteValue<'_>) -> bool {
    llvm::is_pure_assembly(call) && llvm::assembly(call).is_some_and(|text| !may_synchronise(&text))
}
