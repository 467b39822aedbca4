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

mod host;
#[cfg(target_os = "linux")]
mod host_fault;
pub(crate) mod host_pages;
mod ticket;

use super::handle::origin::{self, Origin};
use crate::calling;
use crate::observe::{self, LaunchTerms};
pub(crate) use host::Addresses;
use host::{EarlyHostAccess, pages};
use host_pages::ShutPages;
use lanewise_sim::checks::{Conflict, FindingKind, Footprint};
use lanewise_sim::{FaultReport, Finding};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use ticket::{Clock, Dependent, Past, submitted};
pub(crate) use ticket::{Lane, Ticket};

/// So many findings a pair of operations has, that one place of the program each submits.
const SAID: usize = 4;

/// So many operations are remembered that later ones are compared with.
const REMEMBERED: usize = 1024;

/// So many stretches of addresses they may have together: 64 MiB.
const STRETCHES: usize = 1 << 22;

#[derive(Debug, Default)]
struct State {
    number: u64,
    /// What the host knows.
    host: Clock,
    past: Vec<Past>,
    /// What was submitted and has not ended.
    open: BTreeMap<u64, Arc<Ticket>>,
    /// Up to this number somebody may have made an order that nobody saw.
    unseen: u64,
    /// Pairs that were reported, and where in memory.
    said: BTreeMap<[String; 2], BTreeSet<u64>>,
    /// What the host's own code did, and nobody was told yet.
    touches: Vec<EarlyHostAccess>,
    /// Whether pages may be shut.
    shuts: bool,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Whether there ever was a ticket: from then on all operations have one, so that no link of a chain is missing.
static USED: AtomicBool = AtomicBool::new(false);

/// Whether there are touches to be told.
static TOUCHED: AtomicBool = AtomicBool::new(false);

/// What the calling thread runs.
#[derive(Debug)]
struct Running {
    ticket: Arc<Ticket>,
    footprint: Footprint,
    label: String,
    /// Whether a kernel and the host may have told each other something meanwhile.
    talks: bool,
    /// What was found before it ended.
    found: Vec<Finding>,
    dependent: Dependent,
}

thread_local! {
    /// What the thread runs, while it does: there is nothing for a destructor, after which a thread that ends could run nothing more.
    static RUNNING: RefCell<ManuallyDrop<Option<Running>>> = const { RefCell::new(ManuallyDrop::new(None)) };
}

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
        let now = Past {
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

impl State {
    /// Joins the host's clock with another. What comes before all that the host does not know is then one number and no longer one a lane: every
    /// ticket has a copy of this clock, and a program may make streams for as long as it runs.
    fn host_learns(&mut self, clock: &Clock) {
        self.host.join(clock);
        let open = self.open.values();
        let judged = self.past.iter().map(|past| &past.ticket);
        let unknown = open.chain(judged).filter(|it| !self.host.knows(it));
        // Who knows a graph's launch knows its nodes.
        let number = |it: &Arc<Ticket>| {
            it.whole
                .map_or(it.number, |(_, launch)| launch.min(it.number))
        };
        let first = unknown.map(number).min();
        self.host
            .raise(first.map_or(self.number, |number| number - 1));
    }

    /// Shuts the pages of what the host has not waited for, and opens all others.
    fn shut(&mut self) {
        if !self.shuts {
            return;
        }
        let open = |past: &&Past| {
            !past.shut.is_empty()
                && past.ticket.number > self.unseen
                && !self.host.knows(&past.ticket)
        };
        let pages = self.past.iter().filter(open);
        let pages: Vec<ShutPages> = pages.flat_map(|past| past.shut.iter().copied()).collect();
        self.shuts = !pages.is_empty();
        host_pages::shut(&pages, host_touches);
    }

    fn host_touches(
        &mut self,
        address: u64,
        (writes, by_stream): (bool, bool),
        origin: Option<Origin>,
    ) {
        let access = vec![(address, address + 1)];
        let mut footprint = Footprint::default();
        match writes {
            true => footprint.written = access,
            false => footprint.read = access,
        }
        let talker = |open: &Arc<Ticket>, it: &Ticket| {
            open.is_kernel.load(Ordering::Relaxed) && open.is_behind(it)
        };
        let holds = |past: &Past| {
            let mut shut = past.shut.iter();
            shut.any(|it| (it.start..it.end).contains(&address))
        };
        let (host, unseen, open) = (&self.host, self.unseen, &self.open);
        // The last of those that were there: it is what the host should have waited for.
        let found = self.past.iter().rev().find_map(|past| {
            let ticket = &past.ticket;
            let is_known = host.knows(ticket) || ticket.number <= unseen;
            if !holds(past) || is_known || open.values().any(|open| talker(open, ticket)) {
                return None;
            }
            Some((past, past.footprint.conflict(&footprint)?))
        });
        if let Some((past, conflict)) = found {
            let said = self
                .said
                .entry([past.key(), "the host".into()])
                .or_default();
            if said.len() < SAID && said.insert(address) {
                self.touches.push(EarlyHostAccess {
                    address,
                    writes,
                    by_stream,
                    origin,
                    before: (past.ticket.clone(), past.label.clone()),
                    written: conflict.writes[0],
                });
                TOUCHED.store(true, Ordering::Relaxed);
            }
        }
        // One report says it of all of an operation's pages.
        for past in self.past.iter_mut().filter(|past| holds(past)) {
            past.shut.clear();
        }
        self.shut();
    }

    fn judge(&mut self, now: &Past, addresses: Addresses) -> Vec<Finding> {
        let mut found = Vec::new();
        for before in &self.past {
            let (a, b) = (&before.ticket, &now.ticket);
            let beside =
                b.ahead == Some(a.number) && now.dependent.early && before.dependent.releases;
            let ordered = !beside && (b.is_behind(a) || a.is_behind(b));
            if ordered || a.number.max(b.number) <= self.unseen {
                continue;
            }
            let Some(conflict) = before.footprint.conflict(&now.footprint) else {
                continue;
            };
            // A kernel that still runs may have told the host that one of them is over.
            let talker = |open: &Arc<Ticket>| {
                open.is_kernel.load(Ordering::Relaxed) && (open.is_behind(a) || open.is_behind(b))
            };
            if before.footprint.speaks_with(&now.footprint) || self.open.values().any(talker) {
                continue;
            }
            let said = self.said.entry([before.key(), now.key()]).or_default();
            if said.len() < SAID && said.insert(conflict.start) {
                found.push(report(before, now, (conflict, beside), addresses));
            }
        }
        found
    }

    /// Forgets what all that can still come is behind of.
    fn prune(&mut self) {
        let size = |past: &[Past]| -> usize {
            let sizes = past.iter().map(|past| past.footprint.stretches());
            sizes.sum()
        };
        if self.past.len() < REMEMBERED / 16 && size(&self.past) < STRETCHES / 16 {
            return;
        }
        let (host, open) = (&self.host, &self.open);
        self.past.retain(|past| {
            !(host.knows(&past.ticket) && open.values().all(|open| open.is_behind(&past.ticket)))
        });
        let mut many = self.past.len().saturating_sub(REMEMBERED);
        let mut left = size(&self.past[many..]);
        while left > STRETCHES {
            left -= self.past[many].footprint.stretches();
            many += 1;
        }
        self.past.drain(..many);
    }
}

/// What an operation that gives memory back is called.
const FREE: &str = "a free";

fn report(
    before: &Past,
    now: &Past,
    (conflict, beside): (Conflict, bool),
    addresses: Addresses,
) -> Finding {
    let verb = |past: &Past, writes: bool| match (past.label.as_str(), writes) {
        (FREE, _) => FREE,
        (_, true) => "a write",
        (_, false) => "a read",
    };
    let by = match beside {
        true => "a kernel and the one behind it, which begins before it has ended",
        false => "operations that nothing orders",
    };
    let what = format!(
        "race: {} and {} of the same memory by {by}",
        verb(before, conflict.writes[0]),
        verb(now, conflict.writes[1])
    );
    let (place, note) = submitted(&now.ticket, &now.label, conflict.writes[1]);
    let (other, other_note) = submitted(&before.ticket, &before.label, conflict.writes[0]);
    let size = conflict.end - conflict.start;
    let s = if size == 1 { "" } else { "s" };
    let at = (addresses.describe)(conflict.start);
    let of_one_launch = before.ticket.whole.is_some() && before.ticket.whole == now.ticket.whole;
    let help = match of_one_launch {
        _ if beside => {
            "let the second wait for the first (`griddepcontrol.wait`, `programmatic::wait`, `cudaGridDependencySynchronize`) before it touches what that one does"
        }
        true => {
            "let an edge of the graph lead from the first to the second: in a capture, let the second's stream wait for an event that the first's records"
        }
        false => {
            "put both into one stream, let the second's stream wait for an event that the first's has recorded, or wait for the first"
        }
    };
    let report = FaultReport::of_host(
        what,
        place.or(other),
        vec![
            note,
            other_note,
            format!("both touch {size} byte{s}; the first {at}"),
        ],
        Some(help.into()),
    );
    Finding::new(FindingKind::Race, report)
}

/// Whether what the calling thread does now is to be told.
pub(crate) fn is_collecting() -> bool {
    RUNNING.with_borrow(|running| {
        let wanted = |running: &Running| running.ticket.terms.launches.checks.race;
        running.as_ref().is_some_and(wanted)
    })
}

fn running(with: impl FnOnce(&mut Running)) {
    RUNNING.with_borrow_mut(|running| running.iter_mut().for_each(with_once(with)));
}

/// A closure that is called for at most one element.
fn with_once(with: impl FnOnce(&mut Running)) -> impl FnMut(&mut Running) {
    let mut with = Some(with);
    move |it| {
        if let Some(with) = with.take() {
            with(it);
        }
    }
}

/// The running operation reads bytes of memory that the driver knows.
pub(crate) fn reads(address: u64, bytes: u64) {
    running(|it| {
        it.footprint
            .read
            .push((address, address.saturating_add(bytes)))
    });
}

/// The same for bytes that it writes.
pub(crate) fn writes(address: u64, bytes: u64) {
    running(|it| {
        it.footprint
            .written
            .push((address, address.saturating_add(bytes)))
    });
}

/// The running operation gives bytes back, as if it wrote them: nobody may be at work on them any more.
pub(crate) fn frees(address: u64, bytes: u64, addresses: Addresses) {
    running(|it| {
        let written = vec![(address, address.saturating_add(bytes))];
        let now = Past {
            ticket: it.ticket.clone(),
            footprint: Footprint {
                written,
                ..Footprint::default()
            },
            label: FREE.into(),
            shut: Vec::new(),
            dependent: Dependent::default(),
        };
        it.found
            .extend(with_state(|state| state.judge(&now, addresses)));
    });
}

/// What the running operation is, in words.
pub(crate) fn is_called(label: String) {
    running(|it| it.label = label);
}

/// The running operation is a kernel.
pub(crate) fn is_kernel() {
    running(|it| it.ticket.is_kernel.store(true, Ordering::Relaxed));
}

/// The kernel that runs has touched these bytes; `talks` where the host may have seen strong ones of them.
pub(crate) fn touched(footprint: Footprint, talks: bool) {
    running(|it| {
        it.footprint.join(footprint);
        it.talks |= talks;
    });
}

/// The kernel that runs is a launch that begins `early` and has not waited for the one ahead; whether it lets the next one begin.
pub(crate) fn dependent(early: bool, releases: bool) {
    running(|it| it.dependent = Dependent { early, releases });
}

/// The running operation tells the host, or whoever looks at memory, that what comes before it is over.
pub(crate) fn tells_host() {
    running(|it| {
        let clock = it.ticket.clock.lock().clone();
        with_state(|state| {
            state.host_learns(&clock);
            state.shut();
        });
    });
}

/// The running operation is a function of the program's, which runs here: it is told of what comes before it, and what it does to memory is the host's.
pub(crate) fn runs_on_host(function: impl FnOnce()) {
    tells_host();
    host_pages::device_ends();
    calling::in_callback(function);
    host_pages::device_begins();
}

/// The running operation has waited for something of which nobody knows who did it.
pub(crate) fn learns_all() {
    running(|it| {
        let number = with_state(|state| state.number);
        it.ticket.clock.lock().raise(number);
    });
}

/// The host has waited for an operation, or was told that it is over.
pub(crate) fn host_knows(ticket: &Ticket) {
    let clock = ticket.clock.lock().clone();
    with_state(|state| {
        state.host_learns(&clock);
        state.shut();
    });
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
        let is_left = |past: &Past| !past.footprint.is_empty() || !past.shut.is_empty();
        state.past.retain(is_left);
        state.shut();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An operation of a stream that nobody else uses; or of a graph's launch in it.
    fn submitted(state: &mut State, stream: usize, launch: Option<&Ticket>) -> Arc<Ticket> {
        state.number += 1;
        let number = state.number;
        let ticket = Arc::new(Ticket {
            number,
            lane: launch.map_or(Lane::Stream(0, stream), |_| Lane::Node(number)),
            whole: launch.map(|launch| (launch.lane, launch.number)),
            ahead: None,
            after: Mutex::default(),
            clock: Mutex::new(state.host.clone()),
            is_kernel: AtomicBool::new(false),
            terms: observe::now(),
            origin: None,
        });
        state.open.insert(number, ticket.clone());
        ticket
    }

    fn waited_for(state: &mut State, ticket: &Ticket) {
        ticket.begin();
        state.open.remove(&ticket.number);
        let clock = ticket.clock.lock().clone();
        state.host_learns(&clock);
    }

    #[test]
    fn streams_that_were_waited_for_leave_one_number() {
        let mut state = State::default();
        let first = submitted(&mut state, 0, None);
        waited_for(&mut state, &first);
        let open = submitted(&mut state, 1, None);
        for stream in 2..100 {
            let ticket = submitted(&mut state, stream, None);
            waited_for(&mut state, &ticket);
            assert!(state.host.knows(&ticket) && state.host.knows(&first));
            assert!(!state.host.knows(&open) && !ticket.is_behind(&open));
        }
        waited_for(&mut state, &open);
        let later = submitted(&mut state, 100, None);
        assert!(state.host.lanes.is_empty() && later.is_behind(&open) && !state.host.knows(&later));

        // A chain of operations does not carry on what the host knows either.
        later.begin();
        let last = submitted(&mut state, 100, None);
        *last.after.lock() = vec![open, later];
        last.begin();
        assert_eq!(last.clock.lock().lanes.len(), 1);
    }

    #[test]
    fn a_graphs_nodes_are_unknown_until_its_launch_was_waited_for() {
        let mut state = State::default();
        let launch = submitted(&mut state, 0, None);
        let node = submitted(&mut state, 0, Some(&launch));
        launch.begin();
        // It has ended, and touched nothing itself: nobody remembers it.
        state.open.remove(&launch.number);
        let other = submitted(&mut state, 1, None);
        waited_for(&mut state, &other);
        assert!(state.host.knows(&other) && !state.host.knows(&node));
        waited_for(&mut state, &launch);
        assert!(state.host.knows(&node));
    }
}
