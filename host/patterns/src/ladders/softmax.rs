//! The softmax of each row of a matrix.

use anyhow::Result;
use gpu::ladders::softmax::{softmax_block, softmax_online, softmax_thread, softmax_warp};
use lanewise::{Arguments, Device, DeviceBuffer, LaunchConfig, Matrix, MatrixMut};
use lanewise_std::kernel::SafeKernel;
use rayon::prelude::*;

use crate::algorithms::Floats;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "softmax",
    chapter: "ladders",
    summary: "the softmax of rows: a thread, a warp or a block for each, and three passes or two",
    source: "Online normalizer calculation for softmax",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 256,
        bench: Some(16384),
    },
    variants: &[
        Variant::new("softmax_thread", |device, setup| {
            let config = LaunchConfig::cover_1d(setup.matrix()?.1, 128);
            prepare(device, setup, softmax_thread, config)
        }),
        Variant::new("softmax_warp", |device, setup| {
            prepare(device, setup, softmax_warp, a_block_each(setup, 32)?)
        }),
        Variant::new("softmax_block", |device, setup| {
            prepare(device, setup, softmax_block, a_block_each(setup, 512)?)
        }),
        Variant::new("softmax_online", |device, setup| {
            prepare(device, setup, softmax_online, a_block_each(setup, 512)?)
        }),
    ],
};

/// Returns the launch with a block of `threads` for each row.
fn a_block_each(setup: Setup, threads: u32) -> Result<LaunchConfig> {
    let (_, rows) = setup.matrix()?;
    Ok(LaunchConfig::new(u32::try_from(rows.max(1))?, threads))
}

/// Prepares a kernel that fills a matrix.
fn prepare<K: SafeKernel + 'static>(
    device: &Device,
    setup: Setup,
    kernel: K,
    config: LaunchConfig,
) -> Result<Box<dyn Case>>
where
    for<'a> (Matrix<'a, f32>, MatrixMut<'a, f32>): Arguments<K::Params>,
{
    let (columns, rows) = setup.matrix()?;
    // From -8 to 8, so that a few elements of a row are much larger than the others.
    let mut numbers = input::floats(rows * columns, setup.seed);
    numbers.par_iter_mut().for_each(|x| *x *= 16.0);
    let expected = setup.expected(|| softmax(&numbers, columns));
    let input = DeviceBuffer::from_slice(device, &numbers)?;
    let output = DeviceBuffer::zeroed(device, rows * columns)?;
    let work = Work::Bytes(2 * 4 * (rows * columns) as u64);
    Ok(Floats::boxed(output, expected, work, move |stream, y| {
        let (x, y) = (input.matrix(columns), y.matrix_mut(columns));
        Ok(stream.launch(kernel, config, (x, y))?)
    }))
}

// On the CPU.

/// Returns the softmax of each row, and its tolerance.
pub fn softmax(numbers: &[f32], columns: usize) -> Vec<(f64, f64)> {
    let row = |row: &[f32]| {
        let largest = row.iter().copied().fold(f32::MIN, f32::max);
        let exp = |x: &f32| f64::from(x - largest).exp();
        let sum: f64 = row.iter().map(exp).sum();
        // A difference is rounded to a unit of 16 at most, an exponential to two of its units, and
        // a sum of positive numbers once for each of them, if one thread adds them all.
        let tolerance = (20 + row.len()) as f64 * f64::from(f32::EPSILON);
        let value = |x| (exp(x) / sum, exp(x) / sum * tolerance);
        row.iter().map(value).collect::<Vec<_>>()
    };
    numbers
        .par_chunks(columns.max(1))
        .flat_map_iter(row)
        .collect()
}
