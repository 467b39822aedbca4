//! Sparse matrices in compressed rows.

use lanewise::{Device, DeviceBuffer, DeviceCopy, Zeroable};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::{Kernel, SafeKernel};
use lanewise_std::math::Float;

use crate::kernels::spmv::{self as kernels, THREADS, TILE};
use crate::queue::grid;
use crate::{Error, Queue};

/// A sparse matrix of `f32` or `f64` in compressed rows, on the device, and the workspace of its
/// product with a vector.
///
/// The elements of row `r` are those from `starts[r]` to `starts[r + 1]`, each with its column. A
/// product reads each of them once, and takes as long for rows of very different lengths as for
/// equal ones. Its result is the same in each run.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::SparseMatrix;
///
/// let device = Device::open()?;
/// // The rows (5, 0, 6), (0, 0, 0) and (0, 7, 0).
/// let mut matrix = SparseMatrix::new(&device, 3, &[0, 2, 2, 3], &[0, 2, 1], &[5.0f32, 6.0, 7.0])?;
/// let x = DeviceBuffer::from_slice(&device, &[1.0f32, 10.0, 100.0])?;
/// let mut y = DeviceBuffer::<f32>::zeroed(&device, 3)?;
/// matrix.multiply(&device.stream()?, [1.0, 0.0], &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [605.0, 0.0, 70.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SparseMatrix<T: DeviceCopy> {
    width: u32,
    starts: DeviceBuffer<u32>,
    columns: DeviceBuffer<u32>,
    values: DeviceBuffer<T>,
    /// The row with which each block begins, and the number of rows.
    firsts: DeviceBuffer<u32>,
    /// What each block has of the row that it does not end.
    carries: DeviceBuffer<T>,
}

/// The parameters of the kernels.
type Params<T> = (
    &'static [u32],
    &'static [u32],
    &'static [T],
    &'static [T],
    &'static [u32],
    DisjointSlice<'static, T>,
    DisjointSlice<'static, T>,
    [T; 2],
);
type CarryParams<T> = (&'static [u32], &'static [T], DisjointSlice<'static, T>, T);

impl<T: Float + DeviceCopy + Zeroable> SparseMatrix<T> {
    /// Copies a matrix with `width` columns to the device. The last of `starts` is the number of
    /// elements.
    ///
    /// # Errors
    /// [`Error::Row`] if a row ends before it begins, or has an element outside of the matrix;
    /// [`Error::TooShort`] if there is no start, or an element has no column or no value;
    /// [`Error::TooMany`] for 2^31 rows and elements or more; [`Error::Memory`].
    pub fn new(
        device: &Device,
        width: u32,
        starts: &[u32],
        columns: &[u32],
        values: &[T],
    ) -> Result<Self, Error> {
        let Some((&count, rows)) = starts.split_last() else {
            return Err(Error::TooShort {
                what: "starts",
                expected: 1,
                found: 0,
            });
        };
        let (rows, count) = (rows.len(), count as usize);
        Error::unless_enough("columns", count, columns.len())?;
        Error::unless_enough("values", count, values.len())?;
        let items = rows + count;
        Error::unless_few("rows and elements", i32::MAX as usize, items)?;
        if starts[0] != 0 {
            return Err(Error::Row {
                row: 0,
                problem: "begins at 0, not at",
                found: starts[0],
            });
        }
        for (row, ends) in starts.windows(2).enumerate() {
            if ends[1] < ends[0] {
                let problem = "ends before it begins, at";
                return Err(Error::Row {
                    row,
                    problem,
                    found: ends[1],
                });
            }
            // The last start is the number of columns, and none before it is greater.
            let of_row = columns
                .get(ends[0] as usize..ends[1] as usize)
                .unwrap_or(&[]);
            if let Some(&found) = of_row.iter().find(|column| **column >= width) {
                let problem = "has an element outside of the matrix, in column";
                return Err(Error::Row {
                    row,
                    problem,
                    found,
                });
            }
        }
        // Row `r` ends at place `starts[r + 1] + r` of the sequence of elements and ends.
        let blocks = items.div_ceil(TILE);
        let mut firsts = Vec::with_capacity(blocks + 1);
        let mut row = 0;
        for block in 0..=blocks {
            let place = (block * TILE).min(items);
            while row < rows && starts[row + 1] as usize + row < place {
                row += 1;
            }
            firsts.push(row as u32);
        }
        Ok(SparseMatrix {
            width,
            starts: DeviceBuffer::from_slice(device, starts)?,
            columns: DeviceBuffer::from_slice(device, &columns[..count])?,
            values: DeviceBuffer::from_slice(device, &values[..count])?,
            firsts: DeviceBuffer::from_slice(device, &firsts)?,
            carries: DeviceBuffer::zeroed(device, blocks)?,
        })
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the values of the elements, to be changed on the device.
    pub fn values_mut(&mut self) -> &mut DeviceBuffer<T> {
        &mut self.values
    }

    /// Computes `y = alpha A x + beta y`, where `factors` are `alpha` and `beta`. If `beta` is 0,
    /// `y` is not read, and may hold anything.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `x` has fewer elements than a row has columns, or `y` fewer than
    /// there are rows; [`Error::Launch`], [`Error::Graph`].
    pub fn multiply(
        &mut self,
        mut queue: impl Queue,
        factors: [T; 2],
        x: &DeviceBuffer<T>,
        y: &mut DeviceBuffer<T>,
    ) -> Result<(), Error>
    where
        kernels::spmv<T>: Kernel<Params = Params<T>>,
        kernels::add_carries<T>: SafeKernel<Params = CarryParams<T>>,
    {
        Error::unless_enough("an x", self.width as usize, x.len())?;
        Error::unless_enough("a y", self.rows(), y.len())?;
        let Some(config) = grid(self.carries.len(), THREADS as u32)? else {
            return Ok(());
        };
        let carries = grid(self.carries.len().div_ceil(THREADS), THREADS as u32)?;
        let kernel = kernels::spmv::<T>;
        let (starts, columns, values) = (&self.starts, &self.columns, &self.values);
        let arguments = (
            starts,
            columns,
            values,
            x,
            &self.firsts,
            &mut *y,
            &mut self.carries,
            factors,
        );
        // SAFETY: `new` has checked the starts and columns against the width, and nothing changes
        // them; it has computed the first rows from the same starts. `x` has an element for each
        // column, and `y` one for each row.
        unsafe { queue.launch_unchecked(kernel, config, arguments)? };
        if let Some(config) = carries {
            let arguments = (&self.firsts, &self.carries, &mut *y, factors[0]);
            queue.launch(kernels::add_carries::<T>, config, arguments)?;
        }
        Ok(())
    }
}
