//! A copy whose loads have cache operators. `--by` is the offset from which it reads.

use anyhow::Result;
use gpu::memory::cache_operators::{copy_cached, copy_ldg, copy_restrict, copy_uncached};
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "cache_operators",
    chapter: "memory",
    summary: "loads through L1, past it, and through the read-only path",
    source: "Professional CUDA C Programming, chapter 4",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("copy_cached", |device, setup| {
            prepare(device, setup, copy_cached)
        }),
        Variant::new("copy_uncached", |device, setup| {
            prepare(device, setup, copy_uncached)
        }),
        Variant::new("copy_ldg", |device, setup| prepare(device, setup, copy_ldg)),
        Variant::new("copy_restrict", |device, setup| {
            prepare(device, setup, copy_restrict)
        }),
    ],
};

/// Prepares a copy whose input is longer than the output by the offset.
fn prepare<K: SafeKernel<Params = <copy_cached as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
) -> Result<Box<dyn Case>> {
    let (n, offset) = (setup.elements()?, setup.by.unwrap_or(0));
    let longer = n.saturating_add(offset as usize);
    let longer = Setup {
        size: longer,
        ..setup
    }
    .elements()?;
    let input = input::floats(longer, setup.seed);
    let expected = input[offset as usize..].to_vec();

    let config = LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK));
    let input = DeviceBuffer::from_slice(device, &input)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Bytes(2 * 4 * n as u64),
        move |stream, [output]| Ok(stream.launch(kernel, config, (&input, output, offset))?),
    ))
}
