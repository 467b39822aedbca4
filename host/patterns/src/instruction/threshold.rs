//! Many threads may set one flag.

use anyhow::Result;
use gpu::instruction::threshold::{check_threshold, check_threshold_atomic};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "threshold",
    chapter: "instruction",
    summary: "is any element above a threshold: a flag that many threads set is a race, or an atomic",
    source: "Professional CUDA C Programming, chapter 7",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 12,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("check_threshold", |device, setup| {
            prepare(
                device,
                setup,
                |stream, config, (values, threshold, flag)| {
                    // SAFETY: the threads race for one integer in a buffer that nothing else uses
                    // during the launch, and all of them store the same value.
                    unsafe {
                        stream.launch_unchecked(check_threshold, config, (values, threshold, flag))
                    }
                },
            )
        })
        .showing("threads store to the flag with nothing that orders them"),
        Variant::new("check_threshold_atomic", |device, setup| {
            prepare(
                device,
                setup,
                |stream, config, (values, threshold, flag)| {
                    stream.launch(check_threshold_atomic, config, (values, threshold, flag))
                },
            )
        }),
    ],
};

/// The arguments of the kernels: the values, the threshold and the flag.
type Arguments<'a> = (&'a DeviceBuffer<i32>, i32, &'a mut DeviceBuffer<i32>);

/// A launch of a variant. Each variant has its own, because the kernels differ in the type of their
/// flag, and one of them is unsafe.
type Launch = fn(&Stream, LaunchConfig, Arguments<'_>) -> Result<(), LaunchError>;

/// Prepares a case whose threshold is 0, the middle of the values' range, plus 2^20 for each unit
/// of the setup's `by`.
fn prepare(device: &Device, setup: Setup, launch: Launch) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let config = LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK));
    let values = input::integers(n, setup.seed);
    let threshold = (setup.by.unwrap_or(0).min(2047) << 20) as i32;
    let expected = i32::from(is_any_above(&values, threshold));

    let values = DeviceBuffer::from_slice(device, &values)?;
    let flag = DeviceBuffer::zeroed(device, 1)?;
    let work = Work::Bytes(4 * n as u64);
    Ok(Filling::boxed(
        [flag],
        [vec![expected]],
        work,
        move |stream, [flag]| Ok(launch(stream, config, (&values, threshold, flag))?),
    ))
}

// On the CPU.

/// Returns whether a value is above the threshold.
pub fn is_any_above(values: &[i32], threshold: i32) -> bool {
    values.iter().any(|value| *value > threshold)
}
