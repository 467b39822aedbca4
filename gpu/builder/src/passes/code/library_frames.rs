//! Keeps library code out of a debugger's way.
//!
//! Nothing is optimised for a debugger, so `a + b` of two references is a call of `core`'s `add`,
//! `c.get_mut(&index)` one of lanewise-std's, and each step lands in a function that nobody wrote.
//! Here the small functions of libraries (those marked `#[inline]`, and those that go straight
//! through a few instructions) are inlined after all; `source_lines` then gives their instructions
//! the line of the call. What is left as a frame is the kernel crate's own functions, and the
//! library's large ones.
//!
//! Only a debugger's build runs this: an ordinary one leaves the choice to O3.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::FunctionValue;

use crate::cargo::source_paths::SourcePaths;
use crate::llvm;

/// How many instructions, unoptimised, a function may have that is inlined unasked: `borrow` has
/// two, `rotate_left` thirteen.
const FEW: usize = 16;

/// Marks what is to be inlined; the pipeline of O0 does it.
pub(crate) fn inline(module: &Module<'_>, paths: &SourcePaths) {
    let kind = Attribute::get_named_enum_kind_id;
    let always = module
        .get_context()
        .create_enum_attribute(kind("alwaysinline"), 0);
    for function in module.get_functions() {
        let has = |name| {
            function
                .get_enum_attribute(AttributeLoc::Function, kind(name))
                .is_some()
        };
        let is_library = || llvm::function_place(function).is_some_and(|at| paths.is_library(&at));
        let is_small = has("inlinehint") || goes_straight(function);
        if is_small && !has("noinline") && is_library() {
            function.remove_enum_attribute(AttributeLoc::Function, kind("inlinehint"));
            function.add_attribute(AttributeLoc::Function, always);
        }
    }
}

/// Whether a function is one block of few instructions.
fn goes_straight(function: FunctionValue<'_>) -> bool {
    function.count_basic_blocks() == 1 && llvm::instructions(function).count() <= FEW
}
