//! Transpose a matrix through shared memory.
//!
//! A block moves a tile of 32 x 32. It reads rows and writes rows, both side by side in memory; the
//! turn happens in shared memory. `output.corner()` is the tile's first row and column in the
//! output. `TILE.fill` has each thread load four elements, `output.fill_tile` has it write four.
//! The tile's pitch of 33 keeps the lanes of a column in different banks.
//!
//! Read: shared/transpose_shared
//@ hint: A row of the output is a column of the input: the tile of the input begins at row `left`'s
//@   place, column `top`'s.
//@ hint: Fill the tile with `input.get_or(left + row, top + column, 0.0)`, where `(top, left)` is
//@   the corner.
//@ hint: Write `tile.get(column, row)`.
//@ fails: element 1 of 1024: expected

use lanewise_macros::{kernel, shared};
use lanewise_std::disjoint_matrix::{DisjointMatrix, TilePerBlock};
use lanewise_std::{Matrix, SharedTile};

/// `output[r][c] = input[c][r]`.
#[kernel]
#[launch_contract(dims = 2, block = (32, 8))]
pub fn transpose(input: Matrix<f32>, mut output: DisjointMatrix<f32, TilePerBlock<32, 32>>) {
    shared! { static TILE: SharedTile<f32, 32, 32, 33>; }
    let (top, left) = output.corner();
    //@ start
    let tile = TILE.fill::<4>(|row, column| input.get_or(top + row, left + column, 0.0));
    output.fill_tile::<4>(|row, column| tile.get(row, column));
    //@ solution
    let tile = TILE.fill::<4>(|row, column| input.get_or(left + row, top + column, 0.0));
    output.fill_tile::<4>(|row, column| tile.get(column, row));
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn rows_become_columns() {
        for (rows, columns) in [(32, 32), (40, 70), (1, 33)] {
            let input = floats(rows * columns);
            let (found, counters) = run(|device, stream| {
                let x = DeviceBuffer::from_slice(device, &input)?;
                let mut y = DeviceBuffer::zeroed(device, rows * columns)?;
                let grid = (rows.div_ceil(32) as u32, columns.div_ceil(32) as u32);
                let arguments = (x.matrix(columns), y.matrix_mut(rows));
                stream.launch(transpose, LaunchConfig::new(grid, (32, 8)), arguments)?;
                Ok(y.to_vec()?)
            });
            let turned = (0..rows * columns).map(|i| input[i % rows * columns + i / rows]);
            equal(&found, &Vec::from_iter(turned));
            let wavefronts = counters.shared_loads.wavefronts_per_request();
            at_most("wavefronts for each shared load", wavefronts, 1.0);
        }
    }
}
