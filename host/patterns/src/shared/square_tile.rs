//! A square tile, written and read along rows or columns.

use gpu::shared::square_tile::{
    SIDE, square_col_col, square_row_col, square_row_col_dyn, square_row_col_dyn_pad,
    square_row_col_pad, square_row_row,
};

use super::tile::{Tile, prepare};
use crate::{Pattern, Size, Variant};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "square_tile",
    chapter: "shared",
    summary: "rows of a tile are in 32 banks, its columns in one; a word of padding spreads them",
    source: "Professional CUDA C Programming, chapter 5",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 16,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("square_row_row", |device, setup| {
            prepare(device, setup, square_row_row, tile(false, 0))
        }),
        Variant::new("square_col_col", |device, setup| {
            prepare(device, setup, square_col_col, tile(false, 0))
        }),
        Variant::new("square_row_col", |device, setup| {
            prepare(device, setup, square_row_col, tile(true, 0))
        }),
        Variant::new("square_row_col_dyn", |device, setup| {
            prepare(device, setup, square_row_col_dyn, tile(true, WIDTH))
        }),
        Variant::new("square_row_col_pad", |device, setup| {
            prepare(device, setup, square_row_col_pad, tile(true, 0))
        }),
        Variant::new("square_row_col_dyn_pad", |device, setup| {
            prepare(device, setup, square_row_col_dyn_pad, tile(true, WIDTH + 1))
        }),
    ],
};

/// The number of rows, and of columns, of the tile.
const WIDTH: u32 = SIDE as u32;

/// Returns the tile, transposed or not, with this pitch in dynamic shared memory.
fn tile(is_transposed: bool, pitch: u32) -> Tile {
    Tile {
        shape: [WIDTH, WIDTH],
        is_transposed,
        pitch,
    }
}
