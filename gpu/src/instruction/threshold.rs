//! Many threads set one flag.
//!
//! Launch: 1-D grid of at least as many threads as `values`. Sets `flag[0]` to 1 if a value is
//! above `threshold`, and leaves it alone otherwise.
//! Shows: it is a data race even if all threads write the same value. A relaxed atomic store is
//! one instruction, too.
//! Source: Professional CUDA C Programming, chapter 7; PTX ISA, "Memory Consistency Model: Data
//! Races".

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicI32};
use lanewise_std::thread::index_1d;

/// Stores as to any variable. Wrong by design: nothing orders the threads' stores.
///
/// # Safety
/// With more than one value above the threshold this is a data race. Launch it only
/// to demonstrate that.
#[kernel]
#[launch_contract(dims = 1)]
pub unsafe fn check_threshold(values: &[i32], threshold: i32, flag: GlobalMut<i32>) {
    let is_above = |value: &i32| *value > threshold;
    if values.get(index_1d().get()).is_some_and(is_above) && !flag.is_empty() {
        // SAFETY: in bounds; the caller of the launch is responsible for the race. No type allows a
        // race, which is what this kernel shows.
        unsafe { flag.set(0, 1) };
    }
}

/// Stores atomically. Which thread set it first does not matter here. If it did, `swap` would
/// return the old value.
#[kernel]
#[launch_contract(dims = 1)]
pub fn check_threshold_atomic(values: &[i32], threshold: i32, flag: &[DeviceAtomicI32]) {
    let is_above = |value: &i32| *value > threshold;
    if let (true, Some(flag)) = (
        values.get(index_1d().get()).is_some_and(is_above),
        flag.first(),
    ) {
        flag.store(1, AtomicOrdering::Relaxed);
    }
}
