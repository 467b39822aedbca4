//! The grid-stride loop, in which a grid of any size processes a slice of any length.
//!
//! The thread with index i (see [`index_1d`]) takes elements i, i + G, i + 2G, ..., where G is the
//! number of threads in the grid. At each step neighbouring threads take neighbouring elements. An
//! element's index modulo G is the index of its thread, so no two threads take the same element. So
//! the [`GridStride::indices`] are proofs of that, as the result of `index_1d` is.

use core::marker::PhantomData;

use super::*;

/// The indices of this thread's elements of a slice; see [`grid_stride`].
#[derive(Clone, Debug)]
pub struct GridStride {
    next: usize,
    end: usize,
    step: usize,
    /// Makes the type neither `Send` nor `Sync`, because the indices belong to this thread.
    own: PhantomData<*mut ()>,
}

/// Returns this thread's share of `0..length` as numbers, for elements that it reads. For elements
/// that it writes, use [`GridStride::indices`] or
/// [`DisjointSlice::grid_stride`](crate::DisjointSlice::grid_stride).
#[inline]
#[must_use]
pub fn grid_stride(length: usize) -> GridStride {
    let threads = (block_size() as usize).saturating_mul(grid_size());
    GridStride::of(index_1d(), threads, length)
}

impl GridStride {
    /// Makes the loop of a thread: `first` is the thread's own index, and `threads` is the number
    /// of threads in the grid.
    #[inline]
    fn of(first: ThreadIndex, threads: usize, length: usize) -> Self {
        // No slice is longer, and the sum of two such numbers does not overflow. An index that
        // wrapped around to 0 would belong to another thread.
        const MOST: usize = isize::MAX as usize;
        GridStride {
            next: first.get(),
            end: length.min(MOST),
            step: threads.min(MOST),
            own: PhantomData,
        }
    }

    /// Returns the same indices as proofs that no other thread has these elements.
    ///
    /// ```
    /// use lanewise_macros::kernel;
    /// use lanewise_std::{DisjointSlice, thread};
    ///
    /// #[kernel]
    /// pub fn split(numbers: &[u32], mut whole: DisjointSlice<u32>, mut rest: DisjointSlice<u32>) {
    ///     for i in thread::grid_stride(numbers.len()).indices() {
    ///         if let (Some(whole), Some(rest)) = (whole.get_mut(&i), rest.get_mut(&i)) {
    ///             (*whole, *rest) = (numbers[i.get()] / 10, numbers[i.get()] % 10);
    ///         }
    ///     }
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub fn indices(self) -> GridStrideIndices {
        GridStrideIndices(self)
    }
}

impl Iterator for GridStride {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.next >= self.end {
            return None;
        }
        let index = self.next;
        self.next += self.step;
        Some(index)
    }
}

/// Indices that only this thread has; see [`GridStride::indices`].
#[derive(Debug)]
pub struct GridStrideIndices(GridStride);

impl Iterator for GridStrideIndices {
    type Item = ThreadIndex;

    #[inline]
    fn next(&mut self) -> Option<ThreadIndex> {
        self.0.next().map(ThreadIndex::own)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec;
    use std::vec::Vec;

    use super::*;

    fn share(thread: usize, threads: usize, length: usize) -> GridStride {
        GridStride::of(ThreadIndex::own(thread), threads, length)
    }

    #[test]
    fn every_element_is_one_threads() {
        for (threads, length) in [(1, 0), (1, 5), (3, 10), (8, 8), (8, 7), (100, 9)] {
            let mut owners = vec![0; length];
            for thread in 0..threads {
                for i in share(thread, threads, length).indices() {
                    assert_eq!(i.get() % threads, thread);
                    owners[i.get()] += 1;
                }
            }
            assert!(owners.iter().all(|&owners| owners == 1), "{owners:?}");
        }
    }

    /// The index does not wrap around to the first elements, not even if the number of threads
    /// overflows or the length is longer than any slice.
    #[test]
    fn no_index_begins_again() {
        let most = isize::MAX as usize;
        assert_eq!(share(7, usize::MAX, usize::MAX).last(), Some(7));
        let far: Vec<_> = share(5, most / 2, usize::MAX).collect();
        assert_eq!(far, [5, 5 + most / 2]);
        assert_eq!(share(5, most, usize::MAX).collect::<Vec<_>>(), [5]);
    }
}
