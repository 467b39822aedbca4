//! The transpose through global memory alone, and the copy whose speed is its upper bound.

use gpu::memory::transpose::{
    copy_col, copy_row, transpose_diagonal_col, transpose_diagonal_row, transpose_naive_col,
    transpose_naive_row, transpose_unroll4_col, transpose_unroll4_row,
};

use crate::matrix::{self, Columns, Expected, Tiles};
use crate::{Pattern, Size, Variant};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "transpose",
    chapter: "memory",
    summary: "strided loads or strided stores; copies by rows and by columns give the bounds",
    source: "Professional CUDA C Programming, chapter 4",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 1024,
        bench: Some(16384),
    },
    variants: &[
        Variant::new("copy_row", |device, setup| {
            matrix::prepare(device, setup, copy_row, Tiles::OneEach, COPIED)
        }),
        Variant::new("copy_col", |device, setup| {
            let by_columns: Columns = |_, ny| [ny, ny]; // it is read as `nx` rows of `ny`
            let copied = (COPIED.0, by_columns);
            matrix::prepare(device, setup, copy_col, Tiles::OneEach, copied)
        }),
        Variant::new("transpose_naive_row", |device, setup| {
            matrix::prepare(
                device,
                setup,
                transpose_naive_row,
                Tiles::OneEach,
                TRANSPOSED,
            )
        }),
        Variant::new("transpose_naive_col", |device, setup| {
            matrix::prepare(
                device,
                setup,
                transpose_naive_col,
                Tiles::OneEachOfOutput,
                TRANSPOSED,
            )
        }),
        Variant::new("transpose_unroll4_row", |device, setup| {
            matrix::prepare(
                device,
                setup,
                transpose_unroll4_row,
                Tiles::FourEach,
                TRANSPOSED,
            )
        }),
        Variant::new("transpose_unroll4_col", |device, setup| {
            matrix::prepare(
                device,
                setup,
                transpose_unroll4_col,
                Tiles::FourEachOfOutput,
                TRANSPOSED,
            )
        }),
        Variant::new("transpose_diagonal_row", |device, setup| {
            matrix::prepare(
                device,
                setup,
                transpose_diagonal_row,
                Tiles::OneEach,
                TRANSPOSED,
            )
        }),
        Variant::new("transpose_diagonal_col", |device, setup| {
            matrix::prepare(
                device,
                setup,
                transpose_diagonal_col,
                Tiles::OneEachOfOutput,
                TRANSPOSED,
            )
        }),
    ],
};

/// What a copy of `ny` rows of `nx` elements leaves.
const COPIED: (Expected, Columns) = (|input, _, _| input.to_vec(), |nx, _| [nx, nx]);

/// What a transpose of `ny` rows of `nx` elements leaves.
pub(crate) const TRANSPOSED: (Expected, Columns) = (transpose, |nx, ny| [nx, ny]);

// On the CPU.

/// Returns the transpose of a row-major matrix of `ny` rows and `nx` columns. It is row-major, with
/// `nx` rows and `ny` columns.
pub fn transpose<T: Copy>(input: &[T], nx: usize, ny: usize) -> Vec<T> {
    (0..nx * ny)
        .map(|out| input[(out % ny) * nx + out / ny])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::transpose;

    #[test]
    fn rows_become_columns() {
        assert_eq!(transpose(&[1, 2, 3, 4, 5, 6], 3, 2), [1, 4, 2, 5, 3, 6]);
        assert_eq!(
            transpose(&transpose(&[1, 2, 3, 4, 5, 6], 3, 2), 2, 3),
            [1, 2, 3, 4, 5, 6]
        );
        assert_eq!(transpose::<u8>(&[], 0, 5), [0u8; 0]);
    }
}
