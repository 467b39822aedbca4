//! Marks every function and every call of something that is no function `convergent`: its execution
//! must not come to depend on more conditions.
//!
//! A barrier or a shuffle involves other threads. LLVM may not copy or move a `convergent` call
//! into a branch, but what is not marked it treats like any other code, and one barrier becomes two
//! in two arms, which is undefined behaviour on a GPU. rustc marks nothing (rust-lang/rust#137086),
//! so here all is marked: function definitions and declarations, and the calls that have no
//! function to carry the mark, inline assembly and calls through a pointer. A direct call takes the
//! mark from its function, and loses it when O3 proves that nothing below synchronises. LLVM's own
//! intrinsics carry the right mark already.
//!
//! Source: LLVM Language Reference, "convergent"; LLVM's "Convergence and Uniformity".

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;

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
        .filter(|call| llvm::callee(*call).is_none())
    {
        call.add_attribute(AttributeLoc::Function, convergent);
    }
}
