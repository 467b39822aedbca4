//! What the commands print: tables with a header and no lines, and text that may go into a pipe.

use std::fmt::Display;
use std::io::{self, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// An empty table with this header, as wide as the terminal allows. Columns that hold numbers are set to the right.
pub fn with_header(header: &[&str], numbers: &[usize]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header.to_vec());
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if numbers.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Prints a line. A reader that has gone (`| head`) is no error: there is nobody left to tell.
pub fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}
