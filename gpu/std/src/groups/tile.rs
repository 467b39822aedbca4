//! Tiles: a warp, or a part of a warp whose size is a constant.

use crate::target;
use crate::thread;
use crate::warp::operator::Operator;
use crate::warp::{self, Match, Shuffle, WARP_SIZE};

use super::{Group, WarpGroup};

/// `N` neighbouring threads of a warp; see
/// [`ThreadBlock::tiled_partition`](super::ThreadBlock::tiled_partition).
#[doc(alias = "cg::thread_block_tile")]
#[derive(Clone, Copy, Debug)]
pub struct WarpTile<const N: u32>(());

impl<const N: u32> WarpTile<N> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        WarpTile(())
    }

    /// Returns the lane of the tile's first thread.
    #[inline(always)]
    fn first_lane(&self) -> u32 {
        warp::lane_id() & !(N - 1)
    }

    /// Returns this tile's number among the tiles of the block.
    #[inline]
    #[must_use]
    pub fn meta_group_rank(&self) -> u32 {
        thread::thread_rank() / N
    }

    /// Returns the number of tiles in the block.
    #[inline]
    #[must_use]
    pub fn meta_group_size(&self) -> u32 {
        thread::block_size() / N
    }

    /// Returns the smaller tile that contains this thread.
    /// ```compile_fail,E0080
    /// # use lanewise_std::groups::this_thread_block;
    /// let _ = this_thread_block().tiled_partition::<8>().tiled_partition::<16>();
    /// ```
    #[doc(alias = "cg::tiled_partition")]
    #[inline]
    #[must_use]
    pub fn tiled_partition<const M: u32>(&self) -> WarpTile<M> {
        const {
            assert!(
                M.is_power_of_two() && M <= N,
                "a tile is parted into smaller ones"
            )
        };
        WarpTile::new()
    }

    /// Returns the value of the thread whose rank is this thread's rank XOR `ranks`.
    #[doc(alias = "shfl_xor")]
    #[inline]
    #[must_use]
    pub fn shuffle_xor<T: Shuffle>(&self, value: T, ranks: u32) -> T {
        warp::shuffle_xor_sync_width(self.mask(), value, ranks, N)
    }
}

impl<const N: u32> Group for WarpTile<N> {
    type Rank = u32;

    #[inline]
    fn sync(&self) {
        warp::sync_warp(self.mask());
    }

    #[inline]
    fn rank(&self) -> u32 {
        warp::lane_id() & (N - 1)
    }

    #[inline]
    fn size(&self) -> u32 {
        N
    }
}

impl<const N: u32> WarpGroup for WarpTile<N> {
    const MOST: u32 = N;

    #[inline]
    fn mask(&self) -> u32 {
        u32::MAX >> (WARP_SIZE - N) << self.first_lane()
    }

    #[inline]
    fn lane_of(&self, rank: u32) -> u32 {
        self.first_lane() | rank & (N - 1)
    }

    #[inline]
    fn shuffle<T: Shuffle>(&self, value: T, rank: u32) -> T {
        warp::shuffle_sync_width(self.mask(), value, rank, N)
    }

    #[inline]
    fn shuffle_up<T: Shuffle>(&self, value: T, delta: u32) -> T {
        warp::shuffle_up_sync_width(self.mask(), value, delta, N)
    }

    #[inline]
    fn shuffle_down<T: Shuffle>(&self, value: T, delta: u32) -> T {
        warp::shuffle_down_sync_width(self.mask(), value, delta, N)
    }

    #[inline]
    fn ballot(&self, predicate: bool) -> u32 {
        (warp::ballot_sync(self.mask(), predicate) & self.mask()) >> self.first_lane()
    }

    #[inline]
    fn match_any<T: Match>(&self, value: T) -> u32 {
        warp::match_any_sync(self.mask(), value) >> self.first_lane()
    }

    #[inline]
    fn reduce<T: Shuffle, O: Operator<T>>(&self, mut value: T, operator: O) -> T {
        // Tiles of one warp would execute `redux` one after another, but they execute
        // a shuffle together.
        if N == WARP_SIZE
            && target::is_at_least(80)
            && let Some(reduced) = operator.redux(self.mask(), value)
        {
            return reduced;
        }
        let mut delta = 1;
        while delta < N {
            let other = self.shuffle_xor(value, delta);
            value = if O::COMMUTATIVE || self.rank() & delta == 0 {
                operator.combine(value, other)
            } else {
                operator.combine(other, value)
            };
            delta *= 2;
        }
        value
    }
}
