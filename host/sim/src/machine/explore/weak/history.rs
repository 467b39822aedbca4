//! Histories: for each place its writes and their readers, for each thread its vector clock.

use std::rc::Rc;

use super::super::ThreadId;
use crate::machine::program::Scope;

/// A vector clock: for each thread, how many of its events are known.
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

/// A release, with the clock of its thread at that time.
#[derive(Debug, Clone)]
pub(super) struct Release {
    pub(super) agent: u32,
    pub(super) scope: Scope,
    pub(super) clock: Rc<Clock>,
}

/// A write, in the history of its location.
#[derive(Debug, Clone)]
pub(super) struct Event {
    /// The thread that wrote; `None` for a write that all threads know.
    pub(super) agent: Option<u32>,
    pub(super) seq: u32,
    /// The version. It is the same for writes that changed nothing about the one before them.
    pub(super) version: u64,
    pub(super) bytes: [u8; 8],
    /// The scope, if it is a strong write.
    pub(super) scope: Option<Scope>,
    pub(super) releases: Vec<Release>,
    /// Its number, if an atomic has read it; otherwise 0.
    pub(super) id: u64,
    /// For an atomic: the number of the write that it read.
    pub(super) read: Option<u64>,
    /// The clock of its thread, if loads were delayed then.
    pub(super) knew: Option<Rc<Clock>>,
}

/// A read of the write at this position.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub(super) agent: u32,
    pub(super) seq: u32,
    pub(super) at: usize,
    /// The clock of its thread, if loads were delayed then.
    pub(super) knew: Option<Rc<Clock>>,
}

#[derive(Debug)]
pub(super) struct Location {
    pub(super) start: u64,
    pub(super) size: usize,
    /// The writes, in coherence order.
    pub(super) events: Vec<Event>,
    pub(super) reads: Vec<Read>,
}

#[derive(Debug)]
pub(super) struct Agent {
    pub(super) who: ThreadId,
    pub(super) clock: Clock,
    /// Its clock at its last releasing fence of each scope.
    pub(super) fences: Vec<Release>,
    /// The releases that it has read and not acquired, with the place.
    pub(super) pending: Vec<(u64, Release)>,
}

impl Event {
    /// Makes a write that all threads know.
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

/// Adds a release. Only the latest release of each thread and scope is kept.
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
