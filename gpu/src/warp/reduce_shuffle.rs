//! Sum of a slice: lanes by shuffles, warps through shared memory.
//!
//! Launch: 1-D grid of any size; 1-D blocks, a multiple of 32 threads. Reads `input` once, writes
//! the sum of what block b read to `sums[b]`. An empty slice gives zeros.
//! Shows: the warp stage reads no shared memory and needs no barrier (compare `reduce_unrolling8`).
//! Source: Professional CUDA C Programming, chapter 5; PTX ISA, "shfl.sync".

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::grid_stride;
use lanewise_std::warp::{self, FULL_MASK, lane_id, warp_id};
use lanewise_std::{PerBlock, SharedPerWarp};

/// Writes this block's share of the sum of `input` to its element of `sums`.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_shfl(input: &[i32], mut sums: PerBlock<i32>) {
    shared! { static WARP_SUMS: SharedPerWarp<i32>; }

    let mut sum = 0;
    for i in grid_stride(input.len()) {
        sum += input[i];
    }
    let warp_sums = WARP_SUMS.fill(warp_sum(sum)); // warp 0 reads below what the other warps set

    if warp_id() == 0 {
        // All 32 lanes take part, so the mask is full; lanes past the last warp add zero.
        let total = warp_sum(warp_sums.get_or(lane_id() as usize, 0));
        if let Some(sum) = sums.get_mut() {
            *sum = total;
        }
    }
}

/// Returns the sum over the warp's lanes in each of them. After the step with 16, lanes have sums
/// of 2 values, then of 4, 8, 16, 32.
#[inline]
fn warp_sum(mut value: i32) -> i32 {
    for lanes in [16, 8, 4, 2, 1] {
        value += warp::shuffle_xor_sync(FULL_MASK, value, lanes);
    }
    value
}
