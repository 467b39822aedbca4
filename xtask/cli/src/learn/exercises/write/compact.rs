//! Keep the even numbers.
//!
//! Threads that keep their number need places in the output that no other thread has. An atomic
//! counter gives them out: `fetch_add` returns the value before, which is this thread's place. The
//! order of the output is that of the atomics, so the check sorts it.
//!
//! Read: instruction/aggregated
//@ hint: `let place = count[0].fetch_add(1, AtomicOrdering::Relaxed) as usize;`
//@ hint: Two threads never have the same place. So `output.write_unique(place, x)` is right, and
//@   the SAFETY comment says why.
//@ fails: the lengths differ

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::{DisjointSlice, thread};

/// Writes the even numbers to the first places of `output`, and their number to `count[0]`.
#[kernel]
pub fn evens(input: &[u32], count: &[DeviceAtomicU32], mut output: DisjointSlice<u32>) {
    for i in thread::grid_stride(input.len()) {
        if input[i] % 2 == 0 {
            //@ start
            // Your code.
            //@ solution
            let place = count[0].fetch_add(1, AtomicOrdering::Relaxed) as usize;
            // SAFETY: the counter gives each place once, and at most as many as there are numbers.
            unsafe { output.write_unique(place, input[i]) };
            //@ end
        }
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn what_is_even_stays() {
        let input = numbers(1000);
        let (mut found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut count = DeviceBuffer::<u32>::zeroed(device, 1)?;
            let mut y = DeviceBuffer::zeroed(device, 1000)?;
            stream.launch(evens, LaunchConfig::new(2, 128), (&x, &mut count, &mut y))?;
            Ok(y.to_vec()?[..count.to_vec()?[0] as usize].to_vec())
        });
        let mut expected = Vec::from_iter(input.iter().copied().filter(|x| x % 2 == 0));
        found.sort_unstable();
        expected.sort_unstable();
        equal(&found, &expected);
    }
}
