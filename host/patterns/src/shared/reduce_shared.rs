//! Reductions whose steps work in global memory or in shared memory.

use anyhow::Result;
use gpu::shared::reduce_shared::{
    reduce_gmem, reduce_gmem_unroll4, reduce_smem, reduce_smem_dyn, reduce_smem_unroll4,
    reduce_smem_unroll4_dyn,
};
use lanewise::counters::Counters;
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::{Filling, with_figures};
use crate::execution::in_place::{BLOCK, Reduction, SIZE};
use crate::{Case, Figure, Pattern, Setup, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "reduce_shared",
    chapter: "shared",
    summary: "the steps in shared memory: each element is loaded once, a block stores once",
    source: "Professional CUDA C Programming, chapter 5",
    size: SIZE,
    variants: &[
        Variant::new("reduce_gmem", |device, setup| {
            Reduction::prepare(device, setup, reduce_gmem, 1)
        }),
        Variant::new("reduce_smem", |device, setup| {
            prepare(device, setup, reduce_smem, 1, false)
        }),
        Variant::new("reduce_smem_dyn", |device, setup| {
            prepare(device, setup, reduce_smem_dyn, 1, true)
        }),
        Variant::new("reduce_gmem_unroll4", |device, setup| {
            Reduction::prepare(device, setup, reduce_gmem_unroll4, 4)
        }),
        Variant::new("reduce_smem_unroll4", |device, setup| {
            prepare(device, setup, reduce_smem_unroll4, 4, false)
        }),
        Variant::new("reduce_smem_unroll4_dyn", |device, setup| {
            prepare(device, setup, reduce_smem_unroll4_dyn, 4, true)
        }),
    ],
};

/// Prepares a kernel that does not change its input and gives each thread `unroll` elements.
fn prepare<K: SafeKernel<Params = <reduce_smem as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
    unroll: usize,
    is_dynamic: bool,
) -> Result<Box<dyn Case>> {
    let (n, block) = (setup.elements()?, setup.block.unwrap_or(BLOCK));
    let numbers = input::integers(n, setup.seed);
    let expected = crate::execution::recursive_reduce_cpu::block_sums(
        &numbers,
        (block as usize * unroll).max(1),
    );
    let bytes = if is_dynamic {
        block.saturating_mul(4)
    } else {
        0
    };
    let config =
        LaunchConfig::new(u32::try_from(expected.len())?, block).with_dynamic_shared(bytes);

    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let sums = DeviceBuffer::zeroed(device, expected.len())?;
    let work = Work::Bytes(4 * n as u64);
    let filling = Filling::boxed([sums], [expected], work, move |stream, [sums]| {
        Ok(stream.launch(kernel, config, (&numbers, sums))?)
    });
    Ok(with_figures(filling, traffic))
}

/// Returns the accesses to global memory and to shared memory.
fn traffic(counters: &Counters) -> Vec<Figure> {
    vec![
        Figure::new("store requests", counters.global_stores.requests),
        Figure::new(
            "shared requests",
            counters.shared_loads.requests + counters.shared_stores.requests,
        ),
    ]
}
