//! Prove an exchange within a block.
//!
//! Each of four threads writes a cell and reads its neighbour's. The shared line is used twice.
//! There is a barrier between the writes and the reads, and the second round begins without one.
//!
//! Read: bugs/missing_barrier
//@ hint: When may a thread write its cell for the second time?
//@ hint: `thread::sync_threads()` between the rounds.
//@ fails: race:
//@ fails: of shared memory that nothing orders

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, thread};

/// Each thread adds what its neighbour has in two rounds. Launch: one block of four threads.
#[kernel]
pub fn exchange(mut output: DisjointSlice<u32>) {
    shared! { static LINE: [u32; 4]; }
    let t = thread::thread_idx_x() as usize;
    let mut sum = 0;
    for round in 0..2 {
        //@ solution
        thread::sync_threads();
        //@ end
        // SAFETY: the cell is the thread's own until the barrier.
        unsafe { LINE.set(t, 10 * round + t as u32) };
        thread::sync_threads();
        // SAFETY: the cell was written before the barrier.
        sum += unsafe { LINE.get((t + 1) % 4) };
    }
    if let Some(output) = output.get_mut(thread::index_1d()) {
        *output = sum;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn rounds_do_not_mix() {
        prove(|device, stream| {
            let mut output = DeviceBuffer::<u32>::zeroed(device, 4)?;
            stream.launch(exchange, LaunchConfig::new(1, 4), (&mut output,))?;
            equal(&output.to_vec()?, &[12, 14, 16, 10]);
            Ok(())
        });
    }
}
