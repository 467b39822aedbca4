//! Copies from global to shared memory that a thread starts and waits for later: `cp.async`, from
//! `sm_80`.
//!
//! The bytes do not pass through registers, and the thread can do something else meanwhile. There
//! are two ways to wait. A thread can divide its copies into groups and wait for those
//! ([`commit_group`], [`wait_group`]); that is enough for bytes that it reads itself, while other
//! threads need a barrier as well. Or its copies can arrive at a barrier at which any thread waits
//! ([`Barrier::arrive_with_copies`](crate::barrier::Barrier::arrive_with_copies)).
//! [`crate::pipeline`] does all of this in the right order.
//!
//! One copy moves an element of 4, 8 or 16 bytes, aligned to its size. Elements past the end of the
//! source can be filled with zeros. PTX ISA, "Data Movement and Conversion Instructions: cp.async";
//! CUDA C++ Programming Guide, "Asynchronous Data Copies".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code)
)]

use crate::state_space::{self, ptx};
use crate::{DynamicSharedArray, SharedArray};

/// Starts a copy of one element from global to shared memory.
///
/// # Safety
/// `to` is in this block's shared memory and `from` in global memory, both valid and aligned. Until
/// a wait for the copy, no thread writes what `from` leads to, and none touches what `to` leads to.
#[doc(alias = "cp.async")]
#[doc(alias = "__pipeline_memcpy_async")]
#[inline]
pub unsafe fn copy_async<T: Copy>(to: *mut T, from: *const T) {
    // SAFETY: the caller's promise.
    unsafe { copy_async_prefix(to, from, const { size_of::<T>() as u32 }) }
}

/// Starts a copy of the first `bytes` bytes of an element; the rest become zeros. With 0, `from` is
/// not looked at.
///
/// # Safety
/// As for [`copy_async`]; `bytes` is at most the element's size, and an element whose last bytes
/// are zeros is a valid one.
#[doc(alias = "cp.async")]
#[inline]
pub unsafe fn copy_async_prefix<T: Copy>(to: *mut T, from: *const T, bytes: u32) {
    const {
        assert!(
            matches!(size_of::<T>(), 4 | 8 | 16) && align_of::<T>() == size_of::<T>(),
            "an asynchronous copy is of an element of 4, 8 or 16 bytes that is aligned to its size"
        )
    };
    let to = state_space::shared(to);
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
    // SAFETY: the caller's promise. Sixteen bytes are the only size that can go past L1, and then
    // do: nobody else wants them there.
    unsafe {
        match const { size_of::<T>() } {
            4 => start!("ca", "4"),
            8 => start!("ca", "8"),
            _ => start!("cg", "16"),
        }
    }
}

/// Ends a group: the copies that this thread has started since its last group. A group may be
/// empty.
#[doc(alias = "cp.async.commit_group")]
#[doc(alias = "__pipeline_commit")]
#[inline]
pub fn commit_group() {
    // SAFETY: names no memory.
    unsafe {
        ptx!("cp.async.commit_group": "cp.async.commit_group;", options(nostack, preserves_flags));
    }
}

/// Waits for this thread's groups, except the latest `LEFT`. The thread may then read what they
/// brought.
#[doc(alias = "cp.async.wait_group")]
#[doc(alias = "__pipeline_wait_prior")]
#[inline]
pub fn wait_group<const LEFT: u32>() {
    // SAFETY: waits for what this thread has started.
    unsafe {
        ptx!("cp.async.wait_group":
            "cp.async.wait_group {left};",
            left = const LEFT,
            options(nostack, preserves_flags),
        );
    }
}

/// Waits for all copies that this thread has started, in groups or not.
#[doc(alias = "cp.async.wait_all")]
#[inline]
pub fn wait_all() {
    // SAFETY: waits for what this thread has started.
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
            /// `source` is in global memory, and until a wait for the copy no thread touches the
            /// element.
            ///
            /// # Panics
            /// If either index is past its end.
            #[doc(alias = "cp.async")]
            #[inline]
            #[track_caller]
            pub unsafe fn copy_async(&self, index: usize, source: &[T], from: usize) {
                crate::memory::bounds::check(index, self.len());
                // SAFETY: both in bounds; nobody writes the source, which is lent, and the caller
                // answers for the element.
                unsafe { copy_async(self.as_ptr().add(index), &raw const source[from]) }
            }

            /// Starts a copy of `source[from]` to element `index`; past the end of the source it is
            /// of zeros.
            ///
            /// # Safety
            /// As for [`copy_async`](Self::copy_async); where `from` may be past the end, zeros are
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
                // SAFETY: in bounds, or nothing is read; nobody writes the source, which is lent,
                // and the caller answers for the rest.
                unsafe { copy_async_prefix(self.as_ptr().add(index), place, bytes) }
            }
        }
    )*};
}

arrays! {
    SharedArray<T, N>, [T: Copy, const N: usize];
    DynamicSharedArray<T>, [T: Copy];
}
