//! Counts how often each of up to 256 values occurs.
//!
//! Each warp counts in a histogram of its own in shared memory, so that warps do not wait for each
//! other's atomics. The block adds them up, and adds the sums to the output.

use lanewise_macros::{kernel, shared};
use lanewise_std::SharedArray;
use lanewise_std::atomic::{AtomicOrdering, BlockAtomicU32, DeviceAtomicU32};
use lanewise_std::thread::{block_stride, grid_stride, sync_threads};
use lanewise_std::warp::{WARP_SIZE, warp_id};

use super::sixteen::{Sixteen, sixteens};

/// The number of threads in a block.
pub const BLOCK: u32 = 512;
/// The number of bins.
pub const BINS: usize = 256;
/// The number of warps in a block.
const WARPS: usize = (BLOCK / WARP_SIZE) as usize;
/// All counters of a block.
type Counters = SharedArray<u32, { WARPS * BINS }>;

/// Adds to `bins[b]` how many bytes are `b`.
#[kernel]
#[launch_contract(dims = 1, block = 512)]
pub fn histogram_bytes(input: &[u8], bins: &[DeviceAtomicU32]) {
    shared! { static COUNTERS: [u32; WARPS * BINS]; }
    clear(COUNTERS);
    let (before, middle, after) = sixteens::<u8, u32>(input);
    for i in grid_stride(middle.len()) {
        let Sixteen(words) = middle[i];
        for word in words {
            for byte in word.to_le_bytes() {
                add(COUNTERS, byte.into());
            }
        }
    }
    for rest in [before, after] {
        for i in grid_stride(rest.len()) {
            add(COUNTERS, rest[i].into());
        }
    }
    flush(COUNTERS, bins);
}

/// Adds to each of `bins` how many elements are in it. Bin 0 begins at `first`, and each bin has
/// `2^shift` numbers; numbers outside of all bins are not counted.
#[kernel]
#[launch_contract(dims = 1, block = 512)]
pub fn histogram_even(input: &[i32], bins: &[DeviceAtomicU32], first: i32, shift: u32) {
    shared! { static COUNTERS: [u32; WARPS * BINS]; }
    clear(COUNTERS);
    let count = |value: i32| {
        let bin = value.wrapping_sub(first) as u32 >> (shift & 31);
        if (bin as usize) < BINS {
            add(COUNTERS, bin as usize);
        }
    };
    let (before, middle, after) = sixteens::<i32, i32>(input);
    for i in grid_stride(middle.len()) {
        middle[i].0.into_iter().for_each(&count);
    }
    for rest in [before, after] {
        for i in grid_stride(rest.len()) {
            count(rest[i]);
        }
    }
    flush(COUNTERS, bins);
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
