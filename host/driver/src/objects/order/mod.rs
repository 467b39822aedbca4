//! The race check between operations of streams: two that touch the same bytes while
//! nothing orders them.
//!
//! The order is happens-before with vector clocks ([`ticket`]), one entry a stream. Its edges are
//! those of the driver's own queues ([`super::stream::work`]): streams, events, graphs and the
//! default stream. What the host has waited for happens before everything that it submits
//! afterwards, from any thread: the driver does not see how a program's threads wait for each
//! other, so it takes them as ordered.
//!
//! Two unordered operations may touch the same bytes if both only read them, or if both use strong
//! accesses. Which bytes an operation touched is known, exactly, when it has run: copies report
//! them here, and the race check of the simulator reports those of kernels.
//!
//! Some edges are invisible to the driver: a host function signals another thread, a stream waits
//! for a value in memory, a kernel and the host or two kernels exchange flags. Where there may be
//! one, nothing is reported.
//!
//! The host's own loads and stores are checked on whole pages of pinned or managed memory
//! ([`host`]): [`host_pages`] catches the first access that comes before the host has waited.
//!
//! | file | what it is |
//! | --- | --- |
//! | `ticket` | an operation and its vector clock |
//! | `running` | the operation that the calling thread runs, and the accesses that it reports |
//! | `state` | the past operations, and the search for races among them |
//! | `report` | the text of a race between two operations |
//! | `host` | accesses of the host's own code that came too early |
//! | `host_pages` | page protection, and what to do with the accesses that it catches |

mod host;
pub(crate) mod host_pages;
mod report;
mod running;
mod state;
mod ticket;

use super::handle::origin;
use crate::calling;
use crate::observe::{self, LaunchTerms};
pub(crate) use host::Addresses;
use host::{EarlyHostAccess, pages};
use lanewise_sim::Finding;
use lanewise_sim::checks::Footprint;
use parking_lot::Mutex;
use running::{RUNNING, Running};
pub(crate) use running::{
    acquire_all, dependent, frees, is_collecting, mark_kernel, reads, release_to_host,
    runs_on_host, set_label, touched, writes,
};
use state::State;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use ticket::{Clock, Dependent, PastOperation};
pub(crate) use ticket::{Lane, Ticket};

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Whether there ever was a ticket. From then on every operation gets one, so that no chain of
/// operations has a gap.
static USED: AtomicBool = AtomicBool::new(false);

/// Whether the host's own code made early accesses that are not reported yet.
static HAS_EARLY_ACCESSES: AtomicBool = AtomicBool::new(false);

fn with_state<T>(with: impl FnOnce(&mut State) -> T) -> T {
    with(STATE.lock().get_or_insert_default())
}

/// A ticket for an operation that is submitted now and runs after those in `after`; for a node of
/// a graph, `graph_launch` is the ticket of the launch. `None` until a program first turns the
/// race check on.
pub(crate) fn ticket(
    lane: Lane,
    after: Vec<Arc<Ticket>>,
    graph_launch: Option<&Arc<Ticket>>,
) -> Option<Arc<Ticket>> {
    if !observe::checks().race && !USED.load(Ordering::Relaxed) {
        return None;
    }
    USED.store(true, Ordering::Relaxed);
    let terms = observe::now();
    let origin = terms.launches.checks.race.then(origin::capture).flatten();
    Some(with_state(|state| {
        state.number += 1;
        let number = state.number;
        let lane = match graph_launch {
            Some(_) => Lane::Node(number),
            None => lane,
        };
        let ticket = Arc::new(Ticket {
            number,
            lane,
            graph_launch: graph_launch.map(|launch| (launch.lane, launch.number)),
            ahead: ahead(&after, lane, &state.host),
            after: Mutex::new(after),
            clock: Mutex::new(state.host.clone()),
            is_kernel: AtomicBool::new(false),
            terms,
            origin,
        });
        state.open.insert(number, ticket.clone());
        ticket
    }))
}

/// The number of the last of these operations that is in the same stream, unless the host has
/// waited for it.
fn ahead(after: &[Arc<Ticket>], lane: Lane, host: &Clock) -> Option<u64> {
    let same = after.iter().filter(|it| it.lane == lane);
    let last = same.max_by_key(|it| it.number)?;
    (!host.knows(last)).then_some(last.number)
}

/// The calling thread begins to run an operation.
pub(crate) fn begin(ticket: &Arc<Ticket>) {
    ticket.begin();
    let begun = Running {
        ticket: ticket.clone(),
        footprint: Footprint::default(),
        label: String::new(),
        talks: false,
        found: Vec::new(),
        dependent: Dependent::default(),
    };
    RUNNING.with_borrow_mut(|running| **running = Some(begun));
}

/// The operation has run; `well` says whether it succeeded. Returns its races with past operations.
pub(crate) fn end(ticket: &Ticket, well: bool, addresses: Addresses) -> Vec<Finding> {
    let Some(mut running) = RUNNING.with_borrow_mut(|running| running.take()) else {
        // The launch of a graph: its nodes have run on this thread, each with a ticket of its own.
        with_state(|state| state.open.remove(&ticket.number));
        return Vec::new();
    };
    running.footprint.sort();
    with_state(|state| {
        state.open.remove(&ticket.number);
        if running.talks {
            state.hidden_until = state.number;
            state.host.raise(state.number);
            state.protect();
        }
        if !well || running.footprint.is_empty() {
            return running.found;
        }
        let now = PastOperation {
            protected: pages(&running.footprint, addresses),
            ticket: running.ticket,
            footprint: running.footprint,
            label: running.label,
            dependent: running.dependent,
        };
        let mut found = running.found;
        found.extend(state.races(&now, addresses));
        state.may_protect |= !now.protected.is_empty();
        state.past.push(now);
        state.prune();
        state.protect();
        found
    })
}

/// The calling thread accessed a protected page.
fn host_touches(address: u64, writes: bool) {
    // Inside of a driver call the access is the driver's, and the call reports it itself. A
    // function that a stream runs is the program's own code.
    let by_stream = calling::is_in_callback();
    let runs = RUNNING.try_with(|running| running.borrow().is_some());
    if calling::is_inside() || runs.unwrap_or(true) && !by_stream {
        return;
    }
    let origin = origin::capture();
    // In a forked process another thread's lock may never be released, as with the lock
    // of the pages.
    let Some(mut state) = STATE.try_lock_for(Duration::from_secs(1)) else {
        return;
    };
    if let Some(state) = &mut *state {
        state.host_touches(address, (writes, by_stream), origin);
    }
}

/// Takes the early accesses of the host's own code, each with the launch terms of the operation
/// that it should have waited for.
pub(crate) fn take_early_host_accesses(addresses: Addresses) -> Vec<(LaunchTerms, Finding)> {
    if !HAS_EARLY_ACCESSES.swap(false, Ordering::Relaxed) {
        return Vec::new();
    }
    let touches = with_state(|state| std::mem::take(&mut state.touches));
    let told = |touch: EarlyHostAccess| (touch.before.0.terms.clone(), touch.report(addresses));
    touches.into_iter().map(told).collect()
}

/// The host has waited for an operation, or has asked and learned that it is over.
pub(crate) fn host_waited_for(ticket: &Ticket) {
    let clock = ticket.clock.lock().clone();
    with_state(|state| {
        state.host_learns(&clock);
        state.protect();
    });
}

/// Whether the host has waited for the operation.
pub(crate) fn host_has_waited_for(ticket: &Ticket) -> bool {
    with_state(|state| state.host.knows(ticket))
}

/// A synchronous call, which the operation is the whole of, returns: the host may touch the
/// memory without waiting.
pub(crate) fn returns(ticket: &Ticket) {
    with_state(|state| {
        let past = state.past.iter_mut().rev();
        let mut same = past.filter(|past| past.ticket.number == ticket.number);
        if let Some(past) = same.next() {
            past.protected.clear();
        }
        state.protect();
    });
}

/// Forgets the accesses to bytes that are freed. Their next owner does not race with them.
pub(crate) fn forget(address: u64, bytes: u64) {
    if !USED.load(Ordering::Relaxed) {
        return;
    }
    let end = address.saturating_add(bytes);
    with_state(|state| {
        for past in &mut state.past {
            past.footprint.retain(|at| !(address..end).contains(&at));
            past.protected
                .retain(|it| !(address..end).contains(&it.start));
        }
        let is_left =
            |past: &PastOperation| !past.footprint.is_empty() || !past.protected.is_empty();
        state.past.retain(is_left);
        state.protect();
    });
}
