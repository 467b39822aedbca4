//! Shared arrays with access by index, whose type contains their alignment.

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
/// As in cuda-oxide, an access is in `unsafe`. The borrow of an index expression ends with the
/// statement, and there has to be a barrier between a write and another thread's read.
#[derive(Debug)]
pub struct SharedArray<T, const N: usize, const ALIGN: usize = 0> {
    array: crate::SharedArray<T, N>,
}

impl<T: Copy, const N: usize, const ALIGN: usize> SharedArray<T, N, ALIGN> {
    /// Makes a view of the array that a declaration has made.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn of(array: crate::SharedArray<Aligned<[T; N], ALIGN>, 1>) -> Self
    where
        Alignment<ALIGN>: Align,
    {
        // SAFETY: the aligned array begins with the array itself.
        let array = unsafe { crate::SharedArray::from_raw(array.as_ptr().cast()) };
        SharedArray { array }
    }

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

    /// This crate's own view of it.
    #[inline]
    pub(super) fn ours(&self) -> &crate::SharedArray<T, N> {
        &self.array
    }

    /// The first element's address.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.array.as_ptr()
    }

    /// The first element's address.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.array.as_ptr()
    }

    /// The first element's address, of `&raw mut TILE`.
    ///
    /// # Safety
    /// A kernel's shared array is there.
    #[inline]
    #[must_use]
    pub unsafe fn as_raw_mut_ptr(shared: *mut Self) -> *mut T {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { (*shared).array.as_ptr() }
    }
}

impl<T: Copy, const N: usize, const ALIGN: usize> Index<usize> for SharedArray<T, N, ALIGN> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        crate::memory::bounds::check(index, N);
        // SAFETY: in bounds; the kernel's `unsafe` promises that no thread writes the element at
        // the same time.
        unsafe { &*self.array.as_ptr().add(index) }
    }
}

impl<T: Copy, const N: usize, const ALIGN: usize> IndexMut<usize> for SharedArray<T, N, ALIGN> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        crate::memory::bounds::check(index, N);
        // SAFETY: in bounds; the kernel's `unsafe` promises that no other thread uses the element
        // at the same time.
        unsafe { &mut *self.array.as_ptr().add(index) }
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
        let start = crate::state_space::shared(crate::DynamicSharedArray::<u8>::get().as_ptr());
        assert!(
            ALIGN <= crate::DynamicSharedArray::<u8>::ALIGN
                || (start as usize).is_multiple_of(ALIGN),
            "dynamic shared memory begins at no multiple of the alignment: ask for more, and round up"
        );
        crate::DynamicSharedArray::<T>::offset(bytes).as_ptr()
    }
}
