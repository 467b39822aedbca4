//! Schedules: the order in which threads access memory that they share.
//!
//! The plain schedule is fast; its seed changes only the order of warps and the length of their
//! turns. The others stop each thread before every access to memory that other threads can access,
//! and choose which thread runs next: at random, or by priorities that change at a few points (PCT:
//! Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic
//! Guarantees of Finding Bugs", ASPLOS 2010). With weak memory, a load may also return an older
//! value that the PTX memory model allows.

use std::fmt;
use std::str::FromStr;

/// The default depth of [`Strategy::Pct`].
const DEPTH: u32 = 3;

/// How the next thread is chosen at an access to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Strategy {
    /// Warps take turns. All cores of the host are used.
    #[default]
    Plain,
    /// Any thread that can run. All of them have the same probability.
    Random,
    /// The thread with the highest priority. Priorities are random. The priority of the running
    /// thread drops at `depth - 1` points.
    Pct {
        /// The number of ordering constraints between accesses that are necessary for the bug to
        /// occur; 1 or more.
        depth: u32,
    },
}

/// A schedule. Its text is `plain`, `random`, `pct` or `pct:DEPTH`, and `weak` for the weak memory
/// model. A comma separates the words.
///
/// ```
/// use lanewise_sim::{Schedule, Strategy};
/// let schedule: Schedule = "pct:2,weak".parse()?;
/// assert_eq!((schedule.strategy, schedule.weak), (Strategy::Pct { depth: 2 }, true));
/// assert_eq!("weak".parse::<Schedule>()?.strategy, Strategy::Random);
/// # Ok::<(), lanewise_sim::UnknownSchedule>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Schedule {
    /// How the next thread is chosen.
    pub strategy: Strategy,
    /// Whether loads may read old values where the PTX memory model allows it. Cannot be
    /// combined with [`Strategy::Plain`].
    pub weak: bool,
}

/// A word that is not part of a schedule's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no schedule is called `{word}`; there are `plain`, `random`, `pct` and `pct:DEPTH`, and `weak` besides"
)]
pub struct UnknownSchedule {
    /// The unknown word.
    pub word: String,
}

impl FromStr for Schedule {
    type Err = UnknownSchedule;

    fn from_str(text: &str) -> Result<Self, UnknownSchedule> {
        let mut schedule = Self::default();
        for word in text.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            let depth = word.strip_prefix("pct:").and_then(|d| d.parse().ok());
            match word {
                "plain" => schedule.strategy = Strategy::Plain,
                "random" => schedule.strategy = Strategy::Random,
                "pct" => schedule.strategy = Strategy::Pct { depth: DEPTH },
                "weak" => schedule.weak = true,
                _ => match depth.filter(|&depth| depth > 0) {
                    Some(depth) => schedule.strategy = Strategy::Pct { depth },
                    None => return Err(UnknownSchedule { word: word.into() }),
                },
            }
        }
        if schedule.weak && schedule.strategy == Strategy::Plain {
            schedule.strategy = Strategy::Random;
        }
        Ok(schedule)
    }
}

/// Prints the form that `from_str` reads.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.strategy {
            Strategy::Plain => f.write_str("plain")?,
            Strategy::Random => f.write_str("random")?,
            Strategy::Pct { depth } => write!(f, "pct:{depth}")?,
        }
        if self.weak {
            f.write_str(",weak")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_written_as_they_are_read() {
        for text in ["plain", "random", "pct:3", "random,weak", "pct:1,weak"] {
            let schedule = text.parse::<Schedule>().map(|s| s.to_string());
            assert_eq!(schedule, Ok(text.into()));
        }
        assert_eq!("".parse(), Ok(Schedule::default()));
        assert_eq!(
            "pct".parse::<Schedule>().map(|s| s.to_string()),
            Ok("pct:3".into())
        );
        for wrong in ["fast", "pct:0", "pct:-1", "random weak"] {
            assert!(wrong.parse::<Schedule>().is_err(), "{wrong}");
        }
    }
}
