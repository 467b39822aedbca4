//! Written for Rust-CUDA: outputs and shared arrays are raw pointers, indices plain numbers.
#![allow(
    clippy::missing_safety_doc,
    clippy::undocumented_unsafe_blocks,
    reason = "as they are written there"
)]

use lanewise_compat::cuda_std::prelude::*;

/// `y = a x + y`.
#[kernel]
#[allow(improper_ctypes_definitions)]
pub unsafe fn saxpy(a: f32, x: &[f32], y: *mut f32) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        let y = unsafe { &mut *y.add(i) };
        *y += a * x[i];
    }
}

/// Makes the bytes of an image brighter.
#[kernel]
pub unsafe extern "C" fn brighten(pixels: *mut u8, width: u32, height: u32, by: u32) {
    let at = thread::index_2d();
    if at.x < width && at.y < height {
        let pixel = unsafe { &mut *pixels.add((at.y * width + at.x) as usize) };
        *pixel = (*pixel as u32 + by).min(255) as u8;
    }
}

/// The distance of each point from the origin.
#[kernel]
pub unsafe fn lengths(points: &[[f32; 2]], out: *mut f32) {
    let i = thread::index_1d() as usize;
    if i < points.len() {
        let [x, y] = points[i];
        unsafe { *out.add(i) = (x * x + y * y).sqrt() };
    }
}

// ANCHOR: reverse
/// Reverses each block's elements.
#[kernel]
pub unsafe fn reverse_blocks(data: *mut u32) {
    let tile = shared_array![u32; 64];
    let (thread, last) = (
        thread::thread_idx_x() as usize,
        thread::block_dim_x() as usize - 1,
    );
    let start = (thread::block_idx_x() * thread::block_dim_x()) as usize;
    unsafe {
        *tile.add(thread) = *data.add(start + thread);
        thread::sync_threads();
        *data.add(start + thread) = *tile.add(last - thread);
    }
}
// ANCHOR_END: reverse

/// Returns a block's sum, by shuffles within warps and through dynamic shared memory between them,
/// and the number of odd elements.
#[kernel]
pub unsafe fn block_sum(data: &[u32], sums: *mut u32, odd: *mut u32) {
    let i = thread::index_1d() as usize;
    let mut sum = data.get(i).copied().unwrap_or(0);
    let odd_here = thread::sync_threads_count(sum % 2);
    let parts = shared::dynamic_shared_mem::<u32>();
    unsafe {
        for delta in [16, 8, 4, 2, 1] {
            let (other, _) = warp::warp_shuffle_down(u32::MAX, sum, delta, 32);
            sum += other;
        }
        if warp::lane_id() == 0 {
            *parts.add(thread::thread_idx_x() as usize / 32) = sum;
        }
        thread::sync_threads();
        if thread::thread_idx_x() == 0 {
            let warps = thread::block_dim().x as usize / 32;
            let block = thread::block_idx().x as usize;
            *sums.add(block) = (0..warps).map(|warp| *parts.add(warp)).sum();
            *odd.add(block) = odd_here;
        }
    }
}

/// For each thread: how many threads of its block hold a value other than zero, whether all do, and
/// whether any does.
#[kernel]
pub unsafe fn block_votes(data: &[u32], out: *mut [u32; 3]) {
    let i = thread::index_1d() as usize;
    let predicate = data[i];
    let votes = [
        thread::sync_threads_count(predicate),
        thread::sync_threads_and(predicate),
        thread::sync_threads_or(predicate),
    ];
    unsafe { *out.add(i) = votes };
}

/// Panics if an element is over the limit.
#[kernel]
pub unsafe fn check_limit(data: &[u32], limit: u32) {
    let value = data[thread::index_1d() as usize];
    assert!(value <= limit, "{value} is over {limit}");
}

/// Prints a greeting from each thread.
#[kernel]
pub unsafe fn hello(number: u32) {
    if thread::first() {
        println!("hello, {number}");
    }
}
