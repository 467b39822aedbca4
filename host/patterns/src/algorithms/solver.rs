//! Linear equations, which are solved by elimination with partial pivoting.

use anyhow::Result;
use gpu::algorithms::solver::{
    Key, NO_ROW, THREADS, TILE, eliminate, pivot_final, pivot_partial, swap_rows,
};
use lanewise::testing::{Agreement, Matching, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, MemoryError, Stream};

use super::precision::{Precision, numbers};
use super::{AlgorithmError, area, at_least, side};
use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "solver",
    chapter: "algorithms",
    summary: "linear equations by elimination with partial pivoting: the pivot stays on the device",
    source: "Fengchen's introduction, chapter 3",
    size: Size {
        of: "equations",
        is_square: false,
        default: 64,
        bench: None,
    },
    variants: &[
        Variant::new("gauss_jordan", prepare::<f32>)
            .runs("eliminate_f32")
            .up_to(4096),
        Variant::new("gauss_jordan_f64", prepare::<f64>)
            .runs("eliminate_f64")
            .up_to(4096),
    ],
};

/// Why a system of equations was not solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// A matrix is singular, to within its precision.
    #[error(
        "{} is singular: column {column} has no pivot, as it is a combination of those before it (to within the rounding)",
        name(*system, *systems)
    )]
    Singular {
        /// The number of the first system that is singular.
        system: usize,
        /// The number of systems.
        systems: usize,
        /// The first column that has no pivot.
        column: usize,
    },
    /// The kernels could not run.
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

/// Returns the name of a system for an error.
fn name(system: usize, systems: usize) -> String {
    match systems {
        1 => "the matrix".to_owned(),
        _ => format!("matrix {system} (of {systems}, from 0)"),
    }
}

/// Solves `matrix x = right`. `matrix` has `size` equations in row-major order, and `right` has
/// one row for each equation, with one column for each right-hand side. The result has the
/// shape of `right`.
///
/// # Errors
/// [`SolveError::Singular`] with the column; [`AlgorithmError::Length`] if `matrix` is not square,
/// or if the length of `right` is not a multiple of `size`.
pub fn solve<T: Solves>(
    device: &Device,
    size: usize,
    matrix: &[T],
    right: &[T],
) -> Result<Vec<T>, SolveError> {
    solve_batched(device, size, 1, matrix, right)
}

/// Solves several systems of one size at once. They follow one after another in both slices and
/// in the result.
///
/// # Errors
/// As [`solve`]: [`SolveError::Singular`] names the first system that can't be solved.
pub fn solve_batched<T: Solves>(
    device: &Device,
    size: usize,
    systems: usize,
    matrices: &[T],
    right: &[T],
) -> Result<Vec<T>, SolveError> {
    let mut system = System::new(device, [size, systems], matrices, right)?;
    let stream = device.stream().map_err(MemoryError::from)?;
    system.launch(&stream)?;
    system.solution()
}

/// The precisions in which equations are solved.
pub trait Solves: Precision {
    /// Queues the four kernels for a column.
    #[doc(hidden)]
    fn launch(
        stream: &Stream,
        configs: [LaunchConfig; 4],
        shape: [u32; 4],
        buffers: Buffers<'_, Self>,
    ) -> Result<(), LaunchError>;
}

/// The matrix, the least pivots, keys, rows and values.
type Buffers<'a, T> = (
    &'a mut DeviceBuffer<T>,
    &'a DeviceBuffer<T>,
    &'a mut DeviceBuffer<Key>,
    &'a mut DeviceBuffer<u32>,
    &'a mut DeviceBuffer<T>,
);

macro_rules! solves {
    ($($real:ident)*) => {
        $(
            impl Solves for $real {
                fn launch(
                    stream: &Stream,
                    [partial, last, row, all]: [LaunchConfig; 4],
                    shape: [u32; 4],
                    (matrix, least, keys, rows, values): Buffers<'_, Self>,
                ) -> Result<(), LaunchError> {
                    let candidates = (&*matrix, shape, least, &mut *keys);
                    stream.launch(pivot_partial::<$real>, partial, candidates)?;
                    let size = shape[0] as usize;
                    let found = (rows.matrix_mut(size), values.matrix_mut(size));
                    let places = (&*matrix, shape, &*keys, found.0, found.1);
                    stream.launch(pivot_final::<$real>, last, places)?;
                    let swap = (&mut *matrix, shape, &*rows, &*values);
                    stream.launch(swap_rows::<$real>, row, swap)?;
                    stream.launch(eliminate::<$real>, all, (matrix, shape))
                }
            }
        )*
    };
}

solves! { f32 f64 }

/// Equations on the device.
struct System<T: Solves> {
    size: u32,
    /// Columns of the matrix with the right-hand sides.
    width: u32,
    systems: u32,
    /// For each system, the magnitude up to which a value is not a pivot, because rounding may
    /// leave it in place of zero.
    least: DeviceBuffer<T>,
    start: Vec<T>,
    matrix: DeviceBuffer<T>,
    keys: DeviceBuffer<Key>,
    rows: DeviceBuffer<u32>,
    values: DeviceBuffer<T>,
}

impl<T: Solves> System<T> {
    fn new(
        device: &Device,
        [size, systems]: [usize; 2],
        matrix: &[T],
        right: &[T],
    ) -> Result<Self, SolveError> {
        let all = area("the equations", size, systems)?;
        let square = area("the matrix", all, size)?;
        at_least("the matrix", matrix.len(), square)?;
        at_least("the shape of the matrix", square, matrix.len())?;
        let sides = right.len().checked_div(all).unwrap_or(0);
        at_least("the right-hand side", right.len(), sides.max(1) * all)?;
        at_least("the shape of the right-hand side", sides * all, right.len())?;
        let width = size + sides;
        let mut start = Vec::with_capacity(area("the matrix", all, width)?);
        for row in 0..all {
            start.extend(&matrix[row * size..][..size]);
            start.extend(&right[row * sides..][..sides]);
        }
        let least = |matrix: &[T]| {
            let sizes = matrix.iter().map(|&x| x.into().abs());
            T::rounded(2.0 * T::UNIT * size as f64 * sizes.fold(0.0, f64::max))
        };
        let least: Vec<T> = matrix.chunks((size * size).max(1)).map(least).collect();
        let blocks = size.div_ceil(THREADS).max(1);
        Ok(Self {
            size: side("the number of equations", size)?,
            width: side("a row", width)?,
            systems: side("the number of systems", systems)?,
            least: DeviceBuffer::from_slice(device, &least)?,
            matrix: DeviceBuffer::from_slice(device, &start)?,
            start,
            keys: DeviceBuffer::zeroed(device, area("the candidates", blocks, systems)?)?,
            rows: DeviceBuffer::zeroed(device, all)?,
            values: DeviceBuffer::zeroed(device, all)?,
        })
    }

    /// Queues four kernels for each column, of all systems at once.
    fn launch(&mut self, stream: &Stream) -> Result<(), SolveError> {
        let (size, width, systems) = (self.size, self.width, self.systems);
        // The grid has as many blocks along the systems as it may have, and the kernels loop
        // over the rest.
        let (along, threads) = (systems.clamp(1, 65535), THREADS as u32);
        let blocks_of = |n: u32| LaunchConfig::cover_1d(n as usize, threads).grid.x;
        let tile = TILE.map(|side| side as u32);
        let tiles = LaunchConfig::cover_2d((width as usize, size as usize), tile.into()).grid;
        let configs = [
            LaunchConfig::new((size.div_ceil(threads).max(1), along), threads),
            LaunchConfig::new(along, threads),
            LaunchConfig::new((blocks_of(width), along), threads),
            LaunchConfig::new((tiles.x, tiles.y, along), (tile[0], tile[1])),
        ];
        for column in 0..if systems == 0 { 0 } else { size } {
            let shape = [size, width, column, systems];
            let buffers = (
                &mut self.matrix,
                &self.least,
                &mut self.keys,
                &mut self.rows,
                &mut self.values,
            );
            T::launch(stream, configs, shape, buffers)?;
        }
        Ok(())
    }

    /// Returns the right-hand sides, which now contain the solutions.
    fn solution(&self) -> Result<Vec<T>, SolveError> {
        let rows = self.rows.to_vec()?;
        if let Some(place) = rows.iter().position(|row| *row == NO_ROW) {
            let size = self.size as usize;
            return Err(SolveError::Singular {
                system: place / size,
                systems: self.systems as usize,
                column: place % size,
            });
        }
        let matrix = self.matrix.to_vec()?;
        let sides = |row: &[T]| row[self.size as usize..].to_vec();
        Ok(matrix
            .chunks(self.width.max(1) as usize)
            .flat_map(sides)
            .collect())
    }
}

/// Equations whose solution is known.
struct Known<T: Solves> {
    system: System<T>,
    expected: Vec<f64>,
}

/// Prepares equations with two right-hand sides. Each row has one large coefficient, half the
/// matrix away from the diagonal, so every pivot has to be searched.
fn prepare<T: Solves>(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let n = setup.at_most(4096)?;
    let mut matrix = numbers::<T>(n * n, setup.seed);
    for row in 0..n {
        matrix[row * n + (row + n / 2) % n] += T::rounded(n as f64);
    }
    let solution = numbers::<T>(2 * n, setup.seed.wrapping_add(1));
    let right = products(&matrix, &solution, n, 2);
    Ok(Box::new(Known {
        system: System::new(device, [n, 1], &matrix, &right)?,
        expected: solution.into_iter().map(Into::into).collect(),
    }))
}

impl<T: Solves> Case for Known<T> {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        // The kernels work in place, so the matrix is copied anew.
        self.system.matrix.copy_from_slice(&self.system.start)?;
        Ok(self.system.launch(stream)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let solution = self.system.solution()?;
        let found: Vec<f64> = solution.into_iter().map(Into::into).collect();
        let matching = Matching::of(self.expected.len()).relative(2000.0 * T::UNIT);
        // Values near zero have the same absolute error as the others.
        let shifted = |values: &[f64]| values.iter().map(|x| x + 1.0).collect::<Vec<_>>();
        Ok(matching.check(&shifted(&found), &shifted(&self.expected)))
    }

    fn work(&self) -> Work {
        let (n, width) = (u64::from(self.system.size), u64::from(self.system.width));
        Work::Flops(n * n * width)
    }
}

// On the CPU.

/// Returns the product of a square matrix and a matrix of `sides` columns.
pub fn products<T: Precision>(matrix: &[T], x: &[T], n: usize, sides: usize) -> Vec<T> {
    let element = |row: usize, side: usize| -> f64 {
        let products = (0..n).map(|e| matrix[row * n + e].into() * x[e * sides + side].into());
        products.sum()
    };
    let rows = (0..n).flat_map(|row| (0..sides).map(move |side| (row, side)));
    rows.map(|(row, side)| T::rounded(element(row, side)))
        .collect()
}
