//! Publish data with a flag.
//!
//! Block 0 writes a number and raises a flag; block 1 waits for the flag and reads the number. Flag
//! and number are two places in memory, and relaxed accesses order nothing else: the flag can be
//! seen before the number.
//!
//! Read: bugs/flag_without_a_fence
//@ hint: The writer releases what it wrote before: `AtomicOrdering::Release`.
//@ hint: The reader acquires it: `AtomicOrdering::Acquire`.
//@ fails: race:
//@ fails: of global memory that nothing orders

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::{GlobalMut, thread};

/// Block 0 sends 42 to block 1, which writes it to `data[1]`. Launch: two blocks of one thread.
#[kernel]
pub fn send(data: GlobalMut<u32>, flag: &[DeviceAtomicU32]) {
    //@ start
    let (raise, wait) = (AtomicOrdering::Relaxed, AtomicOrdering::Relaxed);
    //@ solution
    let (raise, wait) = (AtomicOrdering::Release, AtomicOrdering::Acquire);
    //@ end
    if thread::block_idx_x() == 0 {
        // SAFETY: block 1 reads the number after it has seen the flag.
        unsafe { data.set(0, 42) };
        flag[0].store(1, raise);
    } else {
        while flag[0].load(wait) == 0 {}
        // SAFETY: the flag says that the number was written.
        unsafe { data.set(1, data.get(0)) };
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_number_comes_before_the_flag() {
        let (found, _) = run(|device, stream| {
            let mut data = DeviceBuffer::<u32>::zeroed(device, 2)?;
            let mut flag = DeviceBuffer::<u32>::zeroed(device, 1)?;
            stream.launch(send, LaunchConfig::new(2, 1), (&mut data, &mut flag))?;
            Ok(data.to_vec()?)
        });
        equal(&found, &[42, 42]);
    }
}
