//! Operations of streams and their vector clocks.
//!
//! Operations are numbered in the order of their submission. A clock has, for each stream, the
//! number of the last operation that is known to be over.

use super::host_pages::ProtectedPages;
use crate::objects::handle::origin::Origin;
use crate::observe::LaunchTerms;
use lanewise_sim::SourcePlace;
use lanewise_sim::checks::Footprint;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What runs its operations one after another, and so has an entry in vector clocks: a stream (its
/// context's handle, its number there), or one node of one launch of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lane {
    Stream(usize, usize),
    Node(u64),
}

/// A vector clock: which operations are known to be over.
#[derive(Debug, Clone, Default)]
pub(super) struct Clock {
    /// For each lane, the last operation that is known to be over.
    pub(super) lanes: BTreeMap<Lane, u64>,
    /// All operations of all lanes up to this number are over.
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

    /// Raises the number up to which all lanes are over, and drops the entries that say no
    /// more than it.
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
        self.has((ticket.lane, ticket.number))
            || ticket.graph_launch.is_some_and(|launch| self.has(launch))
    }
}

/// An operation that was submitted, with its place in the order.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(super) number: u64,
    pub(super) lane: Lane,
    /// For a node of a graph: the graph's launch.
    pub(super) graph_launch: Option<(Lane, u64)>,
    /// The operation just before it in its stream, unless the host had waited for that one.
    pub(super) ahead: Option<u64>,
    /// The operations that it runs after. Emptied when it begins, so that no long chain
    /// is kept alive.
    pub(super) after: Mutex<Vec<Arc<Ticket>>>,
    /// What happens before it: the host's clock when it was submitted, and all of it from
    /// when it begins.
    pub(super) clock: Mutex<Clock>,
    /// Whether it has begun and is a kernel.
    pub(super) is_kernel: AtomicBool,
    /// How it was submitted, and by which call.
    pub(crate) terms: LaunchTerms,
    pub(super) origin: Option<Origin>,
}

impl Ticket {
    /// Joins the clocks of the operations that it runs after, which are over.
    pub(super) fn begin(&self) {
        let after = std::mem::take(&mut *self.after.lock());
        let mut clock = self.clock.lock();
        for earlier in &after {
            clock.join(&earlier.clock.lock());
        }
        if self.graph_launch.is_none() {
            // The entry of a graph's launch stands for its nodes.
            clock
                .lanes
                .retain(|lane, _| matches!(lane, Lane::Stream(..)));
        }
        clock.learn(self.lane, self.number);
    }

    /// Joins the clocks of a graph's nodes, which are over, into that of the launch, which
    /// began before them.
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

/// An operation that has run, and what it touched.
#[derive(Debug)]
pub(super) struct PastOperation {
    pub(super) ticket: Arc<Ticket>,
    pub(super) footprint: Footprint,
    pub(super) label: String,
    /// Pages that are protected until the host has waited for this operation.
    pub(super) protected: Vec<ProtectedPages>,
    pub(super) dependent: Dependent,
}

/// A kernel's part in programmatic dependent launch, where a kernel may begin before the one ahead
/// of it has ended.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Dependent {
    /// Whether it may begin early, and does not wait for the one ahead.
    pub(super) early: bool,
    /// Whether it lets the next one begin early.
    pub(super) releases: bool,
}

impl PastOperation {
    /// Operations with the same key count as one in reports: what they are, and the place in the
    /// program that submits them.
    pub(super) fn key(&self) -> String {
        let call = self.ticket.origin.as_ref().map(Origin::key);
        format!("{} {}", self.label, call.unwrap_or_default())
    }
}

/// The label of an operation that frees memory.
pub(super) const FREE: &str = "a free";

/// Which operation it was and where it was submitted, for a report.
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
