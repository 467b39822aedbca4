//! Prove that no increment is lost.
//!
//! Two threads add one to a count, by a load and a store. Each access is atomic, but the two
//! together are not: between them the other thread can store. Most runs give the right count. The
//! check finds the order that does not, and shows its steps.
//!
//! Read: instruction/increment
//@ hint: One operation has to do both.
//@ hint: `fetch_add(1, AtomicOrdering::Relaxed)`
//@ fails: the count is 1
//@ fails: 1  block 0, thread (0,0,0)

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};

/// Each thread adds one to `count[0]`. Launch: two blocks of one thread.
#[kernel]
pub fn increment(count: &[DeviceAtomicU32]) {
    //@ start
    let old = count[0].load(AtomicOrdering::Relaxed);
    count[0].store(old + 1, AtomicOrdering::Relaxed);
    //@ solution
    count[0].fetch_add(1, AtomicOrdering::Relaxed);
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn both_increments_count() {
        prove(|device, stream| {
            let mut count = DeviceBuffer::<u32>::zeroed(device, 1)?;
            stream.launch(increment, LaunchConfig::new(2, 1), (&mut count,))?;
            let count = count.to_vec()?[0];
            ensure(count == 2, format!("the count is {count}, after two increments"))?;
            Ok(())
        });
    }
}
