//! Weak memory: the values that a load may read, and the positions among the writes of a place that
//! a new write may take.
//!
//! PTX ISA, "Memory Consistency Model". Every place has its writes in coherence order. A thread
//! knows events (its vector clock): its own, those that synchronised with it, and those that happen
//! before these. The clock determines the oldest write that the thread may still read:
//!
//! - *Coherence, causality*: nothing older than a write that it knows, or than a write that a known
//!   read has read. A read counts only if it and the write are morally strong: both are strong, and
//!   each has a scope that contains the other's thread.
//! - *Release and acquire*: a write carries clocks, one for each release that precedes it (its own,
//!   or a fence's). A read that is morally strong with it joins these clocks at once if it
//!   acquires, or at the thread's next acquiring fence. The scopes of the release and of the
//!   acquire must contain the other's thread. Atomics pass on the releases that they read, so
//!   observation is transitive through them.
//! - *Fence-SC*: `fence.sc` joins the clocks of all earlier ones whose scopes match.
//! - *Barriers* join the clocks of the threads that they synchronise.
//! - *Atomicity*: no write comes between an atomic and the write that it read, if the two
//!   are morally strong.
//!
//! Writes may be put before others in coherence order if the writer's clock allows it. All threads
//! that read a write see it in one order, but a thread need not read it. That gives store buffering
//! and IRIW. A load may also be delayed until after later writes of its own thread (`late`), which
//! gives load buffering. An access of another size at the same bytes counts as known to all
//! threads. So does a write that the machine does not record here (copies, matrices).
//!
//! | file | what it is |
//! | --- | --- |
//! | `history` | the writes and reads of a place, and the threads' clocks |
//! | `read` | what a load may read |
//! | `write` | where a write may stand |
//! | `synchronise` | fences and barriers |

mod history;
mod read;
mod synchronise;
mod write;

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::FixedState;

use super::ThreadId;
use crate::machine::program::Scope;
use history::{Agent, Clock, Event, Location, Release};

/// The most writes that are kept of one place.
const KEPT: usize = 64;

/// The ordering of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Order {
    /// The scope, if the access is strong.
    pub(super) scope: Option<Scope>,
    pub(super) acquires: bool,
    pub(super) releases: bool,
}

/// The histories of all places that were written, and the clocks of all threads.
#[derive(Debug, Default)]
pub(super) struct Weak {
    agents: Vec<Agent>,
    numbers: HashMap<ThreadId, u32, FixedState>,
    /// The places, by the host address of their eight bytes.
    places: HashMap<u64, Vec<Location>, FixedState>,
    /// The `fence.sc` so far.
    fences: Vec<Release>,
    /// The clocks of arrivals at barriers, by block and number.
    meetings: HashMap<(u64, u32), Clock>,
    versions: u64,
    /// The number of writes that atomics have read.
    ids: u64,
    /// Whether there are delayed loads, which have an event already.
    waits: bool,
}

/// Returns whether a scope of `a` contains `b`.
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

    /// Adds an event to a thread, and returns its number.
    fn tick(&mut self, agent: u32) -> u32 {
        let clock = &mut self.agents[agent as usize].clock;
        let seq = clock.of(agent) + 1;
        clock.set(agent, seq);
        seq
    }

    /// Returns whether two strong operations are morally strong, apart from the places
    /// that they access.
    fn strong(&self, a: (u32, Option<Scope>), b: (u32, Option<Scope>)) -> bool {
        if a.0 == b.0 {
            return true;
        }
        let (of_a, of_b) = (self.agents[a.0 as usize].who, self.agents[b.0 as usize].who);
        a.1.is_some_and(|scope| holds(scope, of_a, of_b))
            && b.1.is_some_and(|scope| holds(scope, of_b, of_a))
    }

    /// Returns the history of a place, if it has one: of the same bytes, with `now` in memory.
    fn find(&mut self, start: u64, now: &[u8]) -> Option<&mut Location> {
        let end = start + now.len() as u64;
        // A thread that accesses the bytes in other pieces knows the newest write, and so do
        // all later ones.
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
            // A write has happened that is not recorded in the histories.
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

    /// Returns the position of the oldest write of a place that a thread may read.
    fn floor(&self, agent: u32, place: &Location) -> usize {
        let clock = &self.agents[agent as usize].clock;
        let knows = |e: &Event| e.agent.is_none_or(|of| clock.of(of) >= e.seq);
        let written = place.events.iter().rposition(knows).unwrap_or(0);
        let read = place.reads.iter().filter(|r| clock.of(r.agent) >= r.seq);
        read.map(|r| r.at).fold(written, usize::max)
    }

    /// Returns the version of a place's newest write; 0 if it has no history.
    pub(super) fn newest(&mut self, start: u64, now: &[u8]) -> u64 {
        let last = self.find(start, now).and_then(|p| p.events.last());
        last.map_or(0, |e| e.version)
    }

    fn place_mut(&mut self, start: u64) -> Option<&mut Location> {
        let places = self.places.get_mut(&(start >> 3))?;
        places.iter_mut().find(|p| p.start == start)
    }

    fn place(&self, start: u64) -> Option<&Location> {
        let places = self.places.get(&(start >> 3))?;
        places.iter().find(|p| p.start == start)
    }

    /// Returns whether a write may stand right after the one at `at`: it must not stand between an
    /// atomic and the write that the atomic read.
    fn has_room(&self, agent: u32, scope: Option<Scope>, place: &Location, at: usize) -> bool {
        let is_at = |id: u64| place.events.iter().position(|e| e.id == id);
        place.events[at + 1..].iter().all(|next| {
            let by = next.agent.map(|of| (of, next.scope));
            let from = next.read.map(|id| is_at(id).unwrap_or(0));
            from.is_none_or(|from| from > at)
                || by.is_some_and(|by| !self.strong((agent, scope), by))
        })
    }

    /// Returns the bytes that were written at a position.
    pub(super) fn bytes(&self, start: u64, at: usize) -> Option<[u8; 8]> {
        Some(self.place(start)?.events.get(at)?.bytes)
    }

    /// Returns the thread that wrote; `None` for a value that was there before.
    pub(super) fn writer(&self, start: u64, at: usize) -> Option<ThreadId> {
        let of = self.place(start)?.events.get(at)?.agent?;
        Some(self.agents[of as usize].who)
    }

    /// Returns a thread's clock, if there are delayed loads that may need it.
    fn knows(&self, agent: u32) -> Option<Rc<Clock>> {
        let clock = &self.agents[agent as usize].clock;
        self.waits.then(|| Rc::new(clock.clone()))
    }

    /// Removes the histories of memory that is reused by another block.
    pub(super) fn forget(&mut self, start: u64, size: u64) {
        self.places
            .retain(|key, _| (key << 3) + 8 <= start || key << 3 >= start + size);
    }
}
