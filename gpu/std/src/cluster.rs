//! Clusters: blocks that run at the same time and reach each other's shared memory.
//!
//! From compute capability 9.0 a grid may be cut into clusters of blocks, up to 8 everywhere and 16 where the device allows it. The
//! blocks of a cluster run side by side on neighbouring multiprocessors: they can wait for each other, and a thread can read,
//! write and count in the shared memory of every block of its cluster. `#[cluster_launch(2, 1, 1)]` fixes the size in the kernel,
//! `LaunchConfig::with_cluster` gives it at the launch; without either each block is a cluster by itself, and all of this works.
//!
//! A block's shared memory is there as long as the block runs. So a cluster meets before the first access from afar (all blocks
//! have begun) and after the last (none has ended); the simulator reports a block that was left too early.
//! CUDA C++ Programming Guide, "Thread Block Clusters", "Distributed Shared Memory"; PTX ISA, "barrier.cluster", "mapa".

use core::marker::PhantomData;

use crate::dynamic::Dim3;
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
    // SAFETY: every thread may read its special registers at any time, and a rank is below the number of ranks.
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
    // SAFETY: every thread may read its special registers at any time, and no device has larger clusters.
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

/// Waits for all threads of the cluster; what each wrote before is seen by all after. Threads that have ended are not waited for.
#[doc(alias = "cluster.sync")]
#[doc(alias = "barrier.cluster")]
#[inline]
pub fn sync_cluster() {
    arrive().wait();
}

/// Arrives at the cluster's barrier and goes on: what this thread wrote before is seen by those who wait for it.
///
/// Between here and the wait is room for work that needs nobody else. Only one phase can be open at a time, so a thread waits before
/// it arrives again; to arrive twice is an error that the simulator reports.
#[doc(alias = "cluster.barrier_arrive")]
#[doc(alias = "barrier.cluster.arrive")]
#[inline]
pub fn arrive() -> Arrival {
    // SAFETY: the threads of the cluster take part; the wait is the token's.
    unsafe { intrinsics::barrier_cluster_arrive() }
    Arrival(PhantomData)
}

/// [`arrive`], without saying anything about memory: for a meeting that has nothing to hand over.
#[doc(alias = "barrier.cluster.arrive.relaxed")]
#[inline]
pub fn arrive_relaxed() -> Arrival {
    // SAFETY: as in `arrive`.
    unsafe { intrinsics::barrier_cluster_arrive_relaxed() }
    Arrival(PhantomData)
}

/// That a thread has arrived at the cluster's barrier and has still to wait there.
///
/// It waits when it goes out of scope, so the wait can't be forgotten; [`wait`](Arrival::wait) says where.
#[derive(Debug)]
#[must_use = "the thread waits where this is dropped: keep it until the others' writes are needed, then call `wait`"]
pub struct Arrival(PhantomData<*mut ()>);

impl Arrival {
    /// Waits until all threads of the cluster have arrived; what they wrote before they did is seen after.
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

/// Where block `rank` of the cluster has what this block has at `pointer`, in its shared memory.
///
/// The address may be read, written and counted at from every block of the cluster; who does so answers for the order of
/// accesses and for the block being there ([`sync_cluster`] before and after).
///
/// # Panics
/// If the cluster has no block of this rank.
#[doc(alias = "cluster.map_shared_rank")]
#[doc(alias = "mapa")]
#[inline]
#[must_use]
pub fn map_shared_rank<T>(pointer: *mut T, rank: u32) -> *mut T {
    assert!(rank < num_blocks(), "a rank past the blocks of the cluster");
    // SAFETY: the cluster has this block; the address is only computed.
    unsafe { intrinsics::mapa(escape(pointer).cast(), rank).cast() }
}

/// The block of the cluster whose shared memory a pointer leads to, as its rank.
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
/// It is told that `mapa` keeps no pointer, and would take the result for memory apart from the block's own arrays: for a block's own
/// rank it is the same.
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
