//! Add a row vector to every row of a matrix.
//!
//! Blocks and grids have up to three dimensions. Here x counts columns and y counts rows. A
//! `Matrix` is a slice with a number of columns. A `DisjointMatrix` gives each thread of a 2-D grid
//! one element. `fill` calls a closure with the thread's row and column, if it has an element.
//!
//! Read: basics/matrix_add
//@ hint: `output.fill(|row, column| ..)` writes what the closure returns.
//@ hint: `a.get_or(row, column, 0.0)` reads an element of the matrix.
//@ fails: element 0 of 35: expected

use lanewise_macros::kernel;
use lanewise_std::{DisjointMatrix, Matrix};

/// `output[r][c] = a[r][c] + row[c]`.
#[kernel]
pub fn add_row(a: Matrix<f32>, row: &[f32], mut output: DisjointMatrix<f32>) {
    //@ start
    // Your code.
    //@ solution
    output.fill(|r, c| a.get_or(r, c, 0.0) + row[c]);
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn matrices_of_any_shape_get_the_row() {
        for (rows, columns) in [(5, 7), (1, 40), (33, 3), (16, 16)] {
            let (a, row) = (floats(rows * columns), floats(columns));
            let (found, _) = run(|device, stream| {
                let x = DeviceBuffer::from_slice(device, &a)?;
                let y = DeviceBuffer::from_slice(device, &row)?;
                let mut z = DeviceBuffer::zeroed(device, rows * columns)?;
                let config = LaunchConfig::cover_2d((columns, rows), (16, 8));
                let arguments = (x.matrix(columns), &y, z.matrix_mut(columns));
                stream.launch(add_row, config, arguments)?;
                Ok(z.to_vec()?)
            });
            let expected = a.iter().enumerate().map(|(i, a)| a + row[i % columns]);
            equal(&found, &Vec::from_iter(expected));
        }
    }
}
