//! Multicast memory of several devices: sums over the devices, and writes to all of them.

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::multimem::Multicast;
use lanewise_std::thread::index_1d;

// ANCHOR: kernels
/// Stores each thread's sum over the devices.
#[kernel]
#[launch_contract(dims = 1)]
pub fn sum_over_devices(values: Multicast<f32>, mut sums: DisjointSlice<f32>) {
    let index = index_1d();
    if let Some(sum) = sums.get_mut(&index) {
        *sum = values.sum(index.get());
    }
}

/// Replaces each element by the sum over the devices, on all of them: an all-reduce of the elements
/// from `start` on.
#[kernel]
#[launch_contract(dims = 1)]
pub fn all_reduce(values: Multicast<u32>, start: u32, count: u32) {
    let index = index_1d().get();
    if index < count as usize {
        let at = start as usize + index;
        values.store(at, values.sum(at));
    }
}
// ANCHOR_END: kernels

/// Each thread with a number adds it, less 5, to element `number % length` of `totals` on every
/// device. It also updates the maximum in `most` and the minimum in `least` at this index.
#[kernel]
#[launch_contract(dims = 1)]
pub fn count_on_all(
    totals: Multicast<i64>,
    most: Multicast<i32>,
    least: Multicast<i32>,
    count: u32,
) {
    let number = index_1d().get();
    if number < count as usize && !totals.is_empty() {
        let cell = number % totals.len();
        totals.add(cell, number as i64 - 5);
        most.max(cell, number as i32);
        least.min(cell, -(number as i32));
    }
}

/// The minimum and the maximum over the devices.
#[kernel]
#[launch_contract(dims = 1)]
pub fn extremes(values: Multicast<u64>, mut pairs: DisjointSlice<[u64; 2]>) {
    let index = index_1d();
    if let Some(pair) = pairs.get_mut(&index) {
        *pair = [values.least(index.get()), values.most(index.get())];
    }
}
