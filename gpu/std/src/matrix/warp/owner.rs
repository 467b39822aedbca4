//! An output of products: each warp owns a part of a block's tile.

use super::{COLUMNS, ROWS, Sum};
use crate::DisjointMatrix;
use crate::thread::{block_idx_x, block_idx_y, block_idx_z, grid_dim_y, thread_rank};
use crate::unroll::unroll;
use crate::warp::{WARP_SIZE, warp_id, warps_per_block};

/// Each warp owns `DOWN` x `BESIDE` [sums](Sum), of 16 x 8 elements each. A block's warps own parts
/// of one tile, `ACROSS` of them beside each other. The block at (x, y) owns the tile in row y and
/// column x of the tiles. So a matrix that tensor cores compute is written without `unsafe`:
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::DisjointMatrix;
/// use lanewise_std::matrix::element::Bf16;
/// use lanewise_std::matrix::warp::{Left, Right, Sum, SumsPerWarp, multiply_add};
///
/// /// The product of matrices of ones: 16 in all elements.
/// #[kernel(min_arch = "sm_80")]
/// #[launch_contract(dims = 2, whole_warps)]
/// pub fn sixteens(mut output: DisjointMatrix<f32, SumsPerWarp<1, 1>>) {
///     let left = Left::<Bf16>::from_registers([0x3f80_3f80; 4]);
///     let right = Right::<Bf16>::from_registers([0x3f80_3f80; 2]);
///     let sum = multiply_add(&left, &right, Sum::<f32>::default()).elements();
///     output.fill_sums(|_, _, i| sum[i]);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SumsPerWarp<const DOWN: usize, const BESIDE: usize, const ACROSS: usize = 1>;

impl<T, const DOWN: usize, const BESIDE: usize, const ACROSS: usize>
    DisjointMatrix<'_, T, SumsPerWarp<DOWN, BESIDE, ACROSS>>
{
    /// Returns the row and the column of the first element of the block's tile. It may be outside
    /// of the matrix.
    #[inline(always)]
    #[must_use]
    pub fn corner(&self) -> (usize, usize) {
        // The planes of a launch with z follow each other along y.
        let y = block_idx_z() as usize * grid_dim_y() as usize + block_idx_y() as usize;
        let warps = warps_per_block() as usize;
        (
            y * (warps / ACROSS * DOWN * ROWS),
            block_idx_x() as usize * (ACROSS * BESIDE * COLUMNS),
        )
    }

    /// Returns the row and the column of the first element of the warp's part within the block's
    /// tile.
    #[inline(always)]
    #[must_use]
    pub fn part(&self) -> (usize, usize) {
        let warp = warp_id() as usize;
        (
            warp / ACROSS * (DOWN * ROWS),
            warp % ACROSS * (BESIDE * COLUMNS),
        )
    }

    /// Sets each of this lane's elements to `value(i, j, k)`: the one in register `k` of the sum in
    /// row i and column j of the warp's sums. Elements outside of the matrix are left out.
    ///
    /// # Panics
    /// If the block's warps are no multiple of `ACROSS`.
    #[inline(always)]
    #[track_caller]
    pub fn fill_sums(&mut self, mut value: impl FnMut(usize, usize, usize) -> T) {
        assert!(
            (warps_per_block() as usize).is_multiple_of(ACROSS),
            "the warps of a block are a multiple of those beside each other"
        );
        let ((top, left), (row, column)) = (self.corner(), self.part());
        // The loops are unrolled: an array that a loop indexes at run time would be in memory.
        unroll::<DOWN>(|i| {
            unroll::<BESIDE>(|j| {
                unroll::<4>(|k| {
                    let (y, x) = Sum::<f32>::position(thread_rank() % WARP_SIZE, k);
                    let y = top + row + i * ROWS + y;
                    let x = left + column + j * COLUMNS + x;
                    if y < self.rows() && x < self.columns() {
                        let place = y * self.columns() + x;
                        // SAFETY: in bounds. No other block has this tile, no other warp of the
                        // block this part, as there are whole rows of warps, and no other lane this
                        // position of a sum.
                        unsafe { self.as_mut_ptr().add(place).write(value(i, j, k)) };
                    }
                });
            });
        });
    }
}
