//! What a program requests for its own launches while it holds an [`Observer`]: checks,
//! counters, a seed.
//!
//! The environment sets what holds for all launches ([`crate::settings`]). An observer changes that
//! for the launches of the thread that made it, and collects their results. Launches of other
//! threads are not affected. Observers may be nested. If two request the same thing, the inner one
//! decides, and both collect the results.

use crate::settings::{self, Launches, OnFinding};
use lanewise_sim::{Checks, Counters, Exploration, Finding, Schedule};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// The settings that an observer changes. A field that is `None` changes nothing.
#[derive(Debug, Clone, Default)]
pub struct LaunchOverrides {
    /// The checks that run besides those that are always on.
    pub checks: Option<Checks>,
    /// Whether a finding fails the launch or is only reported.
    pub on_finding: Option<OnFinding>,
    /// Whether findings that do not end the launch, and their number, are not printed on stderr.
    pub quiet: bool,
    /// Whether the counters are collected.
    pub count: bool,
    /// The seed that chooses the order of warps, as `LANEWISE_SEED`.
    pub seed: Option<u64>,
    /// The schedule that orders the threads' accesses to memory, as `LANEWISE_SCHEDULE`.
    pub schedule: Option<Schedule>,
    /// A search through all schedules. The launches are a part of it.
    pub exploration: Option<Arc<Exploration>>,
}

/// The results of a launch.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Observed {
    /// The name of the kernel that was launched.
    pub kernel: String,
    /// The counters, if an observer or the environment requested them.
    pub counters: Option<Counters>,
    /// The findings of the checks.
    pub findings: Vec<Finding>,
    /// What is allowed and may not be meant.
    pub notes: Vec<Finding>,
}

type Record = Mutex<Vec<Observed>>;

#[derive(Debug, Clone)]
struct Observing {
    id: u64,
    ask: LaunchOverrides,
    record: Weak<Record>,
}

thread_local! {
    // The stack has no destructor, because launches that a thread makes while its variables are
    // destroyed are observed too.
    static STACK: RefCell<ManuallyDrop<Vec<Observing>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// The next number of an observer or an origin. All threads share one count, because other threads
/// may use one thread's observers. The numbers are in the order of time.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Returns a new number for what is done now.
pub(crate) fn number() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Observes the launches of the thread that made it. It has no effect on a GPU.
#[derive(Debug)]
pub struct Observer {
    id: u64,
    record: Arc<Record>,
    /// Keeps the observer on its thread: it is neither `Send` nor `Sync`.
    own: PhantomData<*const ()>,
}

impl Observer {
    /// Applies these settings to the launches that this thread makes from now on.
    pub fn start(ask: LaunchOverrides) -> Observer {
        let id = number();
        let record = Arc::default();
        STACK.with_borrow_mut(|stack| {
            stack.push(Observing {
                id,
                ask,
                record: Arc::downgrade(&record),
            });
        });
        Observer {
            id,
            record,
            own: PhantomData,
        }
    }

    /// Returns the number of its start. Everything that was done later has a higher [`number`].
    pub(crate) fn begun(&self) -> u64 {
        self.id
    }

    /// Takes the results of the launches that have ended and were not taken yet, in the order in
    /// which they ended. Launches are asynchronous: synchronise first.
    pub fn take(&self) -> Vec<Observed> {
        std::mem::take(&mut *self.record.lock())
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        STACK.with_borrow_mut(|stack| {
            stack.retain(|entry| entry.id != self.id);
            if stack.is_empty() {
                **stack = Vec::new(); // gives its memory back
            }
        });
    }
}

/// Returns the checks for this thread's launches and objects.
pub(crate) fn checks() -> Checks {
    let asked = STACK.with_borrow(|stack| {
        let mut latest = stack.iter().rev();
        latest.find_map(|entry| entry.ask.checks)
    });
    asked.unwrap_or_else(|| settings::launches().checks)
}

/// All requests of a thread's observers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Requests(Vec<Observing>);

/// Returns the requests of the calling thread's observers.
pub(crate) fn asked() -> Requests {
    Requests(STACK.with_borrow(|stack| Vec::clone(stack)))
}

/// Replaces the requests for the calling thread's launches, and returns the earlier ones.
pub(crate) fn ask(asked: Requests) -> Requests {
    Requests(STACK.with_borrow_mut(|stack| std::mem::replace(&mut **stack, asked.0)))
}

/// How a launch runs, and which observers get its results.
#[derive(Debug, Clone)]
pub(crate) struct LaunchTerms {
    pub(crate) launches: Launches,
    pub(crate) exploration: Option<Arc<Exploration>>,
    records: Vec<Weak<Record>>,
}

/// Returns how a launch runs that this thread makes now.
pub(crate) fn now() -> LaunchTerms {
    let mut launches = settings::launches();
    let mut exploration = None;
    let records = STACK.with_borrow(|stack| {
        for Observing { ask, .. } in stack.iter() {
            launches.checks = ask.checks.unwrap_or(launches.checks);
            launches.on_finding = ask.on_finding.unwrap_or(launches.on_finding);
            launches.quiet |= ask.quiet;
            launches.count |= ask.count;
            launches.seed = ask.seed.unwrap_or(launches.seed);
            launches.schedule = ask.schedule.unwrap_or(launches.schedule);
            exploration = ask.exploration.clone().or(exploration.take());
        }
        stack.iter().map(|entry| entry.record.clone()).collect()
    });
    LaunchTerms {
        launches,
        exploration,
        records,
    }
}

impl LaunchTerms {
    /// Adds the results of a launch to the records of the observers that still exist.
    pub(crate) fn keep(&self, observed: &Observed) {
        for record in self.records.iter().filter_map(Weak::upgrade) {
            record.lock().push(observed.clone());
        }
    }
}
