//! Subtract the mean of each row.
//!
//! A block has one row of a matrix, and the row is longer than the block. So each thread sums some
//! elements, the block adds the sums, and then each thread writes those elements.
//! `output.block_stride()` walks over the thread's elements of the block's row, with the column of
//! each. `thread::block_stride(n)` are the same columns for reading.
//!
//! Read: warp/collectives
//@ hint: `block_reduce(sum, Sum)` gives the whole row's sum to every thread.
//@ hint: The mean is `total / row.len() as f32`.
//@ fails: element 0 of 300: expected

use lanewise_macros::kernel;
use lanewise_std::collective::{Sum, block_reduce};
use lanewise_std::{Matrix, RowPerBlock, thread};

/// `output[r][c] = input[r][c] - mean of row r`.
#[kernel]
pub fn centre(input: Matrix<f32>, mut output: RowPerBlock<f32>) {
    let row = input.row(thread::block_idx_x() as usize);
    //@ start
    let mean = 0.0;
    //@ solution
    let mut sum = 0.0;
    for i in thread::block_stride(row.len()) {
        sum += row[i];
    }
    let mean = block_reduce(sum, Sum) / row.len() as f32;
    //@ end
    for (i, output) in output.block_stride() {
        *output = row[i] - mean;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn rows_are_centred() {
        let input: Vec<f32> = (0..300).map(|i| (i % 100 * 2 + i / 100) as f32).collect();
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 300)?;
            let arguments = (x.matrix(100), y.matrix_mut(100));
            stream.launch(centre, LaunchConfig::new(3, 64), arguments)?;
            Ok(y.to_vec()?)
        });
        let centred = (0..300).map(|i| (i % 100 * 2) as f32 - 99.0);
        equal(&found, &Vec::from_iter(centred));
    }
}
