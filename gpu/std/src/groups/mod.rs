//! Cooperative groups: threads that work together, as values.
//!
//! A group has a number of threads ([`Group::size`]) and a number for this thread
//! ([`Group::rank`]). Its threads can wait for each other ([`Group::sync`]). Threads of a group
//! within a warp ([`WarpGroup`]) can also read each other's registers: shuffles, votes, reductions
//! and scans by rank, for any lanes of the warp.
//!
//! | group | made by |
//! | --- | --- |
//! | [`ThreadBlock`] | [`this_thread_block`] |
//! | [`WarpTile<N>`](WarpTile): 1, 2, 4, 8, 16 or 32 neighbouring lanes | [`ThreadBlock::tiled_partition`], [`WarpTile::tiled_partition`] |
//! | [`CoalescedGroup`]: any lanes of a warp | [`coalesced_threads`], [`WarpGroup::labeled_partition`], [`WarpGroup::binary_partition`] |
//! | [`ClusterGroup`]: the blocks of the cluster | [`this_cluster`] |
//! | [`Grid`]: all blocks of a cooperative launch | [`this_grid`] |
//!
//! ```
//! use lanewise_macros::kernel;
//! use lanewise_std::DisjointSlice;
//! use lanewise_std::collective::Sum;
//! use lanewise_std::groups::{WarpGroup, this_thread_block};
//! use lanewise_std::thread;
//!
//! /// Each row of four is summed by four threads.
//! #[kernel]
//! pub fn sum_of_fours(input: &[f32], mut output: DisjointSlice<f32>) {
//!     let tile = this_thread_block().tiled_partition::<4>();
//!     let index = thread::index_1d();
//!     let value = input.get(index.get()).copied().unwrap_or(0.0);
//!     let sum = tile.reduce(value, Sum);
//!     if let Some(output) = output.get_mut(&index) {
//!         *output = sum;
//!     }
//! }
//! ```
//!
//! All threads of a group have to execute each operation of the group, as with all operations of a
//! warp. CUDA C++ Programming Guide, "Cooperative Groups".

mod block;
mod cluster;
mod coalesced;
mod grid;
mod tile;
mod warp_group;

pub use block::{ThreadBlock, this_thread_block};
pub use cluster::{ClusterGroup, this_cluster};
pub use coalesced::{CoalescedGroup, coalesced_threads};
pub use grid::{Grid, this_grid};
pub use tile::WarpTile;
pub use warp_group::WarpGroup;

/// Threads that can wait for each other, each with a rank.
pub trait Group: Copy {
    /// The type of ranks and sizes: `u32`, and `usize` for the grid, which may have more threads
    /// than that.
    type Rank: Copy + Default + PartialEq;

    /// Waits for all threads of the group. After the barrier, each thread sees what the others
    /// wrote to memory before it.
    fn sync(&self);

    /// Returns this thread's number in the group, from 0.
    #[doc(alias = "thread_rank")]
    #[must_use]
    fn rank(&self) -> Self::Rank;

    /// Returns the number of threads in the group.
    #[doc(alias = "num_threads")]
    #[must_use]
    fn size(&self) -> Self::Rank;

    /// Returns whether this thread has rank 0.
    #[doc(alias = "invoke_one")]
    #[inline(always)]
    #[must_use]
    fn is_first(&self) -> bool {
        self.rank() == Self::Rank::default()
    }
}
