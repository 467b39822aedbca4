//! The product of matrices of `bf16`, before the tensor memory accelerator: `c = a b`, in `f32`.
//!
//! `a` has `m` rows of `k` elements, and `b` is given as its transpose, `n` rows of `k`; `c` has
//! `m` rows of `n`. Both factors come as pairs along `k`, and `product_bf16_mma` takes them in
//! vectors of eight elements. The sizes are arbitrary. Launch: 2-D grid with at least `n` threads
//! along x and `m` along y for `product_bf16_naive`; with a block for each tile of [`TILE`] x
//! [`TILE`] for `product_bf16_shared`, of [`MMA_TILE`] x [`MMA_TILE`] for `product_bf16_mma`.
//! Shows: numbers of half the size halve the traffic, and no more; it is the tensor cores that
//! multiply more of them at once. `gemm_bf16` has the instructions of Hopper.
//! Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::disjoint_matrix::{DisjointMatrix, TilePerBlock};
use lanewise_std::half::{Bf16, Bf16x2};
use lanewise_std::matrix::warp::{self, Left, Right, SumsPerWarp};
use lanewise_std::thread::{thread_idx_x, thread_idx_y};
use lanewise_std::vector::UInt4;
use lanewise_std::warp::lane_id;
use lanewise_std::{Matrix, SharedTile};

/// Rows, columns and pairs along `k` of a tile for multiply-adds, an element a thread.
pub const TILE: usize = 32;
/// Rows and columns of a tile for tensor cores.
pub const MMA_TILE: usize = 128;

/// Each thread reads its row of both factors from global memory.
#[kernel]
#[launch_contract(dims = 2)]
pub fn product_bf16_naive(a: Matrix<Bf16x2>, b: Matrix<Bf16x2>, mut c: DisjointMatrix<f32>) {
    c.fill(|row, column| {
        let mut sum = 0.0;
        for (a, b) in a.row(row).iter().zip(b.row(column)) {
            sum += dot(*a, *b);
        }
        sum
    });
}

/// The block moves along its rows of both factors, a pair of tiles at a time.
#[kernel]
#[launch_contract(dims = 2, block = (TILE, TILE))]
pub fn product_bf16_shared(
    a: Matrix<Bf16x2>,
    b: Matrix<Bf16x2>,
    mut c: DisjointMatrix<f32, TilePerBlock<TILE, TILE>>,
) {
    shared! {
        static A: SharedTile<Bf16x2, TILE, TILE, { TILE + 1 }>;
        static B: SharedTile<Bf16x2, TILE, TILE, { TILE + 1 }>;
    }
    let (top, left) = c.corner();
    let (row, column) = (thread_idx_y() as usize, thread_idx_x() as usize);
    let mut sum = 0.0;
    for start in (0..a.columns()).step_by(TILE) {
        let (rows, columns) = A.fill_both::<1, _, _>(&mut B, |row, pair| {
            (
                a.get_or(top + row, start + pair, Bf16x2::default()),
                b.get_or(left + row, start + pair, Bf16x2::default()),
            )
        });
        for pair in 0..TILE {
            sum += dot(rows.get(row, pair), columns.get(column, pair));
        }
    }
    c.fill_tile::<1>(|_, _| sum);
}

/// Returns the sum of both products.
#[inline(always)]
pub(super) fn dot(a: Bf16x2, b: Bf16x2) -> f32 {
    a.low.to_f32() * b.low.to_f32() + a.high.to_f32() * b.high.to_f32()
}

/// The same with tensor cores: four warps of a block multiply 64 x 64 elements each. The factors
/// come in vectors of eight elements.
#[kernel(min_arch = "sm_80")]
#[launch_contract(dims = 2, block = (4, 32))]
pub fn product_bf16_mma(
    a: Matrix<UInt4>,
    b: Matrix<UInt4>,
    mut c: DisjointMatrix<f32, SumsPerWarp<4, 8, 2>>,
) {
    shared! {
        static A: SharedTile<UInt4, MMA_TILE, 4>;
        static B: SharedTile<UInt4, MMA_TILE, 4>;
    }
    let ((top, left), (row, column)) = (c.corner(), c.part());
    let lane = lane_id() as usize;
    let mut sums = [[warp::Sum::<f32>::default(); 8]; 4];
    // ANCHOR: mma_loop
    for start in (0..a.columns()).step_by(4) {
        let (rows, columns) = A.fill_both::<4, _, _>(&mut B, |row, eight| {
            (
                a.get_or(top + row, start + eight, UInt4::default()),
                b.get_or(left + row, start + eight, UInt4::default()),
            )
        });
        let right: [UInt4; 8] = from_fn(|j| columns.get(column + 8 * j + lane / 4, lane % 4));
        for (i, sums) in sums.iter_mut().enumerate() {
            let [up, down] = [0, 8].map(|y| rows.get(row + 16 * i + y + lane / 4, lane % 4));
            for (right, sum) in right.iter().zip(sums) {
                *sum = multiply_add([up.x, down.x, up.y, down.y], [right.x, right.y], *sum);
                *sum = multiply_add([up.z, down.z, up.w, down.w], [right.z, right.w], *sum);
            }
        }
    }
    // ANCHOR_END: mma_loop
    c.fill_sums(|i, j, k| sums[i][j].elements()[k]);
}

/// Multiplies 16 rows by 8 columns, 16 elements deep, and adds the products to the sums. These are
/// the registers of a lane.
#[inline(always)]
fn multiply_add(left: [u32; 4], right: [u32; 2], sum: warp::Sum<f32>) -> warp::Sum<f32> {
    let (left, right) = (
        Left::<Bf16>::from_registers(left),
        Right::<Bf16>::from_registers(right),
    );
    warp::multiply_add(&left, &right, sum)
}
