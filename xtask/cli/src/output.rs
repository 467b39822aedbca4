//! The output of commands: tables with a header and no lines, and text that may be written
//! to a pipe.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;

/// Returns an empty table with this header, as wide as the terminal allows. Columns with numbers
/// are aligned to the right.
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

/// Prints a value as JSON, for `--json`.
///
/// # Errors
/// The value cannot be written as JSON.
pub fn say_json(value: &impl Serialize) -> Result<()> {
    say(serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Returns a number with its noun: `1 kernel`, `2 kernels`.
pub(crate) fn number(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Returns a path, quoted for a shell.
pub(crate) fn for_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Prints a line. If the reader has closed the pipe (`| head`), this is not an error.
pub fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_would_take_them_apart() {
        let quoted = |path: &str| for_shell(Path::new(path));
        assert_eq!(quoted("../my-demo_1"), "../my-demo_1");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
