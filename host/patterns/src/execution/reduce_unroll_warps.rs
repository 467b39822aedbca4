//! Reduction whose last steps run in one warp: first without block barriers in these steps, then
//! with no loop at all.

use anyhow::Result;
use gpu::execution::reduce_unroll_warps::{
    reduce_complete_unroll, reduce_complete_unroll_warps8, reduce_unroll_warps8,
};
use lanewise::{Arguments, Device};
use lanewise_std::kernel::SafeKernel;

use super::in_place::{Given, Reduction, SIZE};
use crate::{Case, Pattern, Setup, Variant};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "reduce_unroll_warps",
    chapter: "execution",
    summary: "the last six steps by one warp without block barriers; then every step written out",
    source: "Professional CUDA C Programming, chapter 3",
    size: SIZE,
    variants: &[
        Variant::new("reduce_unroll_warps8", |device, setup| {
            Reduction::prepare(device, setup, reduce_unroll_warps8, 8)
        }),
        Variant::new("reduce_complete_unroll_warps8", |device, setup| {
            Reduction::prepare(device, setup, reduce_complete_unroll_warps8, 8)
        }),
        Variant::new("reduce_complete_unroll_1024", |device, setup| {
            in_blocks_of(1024, device, setup, reduce_complete_unroll::<1024>)
        }),
        Variant::new("reduce_complete_unroll_512", |device, setup| {
            in_blocks_of(512, device, setup, reduce_complete_unroll::<512>)
        }),
        Variant::new("reduce_complete_unroll_256", |device, setup| {
            in_blocks_of(256, device, setup, reduce_complete_unroll::<256>)
        }),
        Variant::new("reduce_complete_unroll_128", |device, setup| {
            in_blocks_of(128, device, setup, reduce_complete_unroll::<128>)
        }),
        Variant::new("reduce_complete_unroll_64", |device, setup| {
            in_blocks_of(64, device, setup, reduce_complete_unroll::<64>)
        }),
    ],
};

/// Prepares the kernel with the block size for which it was compiled, whatever the setup gives.
fn in_blocks_of<K: SafeKernel>(
    block: u32,
    device: &Device,
    setup: Setup,
    kernel: K,
) -> Result<Box<dyn Case>>
where
    for<'a> Given<'a>: Arguments<K::Params>,
{
    let setup = Setup {
        block: Some(block),
        ..setup
    };
    Reduction::prepare(device, setup, kernel, 8)
}
