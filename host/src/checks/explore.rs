//! Exploration of schedules: a test runs a small program once for each of its schedules.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe, Location};
use std::sync::{Arc, Once};

use lanewise_driver::{Exploration, LaunchOverrides, Observer, OnFinding, print_to_stderr};

use super::Checks;
use crate::{Backend, Device, DriverError};

/// Options for exploring the schedules of a test:
/// [`Exploring::weak`] or [`Exploring::interleavings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "nothing runs until `explore` is called"]
pub struct Exploring {
    weak: bool,
    runs: Option<u64>,
    checks: Checks,
}

impl Exploring {
    /// Explores every order of memory accesses, and every value that the PTX memory model allows a
    /// load to read.
    pub fn weak() -> Self {
        Self {
            weak: true,
            runs: None,
            checks: Checks::default(),
        }
    }

    /// Explores every order of memory accesses. Loads read the newest value.
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

    /// Adds checks. A finding ends the search as an error of the launch.
    pub fn checks(self, checks: Checks) -> Self {
        Self { checks, ..self }
    }
}

/// The result of a search that found no failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explored {
    /// The number of runs of the test.
    pub runs: u64,
    /// Whether these were all schedules, which proves the test for its input. It is false if the
    /// limit of runs was reached, if a run was too long, or if the test behaved differently with
    /// the same schedule.
    pub complete: bool,
}

/// A schedule that breaks a test, the shortest one that was found. `Display` shows the error
/// and the steps.
#[derive(Debug, Clone)]
pub struct Broken<E> {
    /// The error that the test returned.
    pub error: E,
    /// The number of runs up to this one, inclusive.
    pub runs: u64,
    /// The steps of this run, one per line.
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

/// Runs `test` once for each schedule of its launches, until a schedule breaks it.
///
/// Each time, the test makes its buffers anew, launches small kernels in one stream, waits for
/// them, and checks the result. A kernel should have 2 to 8 threads that access a few common
/// places; up to 64 threads in all, each lane is scheduled on its own. The test reports a wrong
/// result by an error, or by a panic, whose schedule is printed on stderr. On a GPU the test runs
/// once, and the result is `None`.
///
/// If a run fails and the device still works, more runs search for a shorter schedule that fails.
/// So the test may be called again after a failure.
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
/// The error that the test returned, or the fault of its kernel, with the steps of the
/// run that failed.
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

/// The number of runs after the first failure that search for a shorter schedule.
const FURTHER: u64 = 1000;

/// A run that failed.
struct Failed<E> {
    how: Failure<E>,
    /// The number of the first run that failed.
    first: u64,
    runs: u64,
    steps: Vec<String>,
}

enum Failure<E> {
    Error(E),
    Panic(Box<dyn Any + Send>),
}

impl<E> Failed<E> {
    /// Returns the error. If the test panicked, prints the schedule on stderr and
    /// resumes the panic.
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
                    // The output on stderr so far is that of the first failure.
                    let text = panic.downcast_ref::<String>().map(String::as_str);
                    let text = text.or(panic.downcast_ref::<&str>().copied());
                    print_to_stderr(format_args!("{}", text.unwrap_or("the test panicked")));
                }
                print_to_stderr(format_args!(
                    "the test failed in run {runs}, by this schedule:"
                ));
                for step in steps {
                    print_to_stderr(format_args!("  {step}"));
                }
                panic::resume_unwind(panic)
            }
        }
    }
}

thread_local! {
    /// Whether messages of panics on this thread are suppressed.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a test and catches its panic. With `quiet` the panic prints nothing on stderr.
fn caught<T>(quiet: bool, run: &mut impl FnMut() -> T) -> Result<T, Box<dyn Any + Send>> {
    static HOOK: Once = Once::new();
    // A thread that is panicking can't set a hook. Then each panic is printed.
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
