//! Cooperative groups: threads that work together, as values.
//!
//! A group knows its number of threads ([`Group::size`]) and this thread's number in it
//! ([`Group::rank`]), and can wait for all of them ([`Group::sync`]). Groups within a warp
//! ([`WarpGroup`]) can also read each other's registers: shuffles, votes, reductions and scans by
//! rank, whichever lanes the group is made of.
//!
//! | group | made by |
//! | --- | --- |
//! | [`ThreadBlock`] | [`this_thread_block`] |
//! | [`WarpTile<N>`](WarpTile): 1, 2, 4, 8, 16 or 32 neighbouring lanes | [`ThreadBlock::tiled_partition`], [`WarpTile::tiled_partition`] |
//! | [`CoalescedGroup`]: any lanes of a warp | [`coalesced_threads`], [`WarpGroup::labeled_partition`], [`WarpGroup::binary_partition`] |
//! | [`Cluster`]: the blocks of the cluster | [`this_cluster`] |
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
//! As everywhere in a warp, all threads of a group have to execute what the group does together.
//! CUDA C++ Programming Guide, "Cooperative Groups".

mod block;
mod cluster;
mod coalesced;
mod grid;
mod tile;
mod warp_group;

pub use block::{ThreadBlock, this_thread_block};
pub use cluster::{Cluster, this_cluster};
pub use coalesced::{CoalescedGroup, coalesced_threads};
pub use grid::{Grid, this_grid};
pub use tile::WarpTile;
pub use warp_group::WarpGroup;

/// Threads that can wait for each other, each with a rank.
pub trait Group: Copy {
    /// Waits for all threads of the group. After it, each sees what the others wrote to memory
    /// before.
    fn sync(&self);

    /// This thread's number in the group, from 0.
    #[doc(alias = "thread_rank")]
    #[must_use]
    fn rank(&self) -> u32;

    /// Threads in the group.
    #[doc(alias = "num_threads")]
    #[must_use]
    fn size(&self) -> u32;

    /// Whether this thread is the one of rank 0.
    #[doc(alias = "invoke_one")]
    #[inline(always)]
    #[must_use]
    fn is_first(&self) -> bool {
        self.rank() == 0
    }
}
