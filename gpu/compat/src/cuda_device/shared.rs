//! Shared arrays with access by index, whose type contains their alignment.

use core::fmt;
use core::ops::{Index, IndexMut};

/// What something is aligned to: [`Align`] says which numbers there are.
#[derive(Debug)]
pub enum Alignment<const BYTES: usize> {}

/// An alignment that shared arrays may have: 1 to 1024, a power of two.
#[diagnostic::on_unimplemented(
    message = "a shared array is aligned to 1, 2, 4, ... 1024 bytes",
    label = "`ALIGN` is none of these"
)]
pub trait Align {
    /// `A`, at a multiple of this many bytes.
    type Of<A: Copy>: Copy;
}

macro_rules! alignments {
    ($($name:ident $bytes:literal;)*) => {$(
        #[doc(hidden)]
        #[derive(Clone, Copy, Debug)]
        #[repr(C, align($bytes))]
        pub struct $name<A>(A);

        impl Align for Alignment<$bytes> {
            type Of<A: Copy> = $name<A>;
        }
    )*};
}
alignments! {
    To1 1;
    To2 2;
    To4 4;
    To8 8;
    To16 16;
    To32 32;
    To64 64;
    To128 128;
    To256 256;
    To512 512;
    To1024 1024;
}

/// As the type itself is.
impl Align for Alignment<0> {
    type Of<A: Copy> = To1<A>;
}

/// `A`, at a multiple of `BYTES` bytes.
pub type Aligned<A, const BYTES: usize> = <Alignment<BYTES> as Align>::Of<A>;

/// A shared array by index. In a kernel,
/// `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;` makes `TILE` one;
/// `SharedArray<T, N, 128>` begins at a multiple of 128 bytes.
///
/// The value is the memory itself, so `&raw mut TILE` is an address in shared memory. As in
/// cuda-oxide, an access is in `unsafe`, because `TILE` is a mutable static: the borrow of an index
/// expression ends with the statement, and there has to be a barrier between a write and another
/// thread's read.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct SharedArray<T: Copy, const N: usize, const ALIGN: usize = 0>
where
    Alignment<ALIGN>: Align,
{
    elements: Aligned<[T; N], ALIGN>,
}

/// The elements are not shown: other threads may be writing them.
impl<T: Copy, const N: usize, const ALIGN: usize> fmt::Debug for SharedArray<T, N, ALIGN>
where
    Alignment<ALIGN>: Align,
{
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SharedArray").finish_non_exhaustive()
    }
}

impl<T: Copy, const N: usize, const ALIGN: usize> SharedArray<T, N, ALIGN>
where
    Alignment<ALIGN>: Align,
{
    /// Returns the number of elements.
    #[inline]
    #[must_use]
    pub const fn len() -> usize {
        N
    }

    /// Returns whether there are no elements.
    #[inline]
    #[must_use]
    pub const fn is_empty() -> bool {
        N == 0
    }

    /// Returns the alignment in bytes, or 0 for the alignment of its elements.
    #[inline]
    #[must_use]
    pub const fn alignment() -> usize {
        ALIGN
    }

    /// Returns the address of the first element.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        (&raw const self.elements).cast()
    }

    /// Returns the address of the first element.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        (&raw mut self.elements).cast()
    }

    /// Returns the address of the first element of the array at `&raw mut TILE`.
    ///
    /// # Safety
    /// A kernel's shared array is there.
    #[inline]
    #[must_use]
    pub unsafe fn as_raw_mut_ptr(shared: *mut Self) -> *mut T {
        shared.cast()
    }
}

impl<T: Copy, const N: usize, const ALIGN: usize> Index<usize> for SharedArray<T, N, ALIGN>
where
    Alignment<ALIGN>: Align,
{
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        lanewise_std::inside::check_index(index, N);
        // SAFETY: the index is in bounds, and the value consists of its elements.
        unsafe { &*self.as_ptr().add(index) }
    }
}

impl<T: Copy, const N: usize, const ALIGN: usize> IndexMut<usize> for SharedArray<T, N, ALIGN>
where
    Alignment<ALIGN>: Align,
{
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        lanewise_std::inside::check_index(index, N);
        // SAFETY: as in `index`.
        unsafe { &mut *self.as_mut_ptr().add(index) }
    }
}

/// Shared memory whose size is an argument of the launch, with access by address.
#[derive(Debug)]
pub struct DynamicSharedArray<T, const ALIGN: usize = 16> {
    elements: core::marker::PhantomData<T>,
}

impl<T: Copy, const ALIGN: usize> DynamicSharedArray<T, ALIGN> {
    /// The first element's address.
    ///
    /// # Panics
    /// If the region does not begin at a multiple of `ALIGN`. Static shared memory comes before it.
    #[inline]
    #[must_use]
    pub fn get() -> *mut T {
        Self::offset(0)
    }

    /// The first byte's address.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    #[inline]
    #[must_use]
    pub fn get_raw() -> *mut u8 {
        Self::get().cast()
    }

    /// The address `bytes` further.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    #[inline]
    #[must_use]
    pub fn offset(bytes: usize) -> *mut T {
        let start =
            lanewise_std::inside::shared(lanewise_std::DynamicSharedArray::<u8>::get().as_ptr());
        assert!(
            ALIGN <= lanewise_std::DynamicSharedArray::<u8>::ALIGN
                || (start as usize).is_multiple_of(ALIGN),
            "dynamic shared memory begins at no multiple of the alignment: ask for more, and round up"
        );
        lanewise_std::DynamicSharedArray::<T>::offset(bytes).as_ptr()
    }
}
