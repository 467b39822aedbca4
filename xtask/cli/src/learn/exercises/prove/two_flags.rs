//! Prove that two threads cannot overlook each other.
//!
//! Each thread raises its own flag and then looks at the other's. One of the two stores is the
//! first, so it seems that one thread at least sees a flag. But a load may be done before an
//! earlier store to another place is visible, and then both threads see 0. Release and acquire do
//! not help.
//!
//! Read: shared/fences
//@ hint: What is needed between the store and the load is a fence of sequential consistency, in
//@   both threads.
//@ hint: `fence(Device, AtomicOrdering::SeqCst);`, with `lanewise_std::fence::fence`
//@ fails: both overlooked the other
//@ fails: 1  block 0, thread (0,0,0)

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::fence::fence;
use lanewise_std::scope::Device;
use lanewise_std::{DisjointSlice, thread};

/// `seen[i]` is what thread i sees of the other's flag. Launch: two blocks of one thread.
#[kernel]
pub fn meet(flags: &[DeviceAtomicU32], mut seen: DisjointSlice<u32>) {
    let own = thread::block_idx_x() as usize;
    flags[own].store(1, AtomicOrdering::Relaxed);
    //@ solution
    fence(Device, AtomicOrdering::SeqCst);
    //@ end
    let other = flags[1 - own].load(AtomicOrdering::Relaxed);
    if let Some(seen) = seen.get_mut(thread::index_1d()) {
        *seen = other;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn one_sees_the_other() {
        prove(|device, stream| {
            let mut flags = DeviceBuffer::<u32>::zeroed(device, 2)?;
            let mut seen = DeviceBuffer::<u32>::zeroed(device, 2)?;
            stream.launch(meet, LaunchConfig::new(2, 1), (&mut flags, &mut seen))?;
            let seen = seen.to_vec()?;
            ensure(seen != [0, 0], "both overlooked the other")?;
            Ok(())
        });
    }
}
