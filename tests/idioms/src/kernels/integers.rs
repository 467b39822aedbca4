//! Integers and bits.

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{AtomicOrdering, BlockAtomicU32, DeviceAtomicI32, DeviceAtomicU32};
use lanewise_std::thread::{self, sync_threads, thread_idx_x};
use lanewise_std::warp::{FULL_MASK, ballot_sync};
use lanewise_std::{DisjointMatrix, DisjointSlice, GlobalMut};

/// Uniform numbers in 0 to 1 by the generator PCG-XSH-RR, with a sequence for each thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn pcg_fill(mut out: DisjointSlice<f32>, seed: u64) {
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
    const INCREMENT: u64 = 1_442_695_040_888_963_407;
    let step = |state: u64| state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
    let t = thread::index_1d().get() as u64;
    let mut state = step(seed.wrapping_add(t));
    for (_, out) in out.grid_stride() {
        let old = state;
        state = step(old);
        let x = (((old >> 18) ^ old) >> 27) as u32;
        let x = x.rotate_right((old >> 59) as u32);
        *out = (x >> 8) as f32 * (1.0 / 16_777_216.0);
    }
}

/// The number of steps after which each point of the plane leaves the circle of radius 2.
#[kernel]
#[launch_contract(dims = 2)]
pub fn mandelbrot_u8(mut out: DisjointMatrix<u8>, max_iter: u32) {
    let (w, h) = (out.columns(), out.rows());
    if let Some((out, at)) = out.get_mut_indexed() {
        let cx = -2.25 + 3.0 * at.x() as f32 / w as f32;
        let cy = -1.25 + 2.5 * at.y() as f32 / h as f32;
        let (mut zx, mut zy) = (0.0f32, 0.0f32);
        let mut it = 0;
        while it < max_iter && zx * zx + zy * zy <= 4.0 {
            (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
            it += 1;
        }
        *out = it as u8;
    }
}

/// Keeps the elements below `threshold`, in any order of the blocks, and adds their number to
/// `count`. Blocks have 256 threads.
#[kernel]
#[launch_contract(dims = 1)]
pub fn stream_compact(x: &[i32], out: GlobalMut<i32>, count: &[DeviceAtomicI32], threshold: i32) {
    shared! {
        static OFFSET: [i32; 8];
        static BASE: [i32; 1];
    }
    let i = thread::global_idx_x() as usize;
    let (lane, warp) = (thread_idx_x() % 32, thread_idx_x() as usize / 32);
    let v = if i < x.len() { x[i] } else { 0 };
    let keep = i < x.len() && v < threshold;
    let mask = ballot_sync(FULL_MASK, keep);
    // SAFETY: one thread sets each cell, and barriers come before others read it. The places in the
    // output are distinct, because `count` has reserved them.
    unsafe {
        if lane == 0 {
            OFFSET.set(warp, mask.count_ones() as i32);
        }
        sync_threads();
        if thread_idx_x() == 0 {
            let mut total = 0;
            for w in 0..8 {
                let c = OFFSET.get(w);
                OFFSET.set(w, total);
                total += c;
            }
            BASE.set(0, count[0].fetch_add(total, AtomicOrdering::Relaxed));
        }
        sync_threads();
        if keep {
            let before = (mask & ((1 << lane) - 1)).count_ones() as i32;
            out.set((BASE.get(0) + OFFSET.get(warp) + before) as usize, v);
        }
    }
}

/// Counts bytes by their value: in shared memory, then one atomic a bin and block.
#[kernel]
#[launch_contract(dims = 1)]
pub fn histogram_256(x: &[u8], hist: &[DeviceAtomicU32]) {
    shared! { static BINS: [u32; 256]; }
    let tid = thread_idx_x() as usize;
    // SAFETY: each thread sets its own cell, and only atomics access the cells until the last
    // barrier.
    unsafe {
        BINS.set(tid, 0);
        sync_threads();
        for i in thread::grid_stride(x.len()) {
            BlockAtomicU32::from_ptr(BINS.address_of(x[i] as usize))
                .fetch_add(1, AtomicOrdering::Relaxed);
        }
        sync_threads();
        hist[tid].fetch_add(BINS.get(tid), AtomicOrdering::Relaxed);
    }
}
