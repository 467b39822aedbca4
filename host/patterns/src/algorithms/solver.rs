//! Linear equations, solved by elimination with partial pivoting.

use anyhow::Result;
use gpu::algorithms::solver::{NO_ROW, eliminate, pivot_final, pivot_partial, swap_rows};
use lanewise::compare::{Agreement, Matching, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, MemoryError, Stream};

use super::{AlgorithmError, area, at_least, side};
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "solver",
    chapter: "algorithms",
    summary: "linear equations by elimination with partial pivoting: the pivot stays on the device",
    source: "Fengchen's introduction, chapter 3",
    size: Size {
        of: "equations",
        default: 64,
        bench: None,
    },
    variants: &[Variant::new("gauss_jordan", prepare)
        .runs("eliminate")
        .up_to(4096)],
};

/// Why equations were not solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The matrix has no inverse, as far as its precision shows.
    #[error(
        "the matrix is singular: column {column} has no pivot, as it is a combination of those before it (to within the rounding)"
    )]
    Singular {
        /// The first column that has no pivot.
        column: usize,
    },
    /// It could not be computed.
    #[error(transparent)]
    Algorithm(#[from] AlgorithmError),
}

impl From<LaunchError> for SolveError {
    fn from(error: LaunchError) -> Self {
        AlgorithmError::from(error).into()
    }
}

impl From<MemoryError> for SolveError {
    fn from(error: MemoryError) -> Self {
        AlgorithmError::from(error).into()
    }
}

/// Solves `matrix x = right`: `size` equations, row after row, and for each equation a row of as many right-hand sides as there are. The
/// answer has the shape of `right`.
///
/// # Errors
/// [`SolveError::Singular`] with the column; [`AlgorithmError::Length`] when `matrix` is not square, or `right` is no multiple of `size`.
pub fn solve(
    device: &Device,
    size: usize,
    matrix: &[f32],
    right: &[f32],
) -> Result<Vec<f32>, SolveError> {
    let mut system = System::new(device, size, matrix, right)?;
    let stream = device.stream().map_err(MemoryError::from)?;
    system.launch(&stream)?;
    system.solution()
}

/// Equations on the device.
struct System {
    device: Device,
    size: u32,
    /// Columns of the matrix with the right-hand sides.
    width: u32,
    /// What is no pivot: rounding may leave so much of a zero.
    least: f32,
    start: Vec<f32>,
    matrix: DeviceBuffer<f32>,
    keys: DeviceBuffer<u64>,
    rows: DeviceBuffer<u32>,
    values: DeviceBuffer<f32>,
}

impl System {
    fn new(
        device: &Device,
        size: usize,
        matrix: &[f32],
        right: &[f32],
    ) -> Result<Self, SolveError> {
        let square = area("the number of equations", size, size)?;
        at_least("the matrix", matrix.len(), square)?;
        at_least("the shape of the matrix", square, matrix.len())?;
        let sides = right.len().checked_div(size).unwrap_or(0);
        at_least("the right-hand side", right.len(), sides.max(1) * size)?;
        at_least(
            "the shape of the right-hand side",
            sides * size,
            right.len(),
        )?;
        let width = size + sides;
        let mut start = Vec::with_capacity(area("the matrix", size, width)?);
        for row in 0..size {
            start.extend(&matrix[row * size..][..size]);
            start.extend(&right[row * sides..][..sides]);
        }
        let largest = matrix.iter().fold(0f32, |most, x| most.max(x.abs()));
        let blocks = size.div_ceil(LaunchConfig::DEFAULT_BLOCK as usize).max(1);
        Ok(Self {
            device: device.clone(),
            size: side("the number of equations", size)?,
            width: side("a row", width)?,
            least: f32::EPSILON * size as f32 * largest,
            matrix: DeviceBuffer::from_slice(device, &start)?,
            start,
            keys: DeviceBuffer::zeroed(device, blocks)?,
            rows: DeviceBuffer::zeroed(device, size)?,
            values: DeviceBuffer::zeroed(device, size)?,
        })
    }

    /// Queues four kernels for each column.
    fn launch(&mut self, stream: &Stream) -> Result<(), SolveError> {
        let Self {
            device,
            size,
            width,
            least,
            matrix,
            keys,
            rows,
            values,
            ..
        } = self;
        let (size, width) = (*size, *width);
        let block = LaunchConfig::DEFAULT_BLOCK;
        let partial = LaunchConfig::new(keys.len() as u32, block);
        let last = LaunchConfig::new(1, block);
        let row = LaunchConfig::cover_1d(width as usize, block);
        let all = LaunchConfig::cover_2d((width as usize, size as usize), (32, 8));
        for k in 0..size {
            let shape = [size, width, k];
            device.launch(
                stream,
                pivot_partial,
                partial,
                (&*matrix, shape, *least, &mut *keys),
            )?;
            let places = (&*matrix, [width, k], &*keys, &mut *rows, &mut *values);
            device.launch(stream, pivot_final, last, places)?;
            let swap = (&mut *matrix, [width, k], &*rows, &*values);
            device.launch(stream, swap_rows, row, swap)?;
            device.launch(stream, eliminate, all, (&mut *matrix, shape))?;
        }
        Ok(())
    }

    /// The right-hand sides, which have become the solutions.
    fn solution(&self) -> Result<Vec<f32>, SolveError> {
        let rows = self.rows.to_vec()?;
        if let Some(column) = rows.iter().position(|row| *row == NO_ROW) {
            return Err(SolveError::Singular { column });
        }
        let matrix = self.matrix.to_vec()?;
        let sides = |row: &[f32]| row[self.size as usize..].to_vec();
        Ok(matrix
            .chunks(self.width.max(1) as usize)
            .flat_map(sides)
            .collect())
    }
}

/// Equations whose solution is known.
struct Known {
    system: System,
    expected: Vec<f64>,
}

/// Two right-hand sides. Each row has one heavy coefficient, half the matrix away from the diagonal: every pivot has to be looked for.
fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let n = setup.at_most(4096)?;
    let mut matrix = input::floats(n * n, setup.seed);
    for row in 0..n {
        matrix[row * n + (row + n / 2) % n] += n as f32;
    }
    let solution = input::floats(2 * n, setup.seed.wrapping_add(1));
    let right = products(&matrix, &solution, n, 2);
    Ok(Box::new(Known {
        system: System::new(device, n, &matrix, &right)?,
        expected: solution.into_iter().map(f64::from).collect(),
    }))
}

impl Case for Known {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        // It works in place.
        self.system.matrix.copy_from_slice(&self.system.start)?;
        Ok(self.system.launch(stream)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let solution = self.system.solution()?;
        let found: Vec<f64> = solution.into_iter().map(f64::from).collect();
        let matching = Matching::of(self.expected.len()).relative(1e-4);
        // Near zero the error is that of the others.
        let shifted = |values: &[f64]| values.iter().map(|x| x + 1.0).collect::<Vec<_>>();
        Ok(matching.check(&shifted(&found), &shifted(&self.expected)))
    }

    fn work(&self) -> Work {
        let (n, width) = (u64::from(self.system.size), u64::from(self.system.width));
        Work::Flops(n * n * width)
    }
}

// On the CPU.

/// The product of a square matrix and one of `sides` columns.
pub fn products(matrix: &[f32], x: &[f32], n: usize, sides: usize) -> Vec<f32> {
    let element = |row: usize, side: usize| -> f64 {
        let products =
            (0..n).map(|e| f64::from(matrix[row * n + e]) * f64::from(x[e * sides + side]));
        products.sum()
    };
    let rows = (0..n).flat_map(|row| (0..sides).map(move |side| (row, side)));
    rows.map(|(row, side)| element(row, side) as f32).collect()
}
