//! What a load may read, at once or late, and what a thread knows behind it.

use std::rc::Rc;

use super::history::{Clock, Event, Read, Release};
use super::{Order, ThreadId, Weak, holds};
use crate::machine::program::Scope;

impl Weak {
    /// Which writes a thread may read, oldest first, as positions; none where the place has no
    /// history. Nothing up to the version `after`, if there is anything behind it. Of an atomic:
    /// those behind which its own write may stand.
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

    /// A load of a thread begins to wait. Gives its event.
    pub(in crate::machine::explore) fn begin_late(&mut self, who: ThreadId) -> u32 {
        let agent = self.agent(who);
        self.waits = true;
        self.tick(agent)
    }

    /// No load waits any more.
    pub(in crate::machine::explore) fn end_late(&mut self) {
        self.waits = false;
    }

    /// The newest write that a load may read which has waited since an event of its thread's: what
    /// somebody wrote who knew of that event comes after it, and so does whatever is newer than
    /// what such a one has read.
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

    /// Whether a thread has read something at a place that it has not acquired.
    pub(in crate::machine::explore) fn has_pending(&mut self, who: ThreadId, start: u64) -> bool {
        let agent = self.agent(who);
        let pending = &self.agents[agent as usize].pending;
        pending.iter().any(|(at, _)| *at == start)
    }

    /// Whether a thread's fence of this scope, or its load's own, takes up what the write at a
    /// position carries, once the thread has read that.
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

    /// A thread reads the write at a position; `late`: by a load that has waited since this event.
    /// Gives its version.
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
                // What it read before is older or the same, and its first reading of it is what
                // others may know.
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

    /// What a write that was read carries.
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
