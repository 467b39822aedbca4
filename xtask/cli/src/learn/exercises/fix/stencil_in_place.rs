//! Smooth a line in place.
//!
//! Each thread replaces its element by the sum of the element and its left neighbour. A thread may
//! read its neighbour before or after the neighbour was replaced: the result depends on the order
//! of the warps. All threads have to read before one of them writes.
//!
//! Read: shared/fences
//@ hint: Read both numbers into variables first.
//@ hint: Put a barrier of the block between the reads and the write.
//@ fails: race:
//@ fails: of global memory that nothing orders

use lanewise_macros::kernel;
use lanewise_std::{GlobalMut, thread};

/// `data[i] += data[i - 1]`, of the old values. Launch: one block of 128 threads.
#[kernel]
pub fn smooth(data: GlobalMut<u32>) {
    let i = thread::thread_idx_x() as usize;
    //@ start
    if i > 0 {
        // SAFETY: is it?
        unsafe { data.set(i, data.get(i - 1) + data.get(i)) };
    }
    //@ solution
    // SAFETY: all threads read before the barrier, and each writes its own element after it.
    let sum = unsafe { data.get(i.saturating_sub(1)) + data.get(i) };
    thread::sync_threads();
    if i > 0 {
        // SAFETY: as above.
        unsafe { data.set(i, sum) };
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn old_values_are_read() {
        let input = numbers(128);
        let (found, _) = run(|device, stream| {
            let mut x = DeviceBuffer::from_slice(device, &input)?;
            stream.launch(smooth, LaunchConfig::new(1, 128), (&mut x,))?;
            Ok(x.to_vec()?)
        });
        let sum = |i: usize| input[i] + if i > 0 { input[i - 1] } else { 0 };
        equal(&found, &Vec::from_iter((0..128).map(sum)));
    }
}
