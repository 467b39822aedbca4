//! Histograms: how often each number occurs in a block.

use crate::SharedArray;
use crate::atomic::{AtomicOrdering, BlockAtomicU32};
use crate::thread::{block_size, sync_threads, thread_rank};

/// The counts of a block. All of its threads may read them until the array is passed
/// to another function.
#[derive(Clone, Copy, Debug)]
pub struct Histogram<const BINS: usize> {
    counts: SharedArray<u32, BINS>,
}

impl<const BINS: usize> Histogram<BINS> {
    /// Returns how often `bin` occurred.
    ///
    /// # Panics
    /// If there is no such bin.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn count(&self, bin: usize) -> u32 {
        count(&self.counts, bin).load(AtomicOrdering::Relaxed)
    }
}

/// Returns a count as an atomic. The safe functions that take an array of counts access it by
/// atomics alone. So threads that part, and are in different functions, do not race.
///
/// # Panics
/// If `index` is past the end.
#[inline(always)]
#[track_caller]
pub(super) fn count<const N: usize>(counts: &SharedArray<u32, N>, index: usize) -> &BlockAtomicU32 {
    // SAFETY: the cell is in the array, which lasts as long as the block.
    unsafe { BlockAtomicU32::from_ptr(counts.address_of(index)) }
}

/// Counts the bins that all threads of the block pass. A number that is not below
/// `BINS` is ignored.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::collective::{Histogram, block_histogram};
/// use lanewise_std::thread;
///
/// #[kernel]
/// pub fn letters(text: &[u8]) {
///     shared! { static COUNTS: [u32; 26]; }
///     let mine = thread::grid_stride(text.len()).map(|at| text[at].wrapping_sub(b'a').into());
///     let histogram: Histogram<26> = block_histogram(mine, &COUNTS);
///     let _how_many_es = histogram.count(4);
/// }
/// ```
#[doc(alias = "cub::BlockHistogram")]
#[inline]
pub fn block_histogram<const BINS: usize>(
    bins: impl IntoIterator<Item = usize>,
    counts: &SharedArray<u32, BINS>,
) -> Histogram<BINS> {
    sync_threads();
    let mut bin = thread_rank() as usize;
    while bin < BINS {
        count(counts, bin).store(0, AtomicOrdering::Relaxed);
        bin += block_size() as usize;
    }
    sync_threads();
    for bin in bins {
        if bin < BINS {
            count(counts, bin).fetch_add(1, AtomicOrdering::Relaxed);
        }
    }
    sync_threads();
    Histogram { counts: *counts }
}
