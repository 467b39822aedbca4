//! Refuses kernels whose parameters do not fit, before LLVM spends minutes on them.
//!
//! A launch copies the parameters to constant memory. 4096 bytes always fit there. Since PTX 8.1,
//! 32764 bytes fit on Volta and later, which are all targets that can be built. A module that needs
//! this is written in that version.
//!
//! Source: PTX ISA, "State Spaces: Kernel Function Parameters"; "Release Notes", 8.1.

use inkwell::module::Module;
use inkwell::targets::TargetMachine;

use crate::cargo::source_paths::SourcePaths;
use crate::error::CodegenError;
use crate::llvm;
use crate::manifest::Description;

/// The size that fits in every version of PTX, in bytes.
const ALWAYS: u64 = 4096;
/// The size that fits since PTX 8.1, in bytes.
const LIMIT: u64 = 32_764;

/// Returns whether some kernel's parameters need PTX 8.1.
pub(crate) fn are_large(
    module: &Module<'_>,
    descriptions: &[Description],
    machine: &TargetMachine,
    paths: &SourcePaths,
) -> Result<bool, CodegenError> {
    let layout = machine.get_target_data();
    let mut are_large = false;
    for function in llvm::kernels(module) {
        let bytes = function.get_param_iter().fold(0u64, |end, param| {
            let ty = param.get_type();
            let align = u64::from(layout.get_abi_alignment(&ty).max(1));
            end.next_multiple_of(align) + layout.get_abi_size(&ty)
        });
        if bytes > LIMIT {
            let kernel = llvm::name(function);
            let description = descriptions.iter().find(|d| d.name == kernel);
            let place = crate::passes::place(function, description, paths);
            return Err(CodegenError::ParametersTooLarge {
                kernel,
                place,
                bytes,
                limit: LIMIT,
            });
        }
        are_large |= bytes > ALWAYS;
    }
    Ok(are_large)
}
