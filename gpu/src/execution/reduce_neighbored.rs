//! Sum of a slice, pairs of neighbours first.
//!
//! Launch: 1-D grid of at least one thread for each element, in 1-D blocks of any size. Works in
//! place: block b sums its part of `data`, `block_dim_x` elements, and writes the sum to `sums[b]`.
//! `data` is overwritten. Any length will do; a part past the end sums to zero.
//! Shows: which thread adds which elements decides how many warps have work. Both kernels add the
//! same pairs. In the first, the threads that add are in all warps, and each warp runs its few. In
//! the second they fill the first warps, and the others skip the step together.
//! Source: CUDA study notes, sections 3.4.2 and 3.4.3.

use lanewise_macros::kernel;
use lanewise_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::{GlobalMut, PerBlock};

use super::write_sum;

/// Every second thread adds, then every fourth, then every eighth ...
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_neighbored(data: GlobalMut<i32>, sums: PerBlock<i32>) {
    let (threads, thread) = (block_dim_x() as usize, thread_idx_x() as usize);
    let part = data.part(block_idx_x() as usize * threads, threads);

    let mut stride = 1;
    while stride < threads {
        if thread.is_multiple_of(2 * stride) && thread + stride < part.len() {
            // SAFETY: in this step only this thread accesses these two; the barrier ends the step.
            unsafe { part.set(thread, part.get(thread) + part.get(thread + stride)) };
        }
        sync_threads(); // the next step adds what other threads stored in this one
        stride *= 2;
    }

    // SAFETY: the last barrier is after the last store to the sum.
    unsafe { write_sum(part, 0, sums) };
}

/// The first half of the threads adds, then the first quarter, then the first eighth ...:
/// the same pairs.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_neighbored_less(data: GlobalMut<i32>, sums: PerBlock<i32>) {
    let (threads, thread) = (block_dim_x(), thread_idx_x());
    let part = data.part(block_idx_x() as usize * threads as usize, threads as usize);
    let length = part.len() as u32;

    let mut stride = 1;
    while stride < threads {
        let left = 2 * stride * thread;
        if left + stride < length {
            let (left, right) = (left as usize, (left + stride) as usize);
            // SAFETY: in this step only this thread accesses these two; the barrier ends the step.
            unsafe {
                part.set_unchecked(left, part.get_unchecked(left) + part.get_unchecked(right))
            };
        }
        sync_threads(); // the next step adds what other threads stored in this one
        stride *= 2;
    }

    // SAFETY: the last barrier is after the last store to the sum.
    unsafe { write_sum(part, 0, sums) };
}
