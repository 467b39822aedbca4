//! Many threads add one to one number.
//!
//! Launch: any grid and block. Adds the number of threads to `counter[0]`; the racy one adds less.
//! Shows: `+= 1` is a load, an addition and a store, and threads that load together store the same
//! sum. An atomic is one step that memory itself takes; 32 threads give 32, as they do by compare
//! and swap in a loop.
//! Source: CUDA study notes, sections 7.1.3 and 7.2.3; PTX ISA, "atom".

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicI32};

/// Adds one in three steps. Wrong by design: threads lose each other's additions.
///
/// # Safety
/// With more than one thread this is a data race. Launch it where a lost update is what one wants
/// to see.
#[kernel]
pub unsafe fn incr_racy(counter: GlobalMut<i32>) {
    if counter.is_empty() {
        return;
    }
    // SAFETY: in bounds; that no other thread is here between the two, the launch answers for.
    unsafe { counter.set(0, counter.get(0) + 1) };
}

/// Adds one in one step.
#[kernel]
pub fn incr_atomic(counter: GlobalMut<i32>) {
    if counter.is_empty() {
        return;
    }
    // SAFETY: in bounds, and all that the kernel does with `counter` is atomic.
    let counter = unsafe { DeviceAtomicI32::from_ptr(counter.address_of(0)) };
    counter.fetch_add(1, AtomicOrdering::Relaxed);
}

/// Adds one by what every other atomic can be made of: read, compute, and write only if nobody has
/// written meanwhile.
#[kernel]
pub fn my_atomic_add(counter: &[DeviceAtomicI32]) {
    if let Some(counter) = counter.first() {
        add(counter, 1);
    }
}

/// Adds `increment`, and gives what was there before.
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
            // Another thread was faster: its sum is what to add to.
            Err(found) => expected = found,
        }
    }
}
