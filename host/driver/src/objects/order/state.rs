//! What is remembered of operations, and which of them touch the same bytes in no order.

use super::super::handle::origin::Origin;
use super::host::{Addresses, EarlyHostAccess};
use super::host_pages::{self, ShutPages};
use super::report::report;
use super::ticket::{Clock, PastOperation, Ticket};
use super::{TOUCHED, host_touches};
use lanewise_sim::Finding;
use lanewise_sim::checks::Footprint;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// This many findings a pair of operations has, that one place of the program each submits.
const SAID: usize = 4;

/// This many operations are remembered that later ones are compared with.
const REMEMBERED: usize = 1024;

/// This many stretches of addresses they may have together: 64 MiB.
const STRETCHES: usize = 1 << 22;

/// What is known of all operations, and of what the host has waited for.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) number: u64,
    /// What the host knows.
    pub(super) host: Clock,
    pub(super) past: Vec<PastOperation>,
    /// What was submitted and has not ended.
    pub(super) open: BTreeMap<u64, Arc<Ticket>>,
    /// Up to this number somebody may have made an order that nobody saw.
    pub(super) unseen: u64,
    /// Pairs that were reported, and where in memory.
    pub(super) said: BTreeMap<[String; 2], BTreeSet<u64>>,
    /// What the host's own code did, and nobody was told yet.
    pub(super) touches: Vec<EarlyHostAccess>,
    /// Whether pages may be shut.
    pub(super) shuts: bool,
}

impl State {
    /// Joins the host's clock with another. What comes before all that the host does not know is then one number and no longer one a lane: every
    /// ticket has a copy of this clock, and a program may make streams for as long as it runs.
    pub(super) fn host_learns(&mut self, clock: &Clock) {
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
    pub(super) fn shut(&mut self) {
        if !self.shuts {
            return;
        }
        let open = |past: &&PastOperation| {
            !past.shut.is_empty()
                && past.ticket.number > self.unseen
                && !self.host.knows(&past.ticket)
        };
        let pages = self.past.iter().filter(open);
        let pages: Vec<ShutPages> = pages.flat_map(|past| past.shut.iter().copied()).collect();
        self.shuts = !pages.is_empty();
        host_pages::shut(&pages, host_touches);
    }

    pub(super) fn host_touches(
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
        let holds = |past: &PastOperation| {
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

    pub(super) fn judge(&mut self, now: &PastOperation, addresses: Addresses) -> Vec<Finding> {
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
    pub(super) fn prune(&mut self) {
        let size = |past: &[PastOperation]| -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::order::ticket::Lane;
    use crate::observe;
    use parking_lot::Mutex;
    use std::sync::atomic::AtomicBool;

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
