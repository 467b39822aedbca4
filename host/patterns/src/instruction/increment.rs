//! One counter that many threads increment, with a race and with an atomic.

use anyhow::Result;
use gpu::instruction::increment::{incr_atomic, incr_racy, my_atomic_add};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "increment",
    chapter: "instruction",
    summary: "32 threads add one: read, add, write loses counts; one atomic add does not",
    source: "Professional CUDA C Programming, chapter 7",
    size: Size {
        of: "threads",
        is_square: false,
        default: 32,
        bench: None,
    },
    variants: &[
        Variant::new("incr_racy", |device, setup| {
            prepare(device, setup, |stream, config, counter| {
                // SAFETY: the threads of this kernel race on one integer in a buffer that nothing
                // else uses meanwhile. On every device, a race between aligned 4-byte accesses can
                // only make the value of that integer wrong, and the value is checked.
                unsafe { stream.launch_unchecked(incr_racy, config, (counter,)) }
            })
        })
        .showing("threads overwrite each other's count"),
        Variant::new("incr_atomic", |device, setup| {
            prepare(device, setup, |stream, config, counter| {
                stream.launch(incr_atomic, config, (counter,))
            })
        }),
        Variant::new("my_atomic_add", |device, setup| {
            prepare(device, setup, |stream, config, counter| {
                stream.launch(my_atomic_add, config, (counter,))
            })
        }),
    ],
};

/// A launch of a variant. Each variant has its own, because the kernels differ in the type of their
/// counter, and one of them is unsafe.
type Launch = fn(&Stream, LaunchConfig, &mut DeviceBuffer<i32>) -> Result<(), LaunchError>;

fn prepare(device: &Device, setup: Setup, launch: Launch) -> Result<Box<dyn Case>> {
    let start = setup.seed as i32;
    // The grid has whole blocks, because every thread of it counts.
    let threads = u32::try_from(setup.at_most(1 << 24)?.max(1))?;
    let block = setup.block.unwrap_or(32).min(threads);
    let config = LaunchConfig::cover_1d(threads as usize, block);
    let expected = increment(start, config.grid.x * config.block.x);
    let counter = DeviceBuffer::from_slice(device, &[start])?;
    Ok(Filling::boxed(
        [counter],
        [vec![expected]],
        Work::Nothing,
        move |stream, [counter]| Ok(launch(stream, config, counter)?),
    ))
}

// On the CPU.

/// Returns the counter's value after `threads` increments if none of them is lost.
pub fn increment(start: i32, threads: u32) -> i32 {
    start.wrapping_add_unsigned(threads)
}
