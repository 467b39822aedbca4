//! Asynchronous copies through shared memory, in which threads wait no longer than needed.

use anyhow::Result;
use gpu::shared::async_copy::{TILE, copy_async_barrier, copy_async_pipeline};
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "async_copy",
    chapter: "shared",
    summary: "copies to shared memory that go past the registers, awaited at a barrier or in a pipeline",
    source: "CUDA C++ Programming Guide, Asynchronous Data Copies",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 28),
    },
    variants: &[
        Variant::new("copy_async_barrier", barrier),
        Variant::new("copy_async_pipeline_2", |device, setup| {
            pipeline(device, setup, copy_async_pipeline::<2>)
        }),
        Variant::new("copy_async_pipeline_3", |device, setup| {
            pipeline(device, setup, copy_async_pipeline::<3>)
        }),
    ],
};

/// The number of blocks for each multiprocessor if the grid strides over the tiles.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 8;

/// Returns a launch with a thread for each element.
fn cover(n: usize) -> LaunchConfig {
    LaunchConfig::cover_1d(n, TILE as u32)
}

fn barrier(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let expected = input::floats(setup.elements()?, setup.seed);
    let (n, config) = (expected.len(), cover(expected.len()));
    let input = DeviceBuffer::from_slice(device, &expected)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Bytes(2 * 4 * n as u64),
        move |stream, [output]| Ok(stream.launch(copy_async_barrier, config, (&input, output))?),
    ))
}

fn pipeline<K>(device: &Device, setup: Setup, kernel: K) -> Result<Box<dyn Case>>
where
    K: SafeKernel<Params = (&'static [f32], DisjointSlice<'static, f32>)>,
{
    let expected = input::floats(setup.elements()?, setup.seed);
    let n = expected.len();
    let most = device.properties().multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    let mut config = cover(n);
    config.grid.x = config.grid.x.min(most);
    // There are fewer blocks than tiles, so that each block has several tiles at any size that
    // a test uses.
    config.grid.x = setup
        .by
        .map_or(config.grid.x, |by| by.clamp(1, config.grid.x));
    let input = DeviceBuffer::from_slice(device, &expected)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Bytes(2 * 4 * n as u64),
        move |stream, [output]| Ok(stream.launch(kernel, config, (&input, output))?),
    ))
}
