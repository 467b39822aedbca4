//! Atomics of pairs, of vectors and of 128 bits.

use lanewise_macros::kernel;
use lanewise_std::atomic::{
    AtomicOrdering, DeviceAtomicBf16, DeviceAtomicBf16x2, DeviceAtomicFloat2, DeviceAtomicFloat4,
    DeviceAtomicU128,
};
use lanewise_std::debug::breakpoint;
use lanewise_std::half::{Bf16, Bf16x2};
use lanewise_std::thread::index_1d;
use lanewise_std::vector::{Float2, Float4};
use lanewise_std::{DisjointSlice, GlobalMut};

/// Each thread adds its element to cell `thread % cells`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn add_vectors(input: &[Float4], pairs: &[DeviceAtomicFloat2], fours: &[DeviceAtomicFloat4]) {
    let index = index_1d().get();
    if index < input.len() {
        let value = input[index];
        let _ = pairs[index % pairs.len()]
            .fetch_add(Float2::new(value.x, value.w), AtomicOrdering::Relaxed);
        let _ = fours[index % fours.len()].fetch_add(value, AtomicOrdering::Relaxed);
    }
}

/// The same of `bf16`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn add_bf16(input: &[Bf16], totals: &[DeviceAtomicBf16], pairs: &[DeviceAtomicBf16x2]) {
    let index = index_1d().get();
    if index < input.len() {
        let value = input[index];
        totals[index % totals.len()].fetch_add(value, AtomicOrdering::Relaxed);
        pairs[index % pairs.len()].fetch_add(Bf16x2::new(value, -value), AtomicOrdering::Relaxed);
    }
}

/// Each thread adds its 128-bit number to `total`. Then it exchanges it with `last`, and stores the
/// value that it found there.
#[kernel]
#[launch_contract(dims = 1)]
pub fn add_wide(
    input: &[u128],
    total: &[DeviceAtomicU128],
    last: &[DeviceAtomicU128],
    mut output: DisjointSlice<u128>,
) {
    let index = index_1d();
    let Some(&value) = input.get(index.get()) else {
        return;
    };
    total[0].fetch_update(|sum| sum.wrapping_add(value));
    let found = last[0].swap(value);
    if let Some(output) = output.get_mut(index) {
        *output = found;
    }
}

/// Traps if a number is wrong, and stores it otherwise.
#[kernel]
#[launch_contract(dims = 1)]
pub fn stop_at(wrong: u32, output: GlobalMut<u32>) {
    let index = index_1d().get();
    if index < output.len() {
        if index as u32 == wrong {
            breakpoint();
        }
        // SAFETY: the element is this thread's alone.
        unsafe { output.set(index, index as u32) };
    }
}
