//! Port a vote from CUDA C++.
//!
//! `__ballot_sync` is `warp::ballot_sync`, and `__popc` is Rust's `count_ones`. The C++ kernel adds
//! the count of each warp to a total in global memory, by one atomic of lane 0.
//!
//! Read: warp/votes
//@ hint: All lanes vote, also those past the end: `input.get(i).is_some_and(|x| *x > limit)`.
//@ hint: `if warp::lane_id() == 0 { total[0].fetch_add(ballot.count_ones(),
//@   AtomicOrdering::Relaxed); }`
//@ fails: element 0 of 1: expected

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::thread;
use lanewise_std::warp::{self, FULL_MASK};

// __global__ void count_above(const unsigned *input, unsigned n, unsigned limit, unsigned *total) {
//     unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//     unsigned votes = __ballot_sync(0xffffffff, i < n && input[i] > limit);
//     if (threadIdx.x % 32 == 0) atomicAdd(total, __popc(votes));
// }

/// Adds to `total[0]` how many elements are above the limit.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn count_above(input: &[u32], limit: u32, total: &[DeviceAtomicU32]) {
    let i = thread::index_1d().get();
    //@ start
    // Your code.
    //@ solution
    let votes = warp::ballot_sync(FULL_MASK, input.get(i).is_some_and(|x| *x > limit));
    if warp::lane_id() == 0 {
        total[0].fetch_add(votes.count_ones(), AtomicOrdering::Relaxed);
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn each_warp_votes() {
        let input = numbers(250);
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut total = DeviceBuffer::<u32>::zeroed(device, 1)?;
            let config = LaunchConfig::new(4, 64);
            stream.launch(count_above, config, (&x, 500, &mut total))?;
            Ok(total.to_vec()?)
        });
        equal(&found, &[input.iter().filter(|x| **x > 500).count() as u32]);
        at_most("atomic additions", counters.global_atomics.bytes as f64 / 4.0, 8.0);
    }
}
