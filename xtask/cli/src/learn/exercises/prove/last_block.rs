//! Prove that the last block sees all results.
//!
//! Each block writes its part and then counts itself. The block that counts last adds up all parts.
//! Its parts were written by others, so the counter has to order them: each block releases its own
//! part, and the last one acquires all others.
//!
//! Read: shared/fences
//@ hint: One operation, the `fetch_add`, does both.
//@ hint: The order that releases and acquires is `AtomicOrdering::AcqRel`.
//@ fails: race:
//@ fails: of global memory that nothing orders

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::{GlobalMut, thread};

/// `data[2]` is the sum of the parts of two blocks. Launch: two blocks of one thread.
#[kernel]
pub fn sum_parts(data: GlobalMut<u32>, count: &[DeviceAtomicU32]) {
    let own = thread::block_idx_x();
    // SAFETY: each block writes its own part.
    unsafe { data.set(own as usize, own + 1) };
    //@ start
    let order = AtomicOrdering::Relaxed;
    //@ solution
    let order = AtomicOrdering::AcqRel;
    //@ end
    if count[0].fetch_add(1, order) == 1 {
        // SAFETY: both parts were written before their blocks counted.
        unsafe { data.set(2, data.get(0) + data.get(1)) };
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_last_block_has_both_parts() {
        prove(|device, stream| {
            let mut data = DeviceBuffer::<u32>::zeroed(device, 3)?;
            let mut count = DeviceBuffer::<u32>::zeroed(device, 1)?;
            stream.launch(sum_parts, LaunchConfig::new(2, 1), (&mut data, &mut count))?;
            let sum = data.to_vec()?[2];
            ensure(sum == 3, format!("the sum is {sum}"))?;
            Ok(())
        });
    }
}
