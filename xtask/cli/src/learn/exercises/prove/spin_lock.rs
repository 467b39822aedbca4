//! Prove a lock.
//!
//! A thread takes the lock by changing it from 0 to 1, and opens it by storing 0. What the lock
//! guards is an ordinary number. So taking the lock has to acquire what the thread before released
//! when it opened it.
//!
//! Read: simulator/schedules
//@ hint: The first order of `compare_exchange` is for the case that it succeeds.
//@ hint: Take by `Acquire`, open by `Release`.
//@ fails: race:
//@ fails: of global memory that nothing orders

use lanewise_macros::kernel;
use lanewise_std::GlobalMut;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};

/// Each thread adds one to `data[0]`, under a lock. Launch: two blocks of one thread.
#[kernel]
pub fn locked_increment(data: GlobalMut<u32>, lock: &[DeviceAtomicU32]) {
    let relaxed = AtomicOrdering::Relaxed;
    //@ start
    let (take, open) = (AtomicOrdering::Relaxed, AtomicOrdering::Relaxed);
    //@ solution
    let (take, open) = (AtomicOrdering::Acquire, AtomicOrdering::Release);
    //@ end
    while lock[0].compare_exchange(0, 1, take, relaxed).is_err() {}
    // SAFETY: this thread has the lock.
    unsafe { data.set(0, data.get(0) + 1) };
    lock[0].store(0, open);
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn one_thread_has_the_lock() {
        prove(|device, stream| {
            let mut data = DeviceBuffer::<u32>::zeroed(device, 1)?;
            let mut lock = DeviceBuffer::<u32>::zeroed(device, 1)?;
            stream.launch(locked_increment, LaunchConfig::new(2, 1), (&mut data, &mut lock))?;
            let count = data.to_vec()?[0];
            ensure(count == 2, format!("the number is {count}, after two increments"))?;
            Ok(())
        });
    }
}
