//! A matrix as output, with one row for each block, which the block's threads write together.
//!
//! It is what a softmax or a normalisation of rows leaves. The row follows from the block's place
//! in the grid, and a thread's columns from its place in the block. How long a row is comes with
//! the matrix, from the host, so that all threads agree on it.

use crate::DisjointMatrix;
use crate::thread::{block_number, block_size, thread_rank};

/// A matrix in global memory, row after row, with a row for each block of the launch, in the order
/// of the blocks, x fastest.
///
/// On the host it is `buffer.matrix_mut(columns)`.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::collective::{Max, Sum, block_reduce};
/// use lanewise_std::math::Float;
/// use lanewise_std::RowPerBlock;
///
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn softmax(input: &[f32], mut output: RowPerBlock<f32>) {
///     let Some(row) = output.row() else { return };
///     let first = row * output.columns();
///     let mut largest = f32::NEG_INFINITY;
///     for (column, _) in output.block_stride() {
///         largest = largest.max(input[first + column]);
///     }
///     let largest = block_reduce(largest, Max);
///     let mut sum = 0.0;
///     for (column, value) in output.block_stride() {
///         *value = (input[first + column] - largest).exp();
///         sum += *value;
///     }
///     let sum = block_reduce(sum, Sum);
///     for (_, value) in output.block_stride() {
///         *value /= sum;
///     }
/// }
/// ```
#[derive(Debug)]
pub struct RowPerBlock<'a, T>(DisjointMatrix<'a, T>);

impl<T> RowPerBlock<'_, T> {
    /// Returns the number of rows, which may be more or fewer than the blocks of the launch.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.0.rows()
    }

    /// Returns the number of elements in a row.
    #[inline]
    #[must_use]
    pub fn columns(&self) -> usize {
        self.0.columns()
    }

    /// Returns the number of the block's row, or `None` if the matrix has no row for the block.
    #[inline]
    #[must_use]
    pub fn row(&self) -> Option<usize> {
        let block = block_number();
        (block < self.rows()).then_some(block)
    }

    /// Iterates over this thread's elements of the block's row, each with its column. They begin at
    /// the thread's [`thread_rank`] and are a block's size apart, so neighbouring threads have
    /// neighbouring elements. There are none if the matrix has no row for the block.
    #[inline]
    pub fn block_stride(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        let columns = self.columns();
        let (first, end) = match self.row() {
            Some(row) => (row * columns, columns),
            None => (0, 0),
        };
        let row = self.0.as_mut_ptr().wrapping_add(first);
        (thread_rank() as usize..end)
            .step_by(block_size() as usize)
            .map(move |column| {
                // SAFETY: in bounds, as the block has a row, which no other block has. No other
                // thread of the block has this column, each column comes once, and the iterator
                // borrows the matrix.
                (column, unsafe { &mut *row.add(column) })
            })
    }

    /// Returns the address of the first element.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.0.as_mut_ptr()
    }
}

crate::kernel::wrapper!(RowPerBlock(DisjointMatrix));
crate::kernel::outputs!(RowPerBlock, WriteSlice);
