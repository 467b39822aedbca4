//! Port a scan by shuffles from CUDA C++.
//!
//! In step d, a lane adds what the lane d before it has, if there is one. All lanes execute the
//! shuffle, also those that do not use its result, as in the C++ kernel.
//!
//! Read: warp/shuffles
//@ hint: The shuffle stands outside of the `if`.
//@ hint: `for delta in [1, 2, 4, 8, 16]`, `let before = warp::shuffle_up_sync(FULL_MASK, sum,
//@   delta);`
//@ hint: `if lane_id() >= delta { sum += before; }`
//@ fails: element 1 of 64: expected

use lanewise_macros::kernel;
use lanewise_std::warp::{self, FULL_MASK, lane_id};
use lanewise_std::{DisjointSlice, thread};

// __global__ void warp_scan(const unsigned *input, unsigned *output) {
//     unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
//     unsigned sum = input[i];
//     for (int delta = 1; delta < 32; delta *= 2) {
//         unsigned before = __shfl_up_sync(0xffffffff, sum, delta);
//         if (lane >= delta) sum += before;
//     }
//     output[i] = sum;
// }

/// Writes running totals of each warp's elements. There is a thread for each element.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn warp_scan(input: &[u32], mut output: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let mut sum = input.get(index.get()).copied().unwrap_or(0);
    //@ start
    // Your code.
    //@ solution
    for delta in [1, 2, 4, 8, 16] {
        let before = warp::shuffle_up_sync(FULL_MASK, sum, delta);
        if lane_id() >= delta {
            sum += before;
        }
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
    fn totals_run_through_warps() {
        let input = numbers(64);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 64)?;
            stream.launch(warp_scan, LaunchConfig::new(1, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(&found, &Vec::from_iter((0..64).map(|i| input[i / 32 * 32..=i].iter().sum())));
    }
}
