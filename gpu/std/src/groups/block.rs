//! The block as a group.

use crate::thread;
use crate::warp::WARP_SIZE;

use super::{Group, WarpTile};

/// All threads of the block; see [`this_thread_block`].
#[doc(alias = "cg::thread_block")]
#[derive(Clone, Copy, Debug)]
pub struct ThreadBlock(());

/// Returns the block of this thread.
#[doc(alias = "cg::this_thread_block")]
#[inline]
#[must_use]
pub fn this_thread_block() -> ThreadBlock {
    ThreadBlock(())
}

impl ThreadBlock {
    /// Returns the tile of `N` consecutive threads that contains this thread. `N` is 1, 2, 4, 8,
    /// 16 or 32:
    /// ```compile_fail,E0080
    /// let _ = lanewise_std::groups::this_thread_block().tiled_partition::<24>();
    /// ```
    ///
    /// # Panics
    /// If the block is not a whole number of tiles. (A launch contract that fixes the block, or
    /// requires whole warps, decides it at compile time.)
    #[doc(alias = "cg::tiled_partition")]
    #[inline]
    #[must_use]
    pub fn tiled_partition<const N: u32>(&self) -> WarpTile<N> {
        const {
            assert!(
                N.is_power_of_two() && N <= WARP_SIZE,
                "a tile has 1, 2, 4, 8, 16 or 32 threads"
            )
        };
        assert!(
            thread::block_size().is_multiple_of(N),
            "the block is not a whole number of tiles"
        );
        WarpTile::new()
    }
}

impl Group for ThreadBlock {
    type Rank = u32;

    #[inline]
    fn sync(&self) {
        thread::sync_threads();
    }

    #[inline]
    fn rank(&self) -> u32 {
        thread::thread_rank()
    }

    #[inline]
    fn size(&self) -> u32 {
        thread::block_size()
    }
}
