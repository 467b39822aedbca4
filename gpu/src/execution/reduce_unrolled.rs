//! Sum of a slice, where each thread first adds several elements by itself.
//!
//! Launch: 1-D grid of 1-D blocks of any size, with at least one thread for each 2, 4 or 8 elements.
//! Works in place: block b sums its part of `data`, 2, 4 or 8 times `block_dim_x` elements, and writes the sum to
//! `sums[b]`. `data` is overwritten. Any length will do; a part past the end sums to zero.
//! Shows: a thread's loads do not depend on each other, so 2, 4 or 8 are on their way at a time; that hides the latency of
//! memory. Blocks and stores fall by the same factor.
//! Source: notes 000, section 3.5.1.

use gpu_macros::kernel;
use gpu_std::GlobalMut;
use gpu_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};

use super::reduce_interleaved::add_halves;
use super::write_sum;

/// Two elements a thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_unrolling2(data: GlobalMut<i32>, sums: GlobalMut<i32>) {
    reduce_unrolling::<2>(data, sums);
}

/// Four elements a thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_unrolling4(data: GlobalMut<i32>, sums: GlobalMut<i32>) {
    reduce_unrolling::<4>(data, sums);
}

/// Eight elements a thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_unrolling8(data: GlobalMut<i32>, sums: GlobalMut<i32>) {
    reduce_unrolling::<8>(data, sums);
}

/// `UNROLL` elements a thread, a block apart; then as `reduce_interleaved`.
#[inline]
fn reduce_unrolling<const UNROLL: usize>(data: GlobalMut<i32>, sums: GlobalMut<i32>) {
    let threads = block_dim_x() as usize;
    let part = data.part(block_idx_x() as usize * threads * UNROLL, threads * UNROLL);
    // SAFETY: the launch is 1-D, so no other block has this part, and all threads of this one are here.
    unsafe { add_columns::<UNROLL>(part) };
    // SAFETY: as above.
    unsafe { add_halves(part.part(0, threads)) };
    // SAFETY: `add_halves` ends in a barrier, or has nothing to add.
    unsafe { write_sum(part, sums) };
}

/// Adds up to `UNROLL` elements a thread, `block_dim_x` apart, into the first of them; ends in a barrier.
///
/// # Safety
/// All threads of a 1-D block call it with the same part of up to `UNROLL` times `block_dim_x` elements, which no other
/// block touches.
#[inline]
pub(super) unsafe fn add_columns<const UNROLL: usize>(part: GlobalMut<i32>) {
    let (threads, thread) = (block_dim_x() as usize, thread_idx_x() as usize);
    // SAFETY: no other thread has an element that is `thread` modulo `threads`.
    unsafe {
        if thread + (UNROLL - 1) * threads < part.len() {
            let mut sum = 0;
            for k in 0..UNROLL {
                sum += part.get_unchecked(thread + k * threads); // the last one is in bounds, so all are
            }
            part.set(thread, sum);
        } else if thread < part.len() {
            // At the end of the data: as many as there are.
            let mut sum = 0;
            let mut i = thread;
            while i < part.len() {
                sum += part.get(i);
                i += threads;
            }
            part.set(thread, sum);
        }
    }
    sync_threads(); // what follows adds what other threads stored here
}
