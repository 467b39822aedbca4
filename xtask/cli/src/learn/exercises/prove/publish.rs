//! Prove that a message arrives.
//!
//! Block 0 writes a message and raises a flag. Block 1 looks at the flag once, and reads the
//! message if it is raised. The check runs every order of the accesses, and lets each load return
//! every value that the memory model allows: also an old one.
//!
//! Read: simulator/schedules
//@ hint: Which of the two accesses of the flag has to release, and which has to acquire?
//@ hint: `store(1, AtomicOrdering::Release)` and `load(AtomicOrdering::Acquire)`.
//@ fails: race:
//@ fails: of global memory that nothing orders

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::{GlobalMut, thread};

/// `data[1]` is 7 if block 1 saw the flag. Launch: two blocks of one thread.
#[kernel]
pub fn publish(data: GlobalMut<u32>, flag: &[DeviceAtomicU32]) {
    if thread::block_idx_x() == 0 {
        // SAFETY: block 1 reads it only if it has seen the flag.
        unsafe { data.set(0, 7) };
        //@ start
        flag[0].store(1, AtomicOrdering::Relaxed);
        //@ solution
        flag[0].store(1, AtomicOrdering::Release);
        //@ end
    } else {
        //@ start
        let is_raised = flag[0].load(AtomicOrdering::Relaxed) == 1;
        //@ solution
        let is_raised = flag[0].load(AtomicOrdering::Acquire) == 1;
        //@ end
        if is_raised {
            // SAFETY: the flag says that the message was written.
            unsafe { data.set(1, data.get(0)) };
        }
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_message_is_there_if_the_flag_is() {
        prove(|device, stream| {
            let mut data = DeviceBuffer::<u32>::zeroed(device, 2)?;
            let mut flag = DeviceBuffer::<u32>::zeroed(device, 1)?;
            stream.launch(publish, LaunchConfig::new(2, 1), (&mut data, &mut flag))?;
            let data = data.to_vec()?;
            ensure([0, 7].contains(&data[1]), format!("block 1 read {}", data[1]))?;
            Ok(())
        });
    }
}
