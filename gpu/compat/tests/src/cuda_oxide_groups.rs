//! Written for cuda-oxide: lanes, atomics, groups and clusters with its names.
#![allow(
    clippy::missing_safety_doc,
    clippy::undocumented_unsafe_blocks,
    reason = "as they are written there"
)]

use lanewise_compat::cuda_device::atomic::{
    AtomicOrdering, BlockAtomicU32, DeviceAtomicF32, DeviceAtomicF64, DeviceAtomicI32,
    DeviceAtomicU32, DeviceAtomicU64,
};
use lanewise_compat::cuda_device::cooperative_groups::{
    ThreadGroup, WarpCollective, block_reduce, block_scan, coalesced_threads,
    ops::{BitAnd, BitOr, BitXor, Max, Min, Sum},
    this_grid, this_thread_block, warp_reduce, warp_scan,
};
use lanewise_compat::cuda_device::{
    DisjointSlice, DynamicSharedArray, SharedArray, cluster, cluster_launch, cooperative_launch,
    debug, gpu_printf, grid, kernel, launch_bounds, launch_contract, thread, threadfence, warp,
};

/// Operations among lanes: 20 results per thread.
#[kernel]
pub unsafe fn lanes(values: &[u32], out: *mut [u64; 20]) {
    let idx = thread::index_1d().get();
    let (v, lane) = (values[idx], warp::lane_id());
    let (f, d, w) = (v as f32, f64::from(v), u64::from(v) << 20);
    let odd = v % 2 == 1;
    let answers = [
        u64::from(warp::shuffle(v, 3)),
        u64::from(warp::shuffle_up(v, 1)),
        u64::from(warp::shuffle_down(v, 2)),
        u64::from(warp::shuffle_xor(v, 5)),
        warp::shuffle_f32(f, 31) as u64,
        warp::shuffle_xor_f64(d, 16) as u64,
        warp::shuffle_down_u64(w, 1),
        u64::from(warp::shuffle_sync(u32::MAX, v, lane / 2)),
        warp::shuffle_xor_f32_sync(u32::MAX, f, 1) as u64,
        u64::from(warp::popc(odd)),
        u64::from(warp::ballot_sync(u32::MAX, odd)),
        u64::from(warp::all(odd)) + 2 * u64::from(warp::any(odd)),
        u64::from(warp::match_any_sync(u32::MAX, v % 4)),
        u64::from(warp::match_all_i64_sync(u32::MAX, w)),
        u64::from(warp::redux_sync_add(u32::MAX, v)),
        u64::from(warp::redux_sync_min_u32(u32::MAX, v)),
        u64::from(warp::redux_sync_max_i32(u32::MAX, v as i32) as u32),
        u64::from(warp::redux_sync_xor(u32::MAX, v)),
        u64::from(warp::lanemask_lt()),
        u64::from(warp::warp_id()),
    ];
    warp::sync_mask(u32::MAX);
    unsafe { *out.add(idx) = answers };
}

/// Counts with every kind of atomic. An exchange takes an order for its failure.
#[kernel]
pub unsafe fn count(
    numbers: *mut u32,
    signed: *mut i32,
    wide: &[DeviceAtomicU64],
    sum: &[DeviceAtomicF32],
    sum64: *mut f64,
) {
    static mut SEEN: SharedArray<u32, 1> = SharedArray::UNINIT;

    let tid = thread::threadIdx_x();
    let seen = unsafe { BlockAtomicU32::from_ptr(SEEN.as_mut_ptr()) };
    if tid == 0 {
        seen.store(0, AtomicOrdering::Relaxed);
    }
    thread::sync_threads();
    seen.fetch_add(1, AtomicOrdering::AcqRel);
    thread::sync_threads();

    let (counter, winner) = unsafe {
        (
            DeviceAtomicU32::from_ptr(numbers),
            DeviceAtomicU32::from_ptr(numbers.add(1)),
        )
    };
    if tid == 0 {
        counter.fetch_add(seen.load(AtomicOrdering::Acquire), AtomicOrdering::Relaxed);
    }
    let won = winner.compare_exchange(0, 1, AtomicOrdering::AcqRel, AtomicOrdering::Relaxed);
    if won.is_ok() {
        unsafe { DeviceAtomicU32::from_ptr(numbers.add(2)) }.fetch_add(1, AtomicOrdering::SeqCst);
    }
    let signed = unsafe { DeviceAtomicI32::from_ptr(signed) };
    signed.fetch_min(-(tid as i32), AtomicOrdering::Relaxed);
    wide[0].fetch_max(u64::from(tid) << 40, AtomicOrdering::Relaxed);
    sum[0].fetch_add(0.5, AtomicOrdering::Relaxed);
    let old = sum[1].swap(2.0, AtomicOrdering::AcqRel);
    if old == 2.0 {
        sum[2].fetch_sub(1.0, AtomicOrdering::SeqCst);
    }
    let sum64 = unsafe { DeviceAtomicF64::from_ptr(sum64) };
    sum64.fetch_add(0.25, AtomicOrdering::Release);
    threadfence();
    if sum64.load(AtomicOrdering::Acquire) < 0.0 {
        sum64.store(0.0, AtomicOrdering::Release);
    }
}

/// Tiles, scattered lanes, warps and blocks as groups: 12 results per thread.
#[kernel]
#[launch_contract(domain = 1, block = (96, 1, 1))]
pub fn groups(values: &[u32], mut out: DisjointSlice<[u32; 12]>) {
    static mut SUMS: SharedArray<u32, 3> = SharedArray::UNINIT;
    static mut SCAN: SharedArray<u32, 3> = SharedArray::UNINIT;

    let idx = thread::index_1d();
    let v = values[idx.get()];
    let block = this_thread_block();
    let whole = block.tiled_partition::<32>();
    let tile = block.tiled_partition::<8>();
    tile.sync();
    let evens = if v.is_multiple_of(2) {
        let group = coalesced_threads();
        group.size() << 8 | group.thread_rank()
    } else {
        0
    };
    let answers = [
        tile.ballot(v.is_multiple_of(3)),
        tile.shfl(v, 2),
        tile.shfl_xor(v, 12),
        tile.shfl_down_f32(v as f32, 1) as u32,
        tile.match_any(v % 2),
        warp_reduce::<u32, Sum, _>(&whole, v) ^ warp_reduce::<u32, BitXor, _>(&whole, v),
        warp_reduce::<i32, Min, _>(&tile, v as i32 - 100) as u32,
        warp_scan::<u32, Max, _>(&tile, v),
        unsafe { block_reduce::<u32, Sum, _>(&block, v, &raw mut SUMS) },
        unsafe { block_scan::<u32, Sum, _>(&block, v, &raw mut SCAN) },
        warp_reduce::<u32, BitAnd, _>(&whole, v | 1) ^ warp_reduce::<u32, BitOr, _>(&tile, v),
        evens,
    ];
    if let Some(out) = out.get_mut(idx) {
        *out = answers;
    }
}

/// The blocks' numbers, summed by each block after a grid barrier; then with the typed handle.
#[kernel]
#[cooperative_launch]
#[launch_bounds(64)]
pub fn meet(mut markers: DisjointSlice<u32>, mut out: DisjointSlice<u32>) {
    let block = thread::blockIdx_x();
    if thread::threadIdx_x() == 0 {
        unsafe { *markers.get_unchecked_mut(block as usize) = block + 1 };
    }
    grid::sync();
    if thread::threadIdx_x() == 0 {
        let first = markers.as_mut_ptr() as *const u32;
        let mut sum = 0;
        let mut i = 0;
        #[unroll(4)]
        while i < thread::gridDim_x() {
            sum += unsafe { *first.add(i as usize) };
            i += 1;
        }
        let grid = this_grid();
        unsafe { *out.get_unchecked_mut(grid.block_rank() as usize) = sum * grid.num_blocks() };
    }
    this_grid().sync();
}

/// Each block reads what the next one of its cluster has in shared memory.
#[kernel]
#[cluster_launch(2, 1, 1)]
pub unsafe fn neighbour(out: *mut u32) {
    static mut MINE: SharedArray<u32, 1> = SharedArray::UNINIT;

    let rank = cluster::block_rank();
    if thread::threadIdx_x() == 0 {
        unsafe { MINE.as_mut_ptr().write(100 * cluster::cluster_idx() + rank) };
    }
    cluster::cluster_sync();
    let next = (rank + 1) % cluster::cluster_size();
    let theirs = unsafe { cluster::dsmem_read_u32(MINE.as_ptr(), next) };
    if thread::threadIdx_x() == 0 {
        unsafe { *out.add(thread::blockIdx_x() as usize) = theirs };
    }
    cluster::cluster_sync();
}

/// Dynamic shared memory, a clock, an event of the profiler, and text with C's characters.
#[kernel]
pub unsafe fn report(x: f32, out: *mut u32) {
    let tid = thread::threadIdx_x() as usize;
    let tile = DynamicSharedArray::<u32>::get();
    let start = debug::clock64();
    unsafe { *tile.add(tid) = tid as u32 * 3 };
    thread::sync_threads();
    debug::prof_trigger::<7>();
    unsafe { *out.add(tid) = *tile.add(thread::blockDim_x() as usize - 1 - tid) };
    if tid == 0 {
        let ran = debug::clock64() >= start;
        gpu_printf!("[{:-6d}] {:8.2f} {:#x} {}\n", tid, x, 255u32, ran);
    }
}
