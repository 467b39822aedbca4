//! Operations of streams, and what each of them knows to be over when it begins.
//!
//! Each operation has a clock: of each stream the number of the last operation that is known to be over.

use super::host_pages::ShutPages;
use crate::objects::handle::origin::Origin;
use crate::observe::LaunchTerms;
use lanewise_sim::SourcePlace;
use lanewise_sim::checks::Footprint;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Where operations come one after another: a stream, by its context's handle and its number there; or a node of a graph's launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lane {
    Stream(usize, usize),
    Node(u64),
}

/// What is known to be over.
#[derive(Debug, Clone, Default)]
pub(super) struct Clock {
    /// Of each lane all up to this number.
    pub(super) lanes: BTreeMap<Lane, u64>,
    /// Of all lanes all up to this number.
    floor: u64,
}

impl Clock {
    pub(super) fn join(&mut self, other: &Clock) {
        self.raise(other.floor);
        for (&lane, &number) in &other.lanes {
            if number > self.floor {
                self.learn(lane, number);
            }
        }
    }

    /// Of all lanes all up to this number is over: what is said of one lane and says no more than that is dropped.
    pub(super) fn raise(&mut self, floor: u64) {
        if floor > self.floor {
            self.floor = floor;
            self.lanes.retain(|_, up_to| *up_to > floor);
        }
    }

    fn learn(&mut self, lane: Lane, number: u64) {
        let at = self.lanes.entry(lane).or_default();
        *at = number.max(*at);
    }

    fn has(&self, (lane, number): (Lane, u64)) -> bool {
        number <= self.floor || self.lanes.get(&lane).is_some_and(|&up_to| number <= up_to)
    }

    pub(super) fn knows(&self, ticket: &Ticket) -> bool {
        self.has((ticket.lane, ticket.number)) || ticket.whole.is_some_and(|whole| self.has(whole))
    }
}

/// An operation's place in the order.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(super) number: u64,
    pub(super) lane: Lane,
    /// Of a graph's node: its launch.
    pub(super) whole: Option<(Lane, u64)>,
    /// The operation right ahead of it in its stream, unless the host had waited for that.
    pub(super) ahead: Option<u64>,
    /// What it was submitted behind. Emptied when it begins, so that no long chains are kept alive.
    pub(super) after: Mutex<Vec<Arc<Ticket>>>,
    /// What it knows: at first what the host did when it was submitted, and all when it begins.
    pub(super) clock: Mutex<Clock>,
    /// Whether it has begun and is a kernel.
    pub(super) is_kernel: AtomicBool,
    /// How it was submitted, and by which call.
    pub(crate) terms: LaunchTerms,
    pub(super) origin: Option<Origin>,
}

impl Ticket {
    /// Knows what it comes behind, which has run.
    pub(super) fn begin(&self) {
        let after = std::mem::take(&mut *self.after.lock());
        let mut clock = self.clock.lock();
        for earlier in &after {
            clock.join(&earlier.clock.lock());
        }
        if self.whole.is_none() {
            // Nodes are known by their launch.
            clock
                .lanes
                .retain(|lane, _| matches!(lane, Lane::Stream(..)));
        }
        clock.learn(self.lane, self.number);
    }

    /// Knows what its parts know, which have run: of a graph's launch, that begins before they do.
    pub(crate) fn learn_from(&self, parts: &[Arc<Ticket>]) {
        let mut clock = self.clock.lock();
        for part in parts {
            clock.join(&part.clock.lock());
        }
        clock
            .lanes
            .retain(|lane, _| matches!(lane, Lane::Stream(..)));
    }

    pub(super) fn is_behind(&self, other: &Ticket) -> bool {
        self.clock.lock().knows(other)
    }
}

/// An operation that has run.
#[derive(Debug)]
pub(super) struct PastOperation {
    pub(super) ticket: Arc<Ticket>,
    pub(super) footprint: Footprint,
    pub(super) label: String,
    /// Pages that the host has to leave alone until it has waited for this.
    pub(super) shut: Vec<ShutPages>,
    pub(super) dependent: Dependent,
}

/// What a kernel has to do with launches that begin before the one ahead of them has ended.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Dependent {
    /// Whether it is such a launch, and does not wait for the one ahead.
    pub(super) early: bool,
    /// Whether it lets the next one begin.
    pub(super) releases: bool,
}

impl PastOperation {
    /// What makes operations the same for reports.
    pub(super) fn key(&self) -> String {
        let call = self.ticket.origin.as_ref().map(Origin::key);
        format!("{} {}", self.label, call.unwrap_or_default())
    }
}

/// What an operation that gives memory back is called.
pub(super) const FREE: &str = "a free";

/// Which operation it was and where it was submitted.
pub(super) fn submitted(
    ticket: &Ticket,
    label: &str,
    writes: bool,
) -> (Option<SourcePlace>, String) {
    let verb = if writes { "writes" } else { "reads" };
    let what = match label {
        "" => format!("an operation that {verb}, submitted"),
        FREE => "the memory is freed, submitted".into(),
        label => format!("{label} {verb}, submitted"),
    };
    match &ticket.origin {
        Some(origin) => origin.describe(&what),
        None => (None, what),
    }
}
