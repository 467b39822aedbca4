//! Wait for an asynchronous copy.
//!
//! `copy_async` starts a copy from global to shared memory and returns at once. The thread reads
//! the cell before the copy has arrived.
//!
//! Read: shared/async_copy
//@ hint: `async_copy::wait_all()` waits for all copies that this thread has started.
//@ hint: Here a thread reads what it copied itself, so no barrier is needed.
//@ fails: race:
//@ fails: copy

use lanewise_macros::{kernel, shared};
use lanewise_std::async_copy::{copy_async, wait_all};
use lanewise_std::{DisjointSlice, thread};

/// `output[i] = input[i]`, through shared memory. Launch: one block of 32 threads.
#[kernel]
pub fn copy_through(input: &[u32], mut output: DisjointSlice<u32>) {
    shared! { static LINE: [u32; 32]; }
    let t = thread::thread_idx_x() as usize;
    // SAFETY: the cell and the element are there, and are the thread's own.
    unsafe { copy_async(LINE.address_of(t), &input[t]) };
    //@ solution
    wait_all();
    //@ end
    if let Some(output) = output.get_mut(&thread::index_1d()) {
        // SAFETY: the copy has arrived.
        *output = unsafe { LINE.get(t) };
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_copy_has_arrived() {
        let input = numbers(32);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 32)?;
            stream.launch(copy_through, LaunchConfig::new(1, 32), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(&found, &input);
    }
}
