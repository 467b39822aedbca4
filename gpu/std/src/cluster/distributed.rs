//! Distributed shared memory: a view of an array that every block of the cluster has.

use crate::atomic::Word;
use crate::scope::Block;
use crate::{DynamicSharedArray, SharedArray, SharedAtomics};

/// A shared array in all blocks of the cluster, with access to element `i` of block `rank`.
///
/// It is made from the block's own array, which has the same shared address in each block. An
/// access to another block goes to another multiprocessor. It takes longer than an access to the
/// block's own shared memory, and less time than an access to global memory.
#[derive(Clone, Copy, Debug)]
pub struct DistributedArray<T> {
    own: *mut T,
    length: usize,
}

impl<T: Copy, const N: usize> SharedArray<T, N> {
    /// Returns the array as a view over all blocks of the cluster.
    #[inline]
    #[must_use]
    pub fn distributed(&self) -> DistributedArray<T> {
        DistributedArray {
            own: super::escape(self.as_ptr()),
            length: N,
        }
    }
}

impl<T: Word<Block>, const N: usize> SharedAtomics<T, N> {
    /// Returns the numbers as a view over all blocks of the cluster. Threads of other blocks see
    /// what this block stores after a barrier of the cluster.
    #[inline]
    #[must_use]
    pub fn distributed(&self) -> DistributedArray<T> {
        DistributedArray {
            own: super::escape(self.as_ptr().cast_mut().cast()),
            length: N,
        }
    }
}

impl<T: Copy> DynamicSharedArray<T> {
    /// Returns the array as a view over all blocks of the cluster. It has the same size
    /// in each block.
    #[inline]
    #[must_use]
    pub fn distributed(&self) -> DistributedArray<T> {
        DistributedArray {
            own: super::escape(self.as_ptr()),
            length: self.len(),
        }
    }
}

impl<T: Copy> DistributedArray<T> {
    /// Returns the number of elements of one block.
    #[inline]
    #[must_use]
    pub fn block_len(&self) -> usize {
        self.length
    }

    /// Returns the number of blocks of the cluster, each of which has such an array.
    #[inline]
    #[must_use]
    pub fn num_blocks(&self) -> u32 {
        super::num_blocks()
    }

    /// Returns element `index` of block `rank`.
    ///
    /// # Safety
    /// A thread has set the element, and a barrier of the cluster (or program order) orders that
    /// write before this read. No other thread writes the element at the same time, and the block
    /// has not ended.
    ///
    /// # Panics
    /// If the block or the element is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub unsafe fn get(&self, rank: u32, index: usize) -> T {
        // SAFETY: the element is in bounds; the caller promises that the block has not ended, that
        // the element has a value, and that no thread writes it.
        unsafe { self.address_of(rank, index).read() }
    }

    /// Sets element `index` of block `rank`.
    ///
    /// # Safety
    /// No other thread of the cluster reads or writes the element before the next barrier of the
    /// cluster, and the block has begun and has not ended.
    ///
    /// # Panics
    /// If the block or the element is past the end.
    #[inline]
    #[track_caller]
    pub unsafe fn set(&self, rank: u32, index: usize, value: T) {
        // SAFETY: the element is in bounds; the caller promises that the block is running and that
        // no other thread accesses the element at the same time.
        unsafe { self.address_of(rank, index).write(value) }
    }

    /// Returns the address of element `index` of block `rank`, for an atomic.
    ///
    /// # Panics
    /// If the block or the element is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn address_of(&self, rank: u32, index: usize) -> *mut T {
        self.check(index);
        super::map_shared_rank(self.own, rank).wrapping_add(index)
    }

    /// Returns the address of this block's own element `index`.
    #[inline]
    #[track_caller]
    pub(crate) fn own_element(&self, index: usize) -> *mut T {
        self.check(index);
        self.own.wrapping_add(index)
    }

    /// Panics unless a block has this element.
    #[inline]
    #[track_caller]
    fn check(&self, index: usize) {
        crate::memory::bounds::check(index, self.length);
    }
}
