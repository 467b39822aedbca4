//! Thread block clusters (`sm_90`): the position of a block in its cluster, the cluster's barrier,
//! and the shared memory of other blocks.

use lanewise_std::cluster as ours;

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
    /// Returns the block's position in its cluster along x.
    cluster_ctaidX = block_index.x;
    /// Returns the block's position in its cluster along y.
    cluster_ctaidY = block_index.y;
    /// Returns the block's position in its cluster along z.
    cluster_ctaidZ = block_index.z;
    /// Returns the number of blocks of the cluster along x.
    cluster_nctaidX = dim_blocks.x;
    /// Returns the number of blocks of the cluster along y.
    cluster_nctaidY = dim_blocks.y;
    /// Returns the number of blocks of the cluster along z.
    cluster_nctaidZ = dim_blocks.z;
}

/// Returns the cluster's number in the grid, x fastest.
#[inline]
#[must_use]
pub fn cluster_idx() -> u32 {
    let (at, of) = (ours::cluster_index(), ours::dim_clusters());
    at.x + of.x * (at.y + of.y * at.z)
}

/// Returns the number of clusters in the grid.
#[inline]
#[must_use]
pub fn num_clusters() -> u32 {
    let of = ours::dim_clusters();
    of.x * of.y * of.z
}

/// Returns the address in the block of rank `target_rank` that corresponds to `local_ptr`
/// in this block.
///
/// # Safety
/// `local_ptr` points to shared memory of this block. The data that is read there was written
/// before a [`cluster_sync`], and that block has not ended.
#[inline]
#[must_use]
pub unsafe fn map_shared_rank<T>(local_ptr: *const T, target_rank: u32) -> *const T {
    ours::map_shared_rank(local_ptr.cast_mut(), target_rank)
}

/// Does the same as [`map_shared_rank`], for memory that is written.
///
/// # Safety
/// As for [`map_shared_rank`], and no other thread accesses the memory at the same time.
#[inline]
#[must_use]
pub unsafe fn map_shared_rank_mut<T>(local_ptr: *mut T, target_rank: u32) -> *mut T {
    ours::map_shared_rank(local_ptr, target_rank)
}

/// Returns the number at the address of `local_ptr` in the block of rank `target_rank`.
///
/// # Safety
/// As for [`map_shared_rank`], and it was written.
#[inline]
#[must_use]
pub unsafe fn dsmem_read_u32(local_ptr: *const u32, target_rank: u32) -> u32 {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { map_shared_rank(local_ptr, target_rank).read() }
}
