//! The target: one target machine per build, and the same target on every function.
//!
//! rustc wrote the lowest target on each function. LLVM's own backend uses the target machine and
//! ignores the functions' attributes. NVVM, and other compilers of the IR that a build can write,
//! may use the attributes.

use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use inkwell::targets::{CodeModel, RelocMode, Target, TargetMachine, TargetTriple};

use crate::error::CodegenError;
use crate::passes::Options;

const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// Returns a target machine that writes PTX of version `ptx`. For a debugger it selects
/// instructions without optimising, so that each variable keeps its place.
pub(crate) fn machine(options: &Options, ptx: &str) -> Result<TargetMachine, CodegenError> {
    let triple = TargetTriple::create(TRIPLE);
    let target =
        Target::from_triple(&triple).map_err(|error| options.failed("choice of target", error))?;
    target
        .create_target_machine(
            &triple,
            &options.arch.to_string(),
            ptx,
            if options.debug {
                OptimizationLevel::None
            } else {
                OptimizationLevel::Aggressive
            },
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| options.failed("choice of target", "LLVM made no machine for it"))
}

/// Sets the target on every function.
pub(crate) fn set(module: &Module<'_>, options: &Options, ptx: &str) {
    let context = module.get_context();
    let cpu = context.create_string_attribute("target-cpu", &options.arch.to_string());
    let features = context.create_string_attribute("target-features", ptx);
    for function in module
        .get_functions()
        .filter(|function| function.get_intrinsic_id() == 0)
    {
        function.add_attribute(AttributeLoc::Function, cpu);
        function.add_attribute(AttributeLoc::Function, features);
    }
}
