//! Keeps the kernels for this target and what they need, and removes everything else.
//!
//! Rust exports every `#[no_mangle]` function, and the merged module contains most of `core`. This
//! pass leaves only two kinds of functions visible: entry points, and functions that are exported
//! on purpose (`#[device]`). Both belong to the module that is being made (see `launching`).
//! Kernels whose `min_arch` is above the target are left out. Every other function becomes
//! internal, and what no kernel reaches is deleted. This pass runs first, which makes every later
//! pass faster. Named statics stay visible. The host finds them by name and may write them before a
//! launch, so the optimiser must not assume their initial value.

use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetMachine;

use super::launching::ModuleRole;
use crate::error::CodegenError;
use crate::llvm;
use crate::manifest::Description;
use crate::passes::{Options, by_name, code};

/// Reduces the module to this target's kernels.
pub(crate) fn keep(
    module: &Module<'_>,
    descriptions: &[Description],
    exports: &[String],
    options: &Options,
    part: ModuleRole,
    machine: &TargetMachine,
) -> Result<(), CodegenError> {
    // Only one of the two modules of a crate may define an exported function.
    let is_exported = |name: &String| {
        part == ModuleRole::Plain && options.only.is_none() && exports.contains(name)
    };
    for function in module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0)
    {
        let name = llvm::name(function);
        if is_exported(&name) || name == code::panics::STORE {
            continue;
        }
        if !llvm::is_kernel(function)
            || !part.has(&name, descriptions)
            || options.only.as_ref().is_some_and(|only| *only != name)
            || is_too_new(&name, descriptions, options)?
        {
            function.set_linkage(Linkage::Internal);
        }
    }
    for global in module
        .get_globals()
        .filter(|global| !global.is_declaration())
    {
        if global.get_linkage() == Linkage::External {
            global.set_externally_initialized(true);
        }
    }
    let remove_dead = || {
        let stage = "removal of dead code";
        by_name(module, "globaldce", stage, options, machine)
    };
    remove_dead()?;
    part.check(module, descriptions, &options.paths)?;
    if part == ModuleRole::Launching {
        remove_dead()?;
    }
    Ok(())
}

/// Returns whether the kernel needs a later target than this one.
fn is_too_new(
    kernel: &str,
    descriptions: &[Description],
    options: &Options,
) -> Result<bool, CodegenError> {
    let Some(wanted) = descriptions
        .iter()
        .find(|d| d.name == kernel)
        .and_then(|d| d.min_arch.as_ref())
    else {
        return Ok(false);
    };
    let wanted: crate::arch::Arch =
        wanted
            .parse()
            .map_err(|error: crate::OptionError| CodegenError::Description {
                kernel: kernel.to_owned(),
                reason: error.to_string(),
            })?;
    Ok(!options.arch.has_all_of(&wanted))
}
