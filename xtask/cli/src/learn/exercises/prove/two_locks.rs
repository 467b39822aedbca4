//! Prove that two locks do not deadlock.
//!
//! Each thread needs two locks. Thread 0 takes lock 0 first, and thread 1 takes lock 1 first. If
//! each has one of them, both wait forever. Tests pass for years until the two meet. The check
//! tries every order, so it finds that one.
//!
//! Read: bugs/deadlock
//@ hint: Both threads should take the locks in the same order.
//@ fails: deadlock

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::{GlobalMut, thread};

/// Each thread adds one to `data[0]` while it has both locks. Launch: two blocks of one thread.
#[kernel]
pub fn with_both(data: GlobalMut<u32>, locks: &[DeviceAtomicU32]) {
    //@ start
    let first = thread::block_idx_x() as usize;
    //@ solution
    let first = 0;
    //@ end
    let order = AtomicOrdering::Acquire;
    for lock in [first, 1 - first] {
        while locks[lock].compare_exchange(0, 1, order, AtomicOrdering::Relaxed).is_err() {}
    }
    // SAFETY: this thread has the locks.
    unsafe { data.set(0, data.get(0) + 1) };
    locks[0].store(0, AtomicOrdering::Release);
    locks[1].store(0, AtomicOrdering::Release);
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn nobody_waits_forever() {
        prove(|device, stream| {
            let mut data = DeviceBuffer::<u32>::zeroed(device, 1)?;
            let mut locks = DeviceBuffer::<u32>::zeroed(device, 2)?;
            stream.launch(with_both, LaunchConfig::new(2, 1), (&mut data, &mut locks))?;
            let count = data.to_vec()?[0];
            ensure(count == 2, format!("the number is {count}, after two increments"))?;
            Ok(())
        });
    }
}
