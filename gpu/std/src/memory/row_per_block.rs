//! A matrix as output, with one row for each block, which the block's threads write together.
//!
//! It is what a softmax or a normalisation of rows leaves. The row follows from the block's place
//! in the grid, and a thread's columns from its place in the block. How long a row is comes with
//! the matrix, from the host, so that all threads agree on it.

use core::marker::PhantomData;

use crate::thread::{block_number, block_size, thread_rank};

/// A matrix in global memory, row after row, with a row for each block of the launch, in the order
/// of the blocks, x fastest.
///
/// On the host it is `buffer.matrix_mut(columns)`.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::collective::{Max, Sum, block_reduce};
/// use lanewise_std::math::Float;
/// use lanewise_std::RowPerBlock;
///
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn softmax(input: &[f32], mut output: RowPerBlock<f32>) {
///     shared! { static SCRATCH: [f32; 32]; }
///     let Some(row) = output.row() else { return };
///     let first = row * output.columns();
///     let mut largest = f32::NEG_INFINITY;
///     for (column, _) in output.block_stride() {
///         largest = largest.max(input[first + column]);
///     }
///     let largest = block_reduce(largest, Max, &SCRATCH);
///     let mut sum = 0.0;
///     for (column, value) in output.block_stride() {
///         *value = (input[first + column] - largest).exp();
///         sum += *value;
///     }
///     let sum = block_reduce(sum, Sum, &SCRATCH);
///     for (_, value) in output.block_stride() {
///         *value /= sum;
///     }
/// }
/// ```
#[derive(Debug)]
pub struct RowPerBlock<'a, T> {
    pointer: *mut T,
    rows: u32,
    columns: u32,
    memory: PhantomData<&'a mut [T]>,
}

impl<T> RowPerBlock<'_, T> {
    /// How many rows there are: more or fewer than the launch has blocks.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// How many elements a row has.
    #[inline]
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// The number of the block's row; `None` where the matrix has no row for the block.
    #[inline]
    #[must_use]
    pub fn row(&self) -> Option<usize> {
        let block = block_number();
        (block < self.rows()).then_some(block)
    }

    /// This thread's elements of the block's row, each with its column: from the thread's
    /// [`thread_rank`] on, in steps of the block's size. Neighbouring threads have neighbouring
    /// elements. There are none where the matrix has no row for the block.
    #[inline]
    pub fn block_stride(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        let columns = self.columns();
        let (first, end) = match self.row() {
            Some(row) => (row * columns, columns),
            None => (0, 0),
        };
        let row = self.pointer.wrapping_add(first);
        (thread_rank() as usize..end)
            .step_by(block_size() as usize)
            .map(move |column| {
                // SAFETY: in bounds, as the block has a row. No other block has it; of its columns
                // no other thread has this one, and it comes once while the matrix is borrowed.
                (column, unsafe { &mut *row.add(column) })
            })
    }

    /// The first element's address.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.pointer
    }

    /// Address and size: what `#[kernel]` passes on when a kernel launches another.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn raw_parts(&self) -> (*mut T, usize) {
        (
            self.pointer,
            crate::disjoint_matrix::size(self.rows, self.columns),
        )
    }

    /// The matrix that starts at `pointer`, of this size: what `#[kernel]` makes of its two
    /// parameters.
    ///
    /// # Safety
    /// As for [`DisjointMatrix`](crate::DisjointMatrix): `pointer` is aligned, not null, and valid
    /// for all elements for `'a`, only the threads of this launch reach them, and all have this
    /// size.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: *mut T, size: usize) -> Self {
        // SAFETY: the caller says so; see `kernel::read_slice`.
        unsafe { core::hint::assert_unchecked(!pointer.is_null()) };
        RowPerBlock {
            pointer,
            rows: (size >> u32::BITS) as u32,
            columns: size as u32,
            memory: PhantomData,
        }
    }
}
