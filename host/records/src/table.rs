//! Rows as a table in Markdown, with where and when they were measured.

use std::fmt::Write as _;

use crate::record::median;
use crate::{Beside, Provenance, Record, Row};

/// Returns a row's cells after its name: time, throughput, and if there is a library beside it, the
/// library with its throughput, and the row's speed in percent of the library's.
pub fn columns(row: &Row) -> [String; 4] {
    let dash = || "-".to_owned();
    let time = row.time().map_or_else(dash, duration);
    let rate = row.rate().unwrap_or_else(dash);
    let Some(beside) = &row.beside else {
        return [time, rate, dash(), dash()];
    };
    let theirs = median(&beside.milliseconds).unwrap_or(f64::NAN);
    let speed = match row.work {
        Some((amount, unit)) => unit.rate(amount, theirs),
        None => duration(theirs),
    };
    let percent = row.time().map_or(f64::NAN, |time| theirs / time * 100.0);
    [
        time,
        rate,
        format!("{} {speed}", beside.name),
        format!("{percent:.0}"),
    ]
}

/// Returns the rows of these names, of the patterns of these names, or beside the libraries of
/// these names, as a table: in this order, and by size. Under it is where and when they were
/// measured, one line for each session. `None` if there is no such row.
pub fn table(record: &Record, names: &[&str]) -> Option<String> {
    let mut rows: Vec<(&Provenance, &Row)> = Vec::new();
    for name in names {
        let is_beside = |beside: &Beside| beside.name.split(' ').next() == Some(name);
        let is_named = |row: &Row| {
            let of = row.of.as_deref();
            row.name == *name || of == Some(name) || row.beside.as_ref().is_some_and(is_beside)
        };
        let mut of_name: Vec<_> = record.rows().filter(|(_, row)| is_named(row)).collect();
        of_name.sort_by_key(|(_, row)| row.size);
        rows.extend(of_name);
    }
    let mut places: Vec<&Provenance> = Vec::new();
    for (place, _) in &rows {
        if !places.contains(place) {
            places.push(place);
        }
    }
    places.first()?;
    // Columns in which no row has anything are left out.
    let has_library = rows.iter().any(|(_, row)| row.beside.is_some());
    let shown = if has_library { 4 } else { 2 };
    let heads = ["time", "throughput", "library", "percent of it"];
    let mut text = String::from("| | size |");
    for head in &heads[..shown] {
        let _ = write!(text, " {head} |");
    }
    text += "\n| --- | --: |";
    text += &" --: |".repeat(shown);
    for (place, row) in &rows {
        let _ = write!(text, "\n| `{}`", row.name);
        if let Some(at) = places
            .iter()
            .position(|other| other == place)
            .filter(|_| places.len() > 1)
        {
            let _ = write!(text, " ({})", at + 1);
        }
        let _ = write!(text, " | {} |", size(row.size));
        for cell in &columns(row)[..shown] {
            let _ = write!(text, " {cell} |");
        }
    }
    text += "\n\n";
    for (at, place) in places.iter().enumerate() {
        let number = if places.len() > 1 {
            format!("({}) ", at + 1)
        } else {
            String::new()
        };
        let _ = writeln!(text, "{number}{place}.");
    }
    Some(text)
}

/// Returns a size as people write it: large powers of two as such.
fn size(elements: usize) -> String {
    match elements.is_power_of_two() && elements >= 1 << 20 {
        true => format!("2^{}", elements.ilog2()),
        false => elements.to_string(),
    }
}

/// Returns a time with four digits, in the unit in which it is at least 1.
pub fn duration(milliseconds: f64) -> String {
    let (value, unit) = match milliseconds {
        ms if ms >= 1.0 => (ms, "ms"),
        ms => (ms * 1e3, "us"),
    };
    let digits = match value {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unit;
    use crate::changes::tests::{row, session};

    #[test]
    fn a_table_has_the_columns_that_its_rows_have() -> anyhow::Result<()> {
        let mut record = Record::default();
        record.add(session(
            "2026-11-27",
            vec![row("a", &[2.0]), row("b", &[0.25])],
        ))?;
        let expected = "\
| | size | time | throughput |
| --- | --: | --: | --: |
| `b` | 1024 | 250.0 us | 32000 GB/s |
| `a` | 1024 | 2.000 ms | 4000 GB/s |

NVIDIA H200, driver 580, 2026-11-27.
";
        assert_eq!(table(&record, &["b", "a"]).as_deref(), Some(expected));
        assert_eq!(table(&record, &["c"]), None);
        Ok(())
    }

    #[test]
    fn a_library_and_a_second_session_show() -> anyhow::Result<()> {
        let mut record = Record::default();
        record.add(session("2026-11-27", vec![row("a", &[2.0])]))?;
        let mut product = row("product", &[4.0]);
        product.of = Some("linear".into());
        product.work = Some((2e11, Unit::Flops));
        product.beside = Some(Beside {
            name: "cuBLAS 13".into(),
            milliseconds: vec![3.0],
        });
        record.add(session("2026-11-28", vec![product]))?;
        let expected = "\
| | size | time | throughput | library | percent of it |
| --- | --: | --: | --: | --: | --: |
| `a` (1) | 1024 | 2.000 ms | 4000 GB/s | - | - |
| `product` (2) | 1024 | 4.000 ms | 50.0 TFLOP/s | cuBLAS 13 66.7 TFLOP/s | 75 |

(1) NVIDIA H200, driver 580, 2026-11-27.
(2) NVIDIA H200, driver 580, 2026-11-28.
";
        assert_eq!(table(&record, &["a", "product"]).as_deref(), Some(expected));
        assert_eq!(table(&record, &["a", "linear"]).as_deref(), Some(expected));
        assert_eq!(table(&record, &["a", "cuBLAS"]).as_deref(), Some(expected));
        Ok(())
    }
}
