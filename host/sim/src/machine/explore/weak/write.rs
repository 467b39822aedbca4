//! The positions that a new write may take among the writes of a place, and the releases
//! that it carries.

use std::rc::Rc;

use super::history::{Event, Release, add};
use super::{KEPT, Order, ThreadId, Weak};
use crate::machine::program::Scope;

impl Weak {
    /// Returns the positions of the writes after which a thread's write may stand, the newest last.
    pub(in crate::machine::explore) fn writable(
        &mut self,
        who: ThreadId,
        start: u64,
        scope: Option<Scope>,
    ) -> Vec<usize> {
        let agent = self.agent(who);
        let Some(place) = self.place(start) else {
            return Vec::new();
        };
        let free = |&at: &usize| self.has_room(agent, scope, place, at);
        (self.floor(agent, place)..place.events.len())
            .filter(free)
            .collect()
    }

    /// Returns the writes after which an atomic's write may stand, if the atomic has read the one
    /// at `at`. Writes that are not morally strong with it may come in between.
    pub(in crate::machine::explore) fn after_read(
        &mut self,
        who: ThreadId,
        (start, at): (u64, usize),
        scope: Option<Scope>,
    ) -> Vec<usize> {
        let agent = self.agent(who);
        let Some(place) = self.place(start) else {
            return Vec::new();
        };
        let mut found = vec![at];
        for (next, event) in place.events.iter().enumerate().skip(at + 1) {
            let by = event.agent.map(|of| (of, event.scope));
            if by.is_none_or(|by| self.strong((agent, scope), by)) {
                break;
            }
            if self.has_room(agent, scope, place, next) {
                found.push(next);
            }
        }
        found
    }

    /// Records a thread's write right after the write at `behind`. `read` is the write that its
    /// atomic has read. Returns the bytes that memory holds then.
    pub(in crate::machine::explore) fn write(
        &mut self,
        who: ThreadId,
        (start, bytes): (u64, &[u8]),
        (behind, read): (usize, Option<usize>),
        order: Order,
    ) -> Option<[u8; 8]> {
        let agent = self.agent(who);
        let seq = self.tick(agent);
        let before = self.place(start)?.events.get(behind)?.clone();
        let mut releases = Vec::new();
        if order.scope.is_some() {
            let me = &self.agents[agent as usize];
            releases.clone_from(&me.fences);
            // A release of this place, and a strong write after it, form one release pattern.
            let own = self.place(start)?.events.iter();
            let own = own.filter(|e| e.agent == Some(agent));
            for release in own.flat_map(|e| &e.releases).filter(|r| r.agent == agent) {
                add(&mut releases, release.clone());
            }
        }
        if order.releases
            && let Some(scope) = order.scope
        {
            let clock = Rc::new(self.agents[agent as usize].clock.clone());
            add(
                &mut releases,
                Release {
                    agent,
                    scope,
                    clock,
                },
            );
        }
        let mut same = false;
        if let Some(read) = read {
            let source = self.place(start)?.events.get(read)?.clone();
            let by = source.agent.map(|of| (of, source.scope));
            if by.is_none_or(|by| self.strong((agent, order.scope), by)) {
                source
                    .releases
                    .into_iter()
                    .for_each(|r| add(&mut releases, r));
            }
            same = source.bytes[..bytes.len()] == *bytes;
        }
        let mut event = Event::known(bytes, before.version);
        if !same {
            self.versions += 1;
            event.version = self.versions;
        }
        (event.agent, event.seq) = (Some(agent), seq);
        (event.scope, event.releases) = (order.scope, releases);
        event.knew = self.knows(agent);
        if let Some(read) = read {
            self.ids += 1;
            let next = self.ids;
            let source = self.place_mut(start)?.events.get_mut(read)?;
            if source.id == 0 {
                source.id = next;
            }
            event.read = Some(source.id);
        }
        let place = self.place_mut(start)?;
        place.events.insert(behind + 1, event);
        for read in place.reads.iter_mut().filter(|r| r.at > behind) {
            read.at += 1;
        }
        if place.events.len() > KEPT {
            // No thread reads the oldest write any more.
            place.events.remove(0);
            place.reads.retain_mut(|r| {
                r.at = r.at.saturating_sub(1);
                r.at > 0
            });
            place.events[0].agent = None;
            place.events[0].read = None;
        }
        place.events.last().map(|e| e.bytes)
    }
}
