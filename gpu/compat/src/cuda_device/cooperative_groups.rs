//! Groups of threads by cuda-oxide's names; they are lanewise-std's ([`lanewise_std::groups`]).
//!
//! Shuffles take any type. In a group of scattered lanes, `shfl_xor`, `shfl_up` and `shfl_down`
//! count lanes of the warp, as in cuda-oxide. If the source lane is outside of the group, the
//! result is the thread's own value.

use lanewise_std::collective::{self, Operator};
use lanewise_std::groups::{Group, WarpGroup};
use lanewise_std::warp::{self, Match, Shuffle, WARP_SIZE};

use super::SharedArray;

pub use lanewise_std::groups::{
    ClusterGroup as Cluster, CoalescedGroup as CoalescedThreads, ThreadBlock, WarpTile,
    coalesced_threads, this_cluster, this_thread_block,
};

/// The operators of reductions and scans.
pub mod ops {
    pub use lanewise_std::collective::{BitAnd, BitOr, BitXor, Max, Min, Sum};
}

/// Threads with a rank in a group of known size, which can wait for each other.
pub trait ThreadGroup: Copy {
    /// Threads in the group.
    fn size(&self) -> u32;
    /// This thread's number in the group.
    fn thread_rank(&self) -> u32;
    /// Waits for all threads of the group.
    fn sync(&self);
}

impl<G: Group<Rank = u32>> ThreadGroup for G {
    #[inline]
    fn size(&self) -> u32 {
        Group::size(self)
    }

    #[inline]
    fn thread_rank(&self) -> u32 {
        self.rank()
    }

    #[inline]
    fn sync(&self) {
        Group::sync(self);
    }
}

/// The grid of a cooperative launch.
#[derive(Clone, Copy, Debug)]
pub struct Grid(lanewise_std::groups::Grid);

/// The grid of this thread.
#[inline]
#[must_use]
pub fn this_grid() -> Grid {
    Grid(lanewise_std::groups::this_grid())
}

impl Grid {
    /// Blocks in the grid.
    #[inline]
    #[must_use]
    pub fn num_blocks(&self) -> u32 {
        self.0.blocks() as u32
    }

    /// This block's number in the grid, x fastest.
    #[inline]
    #[must_use]
    pub fn block_rank(&self) -> u32 {
        self.0.block_rank() as u32
    }
}

impl ThreadGroup for Grid {
    #[inline]
    fn size(&self) -> u32 {
        self.0.size() as u32
    }

    #[inline]
    fn thread_rank(&self) -> u32 {
        self.0.rank() as u32
    }

    #[inline]
    fn sync(&self) {
        self.0.sync();
    }
}

/// Lanes of one warp, which read each other's registers. Bits of results are by rank.
pub trait WarpCollective: ThreadGroup {
    /// The ranks at which `predicate` is true.
    fn ballot(&self, predicate: bool) -> u32;
    /// Whether `predicate` is true in all threads.
    fn all(&self, predicate: bool) -> bool;
    /// Whether `predicate` is true in any thread.
    fn any(&self, predicate: bool) -> bool;
    /// Returns the value of the thread of this rank, or the thread's own value if there is
    /// no such rank.
    fn shfl<T: Shuffle>(&self, value: T, rank: u32) -> T;
    /// Returns the value of the lane whose number differs in these bits.
    fn shfl_xor<T: Shuffle>(&self, value: T, lanes: u32) -> T;
    /// Returns the value of the lane whose number is higher by `delta`.
    fn shfl_down<T: Shuffle>(&self, value: T, delta: u32) -> T;
    /// Returns the value of the lane whose number is lower by `delta`.
    fn shfl_up<T: Shuffle>(&self, value: T, delta: u32) -> T;
    /// The ranks that have the same `value`.
    fn match_any<T: Match>(&self, value: T) -> u32;
    /// Returns all ranks if they have the same `value`, else 0.
    fn match_all<T: Match>(&self, value: T) -> u32;

    /// [`shfl`](Self::shfl) of a float.
    #[inline]
    fn shfl_f32(&self, value: f32, rank: u32) -> f32 {
        self.shfl(value, rank)
    }

    /// [`shfl_xor`](Self::shfl_xor) of a float.
    #[inline]
    fn shfl_xor_f32(&self, value: f32, lanes: u32) -> f32 {
        self.shfl_xor(value, lanes)
    }

    /// [`shfl_down`](Self::shfl_down) of a float.
    #[inline]
    fn shfl_down_f32(&self, value: f32, delta: u32) -> f32 {
        self.shfl_down(value, delta)
    }

    /// [`shfl_up`](Self::shfl_up) of a float.
    #[inline]
    fn shfl_up_f32(&self, value: f32, delta: u32) -> f32 {
        self.shfl_up(value, delta)
    }

    /// [`match_any`](Self::match_any) of 64 bits.
    #[inline]
    fn match_any_i64(&self, value: u64) -> u32 {
        self.match_any(value)
    }

    /// [`match_all`](Self::match_all) of 64 bits.
    #[inline]
    fn match_all_i64(&self, value: u64) -> u32 {
        self.match_all(value)
    }
}

/// Returns the value of lane `from` if it is one of the group's lanes, or else the
/// thread's own value.
#[inline]
fn from_lane<T: Shuffle>(mask: u32, value: T, from: Option<u32>) -> T {
    let is_there = |lane: &u32| *lane < WARP_SIZE && mask >> *lane & 1 == 1;
    let from = from.filter(is_there).unwrap_or_else(warp::lane_id);
    warp::shuffle_sync(mask, value, from)
}

impl<G: WarpGroup> WarpCollective for G {
    #[inline]
    fn ballot(&self, predicate: bool) -> u32 {
        WarpGroup::ballot(self, predicate)
    }

    #[inline]
    fn all(&self, predicate: bool) -> bool {
        WarpGroup::all(self, predicate)
    }

    #[inline]
    fn any(&self, predicate: bool) -> bool {
        WarpGroup::any(self, predicate)
    }

    #[inline]
    fn shfl<T: Shuffle>(&self, value: T, rank: u32) -> T {
        let is_there = rank < Group::size(self);
        from_lane(self.mask(), value, is_there.then(|| self.lane_of(rank)))
    }

    #[inline]
    fn shfl_xor<T: Shuffle>(&self, value: T, lanes: u32) -> T {
        from_lane(self.mask(), value, Some(warp::lane_id() ^ lanes))
    }

    #[inline]
    fn shfl_down<T: Shuffle>(&self, value: T, delta: u32) -> T {
        from_lane(self.mask(), value, warp::lane_id().checked_add(delta))
    }

    #[inline]
    fn shfl_up<T: Shuffle>(&self, value: T, delta: u32) -> T {
        from_lane(self.mask(), value, warp::lane_id().checked_sub(delta))
    }

    #[inline]
    fn match_any<T: Match>(&self, value: T) -> u32 {
        WarpGroup::match_any(self, value)
    }

    #[inline]
    fn match_all<T: Match>(&self, value: T) -> u32 {
        let is_one = WarpGroup::match_all(self, value);
        let ranks = u32::MAX >> (WARP_SIZE - Group::size(self));
        if is_one { ranks } else { 0 }
    }
}

/// Returns the values of all threads of the tile combined, in each of these threads.
#[inline]
#[must_use]
pub fn warp_reduce<T: Shuffle, Op: Operator<T> + Default, const N: u32>(
    tile: &WarpTile<N>,
    value: T,
) -> T {
    tile.reduce(value, Op::default())
}

/// Returns the values of the tile's threads up to and including this one combined.
#[inline]
#[must_use]
pub fn warp_scan<T: Shuffle, Op: Operator<T> + Default, const N: u32>(
    tile: &WarpTile<N>,
    value: T,
) -> T {
    tile.inclusive_scan(value, Op::default())
}

/// Returns the values of all threads of the block combined, in each of these threads. It does not
/// use `smem`, because it has memory of its own.
///
/// # Safety
/// Any call is safe. The function is `unsafe` because it is in cuda-oxide.
#[inline]
#[must_use]
pub unsafe fn block_reduce<T: Shuffle, Op: Operator<T> + Default, const N: usize>(
    block: &ThreadBlock,
    value: T,
    smem: *mut SharedArray<T, N>,
) -> T {
    let _ = (block, smem);
    collective::block_reduce(value, Op::default())
}

/// Returns the values of the block's threads up to and including this one combined.
///
/// # Safety
/// As for [`block_reduce`].
#[inline]
#[must_use]
pub unsafe fn block_scan<T: Shuffle, Op: Operator<T> + Default, const N: usize>(
    block: &ThreadBlock,
    value: T,
    smem: *mut SharedArray<T, N>,
) -> T {
    let _ = (block, smem);
    collective::block_inclusive_scan(value, Op::default())
}
