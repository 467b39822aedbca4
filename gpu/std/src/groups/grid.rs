//! The grid as a group: a barrier of all blocks of a cooperative launch.
//!
//! The driver gives such a launch a word in global memory, the same that CUDA C++'s `grid.sync()`
//! uses. Its address is in two of the registers that PTX leaves to the driver (`%envreg1` its upper
//! half, `%envreg2` its lower); without a cooperative launch it is null. Every block adds to the
//! word, the first of them so much that the highest bit flips when all have come. So the lower bits
//! are zero again, and the word is ready for the next barrier.

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

/// The grid of this thread.
#[doc(alias = "cg::this_grid")]
#[inline]
#[must_use]
pub fn this_grid() -> Grid {
    Grid(())
}

/// The bit that flips when all blocks have come.
const PHASE: u32 = 1 << 31;
/// Nanoseconds between two looks: little beside the microsecond that a barrier takes, and the
/// memory is left alone meanwhile.
const POLL: u32 = 20;

impl Grid {
    /// Waits for all threads of the grid; what each wrote to global memory before is seen by the
    /// others after.
    ///
    /// The kernel says `#[cooperative_launch]`, so that all of its blocks are on the device at
    /// once.
    ///
    /// # Panics
    /// If the launch is not cooperative.
    #[inline]
    pub fn sync(&self) {
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

    /// Whether the launch is cooperative, so that [`sync`](Self::sync) can be called.
    #[doc(alias = "is_valid")]
    #[inline]
    #[must_use]
    pub fn can_sync(&self) -> bool {
        arrivals().is_some()
    }

    /// This thread's number in the grid: blocks one after another, within a block as
    /// [`thread_rank`].
    #[doc(alias = "thread_rank")]
    #[inline]
    #[must_use]
    pub fn rank(&self) -> usize {
        index_1d().get()
    }

    /// Threads in the grid.
    #[doc(alias = "num_threads")]
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        grid_size() * block_size() as usize
    }

    /// This thread's block's number in the grid, x fastest.
    #[inline]
    #[must_use]
    pub fn block_rank(&self) -> usize {
        block_number()
    }

    /// Blocks in the grid.
    #[doc(alias = "num_blocks")]
    #[inline]
    #[must_use]
    pub fn blocks(&self) -> usize {
        grid_size()
    }
}

/// Where the blocks of a cooperative launch count each other: behind the first word of what the
/// driver made for it.
#[inline(always)]
fn arrivals<'a>() -> Option<&'a DeviceAtomicU32> {
    // SAFETY: every thread may read its special registers at any time.
    let (high, low) = unsafe { (intrinsics::envreg1(), intrinsics::envreg2()) };
    let workspace = u64::from(high) << 32 | u64::from(low);
    let word = core::ptr::with_exposed_provenance_mut::<u32>(workspace as usize);
    // SAFETY: an address that is not null is that of two words at least, which the driver keeps for
    // this launch and which only barriers of the grid touch, by atomics.
    (workspace != 0).then(|| unsafe { DeviceAtomicU32::from_ptr(word.add(1)) })
}
