//! Values whose 32-bit words are loaded and stored one by one, each atomically.
//!
//! Threads that access a value at the same time do not race then. They may see some words of one
//! value and some of another, and all bits are a value of the type. In shared memory these are the
//! same instructions as for any variable. PTX ISA, "ld", "st": `.relaxed.cta`.

use core::mem::MaybeUninit;

use crate::atomic::{AtomicOrdering, BlockAtomicU32, Word};
use crate::scope::Block;

/// Returns the value.
///
/// # Safety
/// The address is valid and aligned, and all accesses that another thread makes at the same time
/// are those of this module, or atomics of 32 bits.
#[inline(always)]
pub(crate) unsafe fn load<T: Word<Block>>(at: *const T) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    for word in 0..size_of::<T>() / size_of::<u32>() {
        // SAFETY: the word is in the value, and the caller promises the rest.
        unsafe {
            let from = BlockAtomicU32::from_ptr(at.cast::<u32>().add(word).cast_mut());
            let to = value.as_mut_ptr().cast::<u32>().add(word);
            to.write(from.load(AtomicOrdering::Relaxed));
        }
    }
    // SAFETY: all words are set, and all bits are a value.
    unsafe { value.assume_init() }
}

/// Sets the value.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
pub(crate) unsafe fn store<T: Word<Block>>(at: *mut T, value: T) {
    let from = (&raw const value).cast::<u32>();
    for word in 0..size_of::<T>() / size_of::<u32>() {
        // SAFETY: the word is in the value, and the caller promises the rest.
        unsafe {
            let to = BlockAtomicU32::from_ptr(at.cast::<u32>().add(word));
            to.store(from.add(word).read(), AtomicOrdering::Relaxed);
        }
    }
}
