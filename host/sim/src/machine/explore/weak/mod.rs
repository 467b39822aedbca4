//! Weak memory: which values a load may read, and where among the writes of a place a new one may
//! stand.
//!
//! PTX ISA, "Memory Consistency Model". Every place has its writes in coherence order. A thread
//! knows of events (its clock): its own, what synchronised with it, and what precedes those. From
//! what it knows follows the oldest write that it may still read:
//!
//! - *Coherence, causality*: nothing older than a write that it knows of, or than what a read that
//!   it knows of has read. A read counts only where it and the write are morally strong: both
//!   strong, each with a scope that holds the other's thread.
//! - *Release and acquire*: a write carries clocks, one for each release that precedes it (its own,
//!   or a fence's); a read that is morally strong with it takes them up at once if it acquires, or
//!   at the thread's next acquiring fence. Scopes of the release and of the acquire must hold the
//!   other's thread. Atomics hand on what they read: an observation goes through them.
//! - *Fence-SC*: `fence.sc` takes up the clocks of all before it whose scopes match.
//! - *Barriers* join the clocks of those that meet.
//! - *Atomicity*: nothing goes between an atomic and what it read, if the two are morally strong.
//!
//! Writes may be put before others in coherence order as far as the writer's knowledge allows. A
//! write is visible in one order to all who read it, but a thread need not read it: that gives
//! store buffering and IRIW. A load may also wait behind later writes of its own thread (`late`),
//! which gives load buffering. An access of another size at the same bytes, and what the machine
//! does not tell of (copies, matrices), count as known to everybody.
//!
//! | file | what it is |
//! | --- | --- |
//! | `history` | the writes and reads of a place, and what threads know |
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

    fn place_mut(&mut self, start: u64) -> Option<&mut Location> {
        let places = self.places.get_mut(&(start >> 3))?;
        places.iter_mut().find(|p| p.start == start)
    }

    fn place(&self, start: u64) -> Option<&Location> {
        let places = self.places.get(&(start >> 3))?;
        places.iter().find(|p| p.start == start)
    }

    /// Whether a write may stand right behind the one at `at`: not between an atomic and what it
    /// read.
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

    /// What a thread knows, if somebody may ask.
    fn knows(&self, agent: u32) -> Option<Rc<Clock>> {
        let clock = &self.agents[agent as usize].clock;
        self.waits.then(|| Rc::new(clock.clone()))
    }

    /// Forgets memory that another block gets.
    pub(super) fn forget(&mut self, start: u64, size: u64) {
        self.places
            .retain(|key, _| (key << 3) + 8 <= start || key << 3 >= start + size);
    }
}
