//! Written for Rust-CUDA: statics in shared memory, lanes and atomics with its names.
#![allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    clippy::undocumented_unsafe_blocks,
    reason = "as they are written there"
)]

use core::sync::atomic::Ordering;
use lanewise_compat::cuda_std::atomic::{AtomicF32, AtomicF64, SystemAtomicF64};
use lanewise_compat::cuda_std::thread;
use lanewise_compat::cuda_std::warp::{self, WarpReductionOp};
use lanewise_compat::cuda_std::{GpuFloat, address_space, externally_visible, gpu_only, kernel};

/// `alpha a b + beta c` by tiles, of row-major matrices of m x k, k x n and m x n.
#[kernel]
#[allow(improper_ctypes_definitions)]
pub unsafe fn gemm_tiled(
    a: &[f32],
    b: &[f32],
    c: *mut f32,
    m: usize,
    n: usize,
    k: usize,
    alpha: f32,
    beta: f32,
) {
    const TILE: usize = 8;

    #[address_space(shared)]
    static mut TILE_A: [f32; TILE * TILE] = [0.; TILE * TILE];
    #[address_space(shared)]
    static mut TILE_B: [[f32; TILE]; TILE] = [[0.; TILE]; TILE];

    let tx = thread::thread_idx_x() as usize;
    let ty = thread::thread_idx_y() as usize;
    let row = thread::block_idx_x() as usize * TILE + ty;
    let col = thread::block_idx_y() as usize * TILE + tx;
    let mut sum = 0.0;
    for step in (0..k).step_by(TILE) {
        let from_a = if row < m && step + tx < k {
            a[row * k + step + tx]
        } else {
            0.0
        };
        let from_b = if col < n && step + ty < k {
            b[(step + ty) * n + col]
        } else {
            0.0
        };
        unsafe {
            TILE_A[ty * TILE + tx] = from_a;
            TILE_B[ty][tx] = from_b;
        }
        thread::sync_threads();
        for i in 0..TILE {
            sum += unsafe { TILE_A[ty * TILE + i] * TILE_B[i][tx] };
        }
        thread::sync_threads();
    }
    if row < m && col < n {
        let c = unsafe { &mut *c.add(row * n + col) };
        *c = alpha * sum + beta * *c;
    }
}

/// Operations of a warp's lanes: 7 results per thread.
#[kernel]
pub unsafe fn together(values: &[u32], out: *mut [u32; 7]) {
    let i = thread::index() as usize;
    let v = values[i];
    unsafe {
        *out.add(i) = [
            warp::warp_reduce(u32::MAX, v, WarpReductionOp::Add),
            warp::warp_reduce(u32::MAX, v as i32 - 7, WarpReductionOp::Min) as u32,
            warp::warp_reduce(u32::MAX, v, WarpReductionOp::Xor),
            warp::warp_match_any(u32::MAX, v),
            warp::warp_match_all(u32::MAX, v / 64).unwrap_or(7),
            warp::warp_vote_ballot(u32::MAX, v > 20),
            thread::warp_size(),
        ];
    }
}

/// The sum of all values, in two ways.
#[kernel]
pub unsafe fn add_up(values: &[f32], sum: *mut f32, sum64: &[SystemAtomicF64]) {
    let i = thread::index_1d() as usize;
    if i < values.len() {
        let sum = unsafe { &*(sum as *const AtomicF32) };
        sum.fetch_add(values[i], Ordering::Relaxed);
        sum64[0].fetch_add(f64::from(values[i]), Ordering::Relaxed);
        thread::grid_fence();
        thread::nanosleep(20);
    }
}

/// The square root of a number, with the trait that gives floats their functions.
#[gpu_only]
#[externally_visible]
fn root<F: GpuFloat>(x: F) -> F {
    x.sqrt()
}

/// Where each thread is, and what its warp votes: `[x, y, z, all, any]`; the roots of places,
/// summed; fences of all three scopes.
#[kernel]
pub unsafe fn places(out: *mut [u32; 5], sum: &[AtomicF64]) {
    let (at, i) = (thread::index_3d(), thread::index());
    let (all, any) = unsafe {
        (
            warp::warp_vote_all(u32::MAX, at.x < 15),
            warp::warp_vote_any(u32::MAX, at.x == 15),
        )
    };
    unsafe { *out.add(i as usize) = [at.x, at.y, at.z, all.into(), any.into()] };
    thread::block_fence();
    sum[0].fetch_add(f64::from(root((i * i) as f32)), Ordering::Relaxed);
    thread::device_fence();
    sum[1].fetch_add(root(f64::from(i * i)), Ordering::Relaxed);
    thread::system_fence();
}
