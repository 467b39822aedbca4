//! Clear the counts first.
//!
//! Each block counts in shared memory how many of its numbers are odd. Shared memory is not zero
//! when a block starts. Clear the count, and mind which threads count when.
//!
//! Read: bugs/uninitialised_tile
//@ hint: One thread clears the count.
//@ hint: The other threads may count only after that: a barrier.
//@ fails: an atomic updates uninitialised memory

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::AtomicOrdering;
use lanewise_std::{PerBlock, SharedAtomics, thread};

/// `counts[b]` is the number of odd elements of block `b`.
#[kernel]
pub fn count_odd(input: &[u32], mut counts: PerBlock<u32>) {
    shared! { static COUNT: SharedAtomics<u32, 1>; }
    //@ solution
    if thread::thread_idx_x() == 0 {
        COUNT[0].store(0, AtomicOrdering::Relaxed);
    }
    thread::sync_threads();
    //@ end
    if input.get(thread::index_1d().get()).is_some_and(|x| x % 2 == 1) {
        COUNT[0].fetch_add(1, AtomicOrdering::Relaxed);
    }
    thread::sync_threads();
    if let Some(count) = counts.get_mut() {
        *count = COUNT[0].load(AtomicOrdering::Relaxed);
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn counts_begin_at_zero() {
        let input = numbers(250);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 4)?;
            stream.launch(count_odd, LaunchConfig::new(4, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(
            &found,
            &Vec::from_iter(
                input.chunks(64).map(|part| part.iter().filter(|x| *x % 2 == 1).count() as u32),
            ),
        );
    }
}
