//! Sum of a slice by recursion: each step adds one half of a part to the other, and launches the
//! next step on the half that is left.
//!
//! Launch: 1-D grid and blocks, one thread for each element (`recursive_reduce2`: for every two).
//! Works in place: block b sums its part of `data`, `block_dim_x` elements, to `sums[b]`; `data` is
//! overwritten. Any length will do; a part past the end sums to zero.
//! Shows: which writes a child sees. A step needs the additions of all threads in the step before,
//! but a launch alone shows the child only what the launching thread sees. The kernels wait for the
//! additions in three ways: by a barrier of the block, by the end of the grid, or by the end of one
//! grid for all blocks. No thread can wait for its child (CUDA 12 removed that), and none needs to:
//! a grid ends only after its children. The kernels need `unsafe`, because they are about that
//! order: a parameter's type can say which elements a thread or a block has, and the compiler sees
//! no more than one grid. That a parent no longer touches what it passes on holds for threads that
//! the launching thread has waited for. Which these are is different in each of the three.
//! Source: Professional CUDA C Programming, chapter 3; CUDA programming guide, "CUDA Dynamic
//! Parallelism".

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::dynamic::{Shape, Stream, launch};
use lanewise_std::thread::{block_dim_x, block_idx_x, grid_dim_x, sync_threads, thread_idx_x};

/// Each block adds its halves, waits at a barrier, and launches a child for the remaining half.
///
/// The children of different blocks run side by side. Every step has as many launches as blocks.
#[kernel(launches)]
#[launch_contract(dims = 1)]
pub fn recursive_reduce(data: GlobalMut<i32>, sums: GlobalMut<i32>) {
    let (part, sum) = (my_part(data), my_place(sums));
    let left = part.len().div_ceil(2);
    // SAFETY: the launch is 1-D, so no other block has these elements or this place for the sum.
    // The barrier is between the additions of all threads and the child. If there is no child, only
    // thread 0 has added.
    unsafe {
        add_upper_half(part, left);
        sync_threads(); // the child sees what thread 0 sees: without the barrier, only its own addition
        if thread_idx_x() == 0 {
            if left > 1 {
                let child = Shape::new(1, left as u32);
                launch::<recursive_reduce>(child, (part.part(0, left), sum));
            } else {
                write_sum(part, sum);
            }
        }
    }
}

/// Launches the children without a barrier: they begin after the whole grid has ended.
///
/// A grid has one tail stream, so the children of all its blocks run one after another.
#[kernel(launches)]
#[launch_contract(dims = 1)]
pub fn recursive_reduce_nosync(data: GlobalMut<i32>, sums: GlobalMut<i32>) {
    let (part, sum) = (my_part(data), my_place(sums));
    let left = part.len().div_ceil(2);
    // SAFETY: as above, but the end of the grid is between the additions and the child.
    unsafe {
        add_upper_half(part, left);
        if thread_idx_x() == 0 {
            if left > 1 {
                let child = Shape::new(1, left as u32).on(Stream::TAIL);
                launch::<recursive_reduce_nosync>(child, (part.part(0, left), sum));
            } else {
                write_sum(part, sum);
            }
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
/// `live` is at most `length`, and a block has a thread for every two of them.
#[kernel(launches)]
#[launch_contract(dims = 1)]
pub unsafe fn recursive_reduce2(
    data: GlobalMut<i32>,
    sums: GlobalMut<i32>,
    live: u32,
    length: u32,
) {
    let part = data.part(block_idx_x() as usize * length as usize, live as usize);
    let left = live.div_ceil(2);
    // SAFETY: parts do not overlap, as `live` is at most `length`. The end of the grid is between
    // the additions of all blocks and the child. Without a child, only thread 0 has added.
    unsafe {
        add_upper_half(part, left as usize);
        if left <= 1 && thread_idx_x() == 0 {
            write_sum(part, my_place(sums));
        } else if left > 1 && thread_idx_x() == 0 && block_idx_x() == 0 {
            let child = Shape::new(grid_dim_x(), left / 2).on(Stream::TAIL);
            launch::<recursive_reduce2>(child, (data, sums, left, length));
        }
    }
}

/// Returns the elements of this block: one for each thread, up to the end of the data.
#[inline]
fn my_part(data: GlobalMut<i32>) -> GlobalMut<i32> {
    let threads = block_dim_x() as usize;
    data.part(block_idx_x() as usize * threads, threads)
}

/// Returns the place of this block's sum, which is empty if the caller has none for it.
#[inline]
fn my_place(sums: GlobalMut<i32>) -> GlobalMut<i32> {
    sums.part(block_idx_x() as usize, 1)
}

/// Adds the elements from `left` on to the first `left` elements, one per thread.
///
/// # Safety
/// Every thread of a 1-D block calls it once with the same part, which no other block has. `left`
/// is at least half of the part.
#[inline]
unsafe fn add_upper_half(part: GlobalMut<i32>, left: usize) {
    let mine = thread_idx_x() as usize;
    if left + mine < part.len() {
        // SAFETY: both are in the part, and only this thread accesses them: one is below `left`,
        // the other is not.
        unsafe { part.set(mine, part.get(mine) + part.get(left + mine)) };
    }
}

/// Writes the one element that is left, or zero for a part without elements.
///
/// # Safety
/// No other thread writes the part or the sum any more.
#[inline]
unsafe fn write_sum(part: GlobalMut<i32>, sum: GlobalMut<i32>) {
    if !sum.is_empty() {
        // SAFETY: in bounds; the caller guarantees the rest.
        unsafe { sum.set(0, if part.is_empty() { 0 } else { part.get(0) }) };
    }
}
