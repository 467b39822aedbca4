//! Thread block clusters (`sm_90`): where a block is in its cluster, waiting for it, and other
//! blocks' shared memory.

use crate::cluster as ours;

pub use ours::{block_rank, num_blocks as cluster_size, sync_cluster as cluster_sync};

macro_rules! axes {
    ($($(#[$doc:meta])* $name:ident = $ours:ident.$axis:ident;)*) => {$(
        $(#[$doc])*
        #[expect(non_snake_case, reason = "cuda-oxide's name, after PTX's")]
        #[inline]
        #[must_use]
        pub fn $name() -> u32 {
            ours::$ours().$axis
        }
    )*};
}

axes! {
    /// The block's place in its cluster, along x.
    cluster_ctaidX = block_index.x;
    /// The block's place in its cluster, along y.
    cluster_ctaidY = block_index.y;
    /// The block's place in its cluster, along z.
    cluster_ctaidZ = block_index.z;
    /// Blocks of the cluster along x.
    cluster_nctaidX = dim_blocks.x;
    /// Blocks of the cluster along y.
    cluster_nctaidY = dim_blocks.y;
    /// Blocks of the cluster along z.
    cluster_nctaidZ = dim_blocks.z;
}

/// The cluster's number in the grid, x fastest.
#[inline]
#[must_use]
pub fn cluster_idx() -> u32 {
    let (at, of) = (ours::cluster_index(), ours::dim_clusters());
    at.x + of.x * (at.y + of.y * at.z)
}

/// Clusters in the grid.
#[inline]
#[must_use]
pub fn num_clusters() -> u32 {
    let of = ours::dim_clusters();
    of.x * of.y * of.z
}

/// The address that is in the block of rank `target_rank` where `local_ptr` is in this one.
///
/// # Safety
/// `local_ptr` leads to shared memory of this block. What is read there was written before a
/// [`cluster_sync`], and that block has not ended.
#[inline]
#[must_use]
pub unsafe fn map_shared_rank<T>(local_ptr: *const T, target_rank: u32) -> *const T {
    ours::map_shared_rank(local_ptr.cast_mut(), target_rank)
}

/// As [`map_shared_rank`], for memory that is written.
///
/// # Safety
/// As there; and no other thread touches it meanwhile.
#[inline]
#[must_use]
pub unsafe fn map_shared_rank_mut<T>(local_ptr: *mut T, target_rank: u32) -> *mut T {
    ours::map_shared_rank(local_ptr, target_rank)
}

/// The number at the place of `local_ptr` in the block of rank `target_rank`.
///
/// # Safety
/// As for [`map_shared_rank`], and it was written.
#[inline]
#[must_use]
pub unsafe fn dsmem_read_u32(local_ptr: *const u32, target_rank: u32) -> u32 {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { map_shared_rank(local_ptr, target_rank).read() }
}
