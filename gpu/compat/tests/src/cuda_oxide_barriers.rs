//! Written for cuda-oxide: barriers as functions and as types, a box for each block of a cluster,
//! places in other blocks, and operations of a whole warp.
#![allow(
    clippy::missing_safety_doc,
    clippy::undocumented_unsafe_blocks,
    reason = "as they are written there"
)]

use lanewise_compat::cuda_device::barrier::{
    Barrier, ManagedBarrier, MmaBarrier, TmaBarrier, Uninit, mbarrier_arrive,
    mbarrier_arrive_and_wait, mbarrier_init, mbarrier_try_wait_parity,
};
use lanewise_compat::cuda_device::cooperative_groups::{
    CoalescedThreads, ThreadGroup, coalesced_threads,
};
use lanewise_compat::cuda_device::tma::{TmaDescriptor, cp_async_bulk_tensor_2d_g2s_multicast};
use lanewise_compat::cuda_device::{
    DisjointSlice, DynamicSharedArray, SharedArray, cluster, cluster_launch, convergent, device,
    kernel, launch_bounds, thread, warp,
};

/// The value of the thread before this one, and of the thread before that: `[left, far]`.
#[kernel]
#[launch_bounds(64)]
pub unsafe fn pass_on(input: &[u32], out: *mut [u32; 2]) {
    static mut VALUES: SharedArray<u32, 64> = SharedArray::UNINIT;
    static mut BAR: Barrier = Barrier::UNINIT;
    static mut READ: Barrier = Barrier::UNINIT;

    let tid = thread::threadIdx_x() as usize;
    let idx = thread::index_1d().get();
    if tid == 0 {
        unsafe { mbarrier_init(&raw mut BAR, 64) };
    }
    // Nothing but its users makes a barrier one of matrix units.
    let read = ManagedBarrier::<Uninit, MmaBarrier>::from_static(&raw mut READ);
    let read = unsafe { read.init(64) };
    unsafe {
        VALUES[tid] = input[idx];
        mbarrier_arrive_and_wait(&raw const BAR);
    }
    let left = unsafe { VALUES[(tid + 63) % 64] };
    let token = read.arrive();
    read.wait(token);
    unsafe {
        VALUES[tid] = left;
        let _ = mbarrier_arrive(&raw const BAR);
        // The second phase.
        while !mbarrier_try_wait_parity(&raw const BAR, 1) {}
        *out.add(idx) = [left, VALUES[(tid + 63) % 64]];
        if tid == 0 {
            let _ = read.inval();
        }
    }
}

/// Columns of a box.
pub const WIDTH: usize = 16;
/// Rows of a box.
pub const HEIGHT: usize = 8;

/// A box of a matrix, loaded once for both blocks of a cluster: its elements, plus 1000 times the
/// value that the other block has left here.
#[kernel]
#[cluster_launch(2, 1, 1)]
pub unsafe fn spread(from: *const TmaDescriptor, out: *mut f32, x: i32, y: i32) {
    static mut TILE: SharedArray<f32, 128, 128> = SharedArray::UNINIT;
    static mut NOTE: SharedArray<u32, 1> = SharedArray::UNINIT;
    static mut ARRIVED: Barrier = Barrier::UNINIT;

    let (tid, rank) = (thread::threadIdx_x() as usize, cluster::block_rank());
    let arrived = ManagedBarrier::<Uninit, TmaBarrier>::from_static(&raw mut ARRIVED);
    let arrived = unsafe { arrived.init(1) };
    // Both blocks have their barrier.
    cluster::cluster_sync();
    if tid == 0 {
        let _ = arrived.arrive_expect_tx((4 * WIDTH * HEIGHT) as u32);
        let note = unsafe { cluster::map_shared_rank_mut(NOTE.as_mut_ptr(), 1 - rank) };
        unsafe { note.write(rank + 1) };
        if rank == 0 {
            let (tile, barrier) = (&raw mut TILE as *mut u8, &raw mut ARRIVED);
            unsafe { cp_async_bulk_tensor_2d_g2s_multicast(tile, from, x, y, barrier, 0b11) };
        }
    }
    while unsafe { !mbarrier_try_wait_parity(arrived.as_ptr(), 0) } {}
    cluster::cluster_sync();
    let at = thread::blockIdx_x() as usize * WIDTH * HEIGHT + tid;
    unsafe { *out.add(at) = TILE[tid] + 1000.0 * *NOTE.as_ptr() as f32 };
    cluster::cluster_sync();
}

/// Returns whether this thread is the first of a group.
#[device]
#[convergent]
fn leads(group: &CoalescedThreads) -> bool {
    group.thread_rank() == 0
}

/// Operations of a warp, which is a row: 6 results per thread.
#[kernel]
pub unsafe fn rows(values: &[u32], mut out: DisjointSlice<[u32; 6], thread::Index2D<32>>) {
    let at = (32 * thread::threadIdx_y() + thread::threadIdx_x()) as usize;
    let v = values[at];
    let bytes = DynamicSharedArray::<u64>::get_raw();
    unsafe { bytes.add(at).write(v as u8) };
    let Some(idx) = thread::index_2d::<32>() else {
        return;
    };
    let within = thread::sync_threads_count(idx.in_bounds(48));
    let answers = [
        warp::match_any_i64_sync(u32::MAX, u64::from(v % 3) << 40),
        warp::redux_sync_max_u32(u32::MAX, v << 26),
        warp::redux_sync_min_i32(u32::MAX, v as i32 - 20) as u32,
        u32::from(unsafe { bytes.add(at ^ 1).read() }),
        within,
        u32::from(leads(&coalesced_threads())),
    ];
    if let Some(out) = out.get_mut(idx) {
        *out = answers;
    }
}
