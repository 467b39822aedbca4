//! Multiply matrices by tiles.
//!
//! Each thread of the plain product reads a row and a column from global memory: 128 loads for 64
//! products. A block of 16 x 16 threads needs the same rows and columns 16 times, so it loads tiles
//! of 16 x 16 into shared memory and reads them there.
//! The target: at most 10 load requests for each warp.
//!
//! Read: shared/matmul
//@ hint: `A.fill_both::<1, _, _>(&mut B, |row, column| (.., ..))` fills both tiles between the same
//@   barriers.
//@ hint: The tile of `a` begins at row `top`, column `start`; that of `b` at row `start`, column
//@   `left`.
//@ hint: Then `sum += a.get(y, k) * b.get(k, x)` for k in 0..16, where (y, x) is the thread.
//@ fails: load requests for each warp: 128

use lanewise_macros::{kernel, shared};
use lanewise_std::disjoint_matrix::{DisjointMatrix, TilePerBlock};
use lanewise_std::thread::{thread_idx_x, thread_idx_y};
use lanewise_std::{Matrix, SharedTile};

type Output<'a> = DisjointMatrix<'a, f32, TilePerBlock<16, 16>>;

/// `c = a b`. The sizes are multiples of 16.
#[kernel]
#[launch_contract(dims = 2, block = (16, 16))]
pub fn product(a: Matrix<f32>, b: Matrix<f32>, mut c: Output) {
    let (top, left) = c.corner();
    let (y, x) = (thread_idx_y() as usize, thread_idx_x() as usize);
    let mut sum = 0.0;
    //@ start
    for k in 0..a.columns() {
        sum += a.get_or(top + y, k, 0.0) * b.get_or(k, left + x, 0.0);
    }
    //@ solution
    shared! {
        static A: SharedTile<f32, 16, 16>;
        static B: SharedTile<f32, 16, 16>;
    }
    for start in (0..a.columns()).step_by(16) {
        let (tile_a, tile_b) = A.fill_both::<1, _, _>(&mut B, |row, column| {
            (a.get_or(top + row, start + column, 0.0), b.get_or(start + row, left + column, 0.0))
        });
        for k in 0..16 {
            sum += tile_a.get(y, k) * tile_b.get(k, x);
        }
    }
    //@ end
    c.fill_tile::<1>(|_, _| sum);
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn tiles_are_loaded_once() {
        let n = 64;
        let small = |n| Vec::from_iter(numbers(n).into_iter().map(|x| (x % 8) as f32));
        let (a, b) = (small(n * n), small(n * n));
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &a)?;
            let y = DeviceBuffer::from_slice(device, &b)?;
            let mut z = DeviceBuffer::zeroed(device, n * n)?;
            let arguments = (x.matrix(n), y.matrix(n), z.matrix_mut(n));
            stream.launch(product, LaunchConfig::new((4, 4), (16, 16)), arguments)?;
            Ok(z.to_vec()?)
        });
        let dot = |i: usize| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum::<f32>();
        equal(&found, &Vec::from_iter((0..n * n).map(dot)));
        let requests = counters.global_loads.requests as f64 / 128.0;
        at_most("load requests for each warp", requests, 10.0);
    }
}
