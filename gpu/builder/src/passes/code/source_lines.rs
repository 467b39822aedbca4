//! Lets each instruction name the line of the kernel that it serves.
//!
//! After O3 most instructions come from small functions of `core` and lanewise-std, inlined into
//! the kernel, and LLVM's PTX names the innermost of them. Here an instruction that comes from
//! library code is given the line of the call, up to the first function that is not library.
//! Instructions in a library function that was not inlined keep their own.

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
