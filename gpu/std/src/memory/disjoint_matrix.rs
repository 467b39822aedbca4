//! A matrix as output, of which each thread writes its own element.
//!
//! Which element belongs to the thread at (x, y) follows from how long a row is. So that all
//! threads agree on that, the length comes with the matrix, from the host, and no thread can change
//! it: two lengths for one memory would give two threads the same element.

use core::marker::PhantomData;

use crate::thread::{ThreadIndex2D, index_2d};

/// A matrix in global memory, row after row, whose elements belong to one thread each: that of its
/// place in the plane.
///
/// On the host it is `buffer.matrix_mut(columns)`. It has no elements by
/// [`index_1d`](crate::thread::index_1d): those would be other threads'.
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
    /// How many rows there are.
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

    /// This thread's element, or `None` beside the matrix and below it (the grid is rounded up to
    /// whole blocks).
    ///
    /// The index is the proof that no other thread gets this element.
    #[inline]
    pub fn get_mut(&mut self, at: &ThreadIndex2D) -> Option<&mut T> {
        if at.x() < self.columns() && at.y() < self.rows() {
            // SAFETY: in bounds. The column is below the length of a row, which is the same for all
            // threads, so two places are two elements; no other thread has this place, and this one
            // borrows the matrix meanwhile.
            Some(unsafe { &mut *self.pointer.add(at.y() * self.columns() + at.x()) })
        } else {
            None
        }
    }

    /// This thread's element with its place; `None` beside the matrix and below it.
    #[inline]
    pub fn get_mut_indexed(&mut self) -> Option<(&mut T, ThreadIndex2D)> {
        let at = index_2d();
        let element = self.get_mut(&at)?;
        Some((element, at))
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
        (self.pointer, size(self.rows, self.columns))
    }

    /// The matrix that starts at `pointer`, of this [`size`]: what `#[kernel]` makes of its two
    /// parameters.
    ///
    /// # Safety
    /// `pointer` is aligned, not null, and valid for all elements for `'a`, only the threads of
    /// this launch reach them, and all have this size.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: *mut T, size: usize) -> Self {
        // SAFETY: the caller says so; see `kernel::read_slice`.
        unsafe { core::hint::assert_unchecked(!pointer.is_null()) };
        DisjointMatrix {
            pointer,
            rows: (size >> u32::BITS) as u32,
            columns: size as u32,
            memory: PhantomData,
        }
    }
}

/// Rows and columns in one parameter: as wide as a slice's length, in whose place it stands.
#[doc(hidden)]
#[inline]
#[must_use]
pub const fn size(rows: u32, columns: u32) -> usize {
    (rows as usize) << u32::BITS | columns as usize
}
