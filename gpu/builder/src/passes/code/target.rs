//! The target: one machine a build, and the same target on every function.
//!
//! rustc wrote the lowest target asked for on each function. LLVM's own backend goes by the machine
//! and looks at no function; NVVM, and whoever compiles the IR that a build can leave, may go by
//! what the functions carry.

use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use inkwell::targets::{CodeModel, RelocMode, Target, TargetMachine, TargetTriple};

use crate::error::CodegenError;
use crate::passes::Options;

const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// A machine for the target that writes PTX of version `ptx`. For a debugger it selects
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

/// Writes the target on every function.
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
