//! The inclusive scan: element `i` of the output is the sum of the elements up to `i`.
//!
//! Launch: 1-D grid of blocks of [`BLOCK`] threads, one for each element, or for every four of the
//! kernels of tiles. A block scans its part by itself, and writes the part's sum to `sums`. The
//! host scans the sums with the same kernel, and `add_sums` adds to each part what comes before it.
//! `tile_sums` and `scan_tiles` compute the sums first, and scan each part only when the sum of
//! what comes before it is known. The slices may have any length.
//! Shows: what a step costs (a barrier, whatever it adds), and what a launch more costs (reading
//! and writing the array once more).
//! Source: Hillis, Steele, "Data Parallel Algorithms", 1986; Blelloch, "Prefix Sums and Their
//! Applications", 1990; Harris, Sengupta, Owens, "Parallel Prefix Sum (Scan) with CUDA", 2007.

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::{Sum, block_exclusive_scan, block_reduce};
use lanewise_std::thread::{block_idx_x, index_1d, thread_idx_x};
use lanewise_std::vector::Int4;
use lanewise_std::warp::{FULL_MASK, lane_id, shuffle_sync, shuffle_up_sync, warp_id};
use lanewise_std::{DisjointSlice, PerBlock, SharedLine, SharedPerWarp};

/// The threads of a block.
pub const BLOCK: usize = 256;

/// In each step, each thread adds the sum of the thread that is 1, 2, 4, .. before it.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn scan_hillis_steele(input: &[i32], mut output: DisjointSlice<i32>, mut sums: PerBlock<i32>) {
    shared! { static LINE: SharedLine<i32, BLOCK>; }
    let thread = thread_idx_x() as usize;
    let mut sum = element(input);
    let mut distance = 1;
    while distance < BLOCK {
        let line = LINE.fill::<1>(|_| sum);
        if thread >= distance {
            sum += line.get(thread - distance);
        }
        distance *= 2;
    }
    if let Some(output) = output.get_mut(index_1d()) {
        *output = sum;
    }
    let line = LINE.fill::<1>(|_| sum);
    if let Some(total) = sums.get_mut() {
        *total = line.get(BLOCK - 1);
    }
}

/// A tree: sums of 2, 4, 8, .. elements on the way up, and what comes before each on the way down.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn scan_blelloch(input: &[i32], mut output: DisjointSlice<i32>, mut sums: PerBlock<i32>) {
    shared! { static LINE: SharedLine<i32, BLOCK>; }
    let thread = thread_idx_x() as usize;
    let own = element(input);
    let mut node = own;
    let mut half = 1;
    while half < BLOCK {
        let line = LINE.fill::<1>(|_| node);
        if (thread + 1).is_multiple_of(2 * half) {
            node += line.get(thread - half); // the sum of both halves
        }
        half *= 2;
    }
    if thread == BLOCK - 1 {
        node = 0; // nothing comes before all of them
    }
    while half > 1 {
        half /= 2;
        let line = LINE.fill::<1>(|_| node);
        match (thread + 1) % (2 * half) {
            0 => node += line.get(thread - half), // the left half comes before the right one
            last if last == half => node = line.get(thread + half), // what comes before both
            _ => {}
        }
    }
    if let Some(output) = output.get_mut(index_1d()) {
        *output = node + own;
    }
    let line = LINE.fill::<1>(|_| node + own);
    if let Some(total) = sums.get_mut() {
        *total = line.get(BLOCK - 1);
    }
}

/// The same steps as the first kernel, in the registers of a warp; then the sums of the warps.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn scan_shuffle(input: &[i32], mut output: DisjointSlice<i32>, mut sums: PerBlock<i32>) {
    shared! { static WARPS: SharedPerWarp<i32>; }
    let sum = warp_scan(element(input));
    let of_warps = WARPS.fill(shuffle_sync(FULL_MASK, sum, 31));
    // Each warp scans the sums of all warps, so nothing has to be sent back.
    let scanned = warp_scan(of_warps.get_or(lane_id() as usize, 0));
    let before = match warp_id() {
        0 => 0,
        warp => shuffle_sync(FULL_MASK, scanned, warp - 1),
    };
    if let Some(output) = output.get_mut(index_1d()) {
        *output = before + sum;
    }
    let all = shuffle_sync(FULL_MASK, scanned, 31);
    if let Some(total) = sums.get_mut() {
        *total = all;
    }
}

/// Returns the sum of the values of this lane and those before it.
#[inline(always)]
fn warp_scan(mut sum: i32) -> i32 {
    for distance in [1, 2, 4, 8, 16] {
        let before = shuffle_up_sync(FULL_MASK, sum, distance);
        if lane_id() >= distance {
            sum += before;
        }
    }
    sum
}

/// Adds to each part of a block the sum of the parts before it. `sums` was scanned.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn add_sums(sums: &[i32], mut output: DisjointSlice<i32>) {
    let before = sum_before(sums);
    if let Some(output) = output.get_mut(index_1d()) {
        *output += before;
    }
}

/// Writes the sum of each block's tile, four elements a thread.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn tile_sums(input: &[Int4], mut sums: PerBlock<i32>) {
    let four = input.get(index_1d().get()).copied().unwrap_or_default();
    let sum = block_reduce(four.x + four.y + four.z + four.w, Sum);
    if let Some(total) = sums.get_mut() {
        *total = sum;
    }
}

/// Scans each block's tile, four elements a thread, from the sum of the tiles before it on.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn scan_tiles(input: &[Int4], sums: &[i32], mut output: DisjointSlice<Int4>) {
    let four = input.get(index_1d().get()).copied().unwrap_or_default();
    let sum = four.x + four.y + four.z + four.w;
    let x = block_exclusive_scan(sum, sum_before(sums), Sum) + four.x;
    let (y, z) = (x + four.y, x + four.y + four.z);
    if let Some(output) = output.get_mut(index_1d()) {
        *output = Int4::new(x, y, z, z + four.w);
    }
}

/// Returns this thread's element, or zero past the end.
#[inline(always)]
fn element(input: &[i32]) -> i32 {
    input.get(index_1d().get()).copied().unwrap_or(0)
}

/// Returns the sum of all blocks before this one.
#[inline(always)]
pub(super) fn sum_before(scanned: &[i32]) -> i32 {
    match block_idx_x() as usize {
        0 => 0,
        block => scanned[block - 1],
    }
}
