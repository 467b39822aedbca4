//! Assess: where does the program spend its time, and how much can it gain if that part
//! is made fast?
//!
//! The program runs on the CPU, and a clock is read around each of its parts. The part p of the
//! time that can be spread over many threads limits the later stages: by Amdahl's law the whole
//! program can become at most 1 / (1 - p) times as fast.

use std::time::{Duration, Instant};

use anyhow::Result;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, Stream};

use super::{Plate, SWEEPS, sweep, swept};
use crate::{Case, Figure, Setup, Work};

/// The times of the parts of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Profile {
    /// The time to make the plate.
    pub setup: Duration,
    /// The time of the sweeps.
    pub sweeps: Duration,
    /// The time to sum all temperatures at the end. The program prints this sum.
    pub report: Duration,
}

impl Profile {
    /// Returns the fraction of the time that the sweeps take.
    pub fn parallel_part(&self) -> f64 {
        let all = self.setup + self.sweeps + self.report;
        self.sweeps.as_secs_f64() / all.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Returns how many times as fast the program can become if the sweeps take no time at all.
    pub fn limit(&self) -> f64 {
        1.0 / (1.0 - self.parallel_part()).max(f64::EPSILON)
    }
}

/// Runs the program with a clock around each part. Returns the plate at the end and the times.
pub fn run(columns: usize, rows: usize, sweeps: usize) -> (Plate, Profile) {
    let mut profile = Profile::default();
    let begun = Instant::now();
    let mut plate = Plate::new(columns, rows);
    let mut other = plate.clone();
    profile.setup = begun.elapsed();

    let begun = Instant::now();
    for _ in 0..sweeps {
        sweep(&plate, &mut other);
        std::mem::swap(&mut plate, &mut other);
    }
    profile.sweeps = begun.elapsed();

    let begun = Instant::now();
    std::hint::black_box(plate.cells.iter().map(|cell| f64::from(*cell)).sum::<f64>());
    profile.report = begun.elapsed();
    (plate, profile)
}

struct Assessed {
    start: Plate,
    found: Option<(Plate, Profile)>,
    expected: Vec<f32>,
}

pub(super) fn prepare(_: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let start = Plate::of(setup)?;
    Ok(Box::new(Assessed {
        expected: setup.expected(|| swept(start.clone(), SWEEPS).cells),
        start,
        found: None,
    }))
}

impl Case for Assessed {
    fn launch(&mut self, _: &Stream) -> Result<()> {
        self.found = Some(run(self.start.columns, self.start.rows, SWEEPS));
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let found = self.found.iter().flat_map(|(plate, _)| plate.cells.iter());
        let found: Vec<f32> = found.copied().collect();
        Ok(testing::equal(&found, &self.expected))
    }

    fn work(&self) -> Work {
        self.start.work(SWEEPS)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let figures = self.found.iter().flat_map(|(_, profile)| {
            [
                Figure::percent("sweeps' part of the time, %", profile.parallel_part()),
                Figure::tenths("times as fast at most", profile.limit()),
            ]
        });
        Ok(figures.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_amdahls() {
        let second = Duration::from_secs(1);
        let profile = Profile {
            setup: second,
            sweeps: 18 * second,
            report: second,
        };
        assert!((profile.parallel_part() - 0.9).abs() < 1e-12);
        assert!((profile.limit() - 10.0).abs() < 1e-9);
    }
}
