//! One total, with one atomic operation per thread, per warp or per block.

use anyhow::Result;
use gpu::instruction::aggregated::{atomic_per_block, atomic_per_thread, atomic_per_warp};
use lanewise::counters::Counters;
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::{Filling, with_figures};
use crate::execution::recursive_reduce_cpu::sum;
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "aggregated",
    chapter: "instruction",
    summary: "one total: an atomic for each thread, for each warp, for each block",
    source: "Professional CUDA C Programming, chapter 7",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 16,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("atomic_per_thread", |device, setup| {
            prepare(device, setup, atomic_per_thread)
        }),
        Variant::new("atomic_per_warp", |device, setup| {
            prepare(device, setup, atomic_per_warp)
        }),
        Variant::new("atomic_per_block", |device, setup| {
            prepare(device, setup, atomic_per_block)
        }),
    ],
};

fn prepare<K: SafeKernel<Params = <atomic_per_thread as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let config = LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK));
    let numbers = input::integers(n, setup.seed);
    let expected = setup.expected(|| sum(&numbers));

    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let total = DeviceBuffer::<i32>::zeroed(device, 1)?;
    let work = Work::Bytes(4 * n as u64);
    let case = Filling::boxed([total], [vec![expected]], work, move |stream, [total]| {
        Ok(stream.launch(kernel, config, (&numbers, total))?)
    });
    Ok(with_figures(case, atomics))
}

/// Returns how many atomic additions went to memory.
fn atomics(counters: &Counters) -> Vec<Figure> {
    vec![Figure::new("atomics", counters.global_atomics.bytes / 4)]
}
