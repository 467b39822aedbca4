//! Count how often each digit occurs.
//!
//! Many threads find the same digit at the same time, and each has to add one to the same count. An
//! atomic does that: it reads, adds and writes as one operation. The bins are atomics of the
//! device's scope. The order of the additions does not matter, so `AtomicOrdering::Relaxed` is
//! enough.
//!
//! Read: instruction/atomics
//@ hint: The bin of a number is `bins[(number % 10) as usize]`.
//@ hint: `fetch_add(1, AtomicOrdering::Relaxed)` adds one.
//@ fails: element 0 of 10: expected

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::thread;

/// Adds to `bins[d]` how many numbers have the last digit `d`.
#[kernel]
pub fn digits(input: &[u32], bins: &[DeviceAtomicU32]) {
    for i in thread::grid_stride(input.len()) {
        //@ start
        // Your code.
        //@ solution
        bins[(input[i] % 10) as usize].fetch_add(1, AtomicOrdering::Relaxed);
        //@ end
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn each_number_is_counted_once() {
        let input = numbers(1000);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut bins = DeviceBuffer::<u32>::zeroed(device, 10)?;
            stream.launch(digits, LaunchConfig::new(2, 96), (&x, &mut bins))?;
            Ok(bins.to_vec()?)
        });
        let count = |digit| input.iter().filter(|x| *x % 10 == digit).count() as u32;
        equal(&found, &Vec::from_iter((0..10).map(count)));
    }
}
