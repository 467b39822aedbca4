//! The writes that a load may read, at once or delayed, and the thread's knowledge after the read.

use std::rc::Rc;

use super::history::{Clock, Event, Read, Release};
use super::{Order, ThreadId, Weak, holds};
use crate::machine::program::Scope;

impl Weak {
    /// Returns the positions of the writes that a thread may read, oldest first. None if the place
    /// has no history. Writes up to the version `after` are left out, if there is a later one. For
    /// an atomic: only writes after which its own write may stand.
    pub(in crate::machine::explore) fn readable(
        &mut self,
        who: ThreadId,
        (start, now): (u64, &[u8]),
        scope: Option<Scope>,
        atomic: bool,
        after: u64,
    ) -> Vec<usize> {
        let agent = self.agent(who);
        if self.find(start, now).is_none() {
            return Vec::new();
        }
        let Some(place) = self.place(start) else {
            return Vec::new();
        };
        let last = place.events.len() - 1;
        let mut floor = self.floor(agent, place);
        if let Some(at) = place.events.iter().rposition(|e| e.version == after) {
            floor = floor.max((at + 1).min(last));
        }
        let free = |&at: &usize| !atomic || self.has_room(agent, scope, place, at);
        (floor..=last).filter(free).collect()
    }

    /// Begins a delayed load of a thread, and returns its event.
    pub(in crate::machine::explore) fn begin_late(&mut self, who: ThreadId) -> u32 {
        let agent = self.agent(who);
        self.waits = true;
        self.tick(agent)
    }

    /// Records that there are no delayed loads any more.
    pub(in crate::machine::explore) fn end_late(&mut self) {
        self.waits = false;
    }

    /// Returns the newest write that a load may read which has been delayed since the event `seq`
    /// of its thread. A write by another thread that knew this event comes after the load. So does
    /// every write that is newer than one which such a thread has read.
    pub(in crate::machine::explore) fn most_for_late(
        &mut self,
        who: ThreadId,
        start: u64,
        seq: u32,
    ) -> usize {
        let agent = self.agent(who);
        let Some(place) = self.place(start) else {
            return 0;
        };
        let knew = |clock: &Option<Rc<Clock>>| clock.as_ref().is_some_and(|c| c.of(agent) >= seq);
        let last = place.events.len().saturating_sub(1);
        let other = |e: &&Event| e.agent != Some(agent) && knew(&e.knew);
        let first = place.events.iter().position(|e| other(&e));
        let most = first.map_or(last, |at| at.saturating_sub(1));
        let reads = place.reads.iter();
        let reads = reads.filter(|r| r.agent != agent && knew(&r.knew));
        reads.map(|r| r.at).fold(most, usize::min)
    }

    /// Returns whether a thread has read a release at a place that it has not acquired.
    pub(in crate::machine::explore) fn has_pending(&mut self, who: ThreadId, start: u64) -> bool {
        let agent = self.agent(who);
        let pending = &self.agents[agent as usize].pending;
        pending.iter().any(|(at, _)| *at == start)
    }

    /// Returns whether a thread's acquire of this scope would acquire a release of the write at a
    /// position, after the thread has read that write.
    pub(in crate::machine::explore) fn acquired_by(
        &self,
        who: ThreadId,
        (start, at): (u64, usize),
        acquires: Option<Scope>,
    ) -> bool {
        let event = self.place(start).and_then(|place| place.events.get(at));
        let releases = event.map_or(&[][..], |event| &event.releases);
        releases.iter().any(|release| {
            let by = self.agents[release.agent as usize].who;
            holds(release.scope, by, who) && acquires.is_some_and(|scope| holds(scope, who, by))
        })
    }

    /// Records that a thread reads the write at a position, and returns its version. `late` is the
    /// event of a delayed load.
    pub(in crate::machine::explore) fn read(
        &mut self,
        who: ThreadId,
        start: u64,
        at: usize,
        (order, late): (Order, Option<u32>),
    ) -> u64 {
        let agent = self.agent(who);
        let Some(event) = self.place(start).and_then(|p| p.events.get(at)).cloned() else {
            return 0;
        };
        let by = event.agent.map(|of| (of, event.scope));
        if by.is_none_or(|by| self.strong((agent, order.scope), by)) {
            let seq = late.unwrap_or_else(|| self.tick(agent));
            let knew = self.knows(agent);
            if let Some(place) = self.place_mut(start) {
                // The thread's earlier reads are of older writes or of this one. Only its first
                // read of a write is recorded, because other threads may know it.
                let before = place.reads.iter().rfind(|r| r.agent == agent);
                if before.is_none_or(|r| r.at != at) {
                    place.reads.push(Read {
                        agent,
                        seq,
                        at,
                        knew,
                    });
                }
            }
            self.take_up(agent, start, &event, order);
        }
        event.version
    }

    /// Acquires the releases of a write that was read, or keeps them for a later fence.
    fn take_up(&mut self, agent: u32, start: u64, event: &Event, order: Order) {
        let Some(scope) = order.scope else { return };
        let who = self.agents[agent as usize].who;
        for release in &event.releases {
            let kept = &mut self.agents[agent as usize].pending;
            let same = |(at, it): &(u64, Release)| {
                *at == start && it.agent == release.agent && it.scope == release.scope
            };
            match kept.iter_mut().find(|it| same(it)) {
                Some((_, it)) => it.clock = release.clock.clone(),
                None => kept.push((start, release.clone())),
            }
        }
        if order.acquires {
            self.acquire(agent, who, scope, Some(start));
        }
    }
}
