//! The properties of a kernel that a host program can read: parameters, bounds, registers.

use crate::decode::live;
use crate::kernel::{Kernel, Param};
use crate::machine::program::Program;
use crate::ptx::ast::{self, Body, Directive};

/// Returns a kernel's parameters with their offsets, and the size of all of them in bytes.
pub(super) fn params(function: &ast::Function<'_>) -> (Vec<Param>, u32) {
    let mut end = 0u32;
    let params = function.params.iter().map(|p| {
        let (size, align) = (
            p.size().min(1 << 20) as u32,
            p.alignment().clamp(1, 1 << 20) as u32,
        );
        let offset = end.next_multiple_of(align);
        end = offset + size;
        Param {
            name: p.name.into(),
            size,
            align,
            offset,
        }
    });
    (params.collect(), end)
}

/// Returns the description of a kernel for a host program.
pub(in crate::decode) fn describe(
    function: &ast::Function<'_>,
    body: &Body<'_>,
    program: &Program,
) -> Kernel {
    let (params, param_bytes) = params(function);
    let index = program.functions.len() - 1;
    let decoded = &program.functions[index];
    let static_shared = program
        .shared
        .iter()
        .find(|(f, _)| *f == index)
        .map_or(0, |(_, bytes)| *bytes);
    let mut kernel = Kernel {
        name: function.name.into(),
        params,
        param_bytes,
        static_shared,
        local_bytes: decoded.local,
        registers: live::estimate(body),
        ..Kernel::default()
    };
    for directive in &function.directives {
        match *directive {
            Directive::MaxThreads([x, y, z]) => {
                kernel.max_threads = Some(x.saturating_mul(y).saturating_mul(z))
            }
            Directive::RequiredThreads(extent) => kernel.required_threads = Some(extent),
            Directive::MinBlocksPerSm(n) => kernel.min_blocks = Some(n),
            Directive::RequiredCluster(extent) => kernel.cluster = Some(extent),
            _ => {}
        }
    }
    kernel.registers = kernel.registers.min(registers_within_bounds(&kernel));
    kernel
}

/// Returns the registers that a compiler may use for a kernel with declared block sizes or a least
/// number of blocks on a multiprocessor. Further values are spilled to local memory. PTX ISA,
/// "Performance-Tuning Directives: .maxntid, .minnctapersm".
fn registers_within_bounds(kernel: &Kernel) -> u32 {
    // These hold for every multiprocessor from compute capability 3.5 on. The unit is 8 registers
    // for each thread.
    const REGISTERS: u32 = 65_536;
    const UNIT: u32 = 8;
    let required = kernel
        .required_threads
        .map(|extent| extent.iter().fold(1, |all: u32, n| all.saturating_mul(*n)));
    let Some(threads) = required.or(kernel.max_threads) else {
        return u32::MAX;
    };
    let resident = threads
        .max(1)
        .checked_next_multiple_of(32)
        .and_then(|threads| threads.checked_mul(kernel.min_blocks.unwrap_or(1).max(1)));
    (REGISTERS / resident.unwrap_or(u32::MAX) / UNIT * UNIT).max(16)
}
