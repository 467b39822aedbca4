//! Port an atomic maximum from CUDA C++.
//!
//! `atomicMax` is `fetch_max` of an atomic type. Rust asks for an order of memory as well. CUDA's
//! atomics are relaxed, which is enough here: only the maximum itself is shared. The loop is a
//! grid-stride loop.
//!
//! Read: instruction/atomics
//@ hint: `for i in thread::grid_stride(input.len())` gives a thread its elements.
//@ hint: `best[0].fetch_max(most, AtomicOrdering::Relaxed);`
//@ fails: element 0 of 1: expected

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::thread;

// __global__ void maximum(const unsigned *input, int n, unsigned *best) {
//     unsigned most = 0;
//     for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
//         most = max(most, input[i]);
//     atomicMax(best, most);
// }

/// Raises `best[0]` to the maximum of `input`.
#[kernel]
pub fn maximum(input: &[u32], best: &[DeviceAtomicU32]) {
    //@ start
    // Your code.
    //@ solution
    let mut most = 0;
    for i in thread::grid_stride(input.len()) {
        most = most.max(input[i]);
    }
    best[0].fetch_max(most, AtomicOrdering::Relaxed);
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn it_is_the_maximum() {
        let input = numbers(1000);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut best = DeviceBuffer::<u32>::zeroed(device, 1)?;
            stream.launch(maximum, LaunchConfig::new(2, 64), (&x, &mut best))?;
            Ok(best.to_vec()?)
        });
        equal(&found, &[*input.iter().max().unwrap()]);
    }
}
