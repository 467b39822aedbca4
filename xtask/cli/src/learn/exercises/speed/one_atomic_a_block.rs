//! Add before the atomic.
//!
//! Every thread adds its number to the total by an atomic. The atomics of one address wait for each
//! other. Let the block add its numbers first, so that one thread of each block needs an atomic.
//! The target: at most one atomic addition for each block.
//!
//! Read: instruction/aggregated
//@ hint: `block_reduce(own, Sum)`, by all threads.
//@ hint: `thread::thread_rank() == 0` in one thread of the block.
//@ fails: atomic additions: 512

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::collective::{Sum, block_reduce};
use lanewise_std::thread;

/// Adds the sum of `input` to `total[0]`.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn add_up(input: &[u32], total: &[DeviceAtomicU32]) {
    let own = input.get(thread::index_1d().get()).copied().unwrap_or(0);
    //@ start
    total[0].fetch_add(own, AtomicOrdering::Relaxed);
    //@ solution
    let sum = block_reduce(own, Sum);
    if thread::thread_rank() == 0 {
        total[0].fetch_add(sum, AtomicOrdering::Relaxed);
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn a_block_needs_one_atomic() {
        let input = numbers(500);
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut total = DeviceBuffer::<u32>::zeroed(device, 1)?;
            stream.launch(add_up, LaunchConfig::new(4, 128), (&x, &mut total))?;
            Ok(total.to_vec()?)
        });
        equal(&found, &[input.iter().sum()]);
        at_most("atomic additions", counters.global_atomics.bytes as f64 / 4.0, 4.0);
    }
}
