//! Port constant memory from CUDA C++.
//!
//! `__constant__` memory is a static of the type `ConstantMemory`. All threads read the same
//! coefficient at the same time, which constant memory serves by one access. `WEIGHTS.at(j)` reads
//! one of them.
//!
//! Read: shared/stencil
//@ hint: What lies outside of the slice counts as 0: `input.get(i + j).copied().unwrap_or(0)`.
//@ hint: `sum += WEIGHTS.at(j) * ..` for j in 0..3.
//@ fails: element 0 of 100: expected

use lanewise_macros::{device, kernel};
use lanewise_std::{ConstantMemory, DisjointSlice};

// __constant__ unsigned weights[3] = {1, 2, 3};
//
// __global__ void filter(const unsigned *input, int n, unsigned *output) {
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i >= n) return;
//     unsigned sum = 0;
//     for (int j = 0; j < 3; j++)
//         if (i + j < n) sum += weights[j] * input[i + j];
//     output[i] = sum;
// }

/// The weights of an element and the two after it.
#[device]
pub static WEIGHTS: ConstantMemory<[u32; 3]> = ConstantMemory::new([1, 2, 3]);

/// Writes the weighted sum of each element and the two after it.
#[kernel]
pub fn filter(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some((output, index)) = output.get_mut_indexed() {
        let i = index.get();
        let mut sum = 0;
        //@ solution
        for j in 0..3 {
            sum += WEIGHTS.at(j) * input.get(i + j).copied().unwrap_or(0);
        }
        //@ end
        *output = sum;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn weights_are_applied() {
        let input = numbers(100);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 100)?;
            stream.launch(filter, LaunchConfig::new(1, 128), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(
            &found,
            &Vec::from_iter(
                (0..100)
                    .map(|i| (0..3).map(|j| (j as u32 + 1) * input.get(i + j).unwrap_or(&0)).sum()),
            ),
        );
    }
}
