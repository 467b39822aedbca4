//! Reads from one place, from neighbouring places in another order, and from scattered places.

use anyhow::Result;
use gpu::memory::gather::{APART, SWAPS, gather_permuted, gather_same, gather_scattered};
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "gather",
    chapter: "memory",
    summary: "a warp's load costs the sectors it touches: 1, 4 in any order, or 32",
    source: "Professional CUDA C Programming, chapter 4",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("gather_same", |device, setup| {
            prepare(device, setup, gather_same, |i, _| i / 32 * 32)
        }),
        Variant::new("gather_permuted", |device, setup| {
            prepare(device, setup, gather_permuted, |i, _| i ^ SWAPS)
        }),
        Variant::new("gather_scattered", |device, setup| {
            prepare(device, setup, gather_scattered, |i, n| i * APART % n)
        }),
    ],
};

/// Prepares a kernel whose thread `i` reads element `from(i, n)` of `n` elements.
fn prepare<K: SafeKernel<Params = <gather_same as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
    from: fn(usize, usize) -> usize,
) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let input = input::floats(n, setup.seed);
    let expected = gather(&input, |i| from(i, n));

    // The blocks have whole warps, because the kernels require them.
    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    let config = LaunchConfig::cover_1d(n, block.next_multiple_of(32));
    let input = DeviceBuffer::from_slice(device, &input)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Bytes(2 * 4 * n as u64),
        move |stream, [output]| Ok(stream.launch(kernel, config, (&input, output))?),
    ))
}

// On the CPU.

/// Returns `input[from(i)]` for each `i` below the input's length, or 0 if `from(i)` lies past the
/// end of the input.
pub fn gather(input: &[f32], from: impl Fn(usize) -> usize) -> Vec<f32> {
    (0..input.len())
        .map(|i| input.get(from(i)).copied().unwrap_or(0.0))
        .collect()
}
