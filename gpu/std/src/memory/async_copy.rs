//! Copies from global to shared memory that a thread starts, and for which it waits later:
//! `cp.async`. They need `sm_80`.
//!
//! The bytes do not pass through registers, and the thread can do other work during the copy. There
//! are two ways to wait. A thread can divide its copies into groups and wait for the groups
//! ([`commit_group`], [`wait_group`]). That is enough for bytes that it reads itself; other threads
//! need a barrier as well. Or its copies can arrive at a barrier at which any thread waits
//! ([`Barrier::arrive_with_copies`](crate::barrier::Barrier::arrive_with_copies)).
//! [`crate::pipeline`] does all of this in the right order, and
//! [`SharedStages`](crate::SharedStages) does it without `unsafe`.
//!
//! One copy moves an element of 4, 8 or 16 bytes, aligned to its size. Elements past the end of the
//! source can be filled with zeros. PTX ISA, "Data Movement and Conversion Instructions: cp.async";
//! CUDA C++ Programming Guide, "Asynchronous Data Copies".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code)
)]

use core::marker::PhantomData;

use crate::cache::is_global;
use crate::state_space::{self, ptx};
use crate::{DynamicSharedArray, SharedArray};

/// Starts a copy of one element from global to shared memory.
///
/// # Safety
/// `to` is in this block's shared memory and `from` in global memory, both valid and aligned. Until
/// a wait for the copy has returned, no thread writes the source or accesses the destination.
#[doc(alias = "cp.async")]
#[doc(alias = "__pipeline_memcpy_async")]
#[inline]
pub unsafe fn copy_async<T: Copy>(to: *mut T, from: *const T) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { copy_async_prefix(to, from, const { size_of::<T>() as u32 }) }
}

/// Starts a copy of the first `bytes` bytes of an element, and fills the rest with zeros. If
/// `bytes` is 0, nothing is read from `from`.
///
/// # Safety
/// As for [`copy_async`]; `bytes` is at most the element's size, and an element whose last bytes
/// are zeros is valid.
#[doc(alias = "cp.async")]
#[inline]
pub unsafe fn copy_async_prefix<T: Copy>(to: *mut T, from: *const T, bytes: u32) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { SharedPlace::new(to).copy_async_prefix(from, bytes) }
}

/// A place in shared memory for asynchronous copies, as the address of 32 bits that they take.
///
/// A kernel that starts many copies to one array converts its address once, and reaches each
/// element by [`wrapping_add`](Self::wrapping_add). So an element's distance is part of the
/// instruction.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::async_copy::{SharedPlace, wait_all};
/// use lanewise_std::thread::thread_idx_x;
/// use lanewise_std::{DisjointSlice, gpu_assert};
///
/// /// Each thread brings two elements, 32 apart, and swaps them.
/// #[kernel]
/// #[launch_contract(dims = 1, block = 32)]
/// pub fn swap(input: &[f32], mut output: DisjointSlice<f32>) {
///     shared! { static PAIRS: [f32; 64]; }
///     let i = thread_idx_x() as usize;
///     gpu_assert!(input.len() >= 64 && output.len() >= 64, "too short");
///     let place = SharedPlace::new(PAIRS.address_of(i));
///     // SAFETY: both elements are this thread's own until it has waited for the copies.
///     unsafe {
///         place.copy_async_prefix(&raw const input[i], 4);
///         let second = place.wrapping_add(32);
///         second.cast::<u32>().copy_async_prefix((&raw const input[i + 32]).cast(), 4);
///         wait_all();
///         output.write_unique(i, PAIRS.get(i + 32));
///         output.write_unique(i + 32, PAIRS.get(i));
///     }
/// }
/// ```
#[derive(Debug)]
pub struct SharedPlace<T>(u32, PhantomData<*mut T>);

impl<T> Clone for SharedPlace<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedPlace<T> {}

impl<T: Copy> SharedPlace<T> {
    /// Returns the place of a pointer into this block's shared memory.
    #[inline(always)]
    #[must_use]
    pub fn new(pointer: *mut T) -> Self {
        SharedPlace(state_space::shared(pointer), PhantomData)
    }

    /// Returns the place that is `elements` further. The address wraps around.
    #[inline(always)]
    #[must_use]
    pub fn wrapping_add(self, elements: u32) -> Self {
        let bytes = elements.wrapping_mul(const { size_of::<T>() as u32 });
        SharedPlace(self.0.wrapping_add(bytes), PhantomData)
    }

    /// Returns the place as one for elements of another type.
    #[inline(always)]
    #[must_use]
    pub fn cast<U>(self) -> SharedPlace<U> {
        SharedPlace(self.0, PhantomData)
    }

    /// Starts a copy to this place: see [`copy_async_prefix`].
    ///
    /// # Safety
    /// As for [`copy_async_prefix`].
    #[doc(alias = "cp.async")]
    #[inline(always)]
    pub unsafe fn copy_async_prefix(self, from: *const T, bytes: u32) {
        const {
            assert!(
                matches!(size_of::<T>(), 4 | 8 | 16) && align_of::<T>() == size_of::<T>(),
                "an asynchronous copy is of an element of 4, 8 or 16 bytes that is aligned to its size"
            )
        };
        let to = self.0;
        macro_rules! start {
            ($how:literal, $size:literal) => {
                ptx!("cp.async":
                    concat!("{{ .reg .b64 global; cvta.to.global.u64 global, {from}; cp.async.", $how, ".shared.global [{to}], [global], ", $size, ", {bytes}; }}"),
                    from = in(reg64) from,
                    to = in(reg32) to,
                    bytes = in(reg32) bytes,
                    options(nostack, preserves_flags),
                )
            };
        }
        // SAFETY: the caller keeps the contract of this function. Only copies of 16 bytes can
        // bypass L1. They do, because no other access needs the data in L1.
        unsafe {
            match const { size_of::<T>() } {
                4 => start!("ca", "4"),
                8 => start!("ca", "8"),
                _ => start!("cg", "16"),
            }
        }
    }
}

/// Cells in shared memory to which a thread copies elements of any memory.
#[derive(Clone, Copy)]
pub(crate) struct Destination<T> {
    cells: *mut T,
    place: SharedPlace<T>,
}

impl<T: Copy> Destination<T> {
    /// Returns the cells that start at a pointer into this block's shared memory.
    #[inline(always)]
    pub(crate) fn new(cells: *mut T) -> Self {
        Destination {
            cells,
            place: SharedPlace::new(cells),
        }
    }

    /// Starts a copy of `from` to a cell, which becomes zeros if there is no `from`. The unit that
    /// copies reads global memory only, so an element of other memory is loaded and stored.
    ///
    /// # Safety
    /// The cell exists, and zeros are a valid element. Until this thread has waited for its copies,
    /// no other thread accesses the cell, and the element is borrowed.
    #[inline(always)]
    pub(crate) unsafe fn copy_or_zero(&self, cell: usize, from: Option<&T>) {
        let (pointer, bytes) = match from {
            Some(from) if !is_global(from, "cp.async") => {
                // SAFETY: as the caller promises.
                return unsafe { self.cells.add(cell).write(*from) };
            }
            Some(from) => (core::ptr::from_ref(from), const { size_of::<T>() as u32 }),
            None => (core::ptr::null(), 0),
        };
        let to = self.place.wrapping_add(cell as u32);
        // SAFETY: as the caller promises. Without a source nothing is read.
        unsafe { to.copy_async_prefix(pointer, bytes) }
    }
}

/// Ends a group. The group contains the copies that this thread has started since its last group,
/// and it may be empty.
#[doc(alias = "cp.async.commit_group")]
#[doc(alias = "__pipeline_commit")]
#[inline]
pub fn commit_group() {
    // SAFETY: the instruction accesses no memory.
    unsafe {
        ptx!("cp.async.commit_group": "cp.async.commit_group;", options(nostack, preserves_flags));
    }
}

/// Waits for all of this thread's groups except the latest `LEFT`. The thread may then read the
/// data that those groups copied.
#[doc(alias = "cp.async.wait_group")]
#[doc(alias = "__pipeline_wait_prior")]
#[inline]
pub fn wait_group<const LEFT: u32>() {
    // SAFETY: the instruction only waits for this thread's own copies.
    unsafe {
        ptx!("cp.async.wait_group":
            "cp.async.wait_group {left};",
            left = const LEFT,
            options(nostack, preserves_flags),
        );
    }
}

/// Waits for all copies that this thread has started, whether they are in groups or not.
#[doc(alias = "cp.async.wait_all")]
#[inline]
pub fn wait_all() {
    // SAFETY: the instruction only waits for this thread's own copies.
    unsafe {
        ptx!("cp.async.wait_all": "cp.async.wait_all;", options(nostack, preserves_flags));
    }
}

macro_rules! arrays {
    ($($array:ty, [$($generics:tt)*];)*) => {$(
        impl<$($generics)*> $array {
            /// Starts a copy of `source[from]` to element `index`.
            ///
            /// # Safety
            /// `source` is in global memory, and until a wait for the copy has returned, no thread
            /// accesses the element.
            ///
            /// # Panics
            /// If `index` is past the end of the array, or `from` past the end of the source.
            #[doc(alias = "cp.async")]
            #[inline]
            #[track_caller]
            pub unsafe fn copy_async(&self, index: usize, source: &[T], from: usize) {
                crate::memory::bounds::check(index, self.len());
                // SAFETY: both indices are in bounds. No thread writes the source, which is
                // borrowed, and the caller promises that no thread accesses the element.
                unsafe { copy_async(self.as_ptr().add(index), &raw const source[from]) }
            }

            /// Starts a copy of `source[from]` to element `index`. If `from` is past the end of the
            /// source, the element becomes zeros.
            ///
            /// # Safety
            /// As for [`copy_async`](Self::copy_async); if `from` may be past the end, zeros are
            /// a valid element.
            ///
            /// # Panics
            /// If `index` is past the end.
            #[doc(alias = "cp.async")]
            #[inline]
            #[track_caller]
            pub unsafe fn copy_async_or_zero(&self, index: usize, source: &[T], from: usize) {
                crate::memory::bounds::check(index, self.len());
                let (place, bytes) = match source.get(from) {
                    Some(place) => (&raw const *place, const { size_of::<T>() as u32 }),
                    None => (source.as_ptr(), 0),
                };
                // SAFETY: the source is in bounds, or nothing is read from it. No thread writes the
                // source, which is borrowed. The caller promises the rest.
                unsafe { copy_async_prefix(self.as_ptr().add(index), place, bytes) }
            }
        }
    )*};
}

arrays! {
    SharedArray<T, N>, [T: Copy, const N: usize];
    DynamicSharedArray<T>, [T: Copy];
}
