//! A test that runs a small program again and again, once for each of its schedules.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe, Location};
use std::sync::{Arc, Once};

use lanewise_driver::{Exploration, LaunchOverrides, Observer, OnFinding};

use super::Checks;
use crate::{Backend, Device, DriverError};

/// How to go through the schedules of a test: [`Exploring::weak`] or [`Exploring::interleavings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "nothing runs until `explore` is called"]
pub struct Exploring {
    weak: bool,
    runs: Option<u64>,
    checks: Checks,
}

impl Exploring {
    /// Every order of accesses to memory, and every value that the PTX memory model allows a load
    /// to read.
    pub fn weak() -> Self {
        Self {
            weak: true,
            runs: None,
            checks: Checks::default(),
        }
    }

    /// Every order of accesses to memory; loads read the newest value.
    pub fn interleavings() -> Self {
        Self {
            weak: false,
            ..Self::weak()
        }
    }

    /// Limits the number of runs, which is 100 000 by default.
    pub fn at_most(self, runs: u64) -> Self {
        Self {
            runs: Some(runs),
            ..self
        }
    }

    /// With checks besides; a finding ends the search as an error of the launch.
    pub fn checks(self, checks: Checks) -> Self {
        Self { checks, ..self }
    }
}

/// What a search without a failure has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explored {
    /// How often the test ran.
    pub runs: u64,
    /// Whether these were all schedules: the test is proved for its input. False where the most
    /// runs were made, a run was too long, or the test did different things with the same schedule.
    pub complete: bool,
}

/// A schedule that breaks a test, the shortest that was found. `Display` gives the error and the
/// steps.
#[derive(Debug, Clone)]
pub struct Broken<E> {
    /// The error that the test returned.
    pub error: E,
    /// Runs up to and with this one.
    pub runs: u64,
    /// The steps of this run, a line each.
    pub steps: Vec<String>,
}

impl<E: fmt::Display> fmt::Display for Broken<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nin run {}, by this schedule:", self.error, self.runs)?;
        let mut steps = self.steps.iter();
        steps.try_for_each(|step| write!(f, "\n  {step}"))
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Broken<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Runs `test` once for each schedule of the launches that it makes, until one breaks it.
///
/// The test sets its buffers up anew each time, launches small kernels in one stream (2 to 8
/// threads that meet at a few places, 64 in all at most for each lane to be its own), waits for
/// them, and says whether the result is right: by an error, or by a panic, whose schedule is
/// printed on stderr. On a GPU it runs once, and the result is `None`.
///
/// When a run has failed and the device still works, some more runs look for a shorter schedule
/// that fails: the test may be called again.
///
/// ```no_run
/// use lanewise::checks::{self, Exploring};
/// # fn once(_: &lanewise::Device) -> Result<u32, lanewise::DriverError> { Ok(7) }
/// # let device = lanewise::Device::open()?;
/// let explored = checks::explore(&device, Exploring::weak(), || {
///     let result = once(&device)?; // fresh buffers, a launch, the result
///     assert_eq!(result, 7);
///     Ok::<(), lanewise::DriverError>(())
/// })?;
/// assert!(explored.is_none_or(|explored| explored.complete));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The error that the test returned, or the fault of its kernel, with the steps of the run that
/// failed.
#[track_caller]
pub fn explore<E: From<DriverError>>(
    device: &Device,
    exploring: Exploring,
    mut test: impl FnMut() -> Result<(), E>,
) -> Result<Option<Explored>, Broken<E>> {
    let at = Location::caller();
    let mut run = || {
        test()?;
        Ok::<(), E>(device.synchronize_at(at)?)
    };
    let mut exploration = Exploration::new(exploring.weak);
    if let Some(runs) = exploring.runs {
        exploration = exploration.at_most(runs);
    }
    let exploration = Arc::new(exploration);
    if device.backend() == Backend::Cuda {
        let broken = |error| Broken {
            error,
            runs: 1,
            steps: Vec::new(),
        };
        return run().map(|()| None).map_err(broken);
    }
    let _observer = Observer::start(LaunchOverrides {
        checks: Some(exploring.checks),
        on_finding: Some(OnFinding::Fault),
        exploration: Some(exploration.clone()),
        ..LaunchOverrides::default()
    });
    let mut shortest: Option<Failed<E>> = None;
    while exploration.next_run() {
        if let Some(failed) = &shortest
            && exploration.runs() > failed.first + FURTHER
        {
            break;
        }
        let how = match caught(shortest.is_some(), &mut run) {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => Failure::Error(error),
            Err(panic) => Failure::Panic(panic),
        };
        let (runs, steps) = (exploration.runs(), exploration.steps());
        let first = shortest.as_ref().map_or(runs, |failed| failed.first);
        let is_shorter = shortest
            .as_ref()
            .is_none_or(|failed| steps.len() < failed.steps.len());
        if is_shorter {
            shortest = Some(Failed {
                how,
                first,
                runs,
                steps,
            });
        }
        if device.synchronize_at(at).is_err() {
            break;
        }
    }
    match shortest {
        None => Ok(Some(Explored {
            runs: exploration.runs(),
            complete: exploration.is_complete(),
        })),
        Some(failed) => Err(failed.end()),
    }
}

/// This many runs behind the first that failed look for a shorter one.
const FURTHER: u64 = 1000;

/// A run that failed.
struct Failed<E> {
    how: Failure<E>,
    /// The first run that did.
    first: u64,
    runs: u64,
    steps: Vec<String>,
}

enum Failure<E> {
    Error(E),
    Panic(Box<dyn Any + Send>),
}

impl<E> Failed<E> {
    /// Returns the error; a panic goes on, with its schedule on stderr.
    fn end(self) -> Broken<E> {
        let Self {
            how,
            first,
            runs,
            steps,
        } = self;
        match how {
            Failure::Error(error) => Broken { error, runs, steps },
            Failure::Panic(panic) => {
                if runs != first {
                    // What stands there so far is of the first.
                    let text = panic.downcast_ref::<String>().map(String::as_str);
                    let text = text.or(panic.downcast_ref::<&str>().copied());
                    eprintln!("{}", text.unwrap_or("the test panicked"));
                }
                eprintln!("the test failed in run {runs}, by this schedule:");
                steps.iter().for_each(|step| eprintln!("  {step}"));
                panic::resume_unwind(panic)
            }
        }
    }
}

thread_local! {
    /// Whether panics of this thread are nothing new.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a test and catches its panic; `quiet`: which says nothing on stderr.
fn caught<T>(quiet: bool, run: &mut impl FnMut() -> T) -> Result<T, Box<dyn Any + Send>> {
    static HOOK: Once = Once::new();
    // Who panics already can't take another hook; then each panic is said.
    if quiet && !std::thread::panicking() {
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                if !QUIET.get() {
                    before(info);
                }
            }));
        });
    }
    QUIET.set(quiet);
    let outcome = panic::catch_unwind(AssertUnwindSafe(run));
    QUIET.set(false);
    outcome
}
