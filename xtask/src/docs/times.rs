//! Tables of measured times in the book.
//!
//! A page contains `{{#times NAME ..}}`, with names of patterns, their variants, algorithms, or
//! libraries, whose name stands for all that was measured beside one.
//!
//! A page that is read where it lies, as the README, has the table itself, between the lines
//! `<!-- times NAME .. -->` and `<!-- their end -->`. A test compares it with the records, and
//! `LANEWISE_BLESS=1 cargo test -p xtask times` writes it.
//!
//! The rows come from the records in the repository, so a page has no number of its own. Where no
//! record has the names, `check-docs` reports the mark.

use std::path::Path;

use anyhow::{Context, Result};
use lanewise_records::{Provenance, Record, Row, table};

use super::markdown;

/// The text in a page before the names.
const MARK: &str = "{{#times ";

/// The records, of the catalog and of the library of algorithms.
const RECORDS: [&str; 2] = [
    "host/patterns/results/h200.json",
    "host/algorithms/results/h200.json",
];

/// The records of a repository.
pub(super) struct Records(Vec<Record>);

impl Records {
    /// Reads the records of the repository at `root`.
    ///
    /// # Errors
    /// If a record cannot be read.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let records = RECORDS.iter().map(|path| Record::read(&root.join(path)));
        Ok(Self(records.collect::<Result<_>>()?))
    }

    /// Returns all rows, each with where and when it was measured.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&Provenance, &Row)> {
        self.0.iter().flat_map(Record::rows)
    }

    /// Returns the table of some names in Markdown, which are all in one record.
    ///
    /// # Errors
    /// If no record has all of them.
    fn table(&self, names: &str) -> Result<String> {
        let names: Vec<&str> = names.split_whitespace().collect();
        let has = |record: &&Record| {
            let each = |name: &&str| table(record, &[name]).is_some();
            names.iter().all(each)
        };
        let record = self.0.iter().find(has);
        record
            .and_then(|record| table(record, &names))
            .with_context(|| format!("no record has times of all of: {}", names.join(" ")))
    }
}

/// Returns a page with its tables.
pub(super) fn inserted(page: &str, records: &Records) -> Result<String> {
    markdown::replaced(page, MARK, &mut |names| records.table(names))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::workspace;

    /// Returns a page whose tables are what the records say.
    fn rewritten(page: &str, records: &Records) -> Result<String> {
        let (begin, end) = ("<!-- times ", "<!-- their end -->");
        let mut parts = page.split(begin);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (names, rest) = part.split_once(" -->").context("a mark does not end")?;
            let (_, rest) = rest.split_once(end).context("a table has no end")?;
            let table = records.table(names)?;
            out += &format!("{begin}{names} -->\n{}\n{end}{rest}", table.trim_end());
        }
        Ok(out)
    }

    #[test]
    fn the_readme_says_what_the_records_say() -> Result<()> {
        let path = workspace::root().join("README.md");
        let page = fs::read_to_string(&path)?;
        assert!(page.contains("<!-- times "), "it has a table");
        let expected = rewritten(&page, &Records::read(workspace::root())?)?;
        if std::env::var_os("LANEWISE_BLESS").is_some() {
            return Ok(fs::write(&path, expected)?);
        }
        assert_eq!(page, expected, "LANEWISE_BLESS=1 writes the table");
        Ok(())
    }

    #[test]
    fn a_mark_becomes_the_table_of_its_names() -> Result<()> {
        let records = Records::read(workspace::root())?;
        let page = "Before\n\n{{#times transpose copy_row}}\n\nafter";
        let page = inserted(page, &records)?;
        assert!(page.starts_with("Before\n\n| | size | time |"), "{page}");
        // A row may be marked by its session.
        assert!(page.contains("\n| `transpose_naive_col`"), "{page}");
        assert!(page.contains(" | 16384 | "), "{page}");
        assert!(page.contains("NVIDIA H200, driver 580."), "{page}");
        assert!(page.ends_with(".\n\nafter"), "{page}");
        Ok(())
    }

    #[test]
    fn names_that_no_record_has_are_an_error() -> Result<()> {
        let records = Records::read(workspace::root())?;
        // Each is in a record, but not in the same one.
        let error = inserted("{{#times transpose scan_i32}}", &records).map(|_| ());
        let expected = "no record has times of all of: transpose scan_i32";
        assert_eq!(error.expect_err("it is refused").to_string(), expected);
        assert!(inserted("{{#times transpose", &records).is_err());
        Ok(())
    }
}
