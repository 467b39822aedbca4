//! Clusters: blocks that run at the same time and reach each other's shared memory.
//!
//! From compute capability 9.0 on, a grid may be divided into clusters of up to 8 blocks (16 where
//! the device allows it). The blocks of a cluster run at the same time on neighbouring
//! multiprocessors. They can wait for each other, and a thread can read, write and update
//! atomically the shared memory of every block of its cluster. `#[cluster_launch(2, 1, 1)]` fixes
//! the size in the kernel; `LaunchConfig::with_cluster` sets it for one launch. Without either,
//! each block is a cluster by itself, and everything here still works.
//!
//! A block's shared memory exists as long as the block runs. So a cluster synchronises before the
//! first access to another block (all blocks have begun) and after the last (none has ended). The
//! simulator reports a block that ended too early. CUDA C++ Programming Guide, "Thread Block
//! Clusters", "Distributed Shared Memory"; PTX ISA, "barrier.cluster", "mapa".

use core::marker::PhantomData;

use crate::dim3::Dim3;
use crate::intrinsics;
use crate::thread;

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
    /// This block's position in its cluster.
    #[doc(alias = "cluster.block_index")] #[doc(alias = "%cluster_ctaid")]
    block_index = cluster_ctaid_x, cluster_ctaid_y, cluster_ctaid_z;
    /// Blocks of a cluster along each axis.
    #[doc(alias = "cluster.dim_blocks")] #[doc(alias = "%cluster_nctaid")]
    dim_blocks = cluster_nctaid_x, cluster_nctaid_y, cluster_nctaid_z;
    /// This cluster's position in the grid.
    #[doc(alias = "%clusterid")]
    cluster_index = clusterid_x, clusterid_y, clusterid_z;
    /// Clusters of the grid along each axis.
    #[doc(alias = "%nclusterid")]
    dim_clusters = nclusterid_x, nclusterid_y, nclusterid_z;
}

/// This block's number in its cluster, x fastest.
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

/// Blocks in the cluster: 1 in a launch without clusters.
#[doc(alias = "cluster.num_blocks")]
#[doc(alias = "%cluster_nctarank")]
#[inline]
#[must_use]
pub fn num_blocks() -> u32 {
    // SAFETY: every thread may read its special registers at any time, and no device has larger
    // clusters.
    unsafe {
        let blocks = intrinsics::cluster_nctarank();
        core::hint::assert_unchecked(matches!(blocks, 1..=16));
        blocks
    }
}

/// This thread's number in its cluster: the blocks' threads one block after another.
#[doc(alias = "cluster.thread_rank")]
#[inline]
#[must_use]
pub fn thread_rank() -> u32 {
    block_rank() * thread::block_size() + thread::thread_rank()
}

/// Threads in the cluster.
#[doc(alias = "cluster.num_threads")]
#[inline]
#[must_use]
pub fn num_threads() -> u32 {
    num_blocks() * thread::block_size()
}

/// Whether the launch, or the kernel, named a cluster size.
#[doc(alias = "%is_explicit_cluster")]
#[inline]
#[must_use]
pub fn is_explicit() -> bool {
    // SAFETY: every thread may read its special registers at any time.
    unsafe { intrinsics::is_explicit_cluster() }
}

/// Waits for all threads of the cluster that have not ended. After it, each sees what the others
/// wrote before.
#[doc(alias = "cluster.sync")]
#[doc(alias = "barrier.cluster")]
#[inline]
pub fn sync_cluster() {
    arrive().wait();
}

/// Arrives at the cluster's barrier and goes on. The threads that wait see what this thread wrote
/// before.
///
/// Between the arrival and the wait, a thread can do work that needs no other thread. Only one
/// phase can be open at a time, so a thread waits before it arrives again; the simulator reports a
/// second arrival.
#[doc(alias = "cluster.barrier_arrive")]
#[doc(alias = "barrier.cluster.arrive")]
#[inline]
pub fn arrive() -> Arrival {
    // SAFETY: the threads of the cluster take part; the wait is the token's.
    unsafe { intrinsics::barrier_cluster_arrive() }
    Arrival(PhantomData)
}

/// [`arrive`] without an order of memory accesses: for blocks that wait for each other but exchange
/// no data.
#[doc(alias = "barrier.cluster.arrive.relaxed")]
#[inline]
pub fn arrive_relaxed() -> Arrival {
    // SAFETY: as in `arrive`.
    unsafe { intrinsics::barrier_cluster_arrive_relaxed() }
    Arrival(PhantomData)
}

/// The state of a thread that has arrived at the cluster's barrier and has still to wait there.
///
/// It waits when it is dropped, so the wait cannot be forgotten; [`wait`](Arrival::wait) makes the
/// place visible.
#[derive(Debug)]
#[must_use = "the thread waits where this is dropped: keep it until the others' writes are needed, then call `wait`"]
pub struct Arrival(PhantomData<*mut ()>);

impl Arrival {
    /// Waits until all threads of the cluster have arrived. This thread then sees what they wrote
    /// before.
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
        // SAFETY: this thread has arrived, and has not waited since.
        unsafe { intrinsics::barrier_cluster_wait() }
    }
}

/// The address, in the shared memory of block `rank` of the cluster, that corresponds to `pointer`
/// in this block's.
///
/// Every block of the cluster may read, write and update it atomically. The caller has to see to
/// the order of accesses, and that the block is still running ([`sync_cluster`] before and after).
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
    // SAFETY: the cluster has this block; the address is only computed.
    unsafe { intrinsics::mapa(escape(pointer).cast(), rank).cast() }
}

/// The rank in the cluster of the block whose shared memory `pointer` leads to.
#[doc(alias = "cluster.query_shared_rank")]
#[doc(alias = "getctarank")]
#[inline]
#[must_use]
pub fn query_shared_rank<T>(pointer: *const T) -> u32 {
    // SAFETY: looks at the address and at nothing else.
    unsafe { intrinsics::getctarank(pointer.cast_mut().cast()) }
}

/// The pointer, of which the optimizer knows nothing any more.
///
/// It is told that `mapa` keeps no pointer, and would take the result for memory apart from the
/// block's own arrays: for a block's own rank it is the same.
#[inline(always)]
fn escape<T>(pointer: *mut T) -> *mut T {
    #[cfg(not(target_arch = "nvptx64"))]
    {
        pointer
    }
    #[cfg(target_arch = "nvptx64")]
    {
        let mut address = pointer.expose_provenance();
        // SAFETY: no instruction at all.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg64) address, options(pure, nomem, nostack, preserves_flags));
        }
        core::ptr::with_exposed_provenance_mut(address)
    }
}
