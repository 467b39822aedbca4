//! Sparse matrices in compressed rows.

use lanewise::{Device, DeviceBuffer, DeviceCopy, Zeroable};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::{Kernel, SafeKernel, Value};
use lanewise_std::math::Float;

use crate::kernels::spmv::{self as kernels, THREADS, TILE};
use crate::kernels::spmv_even::{self as even, TOGETHER};
use crate::queue::grid;
use crate::{Error, Queue};

/// A sparse matrix of `f32` or `f64` in compressed rows, on the device, and the workspace of its
/// product with a vector.
///
/// The elements of row `r` are those from `starts[r]` to `starts[r + 1]`, each with its column. A
/// product reads each of them once. Rows of about the same length are divided among threads as they
/// are; those of very different lengths, element by element. A result is the same in each run.
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
    even: Option<Even>,
}

/// How a matrix is divided whose rows have about the same length.
#[derive(Clone, Copy, Debug)]
struct Even {
    /// Threads of a row.
    group: u32,
    /// The most elements of the rows of a block.
    room: u32,
}

impl Even {
    /// The most bytes of shared memory for a block: every GPU from compute capability 8.0 on has so
    /// much, and a multiprocessor of an H200 has two such blocks.
    const SHARED_BYTES: usize = 96 << 10;

    /// Returns how to divide rows that begin and end at these elements of so many bytes, or `None`
    /// if one has more than half again as many as they have on average.
    fn new(starts: &[u32], bytes: usize) -> Option<Self> {
        let rows = starts.len() - 1;
        let lengths = starts.windows(2).map(|ends| ends[1] - ends[0]);
        let longest = lengths.max().unwrap_or(0);
        let count = starts[rows] as usize;
        if longest == 0 || 2 * longest as usize * rows > 3 * count {
            return None;
        }
        // Groups load from different banks, and a thread has no more than 32 elements.
        let apart = 1 << longest.trailing_zeros().min(5);
        let group = longest.div_ceil(32).next_power_of_two().max(apart);
        let of_block = even::THREADS / group.min(32) as usize;
        let all = (0..rows).step_by(of_block).map(|first| {
            let from = starts[first] as usize / TOGETHER * TOGETHER;
            starts[rows.min(first + of_block)] as usize - from
        });
        let room = all.max().unwrap_or(0).next_multiple_of(TOGETHER);
        let fits = group <= 32 && room * bytes <= Self::SHARED_BYTES;
        fits.then_some(Even {
            group,
            room: room as u32,
        })
    }
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
type EvenParams<T> = (
    &'static [u32],
    &'static [u32],
    &'static [T],
    &'static [T],
    DisjointSlice<'static, T>,
    u32,
    u32,
    [T; 2],
);
type CarryParams<T> = (&'static [u32], &'static [T], DisjointSlice<'static, T>, T);

impl<T: Float + Value + DeviceCopy + Zeroable> SparseMatrix<T> {
    /// Bytes of a value and its column.
    const ELEMENT_BYTES: usize = size_of::<T>() + size_of::<u32>();

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
            even: Even::new(starts, Self::ELEMENT_BYTES),
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
    /// [`Error::TooShort`] if `x` has fewer elements than a row has columns, `y` fewer than there
    /// are rows, or another buffer has taken the place of the values, with fewer of them;
    /// [`Error::Launch`], [`Error::Graph`].
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
        even::spmv_even<T>: Kernel<Params = EvenParams<T>>,
    {
        Error::unless_enough("an x", self.width as usize, x.len())?;
        Error::unless_enough("a y", self.rows(), y.len())?;
        Error::unless_enough("values", self.columns.len(), self.values.len())?;
        let (starts, columns, values) = (&self.starts, &self.columns, &self.values);
        if let Some(Even { group, room }) = self.even
            && values.address().is_multiple_of(16)
        {
            let kernel = even::spmv_even::<T>;
            let shared = room * Self::ELEMENT_BYTES as u32;
            y.device().set_max_dynamic_shared(kernel, shared)?;
            let blocks = self.rows().div_ceil(even::THREADS / group as usize);
            let Some(config) = grid(blocks, even::THREADS as u32)? else {
                return Ok(());
            };
            let config = config.with_dynamic_shared(shared);
            let arguments = (starts, columns, values, x, y, group, room, factors);
            // SAFETY: as below. `Even::new` has computed the room from the same starts, and columns
            // have a buffer of their own, which begins at a multiple of sixteen bytes.
            return unsafe { queue.launch_unchecked(kernel, config, arguments) };
        }
        let Some(config) = grid(self.carries.len(), THREADS as u32)? else {
            return Ok(());
        };
        let carries = grid(self.carries.len().div_ceil(THREADS), THREADS as u32)?;
        let kernel = kernels::spmv::<T>;
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
