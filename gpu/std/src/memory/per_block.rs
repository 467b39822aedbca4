//! An output with one element for each block, which the block's first thread writes.
//!
//! It is for the results of a reduction, such as partial sums, a maximum or a count. The element
//! depends only on the block's position in the grid, so no two threads can get the same element.

use crate::DisjointSlice;
use crate::memory::owned::Owned;
use crate::thread::{Blocks, TeamIndex, block_number, thread_rank};

/// A slice in global memory with one element for each block of the launch, in the order of the
/// blocks, x fastest.
///
/// The host passes the same argument as for a [`DisjointSlice`](crate::DisjointSlice). But the
/// elements of that slice belong to threads, and the elements of this one belong to blocks.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::PerBlock;
/// use lanewise_std::collective::{Sum, block_reduce};
/// use lanewise_std::thread::grid_stride;
///
/// #[kernel]
/// pub fn sums(input: &[f32], mut sums: PerBlock<f32>) {
///     let own = grid_stride(input.len()).map(|i| input[i]).sum();
///     let total = block_reduce(own, Sum);
///     if let Some(sum) = sums.get_mut() {
///         *sum = total;
///     }
/// }
/// ```
#[derive(Debug)]
pub struct PerBlock<'a, T>(DisjointSlice<'a, T>);

impl<'a, T> PerBlock<'a, T> {
    /// Returns the number of elements in the slice, which may be more or fewer than the blocks
    /// of the launch.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the block's element in the block's first thread (its [`thread_rank`] is 0). Returns
    /// `None` in all other threads, and if the slice has no element for the block.
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        let block = block_number();
        if thread_rank() == 0 && block < self.len() {
            // SAFETY: in bounds; no other block has this number, and no other thread of the block
            // has rank 0.
            Some(unsafe { self.0.get_unchecked_mut(block) })
        } else {
            None
        }
    }

    /// Returns the element at an index of the block, in the block's first thread, and `None` in all
    /// other threads: see [`grid_stride_by_blocks`](crate::thread::grid_stride_by_blocks).
    #[inline]
    pub fn get_mut_at(&mut self, index: &TeamIndex<Blocks>) -> Option<&mut T> {
        if thread_rank() == 0 && index.get() < self.len() {
            // SAFETY: in bounds; no other block has this index, and no other thread of the block
            // has rank 0.
            Some(unsafe { self.0.get_unchecked_mut(index.get()) })
        } else {
            None
        }
    }

    /// Returns the block's element in the block's first thread, which may give it to a child: see
    /// [`launch_owned`](crate::dynamic::launch_owned). It is empty if the slice has no element for
    /// the block. Returns `None` in all other threads.
    #[inline]
    #[must_use]
    pub fn give(mut self) -> Option<Owned<'a, T>> {
        if thread_rank() != 0 {
            return None;
        }
        let block = block_number();
        let length = usize::from(block < self.len());
        let element = self.0.as_mut_ptr().wrapping_add(block);
        // SAFETY: no other block has this number, no other thread of the block has rank 0, and this
        // thread no longer has the slice.
        Some(unsafe { Owned::new(element, length) })
    }

    /// Returns the address of the first element.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.0.as_mut_ptr()
    }
}

crate::kernel::wrapper!(PerBlock(DisjointSlice));
crate::kernel::outputs!(PerBlock, WriteSlice);
