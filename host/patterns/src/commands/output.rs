//! Tables and text on standard output, in the look of `cargo xtask`.

use std::fmt::Display;
use std::io::{self, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::Value;

/// An empty table with this header, as wide as the terminal allows. The columns that hold numbers
/// are set to the right.
pub(super) fn table(header: &[&str], numbers: &[usize]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(header.to_vec());
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if numbers.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Prints a line. That the reader has gone (`| head`) is no error: there is nobody left to tell.
pub(super) fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Prints a value as JSON on standard output.
pub(super) fn say_json(value: &Value) {
    say(format_args!("{value:#}"));
}
