//! Many threads add one to one number.
//!
//! Launch: any grid and block. Adds the number of threads to `counter[0]`; the racy one adds less.
//! Shows: `+= 1` is a load, an addition and a store, and threads that load at the same time store
//! the same sum. An atomic is one operation of the memory itself. 32 threads give 32, also with a
//! loop of compare and swap.
//! Source: Professional CUDA C Programming, chapter 7; PTX ISA, "atom".

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicI32};

/// Adds one in three steps. Wrong by design: threads lose each other's additions.
///
/// # Safety
/// With more than one thread this is a data race. Launch it only to demonstrate
/// a lost update.
#[kernel]
pub unsafe fn incr_racy(counter: GlobalMut<i32>) {
    if counter.is_empty() {
        return;
    }
    // SAFETY: in bounds; the caller of the launch is responsible for the race of threads. No type
    // allows a race, which is what this kernel shows.
    unsafe { counter.set(0, counter.get(0) + 1) };
}

/// Adds one in one step.
#[kernel]
pub fn incr_atomic(counter: &[DeviceAtomicI32]) {
    if let Some(counter) = counter.first() {
        counter.fetch_add(1, AtomicOrdering::Relaxed);
    }
}

/// Adds one with the operation that can build every other atomic: it reads, computes, and writes
/// only if no other thread has written in between.
#[kernel]
pub fn my_atomic_add(counter: &[DeviceAtomicI32]) {
    if let Some(counter) = counter.first() {
        add(counter, 1);
    }
}

/// Adds `increment`, and returns the old value.
#[inline]
fn add(counter: &DeviceAtomicI32, increment: i32) -> i32 {
    let mut expected = counter.load(AtomicOrdering::Relaxed);
    loop {
        let sum = expected.wrapping_add(increment);
        match counter.compare_exchange(
            expected,
            sum,
            AtomicOrdering::Relaxed,
            AtomicOrdering::Relaxed,
        ) {
            Ok(old) => return old,
            // Another thread was faster, so this one adds to that thread's sum.
            Err(found) => expected = found,
        }
    }
}
