//! An output matrix in which each thread writes only its own element.
//!
//! Which element belongs to the thread at (x, y) depends on the length of a row. All threads must
//! use the same length: two lengths for one memory would give two threads the same element. So the
//! host passes the length with the matrix, and no thread can change it.

use core::marker::PhantomData;

use crate::thread::{ThreadIndex2D, index_2d};

/// A matrix in global memory, row after row. Each element belongs to the thread at the same
/// position in the plane.
///
/// On the host it is `buffer.matrix_mut(columns)`. An [`index_1d`](crate::thread::index_1d) is no
/// index of it, because that element could belong to another thread.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::DisjointMatrix;
///
/// #[kernel]
/// #[launch_contract(dims = 2)]
/// pub fn double(input: &[f32], mut output: DisjointMatrix<f32>) {
///     let columns = output.columns();
///     if let Some((output, at)) = output.get_mut_indexed() {
///         *output = 2.0 * input[at.y() * columns + at.x()];
///     }
/// }
/// ```
#[derive(Debug)]
pub struct DisjointMatrix<'a, T> {
    pointer: *mut T,
    rows: u32,
    columns: u32,
    memory: PhantomData<&'a mut [T]>,
}

impl<T> DisjointMatrix<'_, T> {
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

    /// Returns this thread's element, or `None` outside the matrix (the grid is rounded up
    /// to whole blocks).
    ///
    /// The index is the proof that no other thread gets this element.
    #[inline]
    pub fn get_mut(&mut self, at: &ThreadIndex2D) -> Option<&mut T> {
        if at.x() < self.columns() && at.y() < self.rows() {
            // SAFETY: in bounds. The column is below the length of a row, which is the same for all
            // threads, so two positions are two elements. No other thread has this position, and
            // this thread's reference borrows the matrix.
            Some(unsafe { &mut *self.pointer.add(at.y() * self.columns() + at.x()) })
        } else {
            None
        }
    }

    /// Returns this thread's element with its position; `None` outside the matrix.
    #[inline]
    pub fn get_mut_indexed(&mut self) -> Option<(&mut T, ThreadIndex2D)> {
        let at = index_2d();
        let element = self.get_mut(&at)?;
        Some((element, at))
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

crate::kernel::outputs!(DisjointMatrix, r#""write_slice""#);
