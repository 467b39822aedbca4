//! Code generation: the module as PTX text, by LLVM's backend or by NVIDIA's.

use inkwell::module::Module;
use inkwell::targets::{FileType, TargetMachine};

use super::Options;
use crate::error::CodegenError;
use crate::nvvm;

/// The PTX. The module is used up: LLVM's code generation changes it.
pub(super) fn ptx(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<String, CodegenError> {
    if let Some(library) = &options.nvvm {
        let text = nvvm::ptx(library, module, &options.arch, &options.floats)
            .map_err(|error| options.failed("NVVM", error))?;
        return Ok(options.paths.shorten(&text));
    }
    let buffer = machine
        .write_to_memory_buffer(module, FileType::Assembly)
        .map_err(|error| options.failed("code generation", error))?;
    let text = String::from_utf8_lossy(buffer.as_slice());
    Ok(options.paths.shorten(text.trim_end_matches('\0')))
}
