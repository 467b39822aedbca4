//! Count in shared memory first.
//!
//! Atomics in shared memory are faster than those in global memory, where all blocks meet. Let each
//! block count into `COUNTS`, its own bins, and add its counts to the global bins at the end: at
//! most ten global atomics for each block. Shared memory begins with anything, so the counts are
//! set to zero first. Two barriers separate the three steps.
//!
//! Read: instruction/atomics
//@ hint: The steps: zero, barrier, count, barrier, add to the global bins.
//@ hint: Threads 0 to 9 zero one bin each, and at the end add one bin each.
//@ hint: `let count = COUNTS[t].load(AtomicOrdering::Relaxed);` reads a bin.
//@ fails: global atomics: 64.00, and the target is at most 4

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::{SharedAtomics, thread};

/// Adds to `bins[d]` how many numbers have the last digit `d`. Blocks have at least 10 threads.
#[kernel]
pub fn digits(input: &[u32], bins: &[DeviceAtomicU32]) {
    shared! { static COUNTS: SharedAtomics<u32, 10>; }
    let t = thread::thread_idx_x() as usize;
    //@ start
    for i in thread::grid_stride(input.len()) {
        bins[(input[i] % 10) as usize].fetch_add(1, AtomicOrdering::Relaxed);
    }
    //@ solution
    if t < 10 {
        COUNTS[t].store(0, AtomicOrdering::Relaxed);
    }
    thread::sync_threads();
    for i in thread::grid_stride(input.len()) {
        COUNTS[(input[i] % 10) as usize].fetch_add(1, AtomicOrdering::Relaxed);
    }
    thread::sync_threads();
    if t < 10 {
        bins[t].fetch_add(COUNTS[t].load(AtomicOrdering::Relaxed), AtomicOrdering::Relaxed);
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn blocks_count_by_themselves() {
        let input = numbers(2048);
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut bins = DeviceBuffer::<u32>::zeroed(device, 10)?;
            stream.launch(digits, LaunchConfig::new(4, 128), (&x, &mut bins))?;
            Ok(bins.to_vec()?)
        });
        let count = |digit| input.iter().filter(|x| *x % 10 == digit).count() as u32;
        equal(&found, &Vec::from_iter((0..10).map(count)));
        at_most("global atomics", counters.global_atomics.requests as f64, 4.0);
    }
}
