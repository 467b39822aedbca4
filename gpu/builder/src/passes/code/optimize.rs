//! Runs LLVM's own O3, after the other passes have added what the GPU needs. For a debugger it runs
//! O0, which inlines only the functions that are marked for it.

use inkwell::module::Module;
use inkwell::targets::TargetMachine;

use super::range_checks::{self, CopiedBarriers};
use super::{
    addresses, atomic_costs, divisions, early_loads, extremes, inclusive_ranges, loads_over_checks,
    loops, nullable, remainders, threading, widths,
};
use crate::error::CodegenError;
use crate::passes::{Options, by_name};

/// Checks the module, optimises it, and checks it again. Returns the barriers that are there twice.
pub(crate) fn run(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<CopiedBarriers, CodegenError> {
    let mut copied = CopiedBarriers::default();
    module
        .verify()
        .map_err(|error| options.failed("check of the module before optimisation", error))?;
    if options.debug {
        by_name(module, "default<O0>", "O0", options, machine)?;
    } else {
        inclusive_ranges::count(module)
            .map_err(|error| options.failed("inclusive ranges", error))?;
        atomic_costs::add(module, options)?;
        by_name(module, "default<O3>", "O3", options, machine)?;
        atomic_costs::remove(module);
        threading::run(module, options, machine)?;
        nullable::take_out(module);
        remainders::replace(module, options)?;
        divisions::narrow(module, options)?;
        copied = range_checks::hoist(module, options, machine)?;
        loops::run(module, options, machine)?;
        loads_over_checks::run(module, options, machine)?;
        early_loads::first(module);
        addresses::join(module);
        widths::narrow(module, options)?;
        extremes::split(module, options)?;
    }
    module
        .verify()
        .map_err(|error| options.failed("check of the optimised module", error))?;
    Ok(copied)
}
