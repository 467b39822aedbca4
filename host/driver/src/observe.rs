//! What a program asks of its own launches, for as long as it holds an [`Observer`]: checks,
//! counters, a seed.
//!
//! The environment says what holds for all launches ([`crate::settings`]). An observer changes that
//! for the launches of the thread that made it, and keeps what they left; other threads' launches
//! are not touched. Observers may be nested: of two that ask for the same thing the inner one
//! counts, and both keep what they see.

use crate::settings::{self, Launches, OnFinding};
use lanewise_sim::{Checks, Counters, Exploration, Finding, Schedule};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// What is asked of launches. What is none stays as it is without the observer.
#[derive(Debug, Clone, Default)]
pub struct LaunchOverrides {
    /// What to look for, besides what is always looked for.
    pub checks: Option<Checks>,
    /// Whether a finding fails the launch or is only reported.
    pub on_finding: Option<OnFinding>,
    /// Whether findings and their number are said on stderr where they do not end the launch.
    pub quiet: bool,
    /// Whether the counters count.
    pub count: bool,
    /// The seed that chooses the order of warps, as `LANEWISE_SEED`.
    pub seed: Option<u64>,
    /// Who goes on where threads meet at memory, as `LANEWISE_SCHEDULE`.
    pub schedule: Option<Schedule>,
    /// A search through all schedules that the launches are a part of.
    pub exploration: Option<Arc<Exploration>>,
}

/// What a launch left.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Observed {
    /// The name of the kernel that was launched.
    pub kernel: String,
    /// What was counted, where somebody asked for that.
    pub counters: Option<Counters>,
    /// What the checks found.
    pub findings: Vec<Finding>,
}

type Record = Mutex<Vec<Observed>>;

#[derive(Debug, Clone)]
struct Observing {
    id: u64,
    ask: LaunchOverrides,
    record: Weak<Record>,
}

thread_local! {
    // Without a destructor, as what a thread launches while its variables are destroyed is looked
    // at, too.
    static STACK: RefCell<ManuallyDrop<Vec<Observing>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Numbers observers; of all threads, as one thread's may be asked by others too. And what they
/// look at, in the order of time.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The number of what is done now.
pub(crate) fn number() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Watches the launches of the thread that made it. No effect on a GPU.
#[derive(Debug)]
pub struct Observer {
    id: u64,
    record: Arc<Record>,
    /// It belongs to its thread.
    own: PhantomData<*const ()>,
}

impl Observer {
    /// Asks this of the launches that this thread makes from now on.
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

    /// When it was started: what was done since has a higher [`number`].
    pub(crate) fn begun(&self) -> u64 {
        self.id
    }

    /// What the launches left that have ended and were not taken yet, in the order in which they
    /// ended. Launches are asynchronous: synchronise first.
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

/// What this thread's launches and objects are checked for.
pub(crate) fn checks() -> Checks {
    let asked = STACK.with_borrow(|stack| {
        let mut latest = stack.iter().rev();
        latest.find_map(|entry| entry.ask.checks)
    });
    asked.unwrap_or_else(|| settings::launches().checks)
}

/// What a thread's observers ask, all together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Requests(Vec<Observing>);

/// What the calling thread's observers ask.
pub(crate) fn asked() -> Requests {
    Requests(STACK.with_borrow(|stack| Vec::clone(stack)))
}

/// Asks this of the calling thread's launches from now on, and says what was asked before.
pub(crate) fn ask(asked: Requests) -> Requests {
    Requests(STACK.with_borrow_mut(|stack| std::mem::replace(&mut **stack, asked.0)))
}

/// How a launch runs, and who wants to know what it leaves.
#[derive(Debug, Clone)]
pub(crate) struct LaunchTerms {
    pub(crate) launches: Launches,
    pub(crate) exploration: Option<Arc<Exploration>>,
    records: Vec<Weak<Record>>,
}

/// How a launch runs that this thread makes now.
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
    /// Hands over what a launch left to those who still want to know.
    pub(crate) fn keep(&self, observed: &Observed) {
        for record in self.records.iter().filter_map(Weak::upgrade) {
            record.lock().push(observed.clone());
        }
    }
}
