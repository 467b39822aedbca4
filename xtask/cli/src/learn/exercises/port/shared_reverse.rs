//! Port shared memory from CUDA C++.
//!
//! The C++ kernel fills an array in shared memory, waits, and reads what other threads wrote. In
//! Rust, a `SharedLine` does the three in one: `fill` writes and waits, and the view that it
//! returns is read. No `unsafe` is needed.
//!
//! Read: using/phases
//@ hint: `let line = LINE.fill::<1>(|i| input[first + i]);`, where `first` is the block's first
//@   element.
//@ hint: `line.get(63 - thread::thread_idx_x() as usize)`
//@ fails: element 0 of 256: expected

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, SharedLine, thread};

// __global__ void reverse(const int *input, int *output) {
//     __shared__ int line[64];
//     int i = blockIdx.x * 64 + threadIdx.x;
//     line[threadIdx.x] = input[i];
//     __syncthreads();
//     output[i] = line[63 - threadIdx.x];
// }

/// Reverses the elements of each block. The length is a multiple of 64.
#[kernel]
#[launch_contract(dims = 1, block = 64)]
pub fn reverse(input: &[u32], mut output: DisjointSlice<u32>) {
    //@ start
    // Your code.
    //@ solution
    shared! { static LINE: SharedLine<u32, 64>; }
    let first = thread::block_idx_x() as usize * 64;
    let line = LINE.fill::<1>(|i| input[first + i]);
    if let Some(output) = output.get_mut(thread::index_1d()) {
        *output = line.get(63 - thread::thread_idx_x() as usize);
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn blocks_are_reversed() {
        let input = numbers(256);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 256)?;
            stream.launch(reverse, LaunchConfig::new(4, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(
            &found,
            &Vec::from_iter(input.chunks(64).flat_map(|part| part.iter().rev().copied())),
        );
    }
}
