//! Messages from one thread to another, and a sum that the last block computes.

use anyhow::{Result, ensure};
use gpu::shared::fences::{
    LETTER, block_barrier, fence_block, fence_device, fence_system, last_block_reduce,
    volatile_flag,
};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use crate::case::Filling;
use crate::execution::recursive_reduce_cpu::sum;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "fences",
    chapter: "shared",
    summary: "one thread writes, another reads: a barrier, or a flag with a fence on each side",
    source: "Professional CUDA C Programming, chapter 5",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 12,
        bench: None,
    },
    variants: &[
        Variant::new("block_barrier", |device, setup| {
            let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
            let config = LaunchConfig::cover_1d(setup.elements()?, block);
            in_shared(
                device,
                setup,
                block as usize,
                move |stream, input, output| stream.launch(block_barrier, config, (input, output)),
            )
        }),
        Variant::new("fence_block", |device, setup| {
            let letters = u32::try_from(setup.elements()?.div_ceil(LETTER).max(1))?;
            let config = LaunchConfig::new(letters, 2 * LETTER as u32);
            in_shared(device, setup, LETTER, move |stream, input, output| {
                stream.launch(fence_block, config, (input, output))
            })
        }),
        Variant::new("fence_device", |device, setup| {
            by_letters(device, setup, |stream, config, mail| {
                // SAFETY: the flags were set to zero before this launch, and nothing else uses the
                // buffers of the case.
                unsafe { stream.launch_unchecked(fence_device, config, mail) }
            })
        }),
        Variant::new("fence_system", |device, setup| {
            by_letters(device, setup, |stream, config, mail| {
                // SAFETY: as above.
                unsafe { stream.launch_unchecked(fence_system, config, mail) }
            })
        }),
        Variant::new("volatile_flag", |device, setup| {
            by_letters(device, setup, |stream, config, mail| {
                // SAFETY: as above. The race can only make integers in `output` wrong, and their
                // values are checked.
                unsafe { stream.launch_unchecked(volatile_flag, config, mail) }
            })
        })
        .showing("nothing orders the letter and the flag"),
        Variant::new("last_block_reduce", last_block),
    ],
};

/// Prepares a kernel that reverses parts of this many elements in its own memory.
fn in_shared(
    device: &Device,
    setup: Setup,
    part: usize,
    launch: impl Fn(&Stream, &DeviceBuffer<i32>, &mut DeviceBuffer<i32>) -> Result<(), LaunchError>
    + 'static,
) -> Result<Box<dyn Case>> {
    let numbers = input::integers(setup.elements()?, setup.seed);
    let expected = turned(&numbers, part);
    let output = DeviceBuffer::zeroed(device, numbers.len())?;
    let work = Work::Bytes(2 * 4 * numbers.len() as u64);
    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    Ok(Filling::boxed(
        [output],
        [expected],
        work,
        move |stream, [output]| Ok(launch(stream, &numbers, output)?),
    ))
}

/// The arguments of the kernels that send letters through global memory: the text, the letters, the
/// flags, and the output.
type Mail<'a> = (
    &'a DeviceBuffer<i32>,
    &'a mut DeviceBuffer<i32>,
    &'a mut DeviceBuffer<u32>,
    &'a mut DeviceBuffer<i32>,
);

/// A variant's own launch, because the kernels differ in the type of their flags.
type Launch = fn(&Stream, LaunchConfig, Mail<'_>) -> Result<(), LaunchError>;

/// Prepares a kernel that sends letters through global memory.
fn by_letters(device: &Device, setup: Setup, launch: Launch) -> Result<Box<dyn Case>> {
    let n = setup.at_most(1 << 24)?;
    let count = n.div_ceil(LETTER).max(1);
    let config = LaunchConfig::new(u32::try_from(2 * count)?, LETTER as u32);
    let numbers = input::integers(n, setup.seed);
    let expected = turned(&numbers, LETTER);

    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let mut letters = DeviceBuffer::zeroed(device, n)?;
    let mut flags = DeviceBuffer::zeroed(device, 1 + count)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let work = Work::Bytes(4 * 4 * n as u64);
    Ok(Filling::boxed(
        [output],
        [expected],
        work,
        move |stream, [output]| {
            flags.fill_zero()?;
            let mail = (&numbers, &mut letters, &mut flags, output);
            Ok(launch(stream, config, mail)?)
        },
    ))
}

/// Prepares the sum that the last block computes.
fn last_block(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    ensure!(block > 0, "a block has a thread at least");
    // Each thread sums a few elements. The number of blocks is limited to what the
    // last block needs.
    let config = LaunchConfig::cover_1d(n.div_ceil(4).min(1 << 18), block);
    let numbers = input::integers(n, setup.seed);
    let expected = sum(&numbers);

    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let mut partials = DeviceBuffer::zeroed(device, config.grid.x as usize)?;
    let mut done = DeviceBuffer::<u32>::zeroed(device, 1)?;
    let sum = DeviceBuffer::zeroed(device, 1)?;
    let work = Work::Bytes(4 * n as u64);
    Ok(Filling::boxed(
        [sum],
        [vec![expected]],
        work,
        move |stream, [sum]| {
            let arguments = (&numbers, &mut partials, &mut done, sum);
            Ok(stream.launch(last_block_reduce, config, arguments)?)
        },
    ))
}

// On the CPU.

/// Returns the numbers with each part of `part` elements reversed.
pub fn turned(numbers: &[i32], part: usize) -> Vec<i32> {
    let parts = numbers.chunks(part.max(1));
    parts.flat_map(|part| part.iter().rev().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_turned_and_the_last_is_shorter() {
        assert_eq!(turned(&[1, 2, 3, 4, 5], 3), [3, 2, 1, 5, 4]);
    }
}
