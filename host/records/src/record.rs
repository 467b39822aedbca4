//! The file: sessions and their rows.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::Provenance;

/// What was measured on one kind of GPU.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Record {
    /// The sessions, oldest first.
    pub sessions: Vec<Session>,
}

/// What one run of a program measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Where and when.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// The rows, as they were measured.
    pub rows: Vec<Row>,
}

/// What was measured of one thing at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The name of a kernel, a variant of a pattern or an algorithm.
    pub name: String,
    /// The pattern that it is a variant of, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The size, in the units of the program that measured it.
    pub size: usize,
    /// Milliseconds: the median of each round.
    pub milliseconds: Vec<f64>,
    /// How much is done in that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<(f64, Unit)>,
    /// What a library took for the same work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
}

/// A library's time for the same work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// The library and its version.
    pub name: String,
    /// Milliseconds: the median of each round.
    pub milliseconds: Vec<f64>,
}

/// What is counted of a row's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Bytes that are read or written.
    Bytes,
    /// Operations on floats.
    Flops,
    /// Random numbers that are made.
    Samples,
    /// Keys that are sorted.
    Keys,
}

impl Unit {
    /// Returns a rate and its unit, for a number of units that takes so many milliseconds.
    pub fn value(self, amount: f64, milliseconds: f64) -> (f64, &'static str) {
        let billions = amount / milliseconds / 1e6;
        match self {
            Self::Bytes => (billions, "GB/s"),
            Self::Flops if billions >= 1000.0 => (billions / 1000.0, "TFLOP/s"),
            Self::Flops => (billions, "GFLOP/s"),
            Self::Samples => (billions, "Gsamples/s"),
            Self::Keys => (billions, "Gkeys/s"),
        }
    }

    /// Returns a rate as text.
    pub fn rate(self, amount: f64, milliseconds: f64) -> String {
        let (value, unit) = self.value(amount, milliseconds);
        let digits = match value {
            v if v >= 100.0 => 0,
            v if v >= 10.0 => 1,
            _ => 2,
        };
        format!("{value:.digits$} {unit}")
    }
}

/// Returns the median of the rounds: the lower one of two in the middle.
pub fn median(rounds: &[f64]) -> Option<f64> {
    let mut sorted = rounds.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

impl Row {
    /// Returns the median of the rounds in milliseconds. A row of a record has one.
    pub fn time(&self) -> Option<f64> {
        median(&self.milliseconds)
    }

    /// Returns the rate and its unit.
    pub fn value(&self) -> Option<(f64, &'static str)> {
        let (amount, unit) = self.work?;
        Some(unit.value(amount, self.time()?))
    }

    /// Returns the rate as text.
    pub fn rate(&self) -> Option<String> {
        let (amount, unit) = self.work?;
        Some(unit.rate(amount, self.time()?))
    }
}

impl Record {
    /// Reads a record. A file that does not exist is an empty one.
    ///
    /// # Errors
    /// If the file cannot be read, is no record, or has a row without a positive time.
    pub fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error).with_context(|| format!("cannot read `{shown}`")),
        };
        let record: Self = serde_json::from_str(&text)
            .with_context(|| format!("`{shown}` is no record of measured times"))?;
        for row in record.rows().map(|(_, row)| row) {
            let beside = row.beside.iter().flat_map(|beside| &beside.milliseconds);
            let mut times = row.milliseconds.iter().chain(beside);
            ensure!(
                !row.milliseconds.is_empty() && times.all(|time| *time > 0.0),
                "`{shown}`: `{}` has no time, or one that is not positive",
                row.name
            );
        }
        Ok(record)
    }

    /// Writes the record, a row a line, so that a change shows as a line in a diff.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::from("[");
        for (at, session) in self.sessions.iter().enumerate() {
            let rows: Vec<String> = session
                .rows
                .iter()
                .map(serde_json::to_string)
                .collect::<Result<_, _>>()?;
            let head = serde_json::to_string(&session.provenance)?;
            text += if at == 0 { "\n" } else { ",\n" };
            text += head.trim_end_matches('}');
            text += &format!(", \"rows\": [\n  {}\n]}}", rows.join(",\n  "));
        }
        text += "\n]\n";
        fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }

    /// Adds a session. Its rows replace older ones of the same name and size, and go to those of a
    /// session of the same device, day and commit, if there is one.
    ///
    /// # Errors
    /// If it is of another device than the record's sessions.
    pub fn add(&mut self, session: Session) -> Result<()> {
        let found = &session.provenance.device;
        for Provenance { device, .. } in self.sessions.iter().map(|session| &session.provenance) {
            ensure!(
                device == found,
                "the record is of `{device}`, and this session of `{found}`"
            );
        }
        let is_new = |row: &Row| {
            let same = |new: &Row| new.name == row.name && new.size == row.size;
            session.rows.iter().any(same)
        };
        for old in &mut self.sessions {
            old.rows.retain(|row| !is_new(row));
        }
        let same = |old: &&mut Session| old.provenance == session.provenance;
        match self.sessions.iter_mut().find(same) {
            Some(old) => old.rows.extend(session.rows),
            None => self.sessions.push(session),
        }
        self.sessions.retain(|session| !session.rows.is_empty());
        Ok(())
    }

    /// Returns all rows, each with where and when it was measured.
    pub fn rows(&self) -> impl Iterator<Item = (&Provenance, &Row)> {
        self.sessions
            .iter()
            .flat_map(|session| session.rows.iter().map(|row| (&session.provenance, row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::tests::{row, session};

    #[test]
    fn a_record_is_read_as_it_was_written() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("record.json");
        assert_eq!(Record::read(&path)?, Record::default());
        let mut record = Record::default();
        record.add(session(
            "2026-11-27",
            vec![row("a", &[1.0, 1.5]), row("b", &[2.0])],
        ))?;
        record.add(session("2026-11-28", vec![row("c", &[3.0])]))?;
        record.write(&path)?;
        assert_eq!(Record::read(&path)?, record);
        // Each row has a line of its own.
        assert_eq!(fs::read_to_string(&path)?.lines().count(), 9);
        Ok(())
    }

    #[test]
    fn a_new_row_replaces_the_old_one_of_its_size() -> Result<()> {
        let mut record = Record::default();
        record.add(session("2026-11-26", vec![row("a", &[1.0])]))?;
        record.add(session(
            "2026-11-27",
            vec![row("a", &[2.0]), row("b", &[2.0])],
        ))?;
        let mut other_size = row("b", &[4.0]);
        other_size.size += 1;
        record.add(session("2026-11-28", vec![other_size]))?;
        let times = record
            .rows()
            .map(|(_, row)| (row.name.as_str(), row.time()));
        let expected = [("a", Some(2.0)), ("b", Some(2.0)), ("b", Some(4.0))];
        assert!(times.eq(expected), "{record:?}");
        assert_eq!(record.sessions.len(), 2);
        record.add(session("2026-11-28", vec![row("c", &[3.0])]))?;
        assert_eq!(record.sessions.len(), 2, "one session of a day and commit");
        let mut elsewhere = session("2026-11-28", vec![row("a", &[9.0])]);
        elsewhere.provenance.device = "NVIDIA A100".into();
        let error = record.add(elsewhere).expect_err("it is of another device");
        let expected = "the record is of `NVIDIA H200`, and this session of `NVIDIA A100`";
        assert_eq!(error.to_string(), expected);
        Ok(())
    }

    #[test]
    fn a_file_that_is_no_record_is_an_error() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("record.json");
        let row = r#"[{"device":"d","driver":"d","date":"d","rows":[{"name":"a","size":1,"milliseconds":[0.0]}]}]"#;
        for (text, expected) in [("{}", "is no record"), (row, "`a` has no time")] {
            fs::write(&path, text)?;
            let error = format!("{:#}", Record::read(&path).expect_err("it is refused"));
            assert!(error.contains(expected), "{error}");
        }
        Ok(())
    }
}
