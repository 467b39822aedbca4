//! Outputs in which each thread has its own elements, chosen by an index space: a row, or a matrix
//! with a row stride.
//!
//! The space is part of the slice's type and of the index's type, so that an index of one matrix
//! cannot be used for another. An index is based on lanewise-std's proof
//! ([`lanewise_std::thread::index_1d`], [`lanewise_std::thread::index_2d`]), which holds in every
//! launch.

use core::borrow::Borrow;
use core::marker::PhantomData;

use lanewise_std::thread::{self, ThreadIndex};

/// Elements one after another: `thread::index_1d()`.
#[derive(Debug)]
pub enum Index1D {}

/// Rows of `STRIDE` elements: `thread::index_2d::<STRIDE>()`.
#[derive(Debug)]
pub enum Index2D<const STRIDE: usize> {}

/// Rows whose length the host chooses: `thread::index_2d_runtime(&slice)`. The host passes the
/// length after the buffer.
#[derive(Debug)]
pub enum Runtime2DIndex {}

/// The position of this thread in a matrix with a row stride of `STRIDE` elements.
#[derive(Debug)]
pub struct StrideIndex<const STRIDE: usize> {
    place: usize,
    /// Makes the type neither `Send` nor `Sync`, because the index belongs to this thread.
    own: PhantomData<*mut ()>,
}

/// The position of this thread in a plane.
#[derive(Debug)]
pub struct RuntimeIndex {
    column: usize,
    row: usize,
    own: PhantomData<*mut ()>,
}

impl<const STRIDE: usize> StrideIndex<STRIDE> {
    /// Returns the number of this thread's element.
    #[inline]
    #[must_use]
    pub fn get(&self) -> usize {
        self.place
    }

    /// Returns whether the index is below `length`.
    #[inline]
    #[must_use]
    pub fn in_bounds(&self, length: usize) -> bool {
        self.place < length
    }
}

impl RuntimeIndex {
    /// Returns the number of the row.
    #[inline]
    #[must_use]
    pub fn row(&self) -> usize {
        self.row
    }

    /// Returns the number of the column.
    #[inline]
    #[must_use]
    pub fn col(&self) -> usize {
        self.column
    }
}

/// Returns this thread's position in a matrix with a row stride of `STRIDE` elements, if
/// it has one.
#[inline]
#[must_use]
pub fn index_2d<const STRIDE: usize>() -> Option<StrideIndex<STRIDE>> {
    let index = thread::index_2d();
    Some(StrideIndex {
        place: place(index.x(), index.y(), STRIDE)?,
        own: PhantomData,
    })
}

/// Returns this thread's position in the matrix `slice`, if it has one.
#[inline]
#[must_use]
pub fn index_2d_runtime<T>(slice: &DisjointSlice<'_, T, Runtime2DIndex>) -> Option<RuntimeIndex> {
    let index = thread::index_2d();
    (index.x() < slice.layout as usize).then(|| RuntimeIndex {
        column: index.x(),
        row: index.y(),
        own: PhantomData,
    })
}

/// Returns the element's number. Two positions in rows of one length have two numbers.
#[inline]
fn place(column: usize, row: usize, stride: usize) -> Option<usize> {
    let start = row.checked_mul(stride)?;
    (column < stride).then(|| start + column)
}

mod sealed {
    pub trait Sealed {}
}

/// A way to number the elements of a slice by the grid's threads.
pub trait IndexSpace: sealed::Sealed {
    /// What the host says of it.
    #[doc(hidden)]
    type Layout: Copy;
    /// What shows that an element is this thread's.
    type Index;
    /// The number of the element at this index, if the layout has it.
    #[doc(hidden)]
    fn number(index: &Self::Index, layout: Self::Layout) -> Option<usize>;
}

/// A space in which a thread's element follows from where the thread is.
pub trait IndexFormula: IndexSpace {
    /// The calling thread's index.
    #[doc(hidden)]
    fn own() -> Option<Self::Index>;
}

impl sealed::Sealed for Index1D {}
impl<const STRIDE: usize> sealed::Sealed for Index2D<STRIDE> {}
impl sealed::Sealed for Runtime2DIndex {}

impl IndexSpace for Index1D {
    type Layout = ();
    type Index = ThreadIndex;

    #[inline]
    fn number(index: &ThreadIndex, (): ()) -> Option<usize> {
        Some(index.get())
    }
}

impl IndexFormula for Index1D {
    #[inline]
    fn own() -> Option<ThreadIndex> {
        Some(thread::index_1d())
    }
}

impl<const STRIDE: usize> IndexSpace for Index2D<STRIDE> {
    type Layout = ();
    type Index = StrideIndex<STRIDE>;

    #[inline]
    fn number(index: &StrideIndex<STRIDE>, (): ()) -> Option<usize> {
        Some(index.place)
    }
}

impl<const STRIDE: usize> IndexFormula for Index2D<STRIDE> {
    #[inline]
    fn own() -> Option<StrideIndex<STRIDE>> {
        index_2d()
    }
}

impl IndexSpace for Runtime2DIndex {
    type Layout = u32;
    type Index = RuntimeIndex;

    #[inline]
    fn number(index: &RuntimeIndex, layout: u32) -> Option<usize> {
        // An index made for another slice may lie outside of this one's rows.
        place(index.column, index.row, layout as usize)
    }
}

/// A slice in global memory whose elements belong to one thread each: lanewise-std's
/// ([`lanewise_std::DisjointSlice`]), with an index space.
#[derive(Debug)]
pub struct DisjointSlice<'a, T, Space: IndexSpace = Index1D> {
    slice: lanewise_std::DisjointSlice<'a, T>,
    layout: Space::Layout,
}

impl<'a, T, Space: IndexSpace> DisjointSlice<'a, T, Space> {
    /// Makes a kernel's parameter of this crate's slice. `#[kernel]` calls it. Safe code does not,
    /// because two threads could choose two spaces:
    ///
    /// ```compile_fail,E0133
    /// use lanewise_compat::cuda_device::{self, thread::Index2D};
    ///
    /// fn in_rows(y: lanewise_std::DisjointSlice<u32>) {
    ///     let mut y = cuda_device::DisjointSlice::<u32, Index2D<4>>::of(y, ());
    ///     y.get_mut_indexed();
    /// }
    /// ```
    ///
    /// # Safety
    /// All threads of the grid make the same space and the same layout of a slice. In two spaces an
    /// element could belong to two threads.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn of(slice: lanewise_std::DisjointSlice<'a, T>, layout: Space::Layout) -> Self {
        DisjointSlice { slice, layout }
    }

    /// Returns the number of elements in the slice.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.slice.len()
    }

    /// Returns whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slice.is_empty()
    }

    /// Returns this thread's element, or `None` past the end. The index may be passed by reference
    /// or by value.
    #[inline]
    pub fn get_mut(&mut self, index: impl Borrow<Space::Index>) -> Option<&mut T> {
        let number = Space::number(index.borrow(), self.layout)?;
        // SAFETY: a slice has one space and one layout (see `of`), in which two threads' indices
        // have two numbers; this thread's reference borrows the slice.
        unsafe { self.slice.get_unique_mut(number) }
    }

    /// The element at `index`, which is known to be in bounds and this thread's.
    ///
    /// # Safety
    /// While the kernel runs, no other thread reads or writes the element, and `index` is
    /// below the length.
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { self.slice.get_unchecked_mut(index) }
    }

    /// Returns the address of the first element.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.slice.as_mut_ptr()
    }
}

impl<T, Space: IndexFormula> DisjointSlice<'_, T, Space> {
    /// Returns this thread's element with its index; `None` past the end.
    #[inline]
    pub fn get_mut_indexed(&mut self) -> Option<(&mut T, Space::Index)> {
        let index = Space::own()?;
        let number = Space::number(&index, self.layout)?;
        // SAFETY: as in `get_mut`.
        let element = unsafe { self.slice.get_unique_mut(number) }?;
        Some((element, index))
    }
}
