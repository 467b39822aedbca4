//! A tile that is wider than high, written and read along rows or columns. `--by` is the
//! padding of `rect_row_col_dyn_pad`.

use anyhow::Result;
use gpu::shared::rect_tile::{
    COLUMNS, PADDING, ROWS, rect_col_col, rect_row_col, rect_row_col_dyn, rect_row_col_dyn_pad,
    rect_row_col_pad, rect_row_row,
};
use lanewise::{Device, DeviceBuffer};

use super::tile::{Tile, prepare};
use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "rect_tile",
    chapter: "shared",
    summary: "where rows and columns differ in length, a thread reads by its number; the padding differs too",
    source: "Professional CUDA C Programming, chapter 5",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 16,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("rect_row_row", |device, setup| {
            prepare(device, setup, rect_row_row, tile(false, 0))
        }),
        Variant::new("rect_col_col", |device, setup| {
            prepare(device, setup, rect_col_col, tile(false, 0))
        }),
        Variant::new("rect_row_col", |device, setup| {
            prepare(device, setup, rect_row_col, tile(true, 0))
        }),
        Variant::new("rect_row_col_dyn", |device, setup| {
            prepare(device, setup, rect_row_col_dyn, tile(true, COLUMNS as u32))
        }),
        Variant::new("rect_row_col_pad", |device, setup| {
            prepare(device, setup, rect_row_col_pad, tile(true, 0))
        }),
        Variant::new("rect_row_col_dyn_pad", padded),
    ],
};

/// Returns the tile, transposed or not, with this pitch in dynamic shared memory.
fn tile(is_transposed: bool, pitch: u32) -> Tile {
    Tile {
        shape: [COLUMNS as u32, ROWS as u32],
        is_transposed,
        pitch,
    }
}

/// Prepares the kernel that takes its padding from the launch.
fn padded(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    // A padding above this limit has no meaning, and the driver refuses more shared memory than a
    // block may have.
    let padding = setup.by.unwrap_or(PADDING as u32).min(COLUMNS as u32);
    let (config, expected) = tile(true, COLUMNS as u32 + padding).launch(setup.elements()?);
    let output = DeviceBuffer::zeroed(device, expected.len())?;
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Nothing,
        move |stream, [output]| {
            Ok(stream.launch(rect_row_col_dyn_pad, config, (output, padding))?)
        },
    ))
}
