//! Sum of a slice, where each step adds one half of a part to the other.
//!
//! Launch: 1-D grid of at least one thread for each element, in 1-D blocks of any size. Works in
//! place: block b sums its part of `data`, `block_dim_x` elements, and writes the sum to `sums[b]`.
//! `data` is overwritten. Any length will do; a part past the end sums to zero.
//! Shows: neighbouring threads add neighbouring elements in every step, so a warp's loads need few
//! sectors. Those of `reduce_neighbored` need more with each step. The threads that add are the
//! same as in `_less`.
//! Source: CUDA study notes, section 3.4.4.

use lanewise_macros::kernel;
use lanewise_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::{GlobalMut, PerBlock};

use super::write_sum;

/// The first half of the threads adds the second half of the elements to the first half. Then half
/// of them do ...
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_interleaved(data: GlobalMut<i32>, sums: PerBlock<i32>) {
    let threads = block_dim_x() as usize;
    let start = block_idx_x() as usize * threads;
    let live = data.len().saturating_sub(start).min(threads);
    // SAFETY: the launch is 1-D, so no other block has these elements, and all threads of this
    // block are here.
    unsafe {
        add_halves(data, start, live);
        write_sum(data, start, sums); // `add_halves` ends in a barrier, or has nothing to add
    }
}

/// Adds the `live` elements from `start` on in place, half to half, until the first one is the sum.
///
/// # Safety
/// All threads of a 1-D block call it with the same range. The range is inside the data, is at most
/// `block_dim_x` long, and no other block accesses it.
#[inline]
pub(super) unsafe fn add_halves(data: GlobalMut<i32>, start: usize, live: usize) {
    let mine = start + thread_idx_x() as usize;
    let mut live = live as u32;
    let mut pairs = live / 2;
    while pairs > 0 {
        let half = live - pairs; // of an odd number, the middle one waits for the next step
        if thread_idx_x() < pairs {
            let other = mine + half as usize;
            // SAFETY: both are inside the range; in this step only this thread accesses them.
            unsafe {
                data.set_unchecked(mine, data.get_unchecked(mine) + data.get_unchecked(other));
            }
        }
        // This is before the barrier, where it costs no time. After it, the next loads would wait.
        live = half;
        pairs = live / 2;
        sync_threads(); // the next step adds what other threads stored in this one
    }
}
