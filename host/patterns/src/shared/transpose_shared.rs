//! The transposes through tiles in shared memory. Both the loads and the stores of global
//! memory are coalesced.

use anyhow::Result;
use gpu::shared::transpose_shared::{
    SIDE, TILES, transpose_smem, transpose_smem_dyn, transpose_smem_dyn_pad, transpose_smem_pad,
    transpose_smem_unroll, transpose_smem_unroll_pad, transpose_smem_unroll_pad_dyn,
};
use lanewise::{Arguments, Device, Matrix, MatrixMut};
use lanewise_std::kernel::SafeKernel;

use crate::matrix::{self, Tiles};
use crate::memory::transpose::TRANSPOSED;
use crate::{Case, Pattern, Setup, Size, Variant};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "transpose_shared",
    chapter: "shared",
    summary: "a padded tile turns the matrix over without strided access or bank conflicts",
    source: "Professional CUDA C Programming, chapter 5",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 1024,
        bench: Some(16384),
    },
    variants: &[
        Variant::new("transpose_smem", |device, setup| {
            prepare(device, setup, transpose_smem, 1, 0)
        }),
        Variant::new("transpose_smem_dyn", |device, setup| {
            prepare(device, setup, transpose_smem_dyn, 1, ROW)
        }),
        Variant::new("transpose_smem_pad", |device, setup| {
            prepare(device, setup, transpose_smem_pad, 1, 0)
        }),
        Variant::new("transpose_smem_dyn_pad", |device, setup| {
            prepare(device, setup, transpose_smem_dyn_pad, 1, ROW + 1)
        }),
        Variant::new("transpose_smem_unroll", |device, setup| {
            prepare(device, setup, transpose_smem_unroll, TILES, 0)
        }),
        Variant::new("transpose_smem_unroll_pad", |device, setup| {
            prepare(device, setup, transpose_smem_unroll_pad, TILES, 0)
        }),
        Variant::new("transpose_smem_unroll_pad_dyn", |device, setup| {
            let kernel = transpose_smem_unroll_pad_dyn;
            prepare(device, setup, kernel, TILES, ROW + 1)
        }),
    ],
};

/// The number of elements in a tile's row.
const ROW: u32 = SIDE as u32;

/// Prepares a kernel whose blocks process `tiles` tiles. `pitch` is the length of a row in dynamic
/// shared memory, or 0 if the kernel uses none.
fn prepare<K: SafeKernel>(
    device: &Device,
    setup: Setup,
    kernel: K,
    tiles: usize,
    pitch: u32,
) -> Result<Box<dyn Case>>
where
    for<'a> (Matrix<'a, f32>, MatrixMut<'a, f32>): Arguments<K::Params>,
{
    let tiles = Tiles::Shared {
        tiles: tiles as u32,
        pitch,
    };
    matrix::prepare(device, setup, kernel, tiles, TRANSPOSED)
}
