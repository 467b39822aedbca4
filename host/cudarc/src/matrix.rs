//! A slice as a matrix, for kernels that take a `Matrix`, a `DisjointMatrix` or a `RowPerBlock`.

use std::marker::PhantomData;

use cudarc::driver::{DevicePtr, DevicePtrMut, DeviceSlice};

/// Numbers of rows and columns, either below 2^32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    rows: u32,
    columns: u32,
}

impl Size {
    #[track_caller]
    fn new(len: usize, columns: usize) -> Self {
        assert!(
            len == 0 || columns > 0 && len.is_multiple_of(columns),
            "{len} elements do not make whole rows of {columns}"
        );
        let rows = len.checked_div(columns).unwrap_or(0);
        let (Ok(rows), Ok(columns)) = (u32::try_from(rows), u32::try_from(columns)) else {
            panic!("{rows} rows of {columns} elements are too many: either number has 32 bits");
        };
        Self { rows, columns }
    }

    /// Returns the size in the form that the kernel takes.
    pub(crate) fn word(self) -> u64 {
        lanewise_std::disjoint_matrix::size(self.rows, self.columns) as u64
    }
}

/// A slice as rows of equal length, for a kernel that takes a `Matrix<T>`.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T, S> {
    pub(crate) slice: &'a S,
    pub(crate) size: Size,
    elements: PhantomData<T>,
}

impl<'a, T, S: DevicePtr<T>> Matrix<'a, T, S> {
    /// Returns the slice as consecutive rows of `columns` elements: `Matrix::new(&slice, 4)`.
    ///
    /// # Panics
    /// As for [`MatrixMut::new`].
    #[track_caller]
    #[must_use]
    pub fn new(slice: &'a S, columns: usize) -> Self {
        let size = Size::new(DeviceSlice::len(slice), columns);
        Self {
            slice,
            size,
            elements: PhantomData,
        }
    }
}

/// A slice as rows of equal length, for a kernel that takes a `DisjointMatrix<T>` or a
/// `RowPerBlock<T>`.
#[derive(Debug)]
pub struct MatrixMut<'a, T, S> {
    pub(crate) slice: &'a mut S,
    pub(crate) size: Size,
    elements: PhantomData<T>,
}

impl<'a, T, S: DevicePtrMut<T>> MatrixMut<'a, T, S> {
    /// Returns the slice as consecutive rows of `columns` elements.
    ///
    /// # Panics
    /// If the number of elements is not a multiple of `columns`, or if there are 2^32 rows or
    /// columns or more.
    #[track_caller]
    #[must_use]
    pub fn new(slice: &'a mut S, columns: usize) -> Self {
        let size = Size::new(DeviceSlice::len(slice), columns);
        Self {
            slice,
            size,
            elements: PhantomData,
        }
    }
}
