//! The sum of two vectors by gangs, workers and vector lanes.

use anyhow::Result;
use gpu::levels::gang_worker_vector::{
    gang_partitioned, gang_redundant, vector_partitioned, worker_partitioned,
};
use lanewise::counters::Counters;
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use crate::case::{Filling, with_figures};
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "gang_worker_vector",
    chapter: "levels",
    summary: "one vector sum by blocks, by warps and by lanes: one lane of a warp costs as much as 32",
    source: "Professional CUDA C Programming, chapter 8",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 12,
        bench: Some(1 << 20),
    },
    variants: &[
        Variant::new("gang_redundant", |device, setup| {
            prepare(device, setup, |stream, config, a, b, c| {
                stream.launch(gang_redundant, config, (a, b, c))
            })
        }),
        Variant::new("gang_partitioned", |device, setup| {
            prepare(device, setup, |stream, config, a, b, c| {
                stream.launch(gang_partitioned, config, (a, b, c))
            })
        }),
        Variant::new("worker_partitioned", |device, setup| {
            prepare(device, setup, |stream, config, a, b, c| {
                stream.launch(worker_partitioned, config, (a, b, c))
            })
        }),
        Variant::new("vector_partitioned", |device, setup| {
            prepare(device, setup, |stream, config, a, b, c| {
                stream.launch(vector_partitioned, config, (a, b, c))
            })
        }),
    ],
};

/// The number of gangs in a launch.
pub const GANGS: u32 = 8;
/// The number of threads in a gang if the setup does not give one: four workers.
pub const BLOCK: u32 = 128;

/// A launch of a variant. Each variant has its own, because the kernels differ in the type
/// of their output.
type Launch = fn(
    &Stream,
    LaunchConfig,
    &DeviceBuffer<i32>,
    &DeviceBuffer<i32>,
    &mut DeviceBuffer<i32>,
) -> Result<(), LaunchError>;

fn prepare(device: &Device, setup: Setup, launch: Launch) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let config = LaunchConfig::new(GANGS, setup.block.unwrap_or(BLOCK));
    let (a, b) = (
        input::integers(n, setup.seed),
        input::integers(n, setup.seed.wrapping_add(1)),
    );
    let expected = sums(&a, &b);

    let a = DeviceBuffer::from_slice(device, &a)?;
    let b = DeviceBuffer::from_slice(device, &b)?;
    let c = DeviceBuffer::zeroed(device, n)?;
    let work = Work::Bytes(3 * 4 * n as u64);
    let case = Filling::boxed([c], [expected], work, move |stream, [c]| {
        Ok(launch(stream, config, &a, &b, c)?)
    });
    Ok(with_figures(case, lanes))
}

/// Returns how many lanes of a warp were active.
fn lanes(counters: &Counters) -> Vec<Figure> {
    let loads = counters.global_loads;
    let lanes = loads.bytes as f64 / 4.0 / loads.requests.max(1) as f64;
    vec![
        Figure::new("lanes at work in a warp", lanes),
        Figure::new("load requests", loads.requests),
    ]
}

// On the CPU.

/// Returns `a + b`, modulo 2^32, element by element.
pub fn sums(a: &[i32], b: &[i32]) -> Vec<i32> {
    a.iter().zip(b).map(|(a, b)| a.wrapping_add(*b)).collect()
}
