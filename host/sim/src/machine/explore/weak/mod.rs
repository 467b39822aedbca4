//! Weak memory: which values a load may read, and where among the writes of a place a new one may stand.
//!
//! PTX ISA, "Memory Consistency Model". Every place has its writes in coherence order. A thread knows of events (its clock): its
//! own, what synchronised with it, and what precedes those. From what it knows follows the oldest write that it may still read:
//!
//! - *Coherence, causality*: nothing older than a write that it knows of, or than what a read that it knows of has read. A read counts
//!   only where it and the write are morally strong: both strong, each with a scope that holds the other's thread.
//! - *Release and acquire*: a write carries clocks, one for each release that precedes it (its own, or a fence's); a read that is
//!   morally strong with it takes them up at once if it acquires, or at the thread's next acquiring fence. Scopes of the release and of the
//!   acquire must hold the other's thread. Atomics hand on what they read: an observation goes through them.
//! - *Fence-SC*: `fence.sc` takes up the clocks of all before it whose scopes match.
//! - *Barriers* join the clocks of those that meet.
//! - *Atomicity*: nothing goes between an atomic and what it read, if the two are morally strong.
//!
//! Writes may be put before others in coherence order as far as the writer's knowledge allows. A write is visible in one order to all who
//! read it, but a thread need not read it: that gives store buffering and IRIW. A load may also wait behind later writes of its own thread (`late`),
//! which gives load buffering. An access of another size at the same bytes, and what the machine does not tell of
//! (copies, matrices), count as known to everybody.

mod history;

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::FixedState;

use super::ThreadId;
use crate::machine::program::Scope;
use history::{Agent, Clock, Event, Location, Read, Release, add};

/// Writes that are kept of one place.
const KEPT: usize = 64;

/// How an access is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Order {
    /// Of a strong access.
    pub(super) scope: Option<Scope>,
    pub(super) acquires: bool,
    pub(super) releases: bool,
}

/// The histories of all places that were written.
#[derive(Debug, Default)]
pub(super) struct Weak {
    agents: Vec<Agent>,
    numbers: HashMap<ThreadId, u32, FixedState>,
    /// By the address of eight bytes on the host.
    places: HashMap<u64, Vec<Location>, FixedState>,
    /// `fence.sc`, so far.
    fences: Vec<Release>,
    /// What has arrived at barriers, by block and number.
    meetings: HashMap<(u64, u32), Clock>,
    versions: u64,
    /// Numbers of writes that atomics have read.
    ids: u64,
    /// Whether loads wait that have an event already.
    waits: bool,
}

/// Whether a scope of `a`'s holds `b`.
fn holds(scope: Scope, a: ThreadId, b: ThreadId) -> bool {
    match scope {
        Scope::Block => a.block == b.block,
        Scope::Cluster => a.team == b.team,
        Scope::Device | Scope::System => true,
    }
}

impl Weak {
    fn agent(&mut self, who: ThreadId) -> u32 {
        let next = self.agents.len() as u32;
        let number = *self.numbers.entry(who).or_insert(next);
        if number == next {
            let mut clock = Clock::default();
            clock.set(next, 1);
            let (fences, pending) = Default::default();
            self.agents.push(Agent {
                who,
                clock,
                fences,
                pending,
            });
        }
        number
    }

    /// The next event of a thread.
    fn tick(&mut self, agent: u32) -> u32 {
        let clock = &mut self.agents[agent as usize].clock;
        let seq = clock.of(agent) + 1;
        clock.set(agent, seq);
        seq
    }

    /// Whether two strong operations are morally strong, but for where they access.
    fn strong(&self, a: (u32, Option<Scope>), b: (u32, Option<Scope>)) -> bool {
        if a.0 == b.0 {
            return true;
        }
        let (of_a, of_b) = (self.agents[a.0 as usize].who, self.agents[b.0 as usize].who);
        a.1.is_some_and(|scope| holds(scope, of_a, of_b))
            && b.1.is_some_and(|scope| holds(scope, of_b, of_a))
    }

    /// The history of a place, if it has one: of the same bytes, with `now` in memory.
    fn find(&mut self, start: u64, now: &[u8]) -> Option<&mut Location> {
        let end = start + now.len() as u64;
        // Who accesses the bytes in other pieces knows the newest, and so does everybody behind it.
        for key in (start >> 3)..=((end - 1) >> 3) {
            if let Some(places) = self.places.get_mut(&key) {
                places.retain(|p| {
                    let same = p.start == start && p.size == now.len();
                    same || p.start >= end || p.start + p.size as u64 <= start
                });
            }
        }
        if now.len() > 8 {
            return None;
        }
        let version = self.versions + 1;
        let places = self.places.get_mut(&(start >> 3))?;
        let place = places.iter_mut().find(|p| p.start == start)?;
        if place
            .events
            .last()
            .is_some_and(|e| e.bytes[..now.len()] != *now)
        {
            // Something wrote that the histories are not told of.
            self.versions = version;
            place.events.push(Event::known(now, version));
        }
        Some(place)
    }

    /// Makes the history of a place that is about to be written.
    pub(super) fn make(&mut self, start: u64, now: &[u8]) {
        if self.find(start, now).is_some() || now.len() > 8 {
            return;
        }
        self.versions += 1;
        let place = Location {
            start,
            size: now.len(),
            events: vec![Event::known(now, self.versions)],
            reads: Vec::new(),
        };
        self.places.entry(start >> 3).or_default().push(place);
    }

    /// The oldest write of a place that a thread may read.
    fn floor(&self, agent: u32, place: &Location) -> usize {
        let clock = &self.agents[agent as usize].clock;
        let knows = |e: &Event| e.agent.is_none_or(|of| clock.of(of) >= e.seq);
        let written = place.events.iter().rposition(knows).unwrap_or(0);
        let read = place.reads.iter().filter(|r| clock.of(r.agent) >= r.seq);
        read.map(|r| r.at).fold(written, usize::max)
    }

    /// The version of a place's newest write; 0 where it has no history.
    pub(super) fn newest(&mut self, start: u64, now: &[u8]) -> u64 {
        let last = self.find(start, now).and_then(|p| p.events.last());
        last.map_or(0, |e| e.version)
    }

    /// Which writes a thread may read, oldest first, as positions; none where the place has no history. Nothing up to the version
    /// `after`, if there is anything behind it. Of an atomic: those behind which its own write may stand.
    pub(super) fn readable(
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

    fn place_mut(&mut self, start: u64) -> Option<&mut Location> {
        let places = self.places.get_mut(&(start >> 3))?;
        places.iter_mut().find(|p| p.start == start)
    }

    fn place(&self, start: u64) -> Option<&Location> {
        let places = self.places.get(&(start >> 3))?;
        places.iter().find(|p| p.start == start)
    }

    /// Whether a write may stand right behind the one at `at`: not between an atomic and what it read.
    fn has_room(&self, agent: u32, scope: Option<Scope>, place: &Location, at: usize) -> bool {
        let is_at = |id: u64| place.events.iter().position(|e| e.id == id);
        place.events[at + 1..].iter().all(|next| {
            let by = next.agent.map(|of| (of, next.scope));
            let from = next.read.map(|id| is_at(id).unwrap_or(0));
            from.is_none_or(|from| from > at)
                || by.is_some_and(|by| !self.strong((agent, scope), by))
        })
    }

    /// What was written at a position.
    pub(super) fn bytes(&self, start: u64, at: usize) -> Option<[u8; 8]> {
        Some(self.place(start)?.events.get(at)?.bytes)
    }

    /// Whose write it is; none for what was there before.
    pub(super) fn writer(&self, start: u64, at: usize) -> Option<ThreadId> {
        let of = self.place(start)?.events.get(at)?.agent?;
        Some(self.agents[of as usize].who)
    }

    /// A load of a thread begins to wait. Gives its event.
    pub(super) fn begin_late(&mut self, who: ThreadId) -> u32 {
        let agent = self.agent(who);
        self.waits = true;
        self.tick(agent)
    }

    /// No load waits any more.
    pub(super) fn end_late(&mut self) {
        self.waits = false;
    }

    /// What a thread knows, if somebody may ask.
    fn knows(&self, agent: u32) -> Option<Rc<Clock>> {
        let clock = &self.agents[agent as usize].clock;
        self.waits.then(|| Rc::new(clock.clone()))
    }

    /// The newest write that a load may read which has waited since an event of its thread's: what somebody wrote who knew of that event comes
    /// after it, and so does whatever is newer than what such a one has read.
    pub(super) fn most_for_late(&mut self, who: ThreadId, start: u64, seq: u32) -> usize {
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
    pub(super) fn has_pending(&mut self, who: ThreadId, start: u64) -> bool {
        let agent = self.agent(who);
        let pending = &self.agents[agent as usize].pending;
        pending.iter().any(|(at, _)| *at == start)
    }

    /// Whether a thread's fence of this scope, or its load's own, takes up what the write at a position carries, once the thread has read that.
    pub(super) fn acquired_by(
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

    /// A thread reads the write at a position; `late`: by a load that has waited since this event. Gives its version.
    pub(super) fn read(
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
                // What it read before is older or the same, and its first reading of it is what others may know.
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

    /// Takes up what was read, of one place or of all, and whose scopes match.
    fn acquire(&mut self, agent: u32, who: ThreadId, scope: Scope, start: Option<u64>) {
        let pending = &self.agents[agent as usize].pending;
        let mut clock = Clock::default();
        for (at, release) in pending {
            let by = self.agents[release.agent as usize].who;
            let matches = holds(release.scope, by, who) && holds(scope, who, by);
            if start.is_none_or(|start| start == *at) && matches {
                clock.join(&release.clock);
            }
        }
        self.agents[agent as usize].clock.join(&clock);
    }

    /// Behind which writes a thread's write may stand: positions, the newest last.
    pub(super) fn writable(
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

    /// Behind which writes an atomic's write may stand that has read the one at `at`: others may come between that are not
    /// morally strong with it.
    pub(super) fn after_read(
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

    /// A thread writes, right behind the write at `behind`; `read`: what its atomic has read. Gives what memory holds then.
    pub(super) fn write(
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
            // A release of this place, and a strong write behind it, are one pattern.
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
            // The oldest is read by nobody any more.
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

    /// A thread's fence.
    pub(super) fn fence(&mut self, who: ThreadId, order: Order, sc: bool) {
        let agent = self.agent(who);
        self.tick(agent);
        let Some(scope) = order.scope else { return };
        if order.acquires {
            self.acquire(agent, who, scope, None);
        }
        if sc {
            let mut clock = Clock::default();
            for other in &self.fences {
                let by = self.agents[other.agent as usize].who;
                if other.agent == agent || holds(other.scope, by, who) && holds(scope, who, by) {
                    clock.join(&other.clock);
                }
            }
            self.agents[agent as usize].clock.join(&clock);
        }
        let clock = Rc::new(self.agents[agent as usize].clock.clone());
        let release = Release {
            agent,
            scope,
            clock,
        };
        if sc {
            add(&mut self.fences, release.clone());
        }
        if order.releases {
            add(&mut self.agents[agent as usize].fences, release);
        }
    }

    /// Threads meet, and each knows what the others did. Who arrived with relaxed order tells only what its fences have released; `relaxed`
    /// says it of the first of them, as far as it goes.
    pub(super) fn meet(&mut self, all: &[ThreadId], relaxed: &[bool]) {
        let all: Vec<u32> = all.iter().map(|&who| self.agent(who)).collect();
        let mut clock = Clock::default();
        for (i, &agent) in all.iter().enumerate() {
            let of = &self.agents[agent as usize];
            if relaxed.get(i) != Some(&true) {
                clock.join(&of.clock);
                continue;
            }
            let wide = of.fences.iter().filter(|it| it.scope >= Scope::Cluster);
            wide.for_each(|release| clock.join(&release.clock));
        }
        for agent in all {
            self.agents[agent as usize].clock.join(&clock);
        }
    }

    /// Threads arrive at a barrier.
    pub(super) fn arrive(&mut self, all: &[ThreadId], barrier: (u64, u32)) {
        for &who in all {
            let agent = self.agent(who);
            let clock = &self.agents[agent as usize].clock;
            self.meetings.entry(barrier).or_default().join(clock);
        }
    }

    /// Threads pass it.
    pub(super) fn pass(&mut self, all: &[ThreadId], barrier: (u64, u32)) {
        let Some(clock) = self.meetings.get(&barrier).cloned() else {
            return;
        };
        for &who in all {
            let agent = self.agent(who);
            self.agents[agent as usize].clock.join(&clock);
        }
    }

    /// Forgets memory that another block gets.
    pub(super) fn forget(&mut self, start: u64, size: u64) {
        self.places
            .retain(|key, _| (key << 3) + 8 <= start || key << 3 >= start + size);
    }
}
