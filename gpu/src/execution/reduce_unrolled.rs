//! Sum of a slice, where each thread first adds several elements by itself.
//!
//! Launch: 1-D grid of 1-D blocks of any size, with at least one thread for each 2, 4 or 8
//! elements. Works in place: block b sums its part of `data`, 2, 4 or 8 times `block_dim_x`
//! elements, and writes the sum to `sums[b]`. `data` is overwritten. Any length will do; a part
//! past the end sums to zero.
//! Shows: a thread's loads do not depend on each other, so 2, 4 or 8 are in flight at a time, which
//! hides the latency of memory. Blocks and stores decrease by the same factor.
//! Source: Professional CUDA C Programming, chapter 3.

use lanewise_macros::kernel;
use lanewise_std::collective::Sum;
use lanewise_std::part_per_block::Halves;
use lanewise_std::thread::{block_dim_x, sync_threads, thread_idx_x};
use lanewise_std::{GlobalMut, PartPerBlock, PerBlock};

use super::write_sum;

/// Two elements per thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_unrolling2(data: PartPerBlock<i32, Halves, 2>, sums: PerBlock<i32>) {
    reduce_unrolling(data, sums);
}

/// Four elements per thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_unrolling4(data: PartPerBlock<i32, Halves, 4>, sums: PerBlock<i32>) {
    reduce_unrolling(data, sums);
}

/// Eight elements per thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_unrolling8(data: PartPerBlock<i32, Halves, 8>, sums: PerBlock<i32>) {
    reduce_unrolling(data, sums);
}

/// Adds `UNROLL` elements per thread, a block apart; then continues as `reduce_interleaved`.
#[inline]
fn reduce_unrolling<const UNROLL: usize>(
    data: PartPerBlock<i32, Halves, UNROLL>,
    sums: PerBlock<i32>,
) {
    let mut part = data.begin(Sum);
    while part.has_step() {
        part.step();
    }
    write_sum(&part, sums);
}

/// Adds up to `UNROLL` elements per thread, `block_dim_x` apart, into the first of them. Ends in
/// a barrier. Returns the number of sums from `start` on: one per thread, but fewer at the end
/// of the data.
///
/// # Safety
/// All threads of a 1-D block call it with the same start, and no other block accesses the `UNROLL`
/// times `block_dim_x` elements from there on.
#[inline]
pub(crate) unsafe fn add_columns<const UNROLL: usize>(data: GlobalMut<i32>, start: usize) -> usize {
    let (threads, thread) = (block_dim_x() as usize, thread_idx_x() as usize);
    let first = start + thread;
    let sums;
    // SAFETY: all indices are below the length, and no other thread has an index that is
    // `first` modulo `threads`.
    unsafe {
        if start + threads * UNROLL <= data.len() {
            let mut sum = 0;
            for k in 0..UNROLL {
                sum += data.get_unchecked(first + k * threads); // no load waits for another
            }
            data.set_unchecked(first, sum);
            sums = threads;
        } else {
            let mut sum = 0;
            let mut i = first;
            while i < data.len() {
                sum += data.get_unchecked(i);
                i += threads;
            }
            if first < data.len() {
                data.set_unchecked(first, sum);
            }
            sums = data.len().saturating_sub(start).min(threads);
        }
    }
    sync_threads(); // what follows adds what other threads stored here
    sums
}
