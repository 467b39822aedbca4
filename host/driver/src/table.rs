//! Tables of text that fit a page: at most 120 columns.
//!
//! Heads and long cells are wrapped at their spaces, and heads behind a `/` too. What is still too
//! wide goes to a second table below the first, which has the first column again.

/// The most columns of a line.
const WIDTH: usize = 120;
/// The most columns of a cell below the head.
const CELL: usize = 48;

/// Formats rows as a table. The first row has the heads. The first `texts` columns are set to the
/// left, the others, which have numbers, to the right. A column is left out if it has only dashes.
#[must_use]
pub fn table(rows: &[Vec<String>], texts: usize) -> String {
    let Some(([heads], body)) = rows.split_first_chunk::<1>() else {
        return String::new();
    };
    let mut columns = (0..heads.len()).filter_map(|at| {
        let cells: Vec<&str> = body
            .iter()
            .filter_map(|row| Some(row.get(at)?.as_str()))
            .collect();
        let is_empty = at > 0 && cells.iter().all(|cell| *cell == "-");
        (!is_empty).then(|| Column::new(&heads[at], &cells, at < texts))
    });
    let Some(first) = columns.next() else {
        return String::new();
    };
    let mut tables: Vec<Vec<Column>> = vec![vec![first.clone()]];
    for column in columns {
        let last = tables
            .last_mut()
            .expect("there is a table, and another is only added");
        let width: usize = last.iter().map(|column| column.width + 2).sum();
        if width + column.width > WIDTH && last.len() > 1 {
            tables.push(vec![first.clone(), column]);
        } else {
            last.push(column);
        }
    }
    tables
        .iter()
        .map(|table| text(table))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A column: for each row, the lines of its cell.
#[derive(Clone)]
struct Column {
    rows: Vec<Vec<String>>,
    width: usize,
    is_text: bool,
}

impl Column {
    fn new(head: &str, cells: &[&str], is_text: bool) -> Self {
        let body: Vec<Vec<String>> = cells.iter().map(|cell| wrapped(cell, CELL)).collect();
        let widest = body.iter().flatten().map(|line| line.chars().count()).max();
        let head = wrapped(&head.replace('/', "/ "), widest.unwrap_or(0));
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(body).collect();
        let widest = rows.iter().flatten().map(|line| line.chars().count()).max();
        Self {
            width: widest.unwrap_or(0),
            rows,
            is_text,
        }
    }
}

/// Breaks a text at its spaces, so that lines have `width` columns where their words allow it.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            // `sectors/` and `load` are one word if they stay together.
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                if !line.ends_with('/') {
                    line.push(' ');
                }
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Formats columns side by side. Heads stand above their columns, so the shorter ones begin lower.
fn text(columns: &[Column]) -> String {
    let mut text = String::new();
    let rows = columns.first().map_or(0, |column| column.rows.len());
    for row in 0..rows {
        let height = columns
            .iter()
            .map(|column| column.rows[row].len())
            .max()
            .unwrap_or(0);
        for at in 0..height {
            let mut line = String::new();
            for Column {
                rows,
                width,
                is_text,
            } in columns
            {
                let lines = &rows[row];
                let above = if row == 0 { height - lines.len() } else { 0 };
                let cell = at.checked_sub(above).and_then(|at| lines.get(at));
                let cell = cell.map_or("", String::as_str);
                if !line.is_empty() {
                    line.push_str("  ");
                }
                line += &if *is_text {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                };
            }
            text += line.trim_end();
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        let row = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
        rows.iter().map(row).collect()
    }

    #[test]
    fn what_does_not_fit_goes_to_a_second_table_and_each_column_is_there_once() {
        let heads: Vec<String> = (0..40).map(|at| format!("number {at:04}")).collect();
        let heads: Vec<&str> = std::iter::once("kernel")
            .chain(heads.iter().map(String::as_str))
            .collect();
        let cells = vec!["1"; heads.len()];
        let shown = table(&rows(&[&heads, &cells]), 1);
        assert!(
            shown.lines().all(|line| line.chars().count() <= WIDTH),
            "{shown}"
        );
        for at in 0..40 {
            assert_eq!(shown.matches(&format!("{at:04}")).count(), 1, "{shown}");
        }
        assert_eq!(shown.matches("kernel").count(), 3, "{shown}");
    }

    #[test]
    fn heads_are_wrapped_to_the_numbers_below_them() {
        let shown = table(&rows(&[&["kernel", "sectors/load"], &["copy", "4.00"]]), 1);
        assert_eq!(
            shown,
            "        sectors/\nkernel      load\ncopy        4.00\n"
        );
    }

    #[test]
    fn long_cells_are_wrapped_and_columns_of_dashes_left_out() {
        let long =
            "a reason that has very many words, so many that they need more than one line of it";
        let shown = table(
            &rows(&[
                &["name", "why", "none"],
                &["a", long, "-"],
                &["b", "short", "-"],
            ]),
            2,
        );
        let expected = "\
name  why
a     a reason that has very many words, so many that
      they need more than one line of it
b     short
";
        assert_eq!(shown, expected);
    }
}
