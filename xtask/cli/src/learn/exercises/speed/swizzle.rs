//! Avoid conflicts without padding.
//!
//! Padding wastes memory, and some copies of Hopper need tiles without it. A swizzle is another
//! way: cell (row, column) of the tile holds another column of the row, so that a column of the
//! matrix lies in all banks. With the exclusive or, the same formula finds the element again.
//! The target: 1 wavefront for each shared load, with a pitch of 32.
//!
//! Read: tensor/tma_copy
//@ hint: Let cell (row, column) hold the element (row, column ^ row).
//@ hint: Then the element (row, column) is in cell (row, column ^ row).
//@ fails: wavefronts for each shared load: 32

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointMatrix, Matrix, SharedTile};

/// Transposes a matrix of 32 x 32. Launch: one block of 32 x 32 threads.
#[kernel]
#[launch_contract(dims = 2, block = (32, 32))]
pub fn transpose(input: Matrix<f32>, mut output: DisjointMatrix<f32>) {
    shared! { static TILE: SharedTile<f32, 32, 32, 32>; }
    //@ start
    let tile = TILE.fill::<1>(|row, column| input.get_or(row, column, 0.0));
    output.fill(|row, column| tile.get(column, row));
    //@ solution
    let tile = TILE.fill::<1>(|row, column| input.get_or(row, column ^ row, 0.0));
    output.fill(|row, column| tile.get(column, row ^ column));
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn a_column_is_in_all_banks() {
        let input = floats(1024);
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 1024)?;
            let arguments = (x.matrix(32), y.matrix_mut(32));
            stream.launch(transpose, LaunchConfig::new(1, (32, 32)), arguments)?;
            Ok(y.to_vec()?)
        });
        equal(&found, &Vec::from_iter((0..1024).map(|i| input[i % 32 * 32 + i / 32])));
        let wavefronts = counters.shared_loads.wavefronts_per_request();
        at_most("wavefronts for each shared load", wavefronts, 1.0);
    }
}
