//! An input matrix: a slice with its number of rows and columns.

use core::marker::PhantomData;
use core::ops::Index;

use super::bounds::{check_place, place};
use crate::kernel::{Lowering, Passed, slice_alignment};

/// A matrix in global memory, row after row, which nothing writes while the kernel runs.
///
/// On the host it is `buffer.matrix(columns)`, so a kernel needs no parameters for its size.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::{DisjointMatrix, Matrix};
///
/// #[kernel]
/// #[launch_contract(dims = 2)]
/// pub fn product(a: Matrix<f32>, b: Matrix<f32>, mut c: DisjointMatrix<f32>) {
///     c.fill(|row, column| {
///         let mut sum = 0.0;
///         for k in 0..a.columns() {
///             sum += a[(row, k)] * b[(k, column)];
///         }
///         sum
///     });
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T> {
    pointer: *const T,
    rows: u32,
    columns: u32,
    memory: PhantomData<&'a [T]>,
}

impl<'a, T> Matrix<'a, T> {
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

    /// Returns the element, or `None` outside of the matrix.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> Option<&'a T> {
        let index = place((row, column), self.rows, self.columns)?;
        // SAFETY: in bounds, and nothing writes the elements.
        Some(unsafe { &*self.pointer.add(index) })
    }

    /// Returns the element, or `outside` if it is outside of the matrix.
    #[inline]
    #[must_use]
    pub fn get_or(&self, row: usize, column: usize, outside: T) -> T
    where
        T: Copy,
    {
        self.get(row, column).copied().unwrap_or(outside)
    }

    /// Returns a row as a slice, which is empty if the matrix has no such row.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &'a [T] {
        let columns = if row < self.rows() { self.columns() } else { 0 };
        let first = self.pointer.wrapping_add(row * columns);
        // SAFETY: the row is in the matrix or has no elements, and nothing writes the elements.
        unsafe { core::slice::from_raw_parts(first, columns) }
    }

    /// Returns the elements of a column, from the first row to the last one. There are none if the
    /// matrix has no such column.
    ///
    /// ```
    /// use lanewise_macros::kernel;
    /// use lanewise_std::thread::index_1d;
    /// use lanewise_std::{DisjointSlice, Matrix};
    ///
    /// #[kernel]
    /// #[launch_contract(dims = 1)]
    /// pub fn sums_of_columns(a: Matrix<f32>, mut sums: DisjointSlice<f32>) {
    ///     let index = index_1d();
    ///     if let Some(sum) = sums.get_mut(&index) {
    ///         *sum = a.column(index.get()).sum();
    ///     }
    /// }
    /// ```
    #[inline]
    pub fn column(&self, column: usize) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let (first, columns) = (self.pointer.wrapping_add(column), self.columns());
        let rows = if column < columns { self.rows() } else { 0 };
        // SAFETY: in bounds, as the row and the column are, and nothing writes the elements.
        (0..rows).map(move |row| unsafe { &*first.add(row * columns) })
    }

    /// Returns all elements, row after row.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &'a [T] {
        // SAFETY: the matrix has these elements, and nothing writes them.
        unsafe { core::slice::from_raw_parts(self.pointer, self.rows() * self.columns()) }
    }

    /// Makes the matrix of this [`size`](crate::disjoint_matrix::size) that starts at `pointer`.
    ///
    /// # Safety
    /// As for [`read_slice`](crate::kernel::read_slice), and the elements have no cells.
    #[inline]
    unsafe fn from_raw_parts(pointer: *const T, size: usize) -> Self {
        // SAFETY: the caller promises that `pointer` is not null; see `kernel::read_slice`.
        unsafe { core::hint::assert_unchecked(!pointer.is_null()) };
        Matrix {
            pointer,
            rows: (size >> u32::BITS) as u32,
            columns: size as u32,
            memory: PhantomData,
        }
    }
}

impl<T> Index<(usize, usize)> for Matrix<'_, T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, (row, column): (usize, usize)) -> &T {
        check_place((row, column), self.rows(), self.columns());
        // SAFETY: in bounds, and nothing writes the elements.
        unsafe { &*self.pointer.add(row * self.columns() + column) }
    }
}

// SAFETY: the value is made of its own parts. `T` is `Copy`, so it has no cells, and the word
// promises that nothing writes the elements.
unsafe impl<T: Copy + 'static> Passed for for<'a> fn(Matrix<'a, T>) {
    type For<'a> = Matrix<'a, T>;
    type First = *const T;
    type Second = usize;
    type Element = T;
    const LOWERING: Lowering = Lowering::ReadSlice;
    const ALIGNMENT: usize = slice_alignment::<T>();

    #[inline(always)]
    unsafe fn take<'a>(first: *const T, second: usize) -> Matrix<'a, T> {
        // SAFETY: the caller promises that they are parts of a value that is still there.
        unsafe { Matrix::from_raw_parts(first, second) }
    }

    #[inline(always)]
    fn give(value: Matrix<'_, T>) -> (*const T, usize) {
        let size = crate::disjoint_matrix::size(value.rows, value.columns);
        (value.pointer, size)
    }
}
