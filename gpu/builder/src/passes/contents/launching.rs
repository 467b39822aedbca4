//! Splits one crate into two modules: kernels that launch kernels, and all others.
//!
//! A module that launches calls the device runtime, which no driver contains. The module has to
//! be linked with NVIDIA's `cudadevrt` before it is loaded. If all kernels were in one module,
//! all of them would need that library, and would be compiled as relocatable code. So the kernels
//! with `#[kernel(launches)]` get a module of their own, together with the kernels that they
//! launch. The others load without linking. A kernel that both the host and other kernels launch
//! is in both modules.
//!
//! A named static is one variable to the host, and would be two if both modules had it. It belongs
//! to the module of the other kernels. A kernel that launches and uses it is refused.
//!
//! Source: CUDA programming guide, "CUDA Dynamic Parallelism", "Compiling and Linking".

use inkwell::module::{Linkage, Module};
use inkwell::values::{GlobalValue, InstructionValue};

use crate::cargo::source_paths::SourcePaths;
use crate::error::CodegenError;
use crate::llvm::{self, Referred};
use crate::manifest::Description;

/// The prefix of the device runtime's functions.
const RUNTIME: &str = "__cudaCDP2";

/// Which of the two modules is being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModuleRole {
    /// Kernels that launch no kernels.
    Plain,
    /// Kernels that launch kernels.
    Launching,
}

impl ModuleRole {
    /// Returns whether the host launches a kernel from this module.
    pub(crate) fn has(self, kernel: &str, descriptions: &[Description]) -> bool {
        let launches = descriptions
            .iter()
            .any(|description| description.name == kernel && description.launches);
        launches == (self == ModuleRole::Launching)
    }

    /// Refuses what the module must not use. It is called when the module holds only what
    /// its kernels reach.
    pub(crate) fn check(
        self,
        module: &Module<'_>,
        descriptions: &[Description],
        paths: &SourcePaths,
    ) -> Result<(), CodegenError> {
        match self {
            ModuleRole::Plain => check_runtime(module, descriptions, paths),
            ModuleRole::Launching => check_statics(module, paths),
        }
    }
}

/// Checks that every kernel that launches kernels has the attribute for it.
fn check_runtime(
    module: &Module<'_>,
    descriptions: &[Description],
    paths: &SourcePaths,
) -> Result<(), CodegenError> {
    let used = module
        .get_functions()
        .find(|function| llvm::name(*function).starts_with(RUNTIME));
    let Some(function) = used else { return Ok(()) };
    // This finds the callers' callers, up to kernels, because unoptimised code calls the runtime
    // through functions of lanewise-std.
    let mut reached = vec![function];
    let mut at = 0;
    while at < reached.len() {
        for caller in llvm::callers(reached[at]) {
            if !reached.contains(&caller) {
                reached.push(caller);
            }
        }
        at += 1;
    }
    let kernels: Vec<_> = reached
        .into_iter()
        .filter(|function| llvm::is_kernel(*function))
        .map(|kernel| {
            let name = llvm::name(kernel);
            let description = descriptions.iter().find(|it| it.name == name);
            format!(
                "`{name}` ({})",
                crate::passes::place(kernel, description, paths)
            )
        })
        .collect();
    Err(CodegenError::LaunchesUnsaid {
        kernels: kernels.join(", "),
    })
}

/// Refuses launching kernels that use a static which the host finds by name, and removes the other
/// statics from this module.
fn check_statics(module: &Module<'_>, paths: &SourcePaths) -> Result<(), CodegenError> {
    for global in module
        .get_globals()
        .filter(|global| !global.is_declaration())
    {
        if global.get_linkage() == Linkage::External {
            if llvm::is_used(global) {
                let name = llvm::text(global.get_name());
                let place = use_of(module, global, paths);
                return Err(CodegenError::StaticInTwoModules { name, place });
            }
            global.set_linkage(Linkage::Internal);
        }
    }
    Ok(())
}

/// Returns the first line that refers to a static.
fn use_of(module: &Module<'_>, global: GlobalValue<'_>, paths: &SourcePaths) -> String {
    let refers = |instruction: &InstructionValue<'_>| {
        let all = llvm::referred(*instruction);
        all.into_iter()
            .any(|it| matches!(it, Referred::Global(other) if other == global))
    };
    let mut all = module.get_functions().flat_map(llvm::instructions);
    let place = all
        .find(refers)
        .and_then(|at| llvm::shown_place(at, |file| paths.is_library(file)));
    place.map_or_else(|| "no line".to_owned(), |place| paths.short(&place))
}
