//! Count without losing any.
//!
//! Two threads read the same count, both add one, and both write: one of the two additions is lost.
//! A barrier does not help, since the threads are in different blocks.
//!
//! Read: instruction/increment
//@ hint: The type of `counts` has to say that threads share it: `&[DeviceAtomicU32]`.
//@ hint: Then `counts[bin].fetch_add(1, AtomicOrdering::Relaxed);` needs no `unsafe`.
//@ fails: race:
//@ fails: of global memory that nothing orders

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::{GlobalMut, thread};

/// Adds to `counts[r]` how many numbers leave the rest `r` when they are divided by 7.
#[kernel]
//@ start
pub fn count_rests(input: &[u32], counts: GlobalMut<u32>) {
    for i in thread::grid_stride(input.len()) {
        let bin = (input[i] % 7) as usize;
        // SAFETY: is it?
        unsafe { counts.set(bin, counts.get(bin) + 1) };
    }
}
//@ solution
pub fn count_rests(input: &[u32], counts: &[DeviceAtomicU32]) {
    for i in thread::grid_stride(input.len()) {
        counts[(input[i] % 7) as usize].fetch_add(1, AtomicOrdering::Relaxed);
    }
}
//@ end

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn no_number_is_lost() {
        let input = numbers(500);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut counts = DeviceBuffer::<u32>::zeroed(device, 7)?;
            stream.launch(count_rests, LaunchConfig::new(2, 64), (&x, &mut counts))?;
            Ok(counts.to_vec()?)
        });
        let count = |rest| input.iter().filter(|x| *x % 7 == rest).count() as u32;
        equal(&found, &Vec::from_iter((0..7).map(count)));
    }
}
