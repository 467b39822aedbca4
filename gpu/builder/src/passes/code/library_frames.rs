//! Keeps library functions out of a debugger's list of frames.
//!
//! Code for a debugger is not optimised. So `a + b` of two references is a call of `core`'s `add`,
//! and `c.get_mut(&index)` is a call of lanewise-std's function. Each step would enter a function
//! that the kernel's author did not write. This pass inlines the small functions of libraries:
//! those marked `#[inline]`, and those with one block of a few instructions. `source_lines` then
//! gives their instructions the line of the call. The frames that remain are the kernel crate's own
//! functions and the large functions of libraries.
//!
//! Only a build for a debugger runs this pass. In an ordinary build O3 decides what to inline.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::FunctionValue;

use crate::cargo::source_paths::SourcePaths;
use crate::llvm;

/// The most instructions, unoptimised, of a function that is inlined without `#[inline]`: `borrow`
/// has two, `rotate_left` thirteen.
const FEW: usize = 16;

/// Marks the functions to inline. The pipeline of O0 then inlines them.
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

/// Returns whether a function is one block of few instructions.
fn goes_straight(function: FunctionValue<'_>) -> bool {
    function.count_basic_blocks() == 1 && llvm::instructions(function).count() <= FEW
}
