//! Distributed shared memory: an array that every block of the cluster has, as one view.

use crate::{DynamicSharedArray, SharedArray};

/// A shared array as it is in all blocks of the cluster: element `i` of block `rank`.
///
/// It is made of the block's own array, which is at the same place in each block. An element of
/// another block costs a trip between multiprocessors, more than shared memory's own and less than
/// global memory's.
#[derive(Clone, Copy, Debug)]
pub struct DistributedArray<T> {
    own: *mut T,
    length: usize,
}

impl<T: Copy, const N: usize> SharedArray<T, N> {
    /// The array as all blocks of the cluster have it.
    #[inline]
    #[must_use]
    pub fn distributed(&self) -> DistributedArray<T> {
        DistributedArray {
            own: super::escape(self.as_ptr()),
            length: N,
        }
    }
}

impl<T: Copy> DynamicSharedArray<T> {
    /// The array as all blocks of the cluster have it: the launch gave each the same.
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
    /// Elements that one block has.
    #[inline]
    #[must_use]
    pub fn block_len(&self) -> usize {
        self.length
    }

    /// How many blocks share the array: those of the cluster.
    #[inline]
    #[must_use]
    pub fn num_blocks(&self) -> u32 {
        super::num_blocks()
    }

    /// Element `index` of block `rank`.
    ///
    /// # Safety
    /// A thread has set the element, a barrier of the cluster (or program order) lies between, no
    /// other writes it meanwhile, and the block has not ended.
    ///
    /// # Panics
    /// If the block or the element is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub unsafe fn get(&self, rank: u32, index: usize) -> T {
        // SAFETY: in bounds of a block that has not ended; the caller says that the element has a
        // value and nobody writes it.
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
        // SAFETY: in bounds of a block that is there; the caller says that nobody else touches the
        // element meanwhile.
        unsafe { self.address_of(rank, index).write(value) }
    }

    /// The address of element `index` of block `rank`, for an atomic.
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

    /// The address of this block's own element `index`.
    #[inline]
    #[track_caller]
    pub(crate) fn own_element(&self, index: usize) -> *mut T {
        self.check(index);
        self.own.wrapping_add(index)
    }

    /// That a block has this element.
    #[inline]
    #[track_caller]
    fn check(&self, index: usize) {
        crate::memory::bounds::check(index, self.length);
    }
}
