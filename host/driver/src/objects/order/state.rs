//! The past operations, and the search for races among them.

use super::super::handle::origin::Origin;
use super::host::{Addresses, EarlyHostAccess};
use super::host_pages::{self, ProtectedPages};
use super::report::report;
use super::ticket::{Clock, PastOperation, Ticket};
use super::{HAS_EARLY_ACCESSES, host_touches};
use lanewise_sim::Finding;
use lanewise_sim::checks::Footprint;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The most races that are reported for two operations with the same keys.
const REPORTS_PER_PAIR: usize = 4;

/// The most past operations that later ones are compared with.
const REMEMBERED: usize = 1024;

/// The most ranges of addresses that they may have together, which are 64 MiB.
const STRETCHES: usize = 1 << 22;

/// All operations that matter still, and the host's clock.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) number: u64,
    /// What the host has waited for.
    pub(super) host: Clock,
    pub(super) past: Vec<PastOperation>,
    /// The operations that have not ended.
    pub(super) open: BTreeMap<u64, Arc<Ticket>>,
    /// Operations up to this number may be ordered by something that the driver does not see.
    pub(super) hidden_until: u64,
    /// The races that were reported: by the operations' keys, the addresses.
    pub(super) reported: BTreeMap<[String; 2], BTreeSet<u64>>,
    /// Early accesses of the host's own code that are not reported yet.
    pub(super) touches: Vec<EarlyHostAccess>,
    /// Whether any pages may be protected.
    pub(super) may_protect: bool,
}

impl State {
    /// Joins another clock into the host's. Its floor is then raised as far as it goes, which drops
    /// entries of lanes: every ticket has a copy of this clock, and a program may make new streams
    /// for as long as it runs.
    pub(super) fn host_learns(&mut self, clock: &Clock) {
        self.host.join(clock);
        let open = self.open.values();
        let judged = self.past.iter().map(|past| &past.ticket);
        let unknown = open.chain(judged).filter(|it| !self.host.knows(it));
        // A graph's launch that is over means that its nodes are.
        let number = |it: &Arc<Ticket>| {
            it.graph_launch
                .map_or(it.number, |(_, launch)| launch.min(it.number))
        };
        let first = unknown.map(number).min();
        self.host
            .raise(first.map_or(self.number, |number| number - 1));
    }

    /// Protects the pages that operations touched which the host has not waited for, and no others.
    pub(super) fn protect(&mut self) {
        if !self.may_protect {
            return;
        }
        let open = |past: &&PastOperation| {
            !past.protected.is_empty()
                && past.ticket.number > self.hidden_until
                && !self.host.knows(&past.ticket)
        };
        let pages = self.past.iter().filter(open);
        let pages: Vec<ProtectedPages> = pages
            .flat_map(|past| past.protected.iter().copied())
            .collect();
        self.may_protect = !pages.is_empty();
        host_pages::protect(&pages, host_touches);
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
            let mut protected = past.protected.iter();
            protected.any(|it| (it.start..it.end).contains(&address))
        };
        let (host, hidden_until, open) = (&self.host, self.hidden_until, &self.open);
        // The last operation that touched the page is the one that the host should have waited for.
        let found = self.past.iter().rev().find_map(|past| {
            let ticket = &past.ticket;
            let is_known = host.knows(ticket) || ticket.number <= hidden_until;
            if !holds(past) || is_known || open.values().any(|open| talker(open, ticket)) {
                return None;
            }
            Some((past, past.footprint.conflict(&footprint)?))
        });
        if let Some((past, conflict)) = found {
            let reported = self
                .reported
                .entry([past.key(), "the host".into()])
                .or_default();
            if reported.len() < REPORTS_PER_PAIR && reported.insert(address) {
                self.touches.push(EarlyHostAccess {
                    address,
                    writes,
                    by_stream,
                    origin,
                    before: (past.ticket.clone(), past.label.clone()),
                    written: conflict.writes[0],
                });
                HAS_EARLY_ACCESSES.store(true, Ordering::Relaxed);
            }
        }
        // One report for an operation is enough: its other pages are opened.
        for past in self.past.iter_mut().filter(|past| holds(past)) {
            past.protected.clear();
        }
        self.protect();
    }

    /// The races of an operation that has just run with those that ran before it.
    pub(super) fn races(&mut self, now: &PastOperation, addresses: Addresses) -> Vec<Finding> {
        let mut found = Vec::new();
        for before in &self.past {
            let (a, b) = (&before.ticket, &now.ticket);
            let beside =
                b.ahead == Some(a.number) && now.dependent.early && before.dependent.releases;
            let ordered = !beside && (b.is_behind(a) || a.is_behind(b));
            if ordered || a.number.max(b.number) <= self.hidden_until {
                continue;
            }
            let Some(conflict) = before.footprint.conflict(&now.footprint) else {
                continue;
            };
            // A kernel that still runs may have signalled the host that one of the two is over.
            let talker = |open: &Arc<Ticket>| {
                open.is_kernel.load(Ordering::Relaxed) && (open.is_behind(a) || open.is_behind(b))
            };
            if before.footprint.speaks_with(&now.footprint) || self.open.values().any(talker) {
                continue;
            }
            let reported = self.reported.entry([before.key(), now.key()]).or_default();
            if reported.len() < REPORTS_PER_PAIR && reported.insert(conflict.start) {
                found.push(report(before, now, (conflict, beside), addresses));
            }
        }
        found
    }

    /// Drops past operations that happen before everything that is open or still to come, and the
    /// oldest beyond the limits.
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

    /// Submits an operation to a stream; with `launch`, as a node of that launch of a graph.
    fn submitted(state: &mut State, stream: usize, launch: Option<&Ticket>) -> Arc<Ticket> {
        state.number += 1;
        let number = state.number;
        let ticket = Arc::new(Ticket {
            number,
            lane: launch.map_or(Lane::Stream(0, stream), |_| Lane::Node(number)),
            graph_launch: launch.map(|launch| (launch.lane, launch.number)),
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

        // Clocks along a chain of operations stay small too.
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
        // It has ended and touched nothing itself, so it is not among the past operations.
        state.open.remove(&launch.number);
        let other = submitted(&mut state, 1, None);
        waited_for(&mut state, &other);
        assert!(state.host.knows(&other) && !state.host.knows(&node));
        waited_for(&mut state, &launch);
        assert!(state.host.knows(&node));
    }
}
