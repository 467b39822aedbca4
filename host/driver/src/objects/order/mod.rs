//! Which operations of streams come before which, and operations that touch the same bytes in no order.
//!
//! The order is that of the driver's own queues: what an operation is submitted behind ([`super::stream::work`]), which streams, events, graphs and the
//! default stream decide. Each operation has a clock ([`ticket`]). What the
//! host has waited for is known to all that it submits afterwards, on any thread: how a program's threads wait for each other is not seen, so
//! that they count as ordered.
//!
//! Two operations that are not ordered may touch the same bytes if both only read, or both are strong. What they touch is known when they
//! have run, to the byte: copies tell it here, and of kernels the race check does.
//!
//! Some order is made where nobody sees it, and then nothing is reported: a host function tells the host, a stream waits for a
//! value in memory, a kernel and the host or two kernels talk through flags.
//!
//! The host's own loads and stores take part where whole pages of pinned or managed memory were touched ([`host`]):
//! [`host_pages`] tells of the first one that comes before the host has waited.
//!
//! | file | what it is |
//! | --- | --- |
//! | `ticket` | an operation, and what comes before it |
//! | `running` | the operation that a thread runs, and what it tells of itself |
//! | `state` | what is remembered of operations, and judged |
//! | `report` | what is said of two that nothing orders |
//! | `host` | what the host's own code did too early |
//! | `host_pages`, `host_fault` | pages that the host's code is kept from |

mod host;
#[cfg(target_os = "linux")]
mod host_fault;
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
    dependent, frees, is_called, is_collecting, is_kernel, learns_all, reads, runs_on_host,
    tells_host, touched, writes,
};
use state::State;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use ticket::{Clock, Dependent, PastOperation};
pub(crate) use ticket::{Lane, Ticket};

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Whether there ever was a ticket: from then on all operations have one, so that no link of a chain is missing.
static USED: AtomicBool = AtomicBool::new(false);

/// Whether there are touches to be told.
static TOUCHED: AtomicBool = AtomicBool::new(false);

fn with_state<T>(with: impl FnOnce(&mut State) -> T) -> T {
    with(STATE.lock().get_or_insert_default())
}

/// A ticket for an operation that is submitted now, behind others; a node of a graph says its launch's. None while nobody has
/// asked for the check of races.
pub(crate) fn ticket(
    lane: Lane,
    after: Vec<Arc<Ticket>>,
    whole: Option<&Arc<Ticket>>,
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
        let lane = match whole {
            Some(_) => Lane::Node(number),
            None => lane,
        };
        let ticket = Arc::new(Ticket {
            number,
            lane,
            whole: whole.map(|whole| (whole.lane, whole.number)),
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

/// The last of these operations in the same stream that the host has not waited for.
fn ahead(after: &[Arc<Ticket>], lane: Lane, host: &Clock) -> Option<u64> {
    let same = after.iter().filter(|it| it.lane == lane);
    let last = same.max_by_key(|it| it.number)?;
    (!host.knows(last)).then_some(last.number)
}

/// The calling thread begins to run an operation whose turn has come.
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

/// The operation has run, `well` or not. What it did to what others did, with nothing that orders the two.
pub(crate) fn end(ticket: &Ticket, well: bool, addresses: Addresses) -> Vec<Finding> {
    let Some(mut running) = RUNNING.with_borrow_mut(|running| running.take()) else {
        // A graph's launch, whose nodes have run on this thread.
        with_state(|state| state.open.remove(&ticket.number));
        return Vec::new();
    };
    running.footprint.sort();
    with_state(|state| {
        state.open.remove(&ticket.number);
        if running.talks {
            state.unseen = state.number;
            state.host.raise(state.number);
            state.shut();
        }
        if !well || running.footprint.is_empty() {
            return running.found;
        }
        let now = PastOperation {
            shut: pages(&running.footprint, addresses),
            ticket: running.ticket,
            footprint: running.footprint,
            label: running.label,
            dependent: running.dependent,
        };
        let mut found = running.found;
        found.extend(state.judge(&now, addresses));
        state.shuts |= !now.shut.is_empty();
        state.past.push(now);
        state.prune();
        state.shut();
        found
    })
}

/// The calling thread's code came to a page that was shut.
fn host_touches(address: u64, writes: bool) {
    // The driver does what it was told to, by a call that counts itself. A function that a stream runs is the program's own code.
    let by_stream = calling::is_in_callback();
    let runs = RUNNING.try_with(|running| running.borrow().is_some());
    if calling::is_inside() || runs.unwrap_or(true) && !by_stream {
        return;
    }
    let origin = origin::capture();
    // As for the pages' own lock: a forked process may never get it.
    let Some(mut state) = STATE.try_lock_for(Duration::from_secs(1)) else {
        return;
    };
    if let Some(state) = &mut *state {
        state.host_touches(address, (writes, by_stream), origin);
    }
}

/// What the host's own code did since this was asked last, with the terms of the operation that it should have waited for.
pub(crate) fn touches(addresses: Addresses) -> Vec<(LaunchTerms, Finding)> {
    if !TOUCHED.swap(false, Ordering::Relaxed) {
        return Vec::new();
    }
    let touches = with_state(|state| std::mem::take(&mut state.touches));
    let told = |touch: EarlyHostAccess| (touch.before.0.terms.clone(), touch.report(addresses));
    touches.into_iter().map(told).collect()
}

/// The host has waited for an operation, or was told that it is over.
pub(crate) fn host_knows(ticket: &Ticket) {
    let clock = ticket.clock.lock().clone();
    with_state(|state| {
        state.host_learns(&clock);
        state.shut();
    });
}

/// Whether the host has waited for the operation.
pub(crate) fn does_host_know(ticket: &Ticket) -> bool {
    with_state(|state| state.host.knows(ticket))
}

/// The call that an operation is all of returns: it leaves nothing for the host to wait for in memory that it shares.
pub(crate) fn returns(ticket: &Ticket) {
    with_state(|state| {
        let past = state.past.iter_mut().rev();
        let mut same = past.filter(|past| past.ticket.number == ticket.number);
        if let Some(past) = same.next() {
            past.shut.clear();
        }
        state.shut();
    });
}

/// The bytes are free, and will be somebody else's.
pub(crate) fn forget(address: u64, bytes: u64) {
    if !USED.load(Ordering::Relaxed) {
        return;
    }
    let end = address.saturating_add(bytes);
    with_state(|state| {
        for past in &mut state.past {
            past.footprint.retain(|at| !(address..end).contains(&at));
            past.shut.retain(|it| !(address..end).contains(&it.start));
        }
        let is_left = |past: &PastOperation| !past.footprint.is_empty() || !past.shut.is_empty();
        state.past.retain(is_left);
        state.shut();
    });
}
