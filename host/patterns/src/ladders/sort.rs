//! The sort of keys by several passes, each of several launches.

use anyhow::Result;
use gpu::ladders::scan::scan_shuffle;
use gpu::ladders::sort::{
    BITS, BLOCK, DIGITS, count_digits, count_zeros, sort_bits, sort_digits, sort_tiles,
};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use lanewise_std::kernel::{Kernel, SafeKernel};

use super::scan::{Level, levels, scan};
use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "sort",
    chapter: "ladders",
    summary: "radix sorts by single bits, by digits, and with keys of a digit written together",
    source: "Blelloch 1990; Satish, Harris, Garland 2009",
    size: Size {
        of: "keys",
        is_square: false,
        default: 1 << 13,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("sort_bits", |device, setup| {
            prepare(device, setup, (1, 1), (count_zeros, sort_bits))
        }),
        Variant::new("sort_digits", |device, setup| {
            prepare(device, setup, (BITS, DIGITS), (count_digits, sort_digits))
        }),
        Variant::new("sort_tiles", |device, setup| {
            prepare(device, setup, (BITS, DIGITS), (count_digits, sort_tiles))
        }),
    ],
};

/// The counts of a pass, and these scanned.
struct Counts {
    counts: DeviceBuffer<i32>,
    scanned: DeviceBuffer<i32>,
    levels: Vec<Level>,
}

/// Queues a pass: counts, their scan, and the keys written to their places.
fn pass<C, K>(
    stream: &Stream,
    (count, place): (C, K),
    (keys, shift): (&DeviceBuffer<u32>, u32),
    of: &mut Counts,
    output: &mut DeviceBuffer<u32>,
) -> Result<()>
where
    C: SafeKernel<Params = <count_digits as Kernel>::Params>,
    K: SafeKernel<Params = <sort_digits as Kernel>::Params>,
{
    let config = LaunchConfig::cover_1d(keys.len(), BLOCK as u32);
    stream.launch(count, config, (keys, shift, &mut of.counts))?;
    scan(
        stream,
        scan_shuffle,
        &of.counts,
        &mut of.scanned,
        &mut of.levels,
    )?;
    Ok(stream.launch(place, config, (keys, shift, &of.scanned, output))?)
}

/// Prepares the sort by digits of so many bits, of which a block has so many counts.
fn prepare<C, K>(
    device: &Device,
    setup: Setup,
    (bits, of_block): (u32, usize),
    kernels: (C, K),
) -> Result<Box<dyn Case>>
where
    C: SafeKernel<Params = <count_digits as Kernel>::Params> + 'static,
    K: SafeKernel<Params = <sort_digits as Kernel>::Params> + 'static,
{
    let n = setup.elements()?;
    let keys = input::words(n, setup.seed);
    let expected = setup.expected(|| in_order(&keys));
    let keys = DeviceBuffer::from_slice(device, &keys)?;
    let count = of_block * n.div_ceil(BLOCK).max(1);
    let mut counts = Counts {
        counts: DeviceBuffer::zeroed(device, count)?,
        scanned: DeviceBuffer::zeroed(device, count)?,
        levels: levels(device, count)?,
    };
    let mut between = DeviceBuffer::zeroed(device, n)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Keys(n as u64),
        move |stream, [output]| {
            // Two passes at a time: an even number, so that the last one writes the output.
            for shift in (0..u32::BITS).step_by(2 * bits as usize) {
                let from = if shift == 0 { &keys } else { &*output };
                pass(stream, kernels, (from, shift), &mut counts, &mut between)?;
                pass(
                    stream,
                    kernels,
                    (&between, shift + bits),
                    &mut counts,
                    output,
                )?;
            }
            Ok(())
        },
    ))
}

// On the CPU.

/// Returns the keys in ascending order.
pub fn in_order(keys: &[u32]) -> Vec<u32> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys
}
