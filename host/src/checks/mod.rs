//! Checks of the simulator that are asked for: races, reads of what nobody wrote, barriers that a warp reaches in parts, leaks.
//!
//! `LANEWISE_CHECKS=race` asks for them from outside, for every launch of any program. A program asks for them itself by a
//! [`Guard`], for the launches of one thread, or by [`of`], which gives the findings back. A finding fails the launch as a
//! fault does: the next synchronisation answers with `CUDA_ERROR_LAUNCH_FAILED` and the report. A GPU checks nothing: there, a
//! guard has no effect and [`of`] answers `None`.
//!
//! ```
//! use lanewise::checks::{self, Checking};
//! # let device = lanewise::Device::open()?;
//! let guard = Checking::all().start(); // from here on, a race is an error
//! // launches
//! drop(guard);
//!
//! let findings = checks::of(&device, Checking::race(), || -> Result<(), lanewise::DriverError> {
//!     // launches
//!     Ok(())
//! })?;
//! assert!(findings.is_none_or(|findings| findings.is_empty()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`explore`] runs a test under every schedule of a small kernel.
//!
//! What each check finds and what it can miss: the simulator's `checks` module and the book's page on checks.

mod explore;

use std::panic::Location;
use std::str::FromStr;

pub use explore::{Broken, Explored, Exploring, explore};
pub use lanewise_driver::{Checks, Finding, FindingKind, UnknownCheck};
use lanewise_driver::{LaunchOverrides, Observer, OnFinding};
pub use lanewise_driver::{Schedule, Strategy, UnknownSchedule};

use crate::{Backend, Device, DriverError};

/// What to check launches for, and how to run them meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use = "nothing is checked until `start` is called"]
pub struct Checking {
    checks: Checks,
    report: bool,
    seed: Option<u64>,
    schedule: Option<Schedule>,
}

impl Checking {
    /// Asks for every check that there is.
    pub fn all() -> Self {
        Self {
            checks: Checks::all(),
            ..Self::default()
        }
    }

    /// Two threads at one place, one of them writing, with nothing that orders them.
    pub fn race() -> Self {
        let mut checks = Checks::default();
        checks.race = true;
        Self {
            checks,
            ..Self::default()
        }
    }

    /// Barriers that the threads of a warp do not reach together.
    pub fn sync() -> Self {
        let mut checks = Checks::default();
        checks.sync = true;
        Self {
            checks,
            ..Self::default()
        }
    }

    /// Branches, addresses, atomics and results that depend on memory that nobody wrote.
    pub fn init() -> Self {
        let mut checks = Checks::default();
        checks.init = true;
        Self {
            checks,
            ..Self::default()
        }
    }

    /// Accesses past the end of a shared array, and where memory was allocated and freed that is used too late.
    pub fn memory() -> Self {
        let mut checks = Checks::default();
        checks.memory = true;
        Self {
            checks,
            ..Self::default()
        }
    }

    /// What the program makes and does not give back: buffers, streams, events, modules, graphs and whatever else has to be. No
    /// other check asks for this one, [`Checking::all`] neither.
    pub fn leak() -> Self {
        let mut checks = Checks::default();
        checks.leak = true;
        Self {
            checks,
            ..Self::default()
        }
    }

    /// Findings are printed on stderr, and the launch counts as good: `LANEWISE_CHECKS_ACTION=report`.
    pub fn report(self) -> Self {
        Self {
            report: true,
            ..self
        }
    }

    /// The order in which warps run, as `LANEWISE_SEED`: other orders may show other races.
    pub fn seed(self, seed: u64) -> Self {
        Self {
            seed: Some(seed),
            ..self
        }
    }

    /// Who goes on where threads meet at memory, as `LANEWISE_SCHEDULE`: `"random,weak".parse()`.
    pub fn schedule(self, schedule: Schedule) -> Self {
        Self {
            schedule: Some(schedule),
            ..self
        }
    }

    /// The checks that are made.
    pub fn checks(&self) -> Checks {
        self.checks
    }

    /// Checks the launches of this thread for as long as the guard lives.
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

/// `race,sync,memory,init,leak`, or `all`, which is all but `leak`: as `LANEWISE_CHECKS`.
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

/// Launches of this thread are checked while this lives; other threads' are not.
#[derive(Debug)]
pub struct Guard(Observer);

impl Guard {
    /// What was found in the launches that have ended since the guard was made or last asked. Launches are asynchronous:
    /// synchronise first.
    pub fn findings(&self) -> Vec<Finding> {
        let observed = self.0.take().into_iter();
        observed.flat_map(|launch| launch.findings).collect()
    }

    /// What this thread has made since the guard was and has not given back, where the check of leaks was asked for: one finding for
    /// each kind of object and line of the program. Nothing on a GPU.
    ///
    /// ```
    /// use lanewise::checks::Checking;
    /// # let device = lanewise::Device::open()?;
    /// let guard = Checking::leak().start();
    /// drop(device.stream()?); // given back
    /// assert!(guard.leaks().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leaks(&self) -> Vec<Finding> {
        self.0.left()
    }
}

/// Runs `launch` and returns what the checks found in its launches, which count as good; `None` where nobody checks.
///
/// # Errors
/// What `launch` answers, or the fault of a kernel.
#[track_caller]
pub fn of<E: From<DriverError>>(
    device: &Device,
    checking: Checking,
    launch: impl FnOnce() -> Result<(), E>,
) -> Result<Option<Vec<Finding>>, E> {
    let at = Location::caller();
    let observer = Observer::start(LaunchOverrides {
        checks: Some(checking.checks),
        on_finding: Some(OnFinding::Report),
        quiet: true,
        seed: checking.seed,
        schedule: checking.schedule,
        ..LaunchOverrides::default()
    });
    launch()?;
    device.synchronize_at(at)?;
    let observed = observer.take().into_iter();
    let findings = observed.flat_map(|launch| launch.findings).collect();
    Ok((device.backend() == Backend::Sim).then_some(findings))
}
