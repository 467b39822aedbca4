//! Port saxpy from CUDA C++.
//!
//! The kernel in C++ stands above the place of yours. It computes its index, compares it with the
//! length, and accesses raw pointers. In Rust the length is part of the slice, and the index of the
//! thread is the proof that no other thread writes the element.
//!
//! Read: basics/vector_add
//@ hint: `float *y` with one element for each thread is a `DisjointSlice<f32>`.
//@ hint: `if let Some((y, index)) = y.get_mut_indexed() { *y = a * x[index.get()] + *y; }`
//@ fails: element 0 of 1: expected

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

// __global__ void saxpy(int n, float a, const float *x, float *y) {
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < n) y[i] = a * x[i] + y[i];
// }

/// `y = a x + y`.
#[kernel]
pub fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    //@ start
    // Your code.
    //@ solution
    if let Some((y, index)) = y.get_mut_indexed() {
        *y += a * x[index.get()];
    }
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn it_is_saxpy() {
        for n in LENGTHS {
            let input = floats(n);
            let (found, _) = run(|device, stream| {
                let x = DeviceBuffer::from_slice(device, &input)?;
                let mut y = DeviceBuffer::from_slice(device, &vec![1.0; n])?;
                stream.launch(saxpy, LaunchConfig::for_num_elems(n), (2.0, &x, &mut y))?;
                Ok(y.to_vec()?)
            });
            equal(&found, &Vec::from_iter(input.iter().map(|x| 2.0 * x + 1.0)));
        }
    }
}
