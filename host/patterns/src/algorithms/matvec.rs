//! A matrix with padded rows times a vector: a block or a warp for each row.

use anyhow::Result;
use gpu::algorithms::matvec::{matvec_block, matvec_warp};
use lanewise::{Device, DeviceBuffer, LaunchConfig, PitchedBuffer, Stream};

use super::{AlgorithmError, Floats, at_least, dot, side, warp_each};
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "matvec",
    chapter: "algorithms",
    summary: "a matrix with padded rows times a vector: a warp is enough for a short row",
    source: "Fengchen's introduction, chapter 3",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 256,
        bench: Some(16384),
    },
    variants: &[
        Variant::new("matvec_block", |device, setup| {
            prepare(device, setup, Team::Block)
        }),
        Variant::new("matvec_warp", |device, setup| {
            prepare(device, setup, Team::Warp)
        }),
    ],
};

/// The threads that sum a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Team {
    /// The threads of a block.
    Block,
    /// The lanes of a warp.
    Warp,
}

/// Queues `y = A x`, with blocks of this many threads.
///
/// # Errors
/// [`AlgorithmError::Length`] if `x` does not have an element for each column, or `y` not one for
/// each row; the error of the launch.
pub fn multiply(
    stream: &Stream,
    matrix: &PitchedBuffer<f32>,
    x: &DeviceBuffer<f32>,
    y: &mut DeviceBuffer<f32>,
    (team, block): (Team, u32),
) -> Result<(), AlgorithmError> {
    let [columns, rows, planes] = matrix.size();
    let rows = rows * planes;
    at_least("x", x.len(), columns)?;
    at_least("y", y.len(), rows)?;
    let (pitch, shape) = (
        side("the pitch", matrix.pitch())?,
        [side("a row", columns)?, side("a column", rows)?],
    );
    match team {
        Team::Block => {
            let config = LaunchConfig::new(side("a column", rows.clamp(1, 1 << 16))?, block);
            stream.launch(matvec_block, config, (matrix, pitch, shape, x, y))?;
        }
        Team::Warp => {
            let config = warp_each(rows, block);
            stream.launch(matvec_warp, config, (matrix, pitch, shape, x, y))?;
        }
    }
    Ok(())
}

fn prepare(device: &Device, setup: Setup, team: Team) -> Result<Box<dyn Case>> {
    let (columns, rows) = setup.matrix()?;
    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    let matrix = input::floats(columns * rows, setup.seed);
    let x = input::floats(columns, setup.seed.wrapping_add(1));
    let expected = setup.expected(|| products(&matrix, &x, rows));

    let matrix = PitchedBuffer::from_matrix(device, &matrix, [columns, rows])?;
    let x = DeviceBuffer::from_slice(device, &x)?;
    let y = DeviceBuffer::zeroed(device, rows)?;
    let work = Work::Bytes(4 * (columns * rows) as u64);
    Ok(Floats::boxed(y, expected, work, move |stream, y| {
        Ok(multiply(stream, &matrix, &x, y, (team, block))?)
    }))
}

// On the CPU.

/// Returns each row's product with `x`, and its tolerance.
pub fn products(matrix: &[f32], x: &[f32], rows: usize) -> Vec<(f64, f64)> {
    let row = |row: usize| &matrix[row * x.len()..][..x.len()];
    let product = |y: usize| dot(row(y).iter().copied().zip(x.iter().copied()));
    (0..rows).map(product).collect()
}
