//! A radix sort: keys in ascending order, by one digit of their bits after another, the lowest
//! first.
//!
//! Launch: 1-D grid of blocks of [`BLOCK`] threads, one for each key. A pass counts the digits of
//! each block's keys, digit by digit and within a digit block by block. The host scans these counts
//! by the kernels of [`super::scan`], and then each key is written behind all with a lower digit
//! and those with the same digit before it. The slices may have any length.
//! Shows: what a digit of more bits saves (passes), and what neighbours that are written together
//! save (sectors).
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990; Satish, Harris, Garland,
//! "Designing Efficient Sorting Algorithms for Manycore GPUs", 2009.

use lanewise_macros::{kernel, shared};
use lanewise_std::SharedAtomics;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicI32, DeviceAtomicU32};
use lanewise_std::collective::{
    Sum, block_exclusive_scan, block_histogram, block_radix_rank, block_reduce, radix_rank_scratch,
};
use lanewise_std::thread::{block_idx_x, grid_dim_x, index_1d, sync_threads, thread_idx_x};

use super::scan::sum_before;

/// The threads of a block.
pub const BLOCK: usize = 512;
/// The bits of a digit of all but the first rung.
pub const BITS: u32 = 4;
/// The values of such a digit.
pub const DIGITS: usize = 1 << BITS;
/// What ranks within a block need of its shared memory.
const SCRATCH: usize = radix_rank_scratch(DIGITS, BLOCK);

/// Counts the keys of each block that have a zero at this bit.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn count_zeros(keys: &[u32], bit: u32, counts: &[DeviceAtomicI32]) {
    let key = keys.get(index_1d().get());
    let zeros = block_reduce(i32::from(key.is_some_and(|key| is_zero(*key, bit))), Sum);
    if thread_idx_x() == 0 {
        counts[block_idx_x() as usize].store(zeros, AtomicOrdering::Relaxed);
    }
}

/// Writes the keys with a zero at this bit, and then those with a one. `scanned` has the counts of
/// zeros up to each block.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn sort_bits(keys: &[u32], bit: u32, scanned: &[i32], output: &[DeviceAtomicU32]) {
    let i = index_1d().get();
    let key = keys.get(i).copied();
    let is_zero = key.is_some_and(|key| is_zero(key, bit));
    let zeros = block_exclusive_scan(i32::from(is_zero), sum_before(scanned), Sum) as usize;
    let all_zeros = scanned[scanned.len() - 1] as usize;
    if let Some(key) = key {
        let place = if is_zero {
            zeros
        } else {
            all_zeros + i - zeros
        };
        output[place].store(key, AtomicOrdering::Relaxed);
    }
}

/// Counts how often each block's keys have each digit.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn count_digits(keys: &[u32], shift: u32, counts: &[DeviceAtomicI32]) {
    shared! { static COUNTS: [u32; DIGITS]; }
    let key = keys.get(index_1d().get());
    let histogram = block_histogram(key.map(|key| digit(*key, shift) as usize), &COUNTS);
    let own = thread_idx_x() as usize;
    if own < DIGITS {
        let count = histogram.count(own) as i32;
        counts[of_block(own as u32)].store(count, AtomicOrdering::Relaxed);
    }
}

/// Writes each key to its place. `scanned` has the counts of digits, each with all before it.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn sort_digits(keys: &[u32], shift: u32, scanned: &[i32], output: &[DeviceAtomicU32]) {
    shared! { static COUNTS: [u32; DIGITS]; }
    shared! { static RANKS: [u32; SCRATCH]; }
    let key = keys.get(index_1d().get()).copied();
    // What is past the end comes last in the block.
    let of_key = digit(key.unwrap_or(u32::MAX), shift);
    let histogram = block_histogram(key.map(|_| of_key as usize), &COUNTS);
    let rank = block_radix_rank::<DIGITS, _>(of_key, &RANKS);
    let lower: u32 = (0..of_key)
        .map(|lower| histogram.count(lower as usize))
        .sum();
    if let Some(key) = key {
        let place = before(scanned, of_key) + (rank - lower) as usize;
        output[place].store(key, AtomicOrdering::Relaxed);
    }
}

/// Does the same, but sorts the block's keys in shared memory first. So neighbouring threads have
/// keys of one digit, whose places are neighbours, too.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn sort_tiles(keys: &[u32], shift: u32, scanned: &[i32], output: &[DeviceAtomicU32]) {
    shared! { static COUNTS: [u32; DIGITS]; }
    shared! { static RANKS: [u32; SCRATCH]; }
    shared! { static SORTED: SharedAtomics<u32, BLOCK>; }
    let (i, thread) = (index_1d().get(), thread_idx_x() as usize);
    let key = keys.get(i).copied();
    let of_key = digit(key.unwrap_or(u32::MAX), shift);
    let histogram = block_histogram(key.map(|_| of_key as usize), &COUNTS);
    let rank = block_radix_rank::<DIGITS, _>(of_key, &RANKS) as usize;
    SORTED[rank].store(key.unwrap_or(u32::MAX), AtomicOrdering::Relaxed);
    sync_threads();
    let key = SORTED[thread].load(AtomicOrdering::Relaxed);
    let of_key = digit(key, shift);
    let lower: u32 = (0..of_key)
        .map(|lower| histogram.count(lower as usize))
        .sum();
    if i < keys.len() {
        let place = before(scanned, of_key) + thread - lower as usize;
        output[place].store(key, AtomicOrdering::Relaxed);
    }
}

/// Returns whether this bit is a zero.
#[inline(always)]
fn is_zero(key: u32, bit: u32) -> bool {
    key >> bit & 1 == 0
}

/// Returns the digit that begins at this bit.
#[inline(always)]
fn digit(key: u32, shift: u32) -> u32 {
    key >> shift & (DIGITS as u32 - 1)
}

/// Returns where the block's count of a digit is.
#[inline(always)]
fn of_block(digit: u32) -> usize {
    digit as usize * grid_dim_x() as usize + block_idx_x() as usize
}

/// Returns how many keys come before the block's first one with this digit.
#[inline(always)]
fn before(scanned: &[i32], digit: u32) -> usize {
    match of_block(digit) {
        0 => 0,
        count => scanned[count - 1] as usize,
    }
}
