//! The transpose through global memory alone, and the copy that bounds it.

use anyhow::Result;
use gpu::memory::transpose::{
    copy_col, copy_row, transpose_diagonal_col, transpose_diagonal_row, transpose_naive_col,
    transpose_naive_row, transpose_unroll4_col, transpose_unroll4_row,
};
use gpu_std::kernel::{Kernel, SafeKernel};
use host::Device;
use host::reference::transpose::transpose;

use crate::matrix::{self, Tiles};
use crate::{Case, Pattern, Setup, Size, Variant};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "transpose",
    chapter: "memory",
    summary: "strided loads, or strided stores; the copies are the ceiling and the floor",
    source: "notes 000, chapter 4.4.2",
    size: Size {
        of: "rows and columns",
        default: 1024,
        bench: Some(16384),
    },
    variants: &[
        Variant::new("copy_row", |device, setup| {
            copied(device, setup, copy_row, Tiles::OneEach)
        }),
        Variant::new("copy_col", |device, setup| {
            copied(device, setup, copy_col, Tiles::OneEach)
        }),
        Variant::new("transpose_naive_row", |device, setup| {
            transposed(device, setup, transpose_naive_row, Tiles::OneEach)
        }),
        Variant::new("transpose_naive_col", |device, setup| {
            transposed(device, setup, transpose_naive_col, Tiles::OneEachOfOutput)
        }),
        Variant::new("transpose_unroll4_row", |device, setup| {
            transposed(device, setup, transpose_unroll4_row, Tiles::FourEach)
        }),
        Variant::new("transpose_unroll4_col", |device, setup| {
            transposed(
                device,
                setup,
                transpose_unroll4_col,
                Tiles::FourEachOfOutput,
            )
        }),
        Variant::new("transpose_diagonal_row", |device, setup| {
            transposed(device, setup, transpose_diagonal_row, Tiles::OneEach)
        }),
        Variant::new("transpose_diagonal_col", |device, setup| {
            transposed(
                device,
                setup,
                transpose_diagonal_col,
                Tiles::OneEachOfOutput,
            )
        }),
    ],
};

fn copied<K: SafeKernel<Params = <copy_row as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
    tiles: Tiles,
) -> Result<Box<dyn Case>> {
    matrix::prepare(device, setup, kernel, tiles, |input, _, _| input.to_vec())
}

fn transposed<K: SafeKernel<Params = <copy_row as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
    tiles: Tiles,
) -> Result<Box<dyn Case>> {
    matrix::prepare(device, setup, kernel, tiles, transpose)
}
