//! The owner of tiles: a block.

use core::array::from_fn;
use core::marker::PhantomData;

use super::{DisjointMatrix, Order, Plane};
use crate::memory::phased::{ByRows, OwnCells};
use crate::thread::{block_idx_x, block_idx_y, block_idx_z, grid_dim_y};
use crate::unroll::unroll;

/// The block at (x, y) owns the tile of `ROWS` x `COLUMNS` elements in row y and column x of the
/// tiles; with [`Transposed`](super::Transposed), in row x and column y. Within the tile, the
/// block's threads own elements as they own the cells of a [`SharedTile`](crate::SharedTile) by
/// rows.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::disjoint_matrix::{DisjointMatrix, TilePerBlock, Transposed};
/// use lanewise_std::{Matrix, SharedTile};
///
/// /// Transposes through tiles in shared memory, so that loads and stores are along rows.
/// #[kernel]
/// #[launch_contract(dims = 2, block = (32, 8))]
/// pub fn transpose(
///     input: Matrix<f32>,
///     mut output: DisjointMatrix<f32, TilePerBlock<32, 32, Transposed>>,
/// ) {
///     shared! { static TILE: SharedTile<f32, 32, 32, 33>; }
///     let (left, top) = output.corner();
///     let tile = TILE.fill::<4>(|row, column| input.get_or(top + row, left + column, 0.0));
///     output.fill_tile::<4>(|row, column| tile.get(column, row));
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TilePerBlock<const ROWS: usize, const COLUMNS: usize, O = Plane>(PhantomData<O>);

impl<T, const ROWS: usize, const COLUMNS: usize, O: Order>
    DisjointMatrix<'_, T, TilePerBlock<ROWS, COLUMNS, O>>
{
    /// Returns the row and the column of the first element of the block's tile. It may be outside
    /// of the matrix.
    #[inline]
    #[must_use]
    pub fn corner(&self) -> (usize, usize) {
        // The planes of a launch with z follow each other along y.
        let y = block_idx_z() as usize * grid_dim_y() as usize + block_idx_y() as usize;
        let (row, column) = O::turn(y, block_idx_x() as usize);
        (row * ROWS, column * COLUMNS)
    }

    /// Sets each of this thread's elements of the block's tile to `value(row, column)`, where row
    /// and column begin at the tile's [`corner`](Self::corner). The function is called for all of
    /// these elements, and its result is left out if the element is outside of the matrix. All
    /// values are computed before the first element is set.
    ///
    /// Each thread has up to `STEPS` elements, as in [`SharedTile::fill`](crate::SharedTile::fill).
    ///
    /// # Panics
    /// If the threads of the block with `STEPS` elements each do not reach the whole tile.
    #[inline(always)]
    #[track_caller]
    pub fn fill_tile<const STEPS: usize>(&mut self, mut value: impl FnMut(usize, usize) -> T) {
        let cells = OwnCells::<ByRows>::of_thread((ROWS, COLUMNS), STEPS);
        let (top, left) = self.corner();
        let values: [Option<T>; STEPS] =
            from_fn(|step| cells.cell(step).map(|(row, column)| value(row, column)));
        let mut values = values.into_iter();
        unroll::<STEPS>(|step| {
            if let (Some((row, column)), Some(value)) = (cells.cell(step), values.next().flatten())
                && let Some(index) = self.place(top + row, left + column)
            {
                // SAFETY: in bounds. No other block has this tile, and no other thread of the block
                // has this cell of it.
                unsafe { self.pointer.add(index).write(value) };
            }
        });
    }
}
