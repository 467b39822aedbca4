//! The transpose through global memory alone, and the copy that bounds it.

use gpu::memory::transpose::{copy_row, transpose_naive_col, transpose_naive_row};
use host::reference::transpose::transpose;

use crate::matrix::{MatrixCase, Tiles};
use crate::{Pattern, Size, Variant};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "transpose",
    chapter: "memory",
    summary: "strided loads, or strided stores; the copy is the ceiling",
    source: "notes 000, chapter 4.4.2",
    size: Size {
        of: "rows and columns",
        default: 1024,
        bench: Some(16384),
    },
    variants: &[
        Variant::new("copy_row", |device, setup| {
            MatrixCase::prepare(device, setup, copy_row, Tiles::OneEach, |input, _, _| {
                input.to_vec()
            })
        }),
        Variant::new("transpose_naive_row", |device, setup| {
            MatrixCase::prepare(
                device,
                setup,
                transpose_naive_row,
                Tiles::OneEach,
                transpose,
            )
        }),
        Variant::new("transpose_naive_col", |device, setup| {
            MatrixCase::prepare(
                device,
                setup,
                transpose_naive_col,
                Tiles::OneEachOfOutput,
                transpose,
            )
        }),
    ],
};
