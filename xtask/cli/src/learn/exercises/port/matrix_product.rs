//! Port a matrix product from CUDA C++.
//!
//! In the C++ kernel, a matrix is a pointer with sizes, and every index is computed by hand. In
//! Rust `Matrix` and `DisjointMatrix` know their rows and columns.
//!
//! Read: shared/matmul
//@ hint: `c.fill(|row, column| ..)` calls the closure in the threads that have an element.
//@ hint: `a.get_or(row, k, 0.0) * b.get_or(k, column, 0.0)`, summed over `0..a.columns()`.
//@ fails: element 0 of 35: expected

use lanewise_macros::kernel;
use lanewise_std::{DisjointMatrix, Matrix};

// __global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
//     int col = blockIdx.x * blockDim.x + threadIdx.x;
//     int row = blockIdx.y * blockDim.y + threadIdx.y;
//     if (row >= m || col >= n) return;
//     float sum = 0.0f;
//     for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
//     c[row * n + col] = sum;
// }

/// `c = a b`.
#[kernel]
pub fn product(a: Matrix<f32>, b: Matrix<f32>, mut c: DisjointMatrix<f32>) {
    //@ start
    // Your code.
    //@ solution
    c.fill(|row, column| {
        (0..a.columns()).map(|k| a.get_or(row, k, 0.0) * b.get_or(k, column, 0.0)).sum()
    });
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn it_is_the_product() {
        let small = |n| Vec::from_iter(numbers(n).into_iter().map(|x| (x % 8) as f32));
        let (a, b) = (small(5 * 3), small(3 * 7));
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &a)?;
            let y = DeviceBuffer::from_slice(device, &b)?;
            let mut z = DeviceBuffer::zeroed(device, 35)?;
            let arguments = (x.matrix(3), y.matrix(7), z.matrix_mut(7));
            stream.launch(product, LaunchConfig::cover_2d((7, 5), (16, 8)), arguments)?;
            Ok(z.to_vec()?)
        });
        let dot = |i: usize| (0..3).map(|k| a[i / 7 * 3 + k] * b[k * 7 + i % 7]).sum::<f32>();
        equal(&found, &Vec::from_iter((0..35).map(dot)));
    }
}
