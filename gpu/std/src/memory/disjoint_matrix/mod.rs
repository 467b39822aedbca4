//! An output matrix in which each thread writes only its own elements.
//!
//! Which element belongs to the thread at (x, y) depends on the length of a row. All threads must
//! use the same length: two lengths for one memory would give two threads the same element. So the
//! host passes the length with the matrix, and no thread can change it. It also depends on the
//! rule, which is part of the matrix's type. Two rules for one matrix would give two threads the
//! same element, too.
//!
//! | owner | elements of a thread | how it reaches them |
//! | --- | --- | --- |
//! | [`Plane`], [`Transposed`] | the one at its position in the plane of threads, or at the transposed position | `fill`, `get_mut` |
//! | [`Diagonal`] | the same, with blocks taken along diagonals | `fill` |
//! | [`Volume`] | the one at its position in its plane of a volume | `get_mut_in_plane` |
//! | [`Unrolled<N>`](Unrolled) | `N` of a row, a block apart | `fill` |
//! | [`TilePerBlock<ROWS, COLUMNS>`](TilePerBlock) | some of its block's tile | `fill_tile` |
//! | [`ColumnPerThread`] | a column | `for_column`, `in_column` |
//! | [`RowPer<By>`](RowPer) | a row, which may belong to a block or a warp | `in_row` |
//!
//! The compiler refuses what would give two threads one element: an owner of another crate,
//!
//! ```compile_fail,E0277
//! struct Everything;
//! impl lanewise_std::disjoint_matrix::Order for Everything {}
//! ```
//!
//! an element by position of a matrix whose tiles belong to blocks,
//!
//! ```compile_fail,E0277
//! use lanewise_std::disjoint_matrix::{DisjointMatrix, TilePerBlock};
//! use lanewise_std::thread::index_2d;
//!
//! fn element(mut output: DisjointMatrix<f32, TilePerBlock<32, 32>>) {
//!     let _ = output.get_mut(&index_2d());
//! }
//! ```
//!
//! a tile of a matrix whose elements belong to threads,
//!
//! ```compile_fail,E0599
//! fn tile(mut output: lanewise_std::DisjointMatrix<f32>) {
//!     output.fill_tile::<4>(|_, _| 0.0);
//! }
//! ```
//!
//! and a read of the matrix while it is written:
//!
//! ```compile_fail,E0502
//! fn sum(mut output: lanewise_std::DisjointMatrix<usize>) {
//!     output.fill(|row, column| row + column + output.rows());
//! }
//! ```

mod plane;
mod row;
mod tile;
mod volume;

use core::marker::PhantomData;

use crate::OwnIndex;
use crate::memory::bounds::place;
use crate::thread::{ThreadIndex2D, index_2d};

pub use plane::{Diagonal, Fill, Order, Plane, Transposed, Unrolled};
pub use row::{Numbered, RowPer, Threads};
pub use tile::TilePerBlock;
pub use volume::Volume;

/// The thread with index i owns column i, from top to bottom.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColumnPerThread;

/// A matrix in global memory, row after row. `Owner` says which elements belong to a thread: see
/// [the module](self).
///
/// On the host it is `buffer.matrix_mut(columns)`. An [`index_1d`](crate::thread::index_1d) is no
/// index of it, because that element could belong to another thread.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::{DisjointMatrix, Matrix};
///
/// #[kernel]
/// #[launch_contract(dims = 2)]
/// pub fn double(input: Matrix<f32>, mut output: DisjointMatrix<f32>) {
///     output.fill(|row, column| 2.0 * input[(row, column)]);
/// }
/// ```
///
/// A matrix of columns has no elements by position, because two threads could get the same one:
///
/// ```compile_fail,E0277
/// use lanewise_std::disjoint_matrix::{ColumnPerThread, DisjointMatrix};
/// use lanewise_std::thread::index_2d;
///
/// fn both(mut output: DisjointMatrix<f32, ColumnPerThread>) {
///     let _ = output.get_mut(&index_2d());
/// }
/// ```
#[derive(Debug)]
pub struct DisjointMatrix<'a, T, Owner = Plane> {
    pointer: *mut T,
    rows: u32,
    columns: u32,
    memory: PhantomData<(&'a mut [T], Owner)>,
}

impl<T, Owner> DisjointMatrix<'_, T, Owner> {
    /// Returns the number of rows.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Returns the number of elements in a row.
    #[inline]
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// Returns the address of the first element.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.pointer
    }

    /// Returns the address and the size, which `#[kernel]` passes on when a
    /// kernel launches another.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn raw_parts(&self) -> (*mut T, usize) {
        (self.pointer, size(self.rows, self.columns))
    }

    /// Makes the matrix of this [`size`] that starts at `pointer`. `#[kernel]` calls it with the
    /// matrix's two parameters.
    ///
    /// # Safety
    /// `pointer` is aligned to [`slice_alignment`](crate::kernel::slice_alignment), not null, and
    /// valid for all elements for `'a`. Only the threads of this launch access them, and all of
    /// these threads pass the same size.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: *mut T, size: usize) -> Self {
        // SAFETY: the caller promises that `pointer` is not null; see `kernel::read_slice`.
        unsafe { core::hint::assert_unchecked(!pointer.is_null()) };
        DisjointMatrix {
            pointer,
            rows: (size >> u32::BITS) as u32,
            columns: size as u32,
            memory: PhantomData,
        }
    }
}

/// Packs rows and columns into one parameter. It is as wide as a slice's length and
/// takes its place.
#[doc(hidden)]
#[inline]
#[must_use]
pub const fn size(rows: u32, columns: u32) -> usize {
    (rows as usize) << u32::BITS | columns as usize
}

impl<T, Owner> DisjointMatrix<'_, T, Owner> {
    /// Returns the index of an element, or `None` outside of the matrix.
    #[inline(always)]
    fn place(&self, row: usize, column: usize) -> Option<usize> {
        place((row, column), self.rows, self.columns)
    }
}

impl<T, O: Order> DisjointMatrix<'_, T, O> {
    /// Returns this thread's element, or `None` outside the matrix (the grid is rounded up
    /// to whole blocks).
    ///
    /// The index is the proof that no other thread gets this element.
    #[inline]
    pub fn get_mut(&mut self, at: &ThreadIndex2D) -> Option<&mut T> {
        let (row, column) = O::turn(at.y(), at.x());
        let index = self.place(row, column)?;
        // SAFETY: in bounds. The column is below the length of a row, which is the same for all
        // threads, so two positions are two elements. No other thread has this position, and
        // this thread's reference borrows the matrix.
        Some(unsafe { &mut *self.pointer.add(index) })
    }

    /// Returns this thread's element with the thread's position; `None` outside the matrix.
    #[inline]
    pub fn get_mut_indexed(&mut self) -> Option<(&mut T, ThreadIndex2D)> {
        let at = index_2d();
        let element = self.get_mut(&at)?;
        Some((element, at))
    }
}

impl<T, O: Fill> DisjointMatrix<'_, T, O> {
    /// Sets each element of this thread to `value(row, column)`. The function is called for
    /// elements of the matrix only: the grid is rounded up to whole blocks. All values are computed
    /// before the first element is set.
    #[inline(always)]
    pub fn fill(&mut self, value: impl FnMut(usize, usize) -> T) {
        O::fill(self, value);
    }
}

impl<T> DisjointMatrix<'_, T, ColumnPerThread> {
    /// Calls `each` for the elements of this thread's column, from the first row to the last one,
    /// with the row. There are none if the matrix has no such column.
    ///
    /// ```
    /// use lanewise_macros::kernel;
    /// use lanewise_std::disjoint_matrix::{ColumnPerThread, DisjointMatrix};
    /// use lanewise_std::thread::index_1d;
    ///
    /// #[kernel]
    /// #[launch_contract(dims = 1)]
    /// pub fn number_rows(mut output: DisjointMatrix<u32, ColumnPerThread>) {
    ///     output.for_column(index_1d(), |row, element| *element = row as u32);
    /// }
    /// ```
    #[inline]
    pub fn for_column(&mut self, index: impl OwnIndex, mut each: impl FnMut(usize, &mut T)) {
        let (column, columns) = (index.own_index().get(), self.columns());
        if column < columns {
            for row in 0..self.rows() {
                // SAFETY: in bounds, as the row and the column are. No other thread has this index,
                // so none has the column, and this thread's reference borrows the matrix.
                each(row, unsafe {
                    &mut *self.pointer.add(row * columns + column)
                });
            }
        }
    }

    /// Returns the element of this thread's column in this row, or `None` outside of the matrix.
    #[inline]
    pub fn in_column(&mut self, index: impl OwnIndex, row: usize) -> Option<&mut T> {
        let index = self.place(row, index.own_index().get())?;
        // SAFETY: in bounds. No other thread has this index, so none has the column, and this
        // thread's reference borrows the matrix.
        Some(unsafe { &mut *self.pointer.add(index) })
    }
}

crate::kernel::outputs!(DisjointMatrix<Owner>, WriteSlice);
