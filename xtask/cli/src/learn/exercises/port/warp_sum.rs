//! Port a reduction by shuffles from CUDA C++.
//!
//! `__shfl_down_sync` is `warp::shuffle_down_sync`, with the same arguments in the same order.
//! After five steps lane 0 has the sum of its warp, and it alone writes. A `PerWarp` output is for
//! that: its element belongs to lane 0 of the warp.
//!
//! Read: warp/reduce_shuffle
//@ hint: `for delta in [16, 8, 4, 2, 1] { .. }` are the steps of the loop.
//@ hint: `thread::grid_stride_by_warps(n)` walks over the elements of a `PerWarp`;
//@   `sums.get_mut(&place)` is the element, in lane 0.
//@ fails: element 0 of 4: expected

use lanewise_macros::kernel;
use lanewise_std::warp::{self, FULL_MASK};
use lanewise_std::{PerWarp, thread};

// __global__ void warp_sums(const unsigned *input, unsigned *sums) {
//     unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//     unsigned sum = input[i];
//     for (int delta = 16; delta > 0; delta /= 2)
//         sum += __shfl_down_sync(0xffffffff, sum, delta);
//     if (threadIdx.x % 32 == 0) sums[i / 32] = sum;
// }

/// `sums[w]` is the sum of 32 elements. There is a warp for each of them.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn warp_sums(input: &[u32], mut sums: PerWarp<u32>) {
    for place in thread::grid_stride_by_warps(sums.len()) {
        let mut sum = input[place.get() * 32 + warp::lane_id() as usize];
        //@ solution
        for delta in [16, 8, 4, 2, 1] {
            sum += warp::shuffle_down_sync(FULL_MASK, sum, delta);
        }
        //@ end
        if let Some(out) = sums.get_mut(&place) {
            *out = sum;
        }
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn lane_0_has_the_sum() {
        let input = numbers(128);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 4)?;
            stream.launch(warp_sums, LaunchConfig::new(2, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(&found, &Vec::from_iter(input.chunks(32).map(|part| part.iter().sum())));
    }
}
