//! Read a column of a tile without conflicts.
//!
//! Shared memory has 32 banks of 4 bytes. In a tile with rows of 32 numbers, a column lies in one
//! bank: 32 lanes that read a column wait for each other, 32 times. Change the distance of two
//! rows.
//! The target: 1 wavefront for each shared load.
//!
//! Read: shared/square_tile
//@ hint: The last number of the type is the pitch: how many cells apart two rows are.
//@ hint: With a pitch of 33, cell c of row r lies in bank (33 r + c) mod 32 = (r + c) mod 32.
//@ fails: wavefronts for each shared load: 32

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{thread_idx_x, thread_idx_y};
use lanewise_std::{DisjointMatrix, Matrix, SharedTile};

/// Transposes a matrix of 32 x 32. Launch: one block of 32 x 32 threads.
#[kernel]
#[launch_contract(dims = 2, block = (32, 32))]
pub fn transpose(input: Matrix<f32>, mut output: DisjointMatrix<f32>) {
    //@ start
    shared! { static TILE: SharedTile<f32, 32, 32, 32>; }
    //@ solution
    shared! { static TILE: SharedTile<f32, 32, 32, 33>; }
    //@ end
    let tile = TILE.fill::<1>(|row, column| input.get_or(row, column, 0.0));
    output.fill(|row, column| tile.get(column, row));
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
