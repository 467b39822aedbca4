//! The inclusive scan of an array by several launches.

use anyhow::Result;
use gpu::ladders::scan::{
    BLOCK, add_sums, scan_blelloch, scan_hillis_steele, scan_shuffle, scan_tiles, tile_sums,
};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use lanewise_std::kernel::{Kernel, SafeKernel};
use lanewise_std::vector::Int4;

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "scan",
    chapter: "ladders",
    summary: "prefix sums by steps in shared memory, by a tree, by shuffles, and with the sums first",
    source: "Hillis and Steele 1986; Blelloch 1990; Parallel Prefix Sum (Scan) with CUDA",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 14,
        bench: Some(1 << 28),
    },
    variants: &[
        Variant::new("scan_hillis_steele", |device, setup| {
            prepare(device, setup, scan_hillis_steele)
        }),
        Variant::new("scan_blelloch", |device, setup| {
            prepare(device, setup, scan_blelloch)
        }),
        Variant::new("scan_shuffle", |device, setup| {
            prepare(device, setup, scan_shuffle)
        }),
        Variant::new("scan_tiles", prepare_tiles),
    ],
};

/// The sums of a level's blocks, and these sums scanned.
pub(super) struct Level {
    sums: DeviceBuffer<i32>,
    scanned: DeviceBuffer<i32>,
}

/// Returns a level for the blocks of `n` elements, one for the blocks of their sums, and so on down
/// to one block.
pub(super) fn levels(device: &Device, mut n: usize) -> Result<Vec<Level>> {
    let mut levels = Vec::new();
    loop {
        n = n.div_ceil(BLOCK).max(1);
        levels.push(Level {
            sums: DeviceBuffer::zeroed(device, n)?,
            scanned: DeviceBuffer::zeroed(device, n)?,
        });
        if n == 1 {
            return Ok(levels);
        }
    }
}

/// Queues the scan of the input: of its blocks, of their sums, and what is added to the blocks.
pub(super) fn scan<K: SafeKernel<Params = <scan_shuffle as Kernel>::Params>>(
    stream: &Stream,
    kernel: K,
    input: &DeviceBuffer<i32>,
    output: &mut DeviceBuffer<i32>,
    levels: &mut [Level],
) -> Result<()> {
    let [Level { sums, scanned }, further @ ..] = levels else {
        return Ok(());
    };
    let config = LaunchConfig::cover_1d(input.len(), BLOCK as u32);
    stream.launch(kernel, config, (input, &mut *output, &mut *sums))?;
    if sums.len() > 1 {
        scan(stream, kernel, sums, scanned, further)?;
        stream.launch(add_sums, config, (&*scanned, output))?;
    }
    Ok(())
}

fn prepare<K: SafeKernel<Params = <scan_shuffle as Kernel>::Params> + 'static>(
    device: &Device,
    setup: Setup,
    kernel: K,
) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let numbers = input::integers(n, setup.seed);
    let expected = setup.expected(|| sums_up_to_each(&numbers));
    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let mut levels = levels(device, n)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let work = Work::Bytes(2 * 4 * n as u64);
    Ok(Filling::boxed(
        [output],
        [expected],
        work,
        move |stream, [output]| scan(stream, kernel, &numbers, output, &mut levels),
    ))
}

/// Prepares the scan that begins with the sums of tiles. The array is filled up to whole vectors.
fn prepare_tiles(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let n = setup.elements()?.next_multiple_of(4);
    let mut numbers = input::integers(setup.size, setup.seed);
    numbers.resize(n, 0);
    let expected = setup.expected(|| sums_up_to_each(&numbers));
    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let config = LaunchConfig::cover_1d(n / 4, BLOCK as u32);
    let tiles = (n / 4).div_ceil(BLOCK).max(1);
    let mut sums = DeviceBuffer::zeroed(device, tiles)?;
    let mut scanned = DeviceBuffer::zeroed(device, tiles)?;
    let mut levels = levels(device, tiles)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let work = Work::Bytes(2 * 4 * setup.size as u64);
    Ok(Filling::boxed(
        [output],
        [expected],
        work,
        move |stream, [output]| {
            let numbers = numbers.as_vectors::<Int4>()?;
            stream.launch(tile_sums, config, (&numbers, &mut sums))?;
            scan(stream, scan_shuffle, &sums, &mut scanned, &mut levels)?;
            let mut output = output.as_vectors_mut::<Int4>()?;
            Ok(stream.launch(scan_tiles, config, (&numbers, &scanned, &mut output))?)
        },
    ))
}

// On the CPU.

/// Returns for each number the sum of the numbers up to it.
pub fn sums_up_to_each(numbers: &[i32]) -> Vec<i32> {
    let mut sum = 0i32;
    let through = |number: &i32| {
        sum = sum.wrapping_add(*number);
        sum
    };
    numbers.iter().map(through).collect()
}
