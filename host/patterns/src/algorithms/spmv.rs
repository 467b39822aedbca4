//! A sparse matrix in compressed rows, times a vector.

use anyhow::Result;
use gpu::algorithms::spmv::{spmv_csr, spmv_csr_warp};
use lanewise::{Device, DeviceBuffer, LaunchConfig, MemoryError, Stream};

use super::{AlgorithmError, Floats, at_least, dot, warp_each};
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "spmv",
    chapter: "algorithms",
    summary: "a sparse matrix in compressed rows times a vector: a thread or a warp for each row",
    source: "CUDA study notes, chapter 8",
    size: Size {
        of: "rows",
        default: 1 << 12,
        bench: Some(1 << 22),
    },
    variants: &[
        Variant::new("spmv_csr", |device, setup| {
            prepare(device, setup, Rows::Thread)
        }),
        Variant::new("spmv_csr_warp", |device, setup| {
            prepare(device, setup, Rows::Warp)
        }),
    ],
};

/// What is wrong with compressed rows.
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
    /// The first row starts at 0, and each later one not before the one above it.
    #[error("row {row} starts at {start}, and should start at {least}{}", if *.row == 0 { "" } else { " or later" })]
    Order {
        /// The number of the row.
        row: usize,
        /// Where it starts.
        start: u32,
        /// Where the row above it starts.
        least: u32,
    },
    /// The last start is the number of elements, of which each has a column and a value.
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
    /// The rows are not what they should be.
    #[error(transparent)]
    Malformed(#[from] CsrError),
    /// The device has no room.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// A sparse matrix on the device, in compressed rows, which were checked when it was made.
#[derive(Debug)]
pub struct CsrMatrix {
    rows: usize,
    columns: usize,
    starts: DeviceBuffer<u32>,
    places: DeviceBuffer<u32>,
    values: DeviceBuffer<f32>,
}

/// Who sums a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One thread: for short rows of about the same length.
    Thread,
    /// A warp: for long rows.
    Warp,
}

impl CsrMatrix {
    /// A matrix of `rows` by `columns`. The elements of row r are `values[starts[r]..starts[r + 1]]`, in the columns `places[..]` of the same range.
    ///
    /// # Errors
    /// [`CsrError`] with the row that is wrong; the driver's.
    pub fn new(
        device: &Device,
        [rows, columns]: [usize; 2],
        starts: &[u32],
        places: &[u32],
        values: &[f32],
    ) -> Result<Self, SparseError> {
        check([rows, columns], starts, places, values)?;
        Ok(Self {
            rows,
            columns,
            starts: DeviceBuffer::from_slice(device, starts)?,
            places: DeviceBuffer::from_slice(device, places)?,
            values: DeviceBuffer::from_slice(device, values)?,
        })
    }

    /// Elements that are there.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether all elements are zero.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// `y = A x`, with blocks of so many threads.
    ///
    /// # Errors
    /// [`AlgorithmError::Length`] when `x` has not an element for each column, or `y` not one for each row; the launch's.
    pub fn multiply(
        &self,
        device: &Device,
        stream: &Stream,
        x: &DeviceBuffer<f32>,
        y: &mut DeviceBuffer<f32>,
        (by, block): (Rows, u32),
    ) -> Result<(), AlgorithmError> {
        at_least("x", x.len(), self.columns)?;
        at_least("y", y.len(), self.rows)?;
        let arguments = (&self.starts, &self.places, &self.values, x, y);
        match by {
            Rows::Thread => {
                let config = LaunchConfig::cover_1d(self.rows.min(1 << 26), block);
                device.launch(stream, spmv_csr, config, arguments)?;
            }
            Rows::Warp => {
                device.launch(
                    stream,
                    spmv_csr_warp,
                    warp_each(self.rows, block),
                    arguments,
                )?;
            }
        }
        Ok(())
    }
}

/// Whether these are the compressed rows of a matrix.
fn check(
    [rows, columns]: [usize; 2],
    starts: &[u32],
    places: &[u32],
    values: &[f32],
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
    if least as usize != places.len() || places.len() != values.len() {
        return Err(CsrError::End {
            end: least,
            columns: places.len(),
            values: values.len(),
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

fn prepare(device: &Device, setup: Setup, by: Rows) -> Result<Box<dyn Case>> {
    let n = setup.at_most(1 << 26)?;
    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    let (starts, places) = pattern(n, setup.seed);
    let values = input::floats(places.len(), setup.seed.wrapping_add(1));
    let x = input::floats(n, setup.seed.wrapping_add(2));
    let expected = setup.expected(|| products(&starts, &places, &values, &x));

    let matrix = CsrMatrix::new(device, [n, n], &starts, &places, &values)?;
    let x = DeviceBuffer::from_slice(device, &x)?;
    let y = DeviceBuffer::zeroed(device, n)?;
    let bytes = 8 * matrix.len() + 4 * 3 * n;
    let (device, work) = (device.clone(), Work::Bytes(bytes as u64));
    Ok(Floats::boxed(y, expected, work, move |stream, y| {
        Ok(matrix.multiply(&device, stream, &x, y, (by, block))?)
    }))
}

/// Where a square matrix of this size has elements: none to twelve in a row, and in every thousandth row up to a thousand.
fn pattern(n: usize, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let lengths = input::integers(n, seed);
    let (mut starts, mut places) = (vec![0], Vec::new());
    for (row, length) in lengths.into_iter().enumerate() {
        let most = if row % 1000 == 7 {
            n.min(1000)
        } else {
            n.min(12)
        };
        let length = length as u32 as usize % (most + 1);
        // Evenly over the row, so that no column comes twice.
        places.extend((0..length).map(|i| ((row + i * n / length) % n) as u32));
        starts.push(places.len() as u32);
    }
    (starts, places)
}

// On the CPU.

/// Each row's product with `x`, and how far off it may be.
pub fn products(starts: &[u32], places: &[u32], values: &[f32], x: &[f32]) -> Vec<(f64, f64)> {
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
            let values = vec![1.0; places.len()];
            check([2, 3], starts, places, &values).map_err(|error| error.to_string())
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
