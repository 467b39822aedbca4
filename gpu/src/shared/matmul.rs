//! Matrix product: each thread computes one element.
//!
//! `c = a b`, where `a` has `m` rows of `k` columns, `b` has `k` rows of `n`, and `c` has `m` rows
//! of `n`. The sizes are arbitrary. Launch: 2-D grid of at least `n` threads along x and `m` along
//! y, in 2-D blocks; for `matmul_shared_16` these are 16 x 16, for `matmul_shared_32` 32 x 32. In
//! `matmul_naive` each thread loads a row of `a` and a column of `b`: 2 k loads. In `matmul_shared`
//! the block loads tiles, one element of each tile per thread, and every loaded element is used
//! `TILE` times: 2 k / TILE loads.
//! Shows: shared memory as a cache that the program fills. It divides the loads from global memory
//! by the tile's width.
//! Source: CUDA C++ Programming Guide, "Shared Memory".

use lanewise_macros::{kernel, shared};
use lanewise_std::disjoint_matrix::{DisjointMatrix, TilePerBlock};
use lanewise_std::thread::{thread_idx_x, thread_idx_y};
use lanewise_std::{Matrix, SharedTile};

/// Each thread reads its row and its column from global memory.
#[kernel]
#[launch_contract(dims = 2)]
pub fn matmul_naive(a: Matrix<f32>, b: Matrix<f32>, mut c: DisjointMatrix<f32>) {
    c.fill(|row, column| {
        let products = a.row(row).iter().zip(b.column(column));
        products.map(|(a, b)| a * b).sum()
    });
}

/// The block moves along its rows of `a` and down its columns of `b`, a pair of tiles at a time. It
/// waits for tiles, so it is fastest if as many threads as possible run: with 32 registers each, a
/// multiprocessor has all 2048.
#[kernel(instances(16, 32))]
#[launch_contract(dims = 2, block = (TILE, TILE))]
#[max_registers(32)]
pub fn matmul_shared<const TILE: usize>(
    a: Matrix<f32>,
    b: Matrix<f32>,
    mut c: DisjointMatrix<f32, TilePerBlock<TILE, TILE>>,
) {
    shared! {
        static A: SharedTile<f32, TILE, TILE>;
        static B: SharedTile<f32, TILE, TILE>;
    }
    let (top, left) = c.corner();
    let (row, column) = (thread_idx_y() as usize, thread_idx_x() as usize);
    let mut sum = 0.0;
    for start in (0..a.columns()).step_by(TILE) {
        // A tile may extend beyond its matrix: it is zero there.
        let (tile_of_a, tile_of_b) = A.fill_both::<1, _, _>(&mut B, |row, column| {
            (
                a.get_or(top + row, start + column, 0.0),
                b.get_or(start + row, left + column, 0.0),
            )
        });
        for k in 0..TILE {
            sum += tile_of_a.get(row, k) * tile_of_b.get(k, column);
        }
    }
    c.fill_tile::<1>(|_, _| sum);
}
