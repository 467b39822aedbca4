//! Counts how often each value occurs.
//!
//! Of up to 256 bins, each warp has counters of its own in shared memory, so that warps do not wait
//! for each other's atomics. The block adds them up, and adds the sums to the output. Of more bins,
//! a block has one counter of 16 bits for each, as long as they fit into shared memory: 65,536 need
//! 128 KiB. More than that are counted in the output itself.

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{AtomicOrdering, BlockAtomicU32, DeviceAtomicU32};
use lanewise_std::kernel::Value;
use lanewise_std::thread::{block_stride, grid_stride, sync_threads};
use lanewise_std::warp::{WARP_SIZE, warp_id};
use lanewise_std::{DynamicSharedArray, SharedArray, gpu_assert};

use super::sixteen::{Number, Sixteen, sixteens};

/// The number of threads in a block.
pub const BLOCK: u32 = 512;
/// The number of bins.
pub const BINS: usize = 256;
/// The number of warps in a block.
const WARPS: usize = (BLOCK / WARP_SIZE) as usize;
/// The number of threads in a block that counts in 16 bits.
pub const BLOCK_WIDE: u32 = 1024;
/// What a counter of 16 bits gives to the output at once.
const FULL: u32 = 1 << 15;
/// All counters of a block.
type Counters = SharedArray<u32, { WARPS * BINS }>;

/// Adds to `bins[b]` how many bytes are `b`.
#[kernel]
#[launch_contract(dims = 1, block = 512)]
pub fn histogram_bytes(input: &[u8], bins: &[DeviceAtomicU32]) {
    shared! { static COUNTERS: [u32; WARPS * BINS]; }
    clear(COUNTERS);
    let count = |byte: u8| add(COUNTERS, byte.into());
    let four = |word: u32| word.to_le_bytes().into_iter().for_each(count);
    for_each::<u8, u32>(
        input,
        |Sixteen(words)| words.into_iter().for_each(four),
        count,
    );
    flush(COUNTERS, bins);
}

/// Adds to each of the first 256 `bins` how many elements are in it. Bin 0 begins at `first`, and
/// each bin has `2^shift` numbers; numbers outside of all bins are not counted.
#[kernel]
#[launch_contract(dims = 1, block = 512)]
pub fn histogram_even(input: &[i32], bins: &[DeviceAtomicU32], first: i32, shift: u32) {
    shared! { static COUNTERS: [u32; WARPS * BINS]; }
    clear(COUNTERS);
    for_each_bin(input, first, shift, |bin| {
        if bin < BINS {
            add(COUNTERS, bin);
        }
    });
    flush(COUNTERS, bins);
}

/// As [`histogram_even`], for as many bins as half of the launch's words of dynamic shared memory.
///
/// Two counters share a word. A counter that reaches [`FULL`] gives this much to the output. The
/// thread that sees it reached does so; until then, others take their count back and give it
/// to the output themselves. So a counter is never more than a block's threads above `FULL`, and
/// does not run over into its neighbour, in whatever order threads run.
#[kernel]
#[launch_contract(dims = 1, block = 1024)]
pub fn histogram_wide(input: &[i32], bins: &[DeviceAtomicU32], first: i32, shift: u32) {
    let counters = DynamicSharedArray::<u32>::get();
    gpu_assert!(
        bins.len() <= 2 * counters.len(),
        "too little dynamic shared memory"
    );
    for i in block_stride(counters.len()) {
        // SAFETY: each thread sets counters of its own, and a barrier comes before the others'.
        unsafe { counters.set(i, 0) };
    }
    sync_threads();
    for_each_bin(input, first, shift, |bin| {
        if bin >= bins.len() {
            return;
        }
        // SAFETY: between the two barriers all threads access the counters only by atomics.
        let counters = unsafe { BlockAtomicU32::from_ptr(counters.address_of(bin / 2)) };
        let place = 16 * (bin as u32 % 2);
        let count = counters.fetch_add(1 << place, AtomicOrdering::Relaxed) >> place & 0xFFFF;
        if count >= FULL - 1 {
            let given = if count == FULL - 1 { FULL } else { 1 };
            counters.fetch_sub(given << place, AtomicOrdering::Relaxed);
            bins[bin].fetch_add(given, AtomicOrdering::Relaxed);
        }
    });
    sync_threads();
    for bin in block_stride(bins.len()) {
        // SAFETY: counted before the barrier.
        let count = unsafe { counters.get(bin / 2) } >> (16 * (bin % 2)) & 0xFFFF;
        if count > 0 {
            bins[bin].fetch_add(count, AtomicOrdering::Relaxed);
        }
    }
}

/// As [`histogram_even`], for any number of bins.
#[kernel]
#[launch_contract(dims = 1, block = 512)]
pub fn histogram_global(input: &[i32], bins: &[DeviceAtomicU32], first: i32, shift: u32) {
    for_each_bin(input, first, shift, |bin| {
        if let Some(count) = bins.get(bin) {
            count.fetch_add(1, AtomicOrdering::Relaxed);
        }
    });
}

/// Calls `count` with the bin of each of this thread's elements.
#[inline(always)]
fn for_each_bin(input: &[i32], first: i32, shift: u32, count: impl Fn(usize)) {
    let count = |value: i32| count((value.wrapping_sub(first) as u32 >> (shift & 31)) as usize);
    for_each::<i32, i32>(
        input,
        |Sixteen(four)| four.into_iter().for_each(count),
        count,
    );
}

/// Calls `sixteen` with each aligned sixteen bytes of this thread, and `one` with what it has of
/// the elements before and after them.
#[inline(always)]
pub(super) fn for_each<T: Value, N: Number>(
    input: &[T],
    sixteen: impl Fn(N::Neighbours),
    one: impl Fn(T),
) {
    let (before, middle, after) = sixteens::<T, N>(input);
    for i in grid_stride(middle.len()) {
        sixteen(middle[i]);
    }
    for rest in [before, after] {
        for i in grid_stride(rest.len()) {
            one(rest[i]);
        }
    }
}

/// Sets all counters to zero.
#[inline(always)]
fn clear(counters: Counters) {
    for i in block_stride(WARPS * BINS) {
        // SAFETY: each thread sets counters of its own, and a barrier comes before the others'.
        unsafe { counters.set(i, 0) };
    }
    sync_threads();
}

/// Counts one in the warp's histogram.
#[inline(always)]
fn add(counters: Counters, bin: usize) {
    let counter = counters.address_of(warp_id() as usize * BINS + bin);
    // SAFETY: between the two barriers all threads access the counters only by atomics.
    unsafe { BlockAtomicU32::from_ptr(counter) }.fetch_add(1, AtomicOrdering::Relaxed);
}

/// Adds the sum of the warps' counters of each bin to the output.
#[inline(always)]
fn flush(counters: Counters, bins: &[DeviceAtomicU32]) {
    sync_threads();
    for bin in block_stride(BINS.min(bins.len())) {
        // SAFETY: counted before the barrier.
        let counts = (0..WARPS).map(|warp| unsafe { counters.get(warp * BINS + bin) });
        bins[bin].fetch_add(counts.sum(), AtomicOrdering::Relaxed);
    }
}
