//! Gives each instruction the line of the kernel that it belongs to.
//!
//! After O3 most instructions come from small functions of `core` and lanewise-std that were
//! inlined into the kernel, and LLVM's PTX shows the innermost of them. This pass gives an
//! instruction from library code the line of the call in the first function that is not in a
//! library. Instructions in a library function that was not inlined keep their own line.

use inkwell::module::Module;

use crate::cargo::source_paths::SourcePaths;
use crate::llvm;

/// Sets the line of every instruction.
pub(crate) fn set(module: &Module<'_>, paths: &SourcePaths) {
    let mut lines = llvm::LinesOutside::new(|file: &str| paths.is_library(file));
    for instruction in module.get_functions().flat_map(llvm::instructions) {
        lines.show(instruction);
    }
}
