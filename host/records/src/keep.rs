//! The options of a program that measures: into which file the session goes, and with which it is
//! compared.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::{Change, Provenance, Record, Row, Session, Verdict, compare};

/// The options of a program that measures.
#[derive(Debug, Default, clap::Args)]
pub struct Keep {
    /// Add the times to this record; older ones of the same name and size are replaced
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Compare the times with this record, and fail if something is slower by more than noise
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// The commit that the program was built from, for the record: what git has checked out here,
    /// unless it is given
    #[arg(long, value_name = "HASH")]
    commit: Option<String>,
    /// The toolkit of the libraries that are measured beside, for the record: `CUDA 13.0`
    #[arg(long, value_name = "NAME")]
    toolkit: Option<String>,
}

impl Keep {
    /// Returns a session of what was measured just now on a device of this name. Its times are
    /// rounded to nanoseconds: a GPU's clock has no more.
    pub fn session(&self, device: &str, is_gpu: bool, mut rows: Vec<Row>) -> Session {
        for row in &mut rows {
            let beside = row
                .beside
                .iter_mut()
                .flat_map(|beside| &mut beside.milliseconds);
            for time in row.milliseconds.iter_mut().chain(beside) {
                *time = (*time * 1e6).round() / 1e6;
            }
        }
        let given = self.commit.clone();
        let provenance = Provenance {
            toolkit: self.toolkit.clone(),
            commit: given.or_else(|| crate::checked_out(".".as_ref())),
            ..Provenance::now(device, is_gpu)
        };
        Session { provenance, rows }
    }

    /// Compares the session and adds it to the record, as the options say, and prints what changed:
    /// to the error output if the standard output is JSON. Returns whether something is slower.
    ///
    /// # Errors
    /// If a file cannot be read or written, the record is of another device, or the record to
    /// compare with has none of the session's rows.
    pub fn finish(&self, session: &Session, is_json: bool) -> Result<bool> {
        let changes = self.changes(session)?;
        if let Some(changes) = &changes {
            let text = describe(changes);
            // A reader that has gone is no error.
            let _ = match is_json {
                true => writeln!(io::stderr(), "{text}"),
                false => writeln!(io::stdout(), "{text}"),
            };
        }
        let is_slower = |change: &Change| change.verdict == Verdict::Slower;
        Ok(changes.iter().flatten().any(is_slower))
    }

    /// Compares and records. Returns the changes if the session was compared.
    fn changes(&self, session: &Session) -> Result<Option<Vec<Change>>> {
        let mut changes = None;
        if let Some(path) = &self.compare {
            let found = compare(&Record::read(path)?, session);
            ensure!(
                !found.is_empty(),
                "`{}` has nothing of what was measured",
                path.display()
            );
            changes = Some(found);
        }
        if let Some(path) = &self.record {
            let mut record = Record::read(path)?;
            record.add(session.clone())?;
            record.write(path)?;
        }
        Ok(changes)
    }
}

/// Returns the changes as text: what is slower and what is faster, a line each, and how many are
/// the same.
fn describe(changes: &[Change]) -> String {
    let mut text = String::new();
    for verdict in [Verdict::Slower, Verdict::Faster] {
        for change in changes.iter().filter(|change| change.verdict == verdict) {
            let percent = (change.now / change.before - 1.0) * 100.0;
            let _ = writeln!(
                text,
                "{} at size {}: {:.4} ms, before {:.4} ({percent:+.1} %, noise {:.1} %)",
                change.name,
                change.size,
                change.now,
                change.before,
                change.noise * 100.0
            );
        }
    }
    let same = changes
        .iter()
        .filter(|change| change.verdict == Verdict::Same);
    let _ = write!(
        text,
        "{} of {} the same within noise",
        same.count(),
        changes.len()
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::tests::{row, session};

    #[test]
    fn a_session_is_compared_before_it_is_kept() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("record.json");
        let keep = Keep {
            record: Some(path.clone()),
            compare: Some(path.clone()),
            ..Keep::default()
        };
        let first = session("2026-11-27", vec![row("a", &[1.0]), row("b", &[1.0])]);
        let error = keep.changes(&first).expect_err("there is no record yet");
        let expected = format!("`{}` has nothing of what was measured", path.display());
        assert_eq!(error.to_string(), expected);
        Keep {
            compare: None,
            ..Keep {
                record: Some(path.clone()),
                ..Keep::default()
            }
        }
        .changes(&first)?;
        let second = session("2026-11-28", vec![row("a", &[1.5]), row("b", &[1.0])]);
        let changes = keep.changes(&second)?.expect("it was compared");
        let expected = "a at size 1024: 1.5000 ms, before 1.0000 (+50.0 %, noise 1.0 %)\n1 of 2 the same within noise";
        assert_eq!(describe(&changes), expected);
        let kept = Record::read(&path)?;
        assert!(kept.rows().all(|(place, _)| place.date == "2026-11-28"));
        Ok(())
    }
}
