//! One computation in single and in double precision.

use std::fmt::Debug;

use anyhow::Result;
use gpu::instruction::precision::{busy_f32, busy_f64};
use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, LaunchError, Stream};

use crate::case::{Filling, with_figures};
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "precision",
    chapter: "instruction",
    summary: "the same steps in f32 and f64: twice the bytes, and the rounding error of each",
    source: "Professional CUDA C Programming, chapter 7",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 14,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("busy_f32", |device, setup| {
            let rounded = |x: f32| (0..ROUNDS).fold(x, |x, _| x.mul_add(0.75, 0.1));
            prepare(
                device,
                setup,
                |x| x,
                rounded,
                |stream, config, input, output| {
                    stream.launch(busy_f32, config, (input, output, ROUNDS))
                },
            )
        }),
        Variant::new("busy_f64", |device, setup| {
            let rounded = |x: f64| (0..ROUNDS).fold(x, |x, _| x.mul_add(0.75, 0.1));
            prepare(
                device,
                setup,
                f64::from,
                rounded,
                |stream, config, input, output| {
                    stream.launch(busy_f64, config, (input, output, ROUNDS))
                },
            )
        }),
    ],
};

/// The number of steps of each thread.
pub const ROUNDS: u32 = 64;

/// A launch of a variant. Each variant has its own, because the kernels differ in their type.
type Launch<T> =
    fn(&Stream, LaunchConfig, &DeviceBuffer<T>, &mut DeviceBuffer<T>) -> Result<(), LaunchError>;

/// Prepares a case whose results equal the CPU's fused results bit for bit, because the device
/// fuses the product and the sum.
fn prepare<T: DeviceCopy + PartialEq + Debug + 'static>(
    device: &Device,
    setup: Setup,
    of: fn(f32) -> T,
    expected: fn(T) -> T,
    launch: Launch<T>,
) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let config = LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK));
    let numbers: Vec<T> = input::floats(n, setup.seed).into_iter().map(of).collect();
    let expected = setup.expected(|| numbers.iter().copied().map(expected).collect());
    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let output = DeviceBuffer::from_slice(device, &vec![of(0.0); n])?;
    let work = Work::Flops(2 * u64::from(ROUNDS) * n as u64);
    let case = Filling::boxed([output], [expected], work, move |stream, [output]| {
        Ok(launch(stream, config, &numbers, output)?)
    });
    Ok(with_figures(case, |counters| {
        vec![Figure::new("bytes loaded", counters.global_loads.bytes)]
    }))
}
