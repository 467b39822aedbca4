//! Atomics, sparse matrices and graphs.

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{
    AtomicOrdering, BlockAtomicF32, BlockAtomicI32, DeviceAtomicF32, DeviceAtomicI32,
};
use lanewise_std::thread::{self, sync_threads, thread_idx_x};
use lanewise_std::warp::{FULL_MASK, shuffle_down_sync};
use lanewise_std::{DisjointSlice, GlobalMut};

/// `y = a x` for a matrix in CSR form, with a row for each thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn spmv_csr_scalar(
    row_ptr: &[i32],
    col: &[i32],
    val: &[f32],
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let row = thread::index_1d();
    if let Some(y) = y.get_mut(&row) {
        let row = row.get();
        let mut acc = 0.0;
        for k in row_ptr[row] as usize..row_ptr[row + 1] as usize {
            acc += val[k] * x[col[k] as usize];
        }
        *y = acc;
    }
}

/// `y = a x` for a matrix in CSR form, with a row for each warp.
#[kernel]
#[launch_contract(dims = 1)]
pub fn spmv_csr_vector(
    row_ptr: &[i32],
    col: &[i32],
    val: &[f32],
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let row = thread::global_idx_x() as usize / 32;
    let lane = thread_idx_x() as usize % 32;
    if row >= y.len() {
        return;
    }
    let mut acc = 0.0;
    let (begin, end) = (row_ptr[row] as usize, row_ptr[row + 1] as usize);
    for k in (begin + lane..end).step_by(32) {
        acc += val[k] * x[col[k] as usize];
    }
    let mut d = 16;
    while d > 0 {
        acc += shuffle_down_sync(FULL_MASK, acc, d);
        d /= 2;
    }
    if lane == 0 {
        // SAFETY: one lane of the one warp that has this row is here.
        unsafe { y.write_unique(row, acc) };
    }
}

/// One level of a breadth-first search, with a node of the frontier for each thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn bfs_level(
    row_ptr: &[i32],
    col: &[i32],
    frontier: &[i32],
    dist: &[DeviceAtomicI32],
    next: GlobalMut<i32>,
    next_len: &[DeviceAtomicI32],
    level: i32,
) {
    let i = thread::global_idx_x() as usize;
    if i >= frontier.len() {
        return;
    }
    let node = frontier[i] as usize;
    for k in row_ptr[node] as usize..row_ptr[node + 1] as usize {
        let to = col[k];
        let relaxed = AtomicOrdering::Relaxed;
        let seen = dist[to as usize].compare_exchange(-1, level + 1, relaxed, relaxed);
        if seen.is_ok() {
            let slot = next_len[0].fetch_add(1, relaxed);
            // SAFETY: the counter gives each slot to one thread.
            unsafe { next.set(slot as usize, to) };
        }
    }
}

/// The number of centroids.
pub const CENTROIDS: usize = 16;
/// The number of coordinates of a point.
pub const COORDINATES: usize = 4;

/// Labels each point with its nearest centroid, and adds it to that centroid's sum and count.
#[kernel]
#[launch_contract(dims = 1)]
pub fn kmeans_accumulate(
    points: &[f32],
    centroid: &[f32],
    mut label: DisjointSlice<i32>,
    sum: &[DeviceAtomicF32],
    count: &[DeviceAtomicI32],
) {
    shared! {
        static C: [f32; CENTROIDS * COORDINATES];
        static SUM: [f32; CENTROIDS * COORDINATES];
        static COUNT: [i32; CENTROIDS];
    }
    let relaxed = AtomicOrdering::Relaxed;
    let tid = thread_idx_x() as usize;
    // SAFETY: each thread sets its own cells. Between the barriers `C` is only read, and the others
    // are accessed by atomics alone.
    unsafe {
        if tid < CENTROIDS * COORDINATES {
            C.set(tid, centroid[tid]);
            SUM.set(tid, 0.0);
        }
        if tid < CENTROIDS {
            COUNT.set(tid, 0);
        }
        sync_threads();
        let i = thread::index_1d();
        if let Some(label) = label.get_mut(&i) {
            let i = i.get();
            let (mut best, mut which) = (f32::INFINITY, 0);
            for k in 0..CENTROIDS {
                let mut d2 = 0.0;
                for e in 0..COORDINATES {
                    let diff = points[i * COORDINATES + e] - C.get(k * COORDINATES + e);
                    d2 += diff * diff;
                }
                if d2 < best {
                    best = d2;
                    which = k;
                }
            }
            *label = which as i32;
            for e in 0..COORDINATES {
                BlockAtomicF32::from_ptr(SUM.address_of(which * COORDINATES + e))
                    .fetch_add(points[i * COORDINATES + e], relaxed);
            }
            BlockAtomicI32::from_ptr(COUNT.address_of(which)).fetch_add(1, relaxed);
        }
        sync_threads();
        if tid < CENTROIDS * COORDINATES {
            sum[tid].fetch_add(SUM.get(tid), relaxed);
        }
        if tid < CENTROIDS {
            count[tid].fetch_add(COUNT.get(tid), relaxed);
        }
    }
}

/// The number of neighbouring elements of a thread of [`segmented_sum`].
pub const RUN: usize = 16;

/// Adds elements by their keys, which are sorted, with one atomic for each run of a thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn segmented_sum(key: &[i32], val: &[f32], out: &[DeviceAtomicF32]) {
    let begin = thread::global_idx_x() as usize * RUN;
    let end = (begin + RUN).min(key.len());
    if begin >= end {
        return;
    }
    let mut current = key[begin];
    let mut acc = 0.0;
    for i in begin..end {
        if key[i] != current {
            out[current as usize].fetch_add(acc, AtomicOrdering::Relaxed);
            current = key[i];
            acc = 0.0;
        }
        acc += val[i];
    }
    out[current as usize].fetch_add(acc, AtomicOrdering::Relaxed);
}
