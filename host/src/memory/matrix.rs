//! A buffer as a matrix, for kernels that take a `Matrix`, a `DisjointMatrix` or a `RowPerBlock`.

use std::marker::PhantomData;

use crate::{
    DeviceBuffer, DeviceCopy, GraphBuffer, IpcBuffer, ManagedBuffer, Mapped, Part, PitchedBuffer,
    View,
};

/// A buffer as rows of equal length, for a kernel that takes a `Matrix<T>`.
/// [`DeviceBuffer::matrix`] and the same method of the other buffers make it.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'whole, T: DeviceCopy> {
    buffer: &'whole DeviceBuffer<T>,
    rows: u32,
    columns: u32,
    /// Whether a launch in a graph may use the buffer.
    in_graphs: bool,
}

impl<'whole, T: DeviceCopy> Matrix<'whole, T> {
    #[track_caller]
    fn of(buffer: &'whole DeviceBuffer<T>, columns: usize, in_graphs: bool) -> Self {
        let len = buffer.len();
        assert!(
            len == 0 || columns > 0 && len.is_multiple_of(columns),
            "{len} elements do not make whole rows of {columns}"
        );
        let rows = len.checked_div(columns).unwrap_or(0);
        let (Ok(rows), Ok(columns)) = (u32::try_from(rows), u32::try_from(columns)) else {
            panic!("{rows} rows of {columns} elements are too many: either number has 32 bits");
        };
        Matrix {
            buffer,
            rows,
            columns,
            in_graphs,
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Returns the number of elements in a row.
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// Returns the buffer, its size in the form that the kernel takes, and whether graphs may use
    /// it.
    pub(crate) fn parts(&self) -> (&DeviceBuffer<T>, u64, bool) {
        let size = lanewise_std::disjoint_matrix::size(self.rows, self.columns);
        (self.buffer, size as u64, self.in_graphs)
    }
}

/// A buffer as rows of equal length, for a kernel that takes a `DisjointMatrix<T>` or a
/// `RowPerBlock<T>`. [`DeviceBuffer::matrix_mut`] and the same method of the other buffers make it.
#[derive(Debug)]
pub struct MatrixMut<'whole, T: DeviceCopy> {
    matrix: Matrix<'whole, T>,
    /// The buffer is borrowed mutably.
    whole: PhantomData<&'whole mut DeviceBuffer<T>>,
}

impl<'whole, T: DeviceCopy> MatrixMut<'whole, T> {
    /// Makes a matrix of a buffer that nothing else borrows.
    #[track_caller]
    fn of(buffer: &'whole DeviceBuffer<T>, columns: usize, in_graphs: bool) -> Self {
        MatrixMut {
            matrix: Matrix::of(buffer, columns, in_graphs),
            whole: PhantomData,
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.matrix.rows()
    }

    /// Returns the number of elements in a row.
    pub fn columns(&self) -> usize {
        self.matrix.columns()
    }

    /// Returns the same as [`Matrix::parts`].
    pub(crate) fn parts(&self) -> (&DeviceBuffer<T>, u64, bool) {
        self.matrix.parts()
    }
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Returns the buffer as consecutive rows of `columns` elements, for a kernel that reads it.
    ///
    /// ```
    /// # use lanewise::{Device, DeviceBuffer};
    /// # let device = Device::open()?;
    /// let buffer = DeviceBuffer::<f32>::zeroed(&device, 12)?;
    /// assert_eq!(buffer.matrix(4).rows(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// As for [`matrix_mut`](Self::matrix_mut).
    #[track_caller]
    pub fn matrix(&self, columns: usize) -> Matrix<'_, T> {
        Matrix::of(self, columns, true)
    }

    /// Returns the buffer as consecutive rows of `columns` elements. The contents do not change.
    ///
    /// ```
    /// # use lanewise::{Device, DeviceBuffer};
    /// # let device = Device::open()?;
    /// let mut buffer = DeviceBuffer::<f32>::zeroed(&device, 12)?;
    /// let matrix = buffer.matrix_mut(4);
    /// assert_eq!((matrix.rows(), matrix.columns()), (3, 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the number of elements is not a multiple of `columns`, or if there are 2^32 rows or
    /// columns or more.
    #[track_caller]
    pub fn matrix_mut(&mut self, columns: usize) -> MatrixMut<'_, T> {
        MatrixMut::of(self, columns, true)
    }
}

impl<T: DeviceCopy> PitchedBuffer<T> {
    /// Returns the rows with their padding, as a matrix for a kernel that reads it. Its columns are
    /// the [`pitch`](PitchedBuffer::pitch), and the planes of a volume follow each other.
    #[track_caller]
    pub fn matrix(&self) -> Matrix<'_, T> {
        Matrix::of(self.padded(), self.pitch(), false)
    }

    /// Returns the same matrix as [`matrix`](Self::matrix), for a kernel that writes it.
    ///
    /// ```
    /// # use lanewise::{Device, PitchedBuffer};
    /// # let device = Device::open()?;
    /// let mut buffer = PitchedBuffer::<f32>::from_matrix(&device, &[1.0; 6], [3, 2])?;
    /// let pitch = buffer.pitch();
    /// let matrix = buffer.matrix_mut();
    /// assert_eq!((matrix.rows(), matrix.columns()), (2, pitch));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn matrix_mut(&mut self) -> MatrixMut<'_, T> {
        MatrixMut::of(self.padded(), self.pitch(), false)
    }
}

macro_rules! matrices {
    ($buffer:ty: $as_device_buffer:expr, $in_graphs:literal) => {
        impl<T: DeviceCopy> $buffer {
            /// Returns the buffer as rows of `columns` elements: see [`DeviceBuffer::matrix`].
            ///
            /// # Panics
            /// As for [`DeviceBuffer::matrix`].
            #[track_caller]
            pub fn matrix(&self, columns: usize) -> Matrix<'_, T> {
                Matrix::of($as_device_buffer(self), columns, $in_graphs)
            }
        }
    };
}

matrices! { View<'_, T>: |view| -> &DeviceBuffer<T> { view }, true }

macro_rules! others {
    ($($buffer:ty: $as_device_buffer:expr, $in_graphs:literal;)*) => {$(
        matrices! { $buffer: $as_device_buffer, $in_graphs }

        impl<T: DeviceCopy> $buffer {
            /// Returns the buffer as rows of `columns` elements: see [`DeviceBuffer::matrix_mut`].
            ///
            /// # Panics
            /// If the number of elements is not a multiple of `columns`, or if there are 2^32 rows
            /// or columns or more.
            #[track_caller]
            pub fn matrix_mut(&mut self, columns: usize) -> MatrixMut<'_, T> {
                MatrixMut::of($as_device_buffer(self), columns, $in_graphs)
            }
        }
    )*};
}

others! {
    ManagedBuffer<T>: ManagedBuffer::buffer, false;
    Mapped<'_, T>: |mapped| -> &DeviceBuffer<T> { mapped }, false;
    Part<'_, T>: |part| -> &DeviceBuffer<T> { part }, true;
    GraphBuffer<'_, T>: |buffer| -> &DeviceBuffer<T> { buffer }, true;
    IpcBuffer<T>: |buffer| -> &DeviceBuffer<T> { buffer }, false;
}
