//! The simulator's optional checks: races, uninitialised memory, divergent barriers, accesses past
//! the end of an array, and leaks.
//!
//! `LANEWISE_CHECKS=race` turns a check on for every launch of any program. A program turns checks
//! on with a [`Guard`], for the launches of one thread, or with [`of`], which returns the findings.
//! A finding makes the launch fail like a fault: the next synchronisation returns
//! `CUDA_ERROR_LAUNCH_FAILED` with the report. A GPU has no checks: there, a guard has no effect
//! and [`of`] returns `None`.
//!
//! ```
//! use lanewise::checks::{self, Checking};
//! # let device = lanewise::Device::open()?;
//! let guard = Checking::all().start(); // from here on, a race is an error
//! // launches
//! drop(guard);
//!
//! let (answer, findings) = checks::of(&device, Checking::race(), || -> Result<_, lanewise::DriverError> {
//!     // launches
//!     Ok(42)
//! })?;
//! assert_eq!(answer, 42);
//! assert!(findings.is_none_or(|findings| findings.is_empty()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`explore`] runs a test under every schedule of a small kernel.
//!
//! The book's page on checks describes what each check finds and what it can miss.

mod explore;

use std::panic::Location;
use std::str::FromStr;

pub use explore::{Broken, Explored, Exploring, explore};
pub use lanewise_driver::{Checks, Finding, FindingKind, UnknownCheck};
use lanewise_driver::{LaunchOverrides, Observer, OnFinding};
pub use lanewise_driver::{Schedule, Strategy, UnknownSchedule};

use crate::{Backend, Device, DriverError};

/// The checks to turn on, and how launches run meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use = "nothing is checked until `start` is called"]
pub struct Checking {
    checks: Checks,
    report: bool,
    seed: Option<u64>,
    schedule: Option<Schedule>,
}

impl Checking {
    /// Turns on all checks except [`Checking::leak`].
    pub fn all() -> Self {
        Self {
            checks: Checks::all(),
            ..Self::default()
        }
    }

    /// Turns on the check for races: two threads access the same memory, at least one of them
    /// writes, and nothing orders the two accesses.
    pub fn race() -> Self {
        let mut checks = Checks::default();
        checks.race = true;
        Self {
            checks,
            ..Self::default()
        }
    }

    /// Turns on the check for barriers that the threads of a warp do not reach together, and for
    /// other misuse of synchronisation.
    pub fn sync() -> Self {
        let mut checks = Checks::default();
        checks.sync = true;
        Self {
            checks,
            ..Self::default()
        }
    }

    /// Turns on the check for branches, addresses, atomics and results that depend
    /// on uninitialised memory.
    pub fn init() -> Self {
        let mut checks = Checks::default();
        checks.init = true;
        Self {
            checks,
            ..Self::default()
        }
    }

    /// Turns on the check for uninitialised memory, also for reads that are no use yet: a kernel
    /// only copies the bytes, or the host reads them.
    pub fn strict_init() -> Self {
        let mut checking = Self::init();
        checking.checks.strict = true;
        checking
    }

    /// Turns on the check for accesses past the end of a shared or local array. With it, the report
    /// of a use of freed memory also names the lines that allocated and freed the memory.
    pub fn memory() -> Self {
        let mut checks = Checks::default();
        checks.memory = true;
        Self {
            checks,
            ..Self::default()
        }
    }

    /// Turns on the check for leaks: buffers, streams, events, modules, graphs and other objects
    /// that the program makes and does not free. [`Checking::all`] does not include this check.
    pub fn leak() -> Self {
        let mut checks = Checks::default();
        checks.leak = true;
        Self {
            checks,
            ..Self::default()
        }
    }

    /// Prints findings on stderr and lets the launch succeed,
    /// as `LANEWISE_CHECKS_ACTION=report` does.
    pub fn report(self) -> Self {
        Self {
            report: true,
            ..self
        }
    }

    /// Sets the order in which warps run, as `LANEWISE_SEED` does. Another order may
    /// show other races.
    pub fn seed(self, seed: u64) -> Self {
        Self {
            seed: Some(seed),
            ..self
        }
    }

    /// Sets how threads are scheduled at memory accesses, as
    /// `LANEWISE_SCHEDULE` does: `"random,weak".parse()`.
    pub fn schedule(self, schedule: Schedule) -> Self {
        Self {
            schedule: Some(schedule),
            ..self
        }
    }

    /// Returns the checks that are turned on.
    pub fn checks(&self) -> Checks {
        self.checks
    }

    /// Checks the launches of this thread while the guard exists.
    #[must_use = "the checks end when the guard is dropped"]
    pub fn start(self) -> Guard {
        let action = if self.report {
            OnFinding::Report
        } else {
            OnFinding::Fault
        };
        Guard(Observer::start(LaunchOverrides {
            checks: Some(self.checks),
            on_finding: Some(action),
            seed: self.seed,
            schedule: self.schedule,
            ..LaunchOverrides::default()
        }))
    }
}

/// Parses the names of `LANEWISE_CHECKS`: a list such as `race,sync,memory,init,leak`, or `all`,
/// which is all except `leak`.
impl FromStr for Checking {
    type Err = UnknownCheck;

    fn from_str(text: &str) -> Result<Self, UnknownCheck> {
        Ok(Self {
            checks: text.parse()?,
            ..Self::default()
        })
    }
}

impl From<Checks> for Checking {
    fn from(checks: Checks) -> Self {
        Self {
            checks,
            ..Self::default()
        }
    }
}

/// A guard that turns checks on. While it exists, the launches of the thread that made it are
/// checked. Those of other threads are not.
#[derive(Debug)]
pub struct Guard(Observer);

impl Guard {
    /// Returns the findings of launches that have ended since the guard was made or this was last
    /// called. Launches are asynchronous: synchronise first.
    pub fn findings(&self) -> Vec<Finding> {
        let observed = self.0.take().into_iter();
        observed.flat_map(|launch| launch.findings).collect()
    }

    /// Returns the findings, as [`Guard::findings`] does, and the notes on the same launches: what
    /// is allowed and may not be meant, such as warps that return before a barrier. A note fails no
    /// launch. The check `sync` looks for most of them.
    pub fn findings_and_notes(&self) -> (Vec<Finding>, Vec<Finding>) {
        let (mut findings, mut notes) = (Vec::new(), Vec::new());
        for launch in self.0.take() {
            findings.extend(launch.findings);
            notes.extend(launch.notes);
        }
        (findings, notes)
    }

    /// With [`Checking::leak`], returns the objects that this thread has made since the guard
    /// was made and not freed: one finding for each kind of object and line of the program.
    /// Empty on a GPU.
    ///
    /// ```
    /// use lanewise::checks::Checking;
    /// # let device = lanewise::Device::open()?;
    /// let guard = Checking::leak().start();
    /// drop(device.stream()?); // freed
    /// assert!(guard.leaks().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leaks(&self) -> Vec<Finding> {
        self.0.left()
    }
}

/// Runs `launch` and returns its result with what the checks found in its launches, or with `None`
/// on a GPU. A finding does not fail a launch here.
///
/// # Errors
/// The error that `launch` returns, or the fault of a kernel.
#[track_caller]
pub fn of<R, E: From<DriverError>>(
    device: &Device,
    checking: Checking,
    launch: impl FnOnce() -> Result<R, E>,
) -> Result<(R, Option<Vec<Finding>>), E> {
    let at = Location::caller();
    let observer = Observer::start(LaunchOverrides {
        checks: Some(checking.checks),
        on_finding: Some(OnFinding::Report),
        quiet: true,
        seed: checking.seed,
        schedule: checking.schedule,
        ..LaunchOverrides::default()
    });
    let answer = launch()?;
    device.synchronize_at(at)?;
    let observed = observer.take().into_iter();
    let findings = observed.flat_map(|launch| launch.findings).collect();
    let checked = device.backend() == Backend::Sim;
    Ok((answer, checked.then_some(findings)))
}
