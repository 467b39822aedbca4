//! [`SharedAtomics`]: atomics in the block's shared memory.

use core::ops::Deref;

use super::{Atomic, Word};
use crate::memory::phased::Declared;
use crate::memory::shared::declaration;
use crate::scope::Block;

/// `N` [atomics](Atomic) of the block's scope in its shared memory, which `shared!` declares. They
/// are an array that all threads of the block have. The memory begins with anything, so one thread
/// sets the numbers, and a barrier follows.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::atomic::AtomicOrdering;
/// use lanewise_std::{PerBlock, SharedAtomics, thread};
///
/// /// Counts the numbers above a threshold, block by block.
/// #[kernel]
/// pub fn above(input: &[u32], threshold: u32, mut counts: PerBlock<u32>) {
///     shared! { static COUNT: SharedAtomics<u32, 1>; }
///     if thread::thread_rank() == 0 {
///         COUNT[0].store(0, AtomicOrdering::Relaxed);
///     }
///     thread::sync_threads();
///     for i in thread::grid_stride(input.len()) {
///         if input[i] > threshold {
///             COUNT[0].fetch_add(1, AtomicOrdering::Relaxed);
///         }
///     }
///     thread::sync_threads();
///     if let Some(count) = counts.get_mut() {
///         *count = COUNT[0].load(AtomicOrdering::Relaxed);
///     }
/// }
/// ```
///
/// The numbers are those that have atomics:
///
/// ```compile_fail,E0277
/// # use lanewise_macros::shared;
/// # use lanewise_std::SharedAtomics;
/// shared! { static CELLS: SharedAtomics<&'static u32, 8>; }
/// ```
#[derive(Debug)]
pub struct SharedAtomics<T, const N: usize> {
    first: *const Atomic<T, Block>,
}

impl<T: Word<Block>, const N: usize> Declared for SharedAtomics<T, N> {
    #[inline]
    fn of_declaration<Declaration>() -> Self {
        SharedAtomics {
            first: declaration::<Declaration, [Atomic<T, Block>; N]>().cast(),
        }
    }
}

impl<T: Word<Block>, const N: usize> Deref for SharedAtomics<T, N> {
    type Target = [Atomic<T, Block>; N];

    #[inline]
    fn deref(&self) -> &Self::Target {
        // SAFETY: the declaration has this type, so nothing else is in the memory. All bits are a
        // value of the numbers, and every access is atomic.
        unsafe { &*self.first.cast() }
    }
}
