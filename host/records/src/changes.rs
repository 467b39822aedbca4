//! A new session beside a record: what became slower, what faster, and what is noise.

use crate::record::median;
use crate::{Record, Row, Session};

/// Changes below this part of the time are noise even if the rounds agree better: the clocks of a
/// GPU differ by as much from one run to the next.
const FLOOR: f64 = 0.01;

/// A row of a new session beside the record's.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The row's name.
    pub name: String,
    /// The row's size.
    pub size: usize,
    /// The record's median, in milliseconds.
    pub before: f64,
    /// The new median, in milliseconds.
    pub now: f64,
    /// How far medians of rounds lie apart, as part of the time.
    pub noise: f64,
    /// Whether the change is more than noise.
    pub verdict: Verdict,
}

/// Whether a change is more than noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The difference is no larger than that between rounds, or 1 %.
    Same,
    /// It takes less time than before.
    Faster,
    /// It takes more time than before.
    Slower,
}

/// Compares a session with a record, row by row, where the record has the name at the same size.
///
/// A difference counts if it is larger than the spread of the rounds on both sides together, and
/// than 1 %. With one round nothing is known of the spread, so use at least three.
pub fn compare(record: &Record, session: &Session) -> Vec<Change> {
    let change = |new: &Row| {
        let same = |old: &Row| old.name == new.name && old.size == new.size;
        let old = record.rows().map(|(_, row)| row).find(|row| same(row))?;
        let (before, now) = (old.time()?, new.time()?);
        let noise = (spread(&old.milliseconds) + spread(&new.milliseconds)).max(FLOOR);
        let verdict = match now / before {
            ratio if ratio > 1.0 + noise => Verdict::Slower,
            ratio if ratio < 1.0 / (1.0 + noise) => Verdict::Faster,
            _ => Verdict::Same,
        };
        Some(Change {
            name: new.name.clone(),
            size: new.size,
            before,
            now,
            noise,
            verdict,
        })
    };
    session.rows.iter().filter_map(change).collect()
}

/// Returns how far the largest and the smallest round lie apart, as part of the median.
fn spread(rounds: &[f64]) -> f64 {
    let Some(median) = median(rounds) else {
        return 0.0;
    };
    let least = rounds.iter().copied().fold(f64::INFINITY, f64::min);
    let most = rounds.iter().copied().fold(0.0, f64::max);
    (most - least) / median
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Provenance, Unit};

    pub(crate) fn row(name: &str, milliseconds: &[f64]) -> Row {
        Row {
            name: name.into(),
            of: None,
            size: 1024,
            milliseconds: milliseconds.to_vec(),
            work: Some((8e9, Unit::Bytes)),
            beside: None,
        }
    }

    pub(crate) fn session(date: &str, rows: Vec<Row>) -> Session {
        let provenance = Provenance {
            device: "NVIDIA H200".into(),
            driver: "580".into(),
            toolkit: None,
            date: date.into(),
            commit: None,
        };
        Session { provenance, rows }
    }

    #[test]
    fn a_difference_within_the_spread_of_the_rounds_is_noise() {
        let cases: [(&[f64], &[f64], Verdict); 6] = [
            (&[1.0], &[1.005], Verdict::Same),
            (&[1.0], &[1.02], Verdict::Slower),
            (&[1.02], &[1.0], Verdict::Faster),
            // The rounds before lie 4 % apart, those now 1 %.
            (&[0.98, 1.0, 1.02], &[1.035, 1.04, 1.045], Verdict::Same),
            (&[0.98, 1.0, 1.02], &[1.09, 1.1, 1.1], Verdict::Slower),
            (&[1.1, 1.1, 1.1], &[1.0, 1.0, 1.0], Verdict::Faster),
        ];
        for (before, now, expected) in cases {
            let record = Record {
                sessions: vec![session("2026-11-27", vec![row("a", before)])],
            };
            let changes = compare(&record, &session("2026-11-28", vec![row("a", now)]));
            assert_eq!(changes[0].verdict, expected, "{before:?} {now:?}");
        }
    }

    #[test]
    fn a_row_that_the_record_lacks_is_not_compared() {
        let record = Record {
            sessions: vec![session("2026-11-27", vec![row("a", &[1.0])])],
        };
        let mut other_size = row("a", &[1.0]);
        other_size.size = 7;
        let new = session("2026-11-28", vec![other_size, row("b", &[1.0])]);
        assert!(compare(&record, &new).is_empty());
    }
}
