//! The grid as a group: a barrier of all blocks of a cooperative launch.
//!
//! The driver gives such a launch a word in global memory, the same that CUDA C++'s `grid.sync()`
//! uses. Its address is in two of the registers that PTX leaves to the driver (`%envreg1` its upper
//! half, `%envreg2` its lower); without a cooperative launch it is null. Every block adds to the
//! word. The first block adds so much that the highest bit flips when all blocks have arrived. Then
//! the lower bits are zero again, and the word is ready for the next barrier.

use super::Group;
use crate::atomic::{AtomicOrdering, DeviceAtomicU32};
use crate::intrinsics;
use crate::thread::{
    block_idx_x, block_idx_y, block_idx_z, block_number, block_size, grid_size, index_1d,
    nanosleep, sync_threads, thread_rank,
};

/// All threads of the grid; see [`this_grid`].
#[doc(alias = "cg::grid_group")]
#[derive(Clone, Copy, Debug)]
pub struct Grid(());

/// Returns the grid of this thread.
#[doc(alias = "cg::this_grid")]
#[inline]
#[must_use]
pub fn this_grid() -> Grid {
    Grid(())
}

/// The bit that flips when all blocks have arrived.
const PHASE: u32 = 1 << 31;
/// Nanoseconds between two polls. This is short compared with the microsecond that a barrier takes,
/// and there is no memory traffic in between.
const POLL: u32 = 20;

impl Grid {
    /// Returns whether the launch is cooperative, so that [`sync`](Group::sync) can be called.
    #[doc(alias = "is_valid")]
    #[inline]
    #[must_use]
    pub fn can_sync(&self) -> bool {
        arrivals().is_some()
    }

    /// Returns the number of this thread's block in the grid, x fastest.
    #[inline]
    #[must_use]
    pub fn block_rank(&self) -> usize {
        block_number()
    }

    /// Returns the number of blocks in the grid.
    #[doc(alias = "num_blocks")]
    #[inline]
    #[must_use]
    pub fn blocks(&self) -> usize {
        grid_size()
    }
}

impl Group for Grid {
    type Rank = usize;

    /// Waits for all threads of the grid. After the barrier, each thread sees what the others wrote
    /// to global memory before it.
    ///
    /// The kernel needs `#[cooperative_launch]`, so that all of its blocks are resident on the
    /// device at once.
    ///
    /// # Panics
    /// If the launch is not cooperative.
    #[inline]
    fn sync(&self) {
        let Some(word) = arrivals() else {
            panic!(
                "`this_grid().sync()` needs a cooperative launch: put `#[cooperative_launch]` on the kernel"
            )
        };
        sync_threads();
        if thread_rank() == 0 {
            let is_first = block_idx_x() | block_idx_y() | block_idx_z() == 0;
            let others = grid_size() as u32 - 1;
            let share = if is_first { PHASE - others } else { 1 };
            let before = word.fetch_add(share, AtomicOrdering::AcqRel);
            while (before ^ word.load(AtomicOrdering::Acquire)) & PHASE == 0 {
                nanosleep(POLL);
            }
        }
        sync_threads();
    }

    /// Returns this thread's number in the grid: block after block, and in the order of
    /// [`thread_rank`] within a block.
    #[inline]
    fn rank(&self) -> usize {
        index_1d().get()
    }

    /// Returns the number of threads in the grid.
    #[inline]
    fn size(&self) -> usize {
        grid_size() * block_size() as usize
    }
}

/// Returns the counter of the blocks of a cooperative launch. It is the second word of the memory
/// that the driver allocated for the launch.
#[inline(always)]
fn arrivals<'a>() -> Option<&'a DeviceAtomicU32> {
    // SAFETY: every thread may read its special registers at any time.
    let (high, low) = unsafe { (intrinsics::envreg1(), intrinsics::envreg2()) };
    let workspace = u64::from(high) << 32 | u64::from(low);
    let word = core::ptr::with_exposed_provenance_mut::<u32>(workspace as usize);
    // SAFETY: an address that is not null points to at least two words. The driver keeps them for
    // this launch, and only barriers of the grid access them, by atomics.
    (workspace != 0).then(|| unsafe { DeviceAtomicU32::from_ptr(word.add(1)) })
}
