//! What is remembered: of each place its writes and who read them, of each thread what it knows.

use std::rc::Rc;

use super::super::ThreadId;
use crate::machine::program::Scope;

/// Of each thread, how many of its events are known.
#[derive(Debug, Clone, Default)]
pub(super) struct Clock(Vec<u32>);

impl Clock {
    pub(super) fn of(&self, agent: u32) -> u32 {
        self.0.get(agent as usize).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, agent: u32, to: u32) {
        let at = agent as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] = to;
    }

    pub(super) fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (to, &from) in self.0.iter_mut().zip(&other.0) {
            *to = (*to).max(from);
        }
    }
}

/// What somebody knew when it released.
#[derive(Debug, Clone)]
pub(super) struct Release {
    pub(super) agent: u32,
    pub(super) scope: Scope,
    pub(super) clock: Rc<Clock>,
}

/// A write, in the history of its location.
#[derive(Debug, Clone)]
pub(super) struct Event {
    /// Whose it is; none for what everybody knows.
    pub(super) agent: Option<u32>,
    pub(super) seq: u32,
    /// The same for writes that changed nothing about the one before them.
    pub(super) version: u64,
    pub(super) bytes: [u8; 8],
    /// Of a strong write.
    pub(super) scope: Option<Scope>,
    pub(super) releases: Vec<Release>,
    /// Its number, for atomics that read it; 0 where none has.
    pub(super) id: u64,
    /// Of an atomic: the number of the write that it read.
    pub(super) read: Option<u64>,
    /// What its thread knew, where loads waited then.
    pub(super) knew: Option<Rc<Clock>>,
}

/// Somebody read the write at this position.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub(super) agent: u32,
    pub(super) seq: u32,
    pub(super) at: usize,
    /// What its thread knew, where loads waited then.
    pub(super) knew: Option<Rc<Clock>>,
}

#[derive(Debug)]
pub(super) struct Location {
    pub(super) start: u64,
    pub(super) size: usize,
    /// In coherence order.
    pub(super) events: Vec<Event>,
    pub(super) reads: Vec<Read>,
}

#[derive(Debug)]
pub(super) struct Agent {
    pub(super) who: ThreadId,
    pub(super) clock: Clock,
    /// What it knew at its last releasing fence of each scope.
    pub(super) fences: Vec<Release>,
    /// What it read and has not acquired, with the place.
    pub(super) pending: Vec<(u64, Release)>,
}

impl Event {
    /// What everybody knows.
    pub(super) fn known(now: &[u8], version: u64) -> Self {
        let mut bytes = [0; 8];
        bytes[..now.len()].copy_from_slice(now);
        Self {
            agent: None,
            seq: 0,
            version,
            bytes,
            scope: None,
            releases: Vec::new(),
            id: 0,
            read: None,
            knew: None,
        }
    }
}

/// Adds a release; of one thread and scope the latest counts.
pub(super) fn add(releases: &mut Vec<Release>, new: Release) {
    let same = releases
        .iter_mut()
        .find(|r| r.agent == new.agent && r.scope == new.scope);
    match same {
        Some(old) if old.clock.of(new.agent) >= new.clock.of(new.agent) => {}
        Some(old) => *old = new,
        None => releases.push(new),
    }
}
