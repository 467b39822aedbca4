//! The product of a sparse matrix in compressed rows (CSR) and a vector.

use anyhow::Result;
use gpu::algorithms::spmv::{spmv_csr, spmv_csr_warp};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, MemoryError, Stream};
use rayon::prelude::*;

use super::precision::{Precision, numbers};
use super::{AlgorithmError, Floats, at_least, dot};
use crate::{Case, Pattern, Setup, Size, Variant, Work, input, nvidia};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "spmv",
    chapter: "algorithms",
    summary: "a sparse matrix in compressed rows times a vector: a thread or some lanes of a warp for each row",
    source: "Professional CUDA C Programming, chapter 8",
    size: Size {
        of: "rows",
        is_square: false,
        default: 1 << 12,
        bench: Some(1 << 22),
    },
    variants: &[
        Variant::new("spmv_csr", |device, setup| {
            prepare::<f32>(device, setup, uneven, Some(Rows::Thread))
        })
        .runs("spmv_csr_f32"),
        Variant::new("spmv_csr_warp", |device, setup| {
            prepare::<f32>(device, setup, uneven, Some(Rows::Lanes(32)))
        })
        .runs("spmv_csr_warp_f32_32"),
        Variant::new("spmv_uneven", |device, setup| {
            prepare::<f32>(device, setup, uneven, None)
        })
        .runs("spmv_csr_warp_f32_4")
        .beside(|device, setup| beside::<f32>(device, setup, uneven)),
        Variant::new("spmv_stencil", |device, setup| {
            prepare::<f32>(device, setup, stencil, None)
        })
        .runs("spmv_csr_warp_f32_8")
        .beside(|device, setup| beside::<f32>(device, setup, stencil)),
        Variant::new("spmv_stencil_f64", |device, setup| {
            prepare::<f64>(device, setup, stencil, None)
        })
        .runs("spmv_csr_warp_f64_8")
        .beside(|device, setup| beside::<f64>(device, setup, stencil)),
    ],
};

/// An error in compressed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CsrError {
    /// A matrix of n rows has n + 1 starts.
    #[error(
        "a matrix of {rows} rows has {given} starts of rows, and should have one more than rows"
    )]
    Starts {
        /// The matrix's number of rows.
        rows: usize,
        /// How many starts of rows were given.
        given: usize,
    },
    /// The first row must start at 0, and no row may start before the row above it.
    #[error("row {row} starts at {start}, and should start at {least}{}", if *.row == 0 { "" } else { " or later" })]
    Order {
        /// The number of the row.
        row: usize,
        /// The start of the row.
        start: u32,
        /// The start of the row above it.
        least: u32,
    },
    /// The last start must be the number of elements, and each element must have a column
    /// and a value.
    #[error(
        "the last row ends at {end}, and there are {columns} columns of elements and {values} values"
    )]
    End {
        /// The last start.
        end: u32,
        /// Columns that were given.
        columns: usize,
        /// Values that were given.
        values: usize,
    },
    /// An element is outside of the matrix.
    #[error("row {row} has an element in column {column}, and the matrix has {columns} columns")]
    Column {
        /// The number of the row.
        row: usize,
        /// The element's column.
        column: u32,
        /// Columns of the matrix.
        columns: usize,
    },
}

/// Why a sparse matrix could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SparseError {
    /// The compressed rows are not valid.
    #[error(transparent)]
    Malformed(#[from] CsrError),
    /// The device's memory could not be allocated or copied.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// A sparse matrix on the device, in compressed rows. The rows were checked when it was made.
#[derive(Debug)]
pub struct CsrMatrix<T: Sums = f32> {
    rows: usize,
    columns: usize,
    starts: DeviceBuffer<u32>,
    places: DeviceBuffer<u32>,
    values: DeviceBuffer<T>,
}

/// The threads that sum a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One thread, for rows with one or two elements.
    Thread,
    /// This many lanes of a warp: 4, 8, 16 or 32. Another number is rounded up to the
    /// next of these.
    Lanes(u32),
}

impl Rows {
    /// Returns the choice for rows of this mean length. Each lane has four elements in flight at
    /// once, so there are enough lanes to process a row in one step.
    fn of_length(mean: usize) -> Self {
        match mean {
            0..=2 => Self::Thread,
            _ => Self::Lanes(mean.div_ceil(4).next_power_of_two().clamp(4, 32) as u32),
        }
    }
}

/// The precisions in which rows are summed.
pub trait Sums: Precision {
    #[doc(hidden)]
    fn launch(
        stream: &Stream,
        by: Rows,
        config: LaunchConfig,
        arguments: Arguments<'_, Self>,
    ) -> Result<(), LaunchError>;
}

/// Starts, columns, values, vector and product.
type Arguments<'a, T> = (
    &'a DeviceBuffer<u32>,
    &'a DeviceBuffer<u32>,
    &'a DeviceBuffer<T>,
    &'a DeviceBuffer<T>,
    &'a mut DeviceBuffer<T>,
);

macro_rules! sums {
    ($($real:ident)*) => {
        $(
            impl Sums for $real {
                fn launch(
                    stream: &Stream,
                    by: Rows,
                    config: LaunchConfig,
                    arguments: Arguments<'_, Self>,
                ) -> Result<(), LaunchError> {
                    let (starts, columns, values, x, y) = arguments;
                    if let Rows::Thread = by {
                        let arguments = (starts, columns, values, x, y);
                        return stream.launch(spmv_csr::<$real>, config, arguments);
                    }
                    let arguments = (starts, columns, values, x, y.matrix_mut(1));
                    match by {
                        Rows::Lanes(0..=4) => stream.launch(spmv_csr_warp::<$real, 4>, config, arguments),
                        Rows::Lanes(5..=8) => stream.launch(spmv_csr_warp::<$real, 8>, config, arguments),
                        Rows::Lanes(9..=16) => stream.launch(spmv_csr_warp::<$real, 16>, config, arguments),
                        _ => stream.launch(spmv_csr_warp::<$real, 32>, config, arguments),
                    }
                }
            }
        )*
    };
}

sums! { f32 f64 }

impl<T: Sums> CsrMatrix<T> {
    /// Makes a matrix of `rows` by `columns`. The elements of row r are
    /// `values[starts[r]..starts[r + 1]]`, in the columns `places[..]` of the same range.
    ///
    /// # Errors
    /// [`CsrError`] with the row that is wrong; the driver's error.
    pub fn new(
        device: &Device,
        [rows, columns]: [usize; 2],
        starts: &[u32],
        places: &[u32],
        values: &[T],
    ) -> Result<Self, SparseError> {
        check([rows, columns], starts, places, values.len())?;
        Ok(Self {
            rows,
            columns,
            starts: DeviceBuffer::from_slice(device, starts)?,
            places: DeviceBuffer::from_slice(device, places)?,
            values: DeviceBuffer::from_slice(device, values)?,
        })
    }

    /// Returns the number of stored elements.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether no elements are stored, so that all are zero.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Queues `y = A x`, in the way that suits the mean length of the rows.
    ///
    /// # Errors
    /// [`AlgorithmError::Length`] if `x` does not have an element for each column, or `y` not one
    /// for each row; the error of the launch.
    pub fn multiply(
        &self,
        stream: &Stream,
        x: &DeviceBuffer<T>,
        y: &mut DeviceBuffer<T>,
    ) -> Result<(), AlgorithmError> {
        let by = Rows::of_length(self.len() / self.rows.max(1));
        self.multiply_by(stream, x, y, (by, LaunchConfig::DEFAULT_BLOCK))
    }

    /// Queues `y = A x` in the given way, with blocks of this many threads.
    ///
    /// # Errors
    /// As [`multiply`](Self::multiply).
    pub fn multiply_by(
        &self,
        stream: &Stream,
        x: &DeviceBuffer<T>,
        y: &mut DeviceBuffer<T>,
        (by, block): (Rows, u32),
    ) -> Result<(), AlgorithmError> {
        at_least("x", x.len(), self.columns)?;
        at_least("y", y.len(), self.rows)?;
        let lanes = match by {
            Rows::Thread => 1,
            Rows::Lanes(lanes) => lanes.next_power_of_two().clamp(4, 32) as usize,
        };
        // If there are more rows, the kernels loop over them.
        let config = LaunchConfig::cover_1d(self.rows.min(1 << 26) * lanes, block);
        let arguments = (&self.starts, &self.places, &self.values, x, y);
        T::launch(stream, by, config, arguments)?;
        Ok(())
    }
}

/// Checks that these are the compressed rows of a matrix.
fn check(
    [rows, columns]: [usize; 2],
    starts: &[u32],
    places: &[u32],
    values: usize,
) -> Result<(), CsrError> {
    if rows.checked_add(1) != Some(starts.len()) {
        return Err(CsrError::Starts {
            rows,
            given: starts.len(),
        });
    }
    let mut least = 0;
    for (row, &start) in starts.iter().enumerate() {
        if start < least || row == 0 && start != 0 {
            return Err(CsrError::Order { row, start, least });
        }
        least = start;
    }
    if least as usize != places.len() || places.len() != values {
        return Err(CsrError::End {
            end: least,
            columns: places.len(),
            values,
        });
    }
    for (row, range) in starts.windows(2).enumerate() {
        let of_row = &places[range[0] as usize..range[1] as usize];
        if let Some(&column) = of_row.iter().find(|column| **column as usize >= columns) {
            return Err(CsrError::Column {
                row,
                column,
                columns,
            });
        }
    }
    Ok(())
}

/// Starts of rows, and columns of elements.
type Places = (Vec<u32>, Vec<u32>);

/// Makes a matrix of this pattern, and a vector.
fn matrix_of<T: Precision>(
    setup: Setup,
    places: fn(usize, u64) -> Places,
) -> Result<(usize, Places, [Vec<T>; 2])> {
    let n = setup.at_most(1 << 26)?;
    let places = places(n, setup.seed);
    let values = numbers(places.1.len(), setup.seed.wrapping_add(1));
    let x = numbers(n, setup.seed.wrapping_add(2));
    Ok((n, places, [values, x]))
}

/// Prepares the same product by cuSPARSE.
fn beside<T: Precision + nvidia::Number + From<u8>>(
    device: &Device,
    setup: Setup,
    places: fn(usize, u64) -> Places,
) -> Result<Box<dyn nvidia::Job>> {
    let (n, (starts, places), [values, x]) = matrix_of::<T>(setup, places)?;
    let matrix = nvidia::Compressed {
        size: [n, n],
        starts: &starts,
        places: &places,
        values: &values,
    };
    nvidia::spmv(device, matrix, &x)
}

fn prepare<T: Sums>(
    device: &Device,
    setup: Setup,
    places: fn(usize, u64) -> Places,
    by: Option<Rows>,
) -> Result<Box<dyn Case>> {
    let (n, (starts, places), [values, x]) = matrix_of::<T>(setup, places)?;
    let expected = setup.expected(|| products(&starts, &places, &values, &x));

    let matrix = CsrMatrix::new(device, [n, n], &starts, &places, &values)?;
    let x = DeviceBuffer::from_slice(device, &x)?;
    let y = DeviceBuffer::zeroed(device, n)?;
    let element = size_of::<T>();
    let bytes = (4 + element) * matrix.len() + (4 + 2 * element) * n;
    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    let work = Work::Bytes(bytes as u64);
    Ok(Floats::boxed(y, expected, work, move |stream, y| {
        match by {
            Some(by) => matrix.multiply_by(stream, &x, y, (by, block))?,
            None => matrix.multiply(stream, &x, y)?,
        }
        Ok(())
    }))
}

/// Returns the positions of elements in a square matrix of this size. A row has none to twelve
/// elements, and every thousandth row has up to a thousand.
fn uneven(n: usize, seed: u64) -> Places {
    let lengths = input::integers(n, seed);
    let (mut starts, mut places) = (vec![0], Vec::new());
    for (row, length) in lengths.into_iter().enumerate() {
        let most = if row % 1000 == 7 {
            n.min(1000)
        } else {
            n.min(12)
        };
        let length = length as u32 as usize % (most + 1);
        // The elements are spread evenly over the row, so no column occurs twice.
        places.extend((0..length).map(|i| ((row + i * n / length) % n) as u32));
        starts.push(places.len() as u32);
    }
    (starts, places)
}

/// Returns the positions for a stencil on a cube of this many points. Each point has its 27
/// neighbours, including itself. The cube is periodic: points at a face have neighbours on
/// the opposite side.
fn stencil(n: usize, _seed: u64) -> Places {
    // This is roughly the side of the cube. Only the distance between rows and planes matters.
    let side = (1i64..)
        .find(|side| side * side * side >= n as i64)
        .unwrap_or(1);
    let near = [-1, 0, 1i64];
    let steps = near.map(|z| near.map(|y| near.map(|x| x + side * (y + side * z))));
    let steps: Vec<usize> = steps
        .as_flattened()
        .as_flattened()
        .iter()
        .map(|step| step.rem_euclid(n.max(1) as i64) as usize)
        .collect();
    let place = |i: usize| ((i / steps.len() + steps[i % steps.len()]) % n) as u32;
    let places = (0..n * steps.len()).into_par_iter().with_min_len(1 << 14);
    let places = places.map(place);
    let starts = (0..=n).map(|row| (row * steps.len()) as u32);
    (starts.collect(), places.collect())
}

// On the CPU.

/// Returns each row's product with `x`, and its tolerance.
pub fn products<T: Precision>(
    starts: &[u32],
    places: &[u32],
    values: &[T],
    x: &[T],
) -> Vec<(f64, f64)> {
    let row = |range: &[u32]| {
        let range = range[0] as usize..range[1] as usize;
        let elements = values[range.clone()].iter().zip(&places[range]);
        dot(elements.map(|(value, place)| (*value, x[*place as usize])))
    };
    starts.windows(2).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_rows_are_named() {
        let wrong = |starts: &[u32], places: &[u32]| {
            check([2, 3], starts, places, places.len()).map_err(|error| error.to_string())
        };
        assert_eq!(wrong(&[0, 1, 3], &[2, 0, 1]), Ok(()));
        assert_eq!(wrong(&[0, 0, 0], &[]), Ok(()));
        let expect = |starts: &[u32], places: &[u32], text: &str| {
            assert_eq!(wrong(starts, places), Err(text.to_owned()));
        };
        expect(
            &[0, 1],
            &[0],
            "a matrix of 2 rows has 2 starts of rows, and should have one more than rows",
        );
        expect(&[1, 1, 1], &[0], "row 0 starts at 1, and should start at 0");
        expect(
            &[0, 3, 2],
            &[0, 1],
            "row 2 starts at 2, and should start at 3 or later",
        );
        expect(
            &[0, 1, 3],
            &[0, 1],
            "the last row ends at 3, and there are 2 columns of elements and 2 values",
        );
        expect(
            &[0, 1, 2],
            &[0, 3],
            "row 1 has an element in column 3, and the matrix has 3 columns",
        );
    }
}
