//! Sum a warp by shuffles.
//!
//! A shuffle lets a lane read a register of another lane. In step s of a butterfly, a lane adds the
//! sum of the lane whose number differs in one bit: 16, then 8, 4, 2, 1. After five steps every
//! lane has the sum of all 32. No shared memory and no barrier is needed.
//!
//! Read: warp/shuffles
//@ hint: `warp::shuffle_xor_sync(FULL_MASK, sum, 16)` is the sum of the lane 16 away.
//@ hint: `for lanes in [16, 8, 4, 2, 1] { sum += ..; }`
//@ fails: element 0 of 64: expected

use lanewise_macros::kernel;
use lanewise_std::warp::{self, FULL_MASK};
use lanewise_std::{DisjointSlice, thread};

/// Each thread writes the sum of its warp.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn warp_sums(input: &[u32], mut output: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let mut sum = input.get(index.get()).copied().unwrap_or(0);
    //@ start
    // Your code.
    //@ solution
    for lanes in [16, 8, 4, 2, 1] {
        sum += warp::shuffle_xor_sync(FULL_MASK, sum, lanes);
    }
    //@ end
    if let Some(output) = output.get_mut(&index) {
        *output = sum;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn every_lane_has_the_sum() {
        let input = numbers(64);
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 64)?;
            stream.launch(warp_sums, LaunchConfig::new(1, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        let sum = |i: usize| input[i / 32 * 32..][..32].iter().sum();
        equal(&found, &Vec::from_iter((0..64).map(sum)));
        at_most("barriers", counters.barriers as f64, 0.0);
        at_most("shared loads", counters.shared_loads.requests as f64, 0.0);
    }
}
