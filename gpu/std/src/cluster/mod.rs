//! Clusters: blocks that run at the same time and can access each other's shared memory.
//!
//! From compute capability 9.0 on, a grid may be divided into clusters of up to 8 blocks (16 where
//! the device allows it). The blocks of a cluster run at the same time on neighbouring
//! multiprocessors. They can wait for each other, and a thread can read, write and update
//! atomically the shared memory of every block of its cluster. `#[cluster_launch(2, 1, 1)]` fixes
//! the size in the kernel; `LaunchConfig::with_cluster` sets it for one launch. Without either,
//! each block is a cluster by itself, and everything here still works.
//!
//! A block's shared memory exists only while the block runs. So a cluster has to synchronise
//! before the first access to another block (then all blocks have begun) and after the last
//! access (so that no block ends too early). The simulator reports a block that ended too
//! early. CUDA C++ Programming Guide, "Thread Block Clusters", "Distributed Shared Memory"; PTX
//! ISA, "barrier.cluster", "mapa".

use core::marker::PhantomData;

use crate::dim3::Dim3;
use crate::thread::{self, Clusters, TeamIndex};
use crate::{intrinsics, target};

mod distributed;

pub use distributed::DistributedArray;

/// A special register with an x, a y and a z.
macro_rules! positions {
    ($($(#[$attribute:meta])* $name:ident = $x:ident, $y:ident, $z:ident;)*) => {
        $(
            $(#[$attribute])*
            #[inline]
            #[must_use]
            pub fn $name() -> Dim3 {
                // SAFETY: every thread may read its special registers at any time.
                unsafe { Dim3 { x: intrinsics::$x(), y: intrinsics::$y(), z: intrinsics::$z() } }
            }
        )*
    };
}

positions! {
    /// Returns this block's position in its cluster.
    #[doc(alias = "cluster.block_index")] #[doc(alias = "%cluster_ctaid")]
    block_index = cluster_ctaid_x, cluster_ctaid_y, cluster_ctaid_z;
    /// Returns the number of blocks of a cluster along each axis.
    #[doc(alias = "cluster.dim_blocks")] #[doc(alias = "%cluster_nctaid")]
    dim_blocks = cluster_nctaid_x, cluster_nctaid_y, cluster_nctaid_z;
    /// Returns this cluster's position in the grid.
    #[doc(alias = "%clusterid")]
    cluster_index = clusterid_x, clusterid_y, clusterid_z;
    /// Returns the number of clusters of the grid along each axis.
    #[doc(alias = "%nclusterid")]
    dim_clusters = nclusterid_x, nclusterid_y, nclusterid_z;
}

/// Returns this block's number in its cluster, x fastest.
#[doc(alias = "cluster.block_rank")]
#[doc(alias = "%cluster_ctarank")]
#[inline]
#[must_use]
pub fn block_rank() -> u32 {
    // SAFETY: every thread may read its special registers at any time, and a rank is below the
    // number of ranks.
    unsafe {
        let rank = intrinsics::cluster_ctarank();
        core::hint::assert_unchecked(rank < intrinsics::cluster_nctarank());
        rank
    }
}

/// Returns the number of blocks in the cluster, which is 1 in a launch without clusters.
#[doc(alias = "cluster.num_blocks")]
#[doc(alias = "%cluster_nctarank")]
#[inline]
#[must_use]
pub fn num_blocks() -> u32 {
    // SAFETY: every thread may read its special registers at any time, and no device
    // has larger clusters.
    unsafe {
        let blocks = intrinsics::cluster_nctarank();
        core::hint::assert_unchecked(matches!(blocks, 1..=16));
        blocks
    }
}

/// Tells the compiler, in a kernel's entry point, that its clusters have this shape.
///
/// # Safety
/// They have.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn assume_shape([x, y, z]: [u32; 3]) {
    if !target::is_at_least(90) {
        return; // there are no such registers
    }
    // SAFETY: the caller promises it.
    unsafe {
        core::hint::assert_unchecked(num_blocks() == x * y * z);
        core::hint::assert_unchecked(dim_blocks().x == x);
        core::hint::assert_unchecked(dim_blocks().y == y);
        core::hint::assert_unchecked(dim_blocks().z == z);
    }
}

/// Returns this thread's number in its cluster. Threads are numbered block after block.
#[doc(alias = "cluster.thread_rank")]
#[inline]
#[must_use]
pub fn thread_rank() -> u32 {
    block_rank() * thread::block_size() + thread::thread_rank()
}

/// Returns the number of this thread's cluster in the grid, x fastest, as the proof that an element
/// belongs to the cluster.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::disjoint_matrix::RowPer;
/// use lanewise_std::thread::Clusters;
/// use lanewise_std::{DisjointMatrix, cluster};
///
/// /// Writes the number of threads of each cluster.
/// #[kernel(min_arch = "sm_90")]
/// pub fn sizes(mut sizes: DisjointMatrix<u32, RowPer<Clusters>>) {
///     if let Some(size) = sizes.in_row(&cluster::index(), 0) {
///         *size = cluster::num_threads();
///     }
/// }
/// ```
#[inline]
#[must_use]
pub fn index() -> TeamIndex<Clusters> {
    let (at, dim) = (cluster_index(), dim_clusters());
    let plane = at.z as usize * dim.y as usize + at.y as usize;
    TeamIndex::of_cluster(plane * dim.x as usize + at.x as usize)
}

/// Returns the number of threads in the cluster.
#[doc(alias = "cluster.num_threads")]
#[inline]
#[must_use]
pub fn num_threads() -> u32 {
    num_blocks() * thread::block_size()
}

/// Returns whether the launch or the kernel set a cluster size.
#[doc(alias = "%is_explicit_cluster")]
#[inline]
#[must_use]
pub fn is_explicit() -> bool {
    // SAFETY: every thread may read its special registers at any time.
    unsafe { intrinsics::is_explicit_cluster() }
}

/// Waits for all threads of the cluster that have not ended. After the barrier, each thread sees
/// what the others wrote before it.
#[doc(alias = "cluster.sync")]
#[doc(alias = "barrier.cluster")]
#[inline]
pub fn sync_cluster() {
    arrive().wait();
}

/// Arrives at the cluster's barrier without waiting. The threads that wait see what this thread
/// wrote before it arrived.
///
/// Between the arrival and the wait, a thread can do work that needs no other thread. Only one
/// phase can be open at a time, so a thread has to wait before it arrives again. The simulator
/// reports a second arrival.
#[doc(alias = "cluster.barrier_arrive")]
#[doc(alias = "barrier.cluster.arrive")]
#[inline]
pub fn arrive() -> Arrival {
    // SAFETY: all threads of the cluster take part, and the returned token waits.
    unsafe { intrinsics::barrier_cluster_arrive() }
    Arrival(PhantomData)
}

/// Does the same as [`arrive`], but does not order memory accesses. It is for blocks that wait for
/// each other but exchange no data.
#[doc(alias = "barrier.cluster.arrive.relaxed")]
#[inline]
pub fn arrive_relaxed() -> Arrival {
    // SAFETY: as in `arrive`.
    unsafe { intrinsics::barrier_cluster_arrive_relaxed() }
    Arrival(PhantomData)
}

/// The state of a thread that has arrived at the cluster's barrier and still has to wait there.
///
/// It waits when it is dropped, so the wait cannot be forgotten. A call of [`wait`](Arrival::wait)
/// makes the wait visible in the code.
#[derive(Debug)]
#[must_use = "the thread waits where this is dropped: keep it until the others' writes are needed, then call `wait`"]
pub struct Arrival(PhantomData<*mut ()>);

impl Arrival {
    /// Waits until all threads of the cluster have arrived. This thread then sees what they wrote
    /// before they arrived.
    #[doc(alias = "cluster.barrier_wait")]
    #[doc(alias = "barrier.cluster.wait")]
    #[inline]
    pub fn wait(self) {
        drop(self);
    }
}

impl Drop for Arrival {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this thread has arrived, and has not waited since then.
        unsafe { intrinsics::barrier_cluster_wait() }
    }
}

/// Returns the address in the shared memory of block `rank` of the cluster that corresponds to
/// `pointer` in this block's shared memory.
///
/// Every block of the cluster may read, write and atomically update the memory there. The caller
/// has to order the accesses, and to ensure that the block is still running ([`sync_cluster`]
/// before and after).
///
/// # Panics
/// If the cluster has no block of this rank.
#[doc(alias = "cluster.map_shared_rank")]
#[doc(alias = "mapa")]
#[inline]
#[must_use]
#[track_caller]
pub fn map_shared_rank<T>(pointer: *mut T, rank: u32) -> *mut T {
    assert!(rank < num_blocks(), "a rank past the blocks of the cluster");
    // SAFETY: the cluster has this block, and the instruction only computes an address.
    unsafe { intrinsics::mapa(escape(pointer).cast(), rank).cast() }
}

/// Returns the rank of the block in the cluster whose shared memory contains `pointer`.
#[doc(alias = "cluster.query_shared_rank")]
#[doc(alias = "getctarank")]
#[inline]
#[must_use]
pub fn query_shared_rank<T>(pointer: *const T) -> u32 {
    // SAFETY: the instruction reads only the address, and no memory.
    unsafe { intrinsics::getctarank(pointer.cast_mut().cast()) }
}

/// Returns the pointer without its provenance, so that the optimizer knows nothing about it.
///
/// The declaration of `mapa` says that it does not capture its pointer. So the optimizer would
/// assume that the result does not alias the block's own arrays. But for the block's own rank, it
/// is the same memory.
#[inline(always)]
fn escape<T>(pointer: *mut T) -> *mut T {
    #[cfg(not(target_arch = "nvptx64"))]
    {
        pointer
    }
    #[cfg(target_arch = "nvptx64")]
    {
        let mut address = pointer.expose_provenance();
        // SAFETY: the assembly contains no instruction.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg64) address, options(pure, nomem, nostack, preserves_flags));
        }
        core::ptr::with_exposed_provenance_mut(address)
    }
}
