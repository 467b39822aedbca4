//! Sum of a slice by recursion: each step adds one half of a part to the other, and launches the
//! next step on the half that is left.
//!
//! Launch: grid and blocks with one thread for each element (`recursive_reduce2`: for every two).
//! Works in place: block b sums its part of `data`, one element for each thread, to `sums[b]`;
//! `data` is overwritten. Any length will do; a part past the end sums to zero.
//! Shows: which writes a child sees. A step needs the additions of all threads in the step before,
//! but a launch alone shows the child only what the launching thread sees. The kernels wait for the
//! additions in three ways: by a barrier of the block, by the end of the grid, or by the end of one
//! grid for all blocks. No thread can wait for its child (CUDA 12 removed that), and none needs to:
//! a grid ends only after its children. In the first two, types say who has the memory: the last
//! step of a block's part returns what is left to the thread that launches the child. The third one
//! gives all blocks' parts to one child. No type says yet that a row is longer than what is left of
//! it, and that a grid gives all of its rows away.
//! Source: Professional CUDA C Programming, chapter 3; CUDA programming guide, "CUDA Dynamic
//! Parallelism".

use lanewise_macros::kernel;
use lanewise_std::collective::Sum;
use lanewise_std::dynamic::{Shape, Stream, launch, launch_in_tail, launch_owned};
use lanewise_std::thread::{block_idx_x, grid_dim_x, thread_idx_x};
use lanewise_std::{GlobalMut, PartPerBlock, PerBlock};

/// Each block adds its halves, waits at a barrier, and launches a child for the remaining half.
///
/// The children of different blocks run side by side. Every step has as many launches as blocks.
#[kernel(launches)]
pub fn recursive_reduce(data: PartPerBlock<i32>, sums: PerBlock<i32>) {
    // The last step waits for the block: else the child would see this thread's addition only.
    if let (Some(left), Some(mut sum)) = (data.begin(Sum).last_step(), sums.give()) {
        if left.len() > 1 {
            let child = Shape::new(1, left.len() as u32);
            launch_owned::<recursive_reduce>(child, (left, sum));
        } else if let Some(sum) = sum.first_mut() {
            *sum = left.first().copied().unwrap_or(0);
        }
    }
}

/// Launches the children without a barrier: they begin after the whole grid has ended.
///
/// A grid has one tail stream, so the children of all its blocks run one after another.
#[kernel(launches)]
pub fn recursive_reduce_nosync(data: PartPerBlock<i32>, sums: PerBlock<i32>) {
    if let (Some(left), Some(mut sum)) = (data.begin(Sum).last_step_in_tail(), sums.give()) {
        if left.len() > 1 {
            let child = Shape::new(1, left.len() as u32);
            launch_in_tail::<recursive_reduce_nosync>(child, (left, sum.in_tail()));
        } else if let Some(sum) = sum.first_mut() {
            *sum = left.first().unwrap_or(0);
        }
    }
}

/// Launches one child at every step, for all blocks: block 0 launches a grid of as many blocks,
/// with half of the threads.
///
/// A block's part is `length` elements, of which the first `live` remain to be added. The host
/// begins with all of them, and with one thread for every two elements.
///
/// # Safety
/// The launch is 1-D. `live` is at most `length`, and a block has a thread for every two of them.
#[kernel(launches)]
#[launch_contract(dims = 1)]
pub unsafe fn recursive_reduce2(
    data: GlobalMut<i32>,
    sums: GlobalMut<i32>,
    live: u32,
    length: u32,
) {
    let (block, thread) = (block_idx_x() as usize, thread_idx_x() as usize);
    let part = data.part(block * length as usize, live as usize);
    let left = live.div_ceil(2) as usize;
    // SAFETY: parts do not overlap, as `live` is at most `length`. A thread adds the element
    // `left + thread` to the one of its own number, which is below `left`. The end of the grid is
    // between the additions of all blocks and the child. Without a child, only thread 0 has added.
    // No type is rows that a grid gives away, of which it uses the beginning.
    unsafe {
        if left + thread < part.len() {
            part.set(thread, part.get(thread) + part.get(left + thread));
        }
        if left <= 1 && thread == 0 && block < sums.len() {
            sums.set(block, if part.is_empty() { 0 } else { part.get(0) });
        } else if left > 1 && thread == 0 && block == 0 {
            let child = Shape::new(grid_dim_x(), left as u32 / 2).on(Stream::TAIL);
            launch::<recursive_reduce2>(child, (data, sums, left as u32, length));
        }
    }
}
