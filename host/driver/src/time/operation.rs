//! An operation in modelled time: its cost, the operations that it waits for, and its end once
//! that is known.

use super::Nanoseconds;
use super::engine::Engine;
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// The engine that an operation occupies, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost {
    pub(crate) engine: Engine,
    pub(crate) duration: Nanoseconds,
}

impl Cost {
    /// An operation that takes no device time.
    pub(crate) const NOTHING: Cost = Cost {
        engine: Engine::None,
        duration: 0,
    };
}

/// The path from a stream to the engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Lane {
    /// The hardware queue that the stream shares with others; `None` for an operation that is
    /// ordered by its dependencies only.
    pub(crate) queue: Option<u32>,
    /// The stream's priority. A smaller number is more urgent.
    pub(crate) priority: i32,
    /// The stream's number, which breaks ties.
    pub(crate) stream: usize,
}

/// An operation on the timeline.
#[derive(Debug)]
pub(crate) struct Node {
    pub(super) device: usize,
    pub(super) lane: Lane,
    /// The operations that must end first. The list is cleared when the span is known, so that no
    /// long chains are kept alive.
    pub(super) after: Mutex<Vec<Arc<Node>>>,
    /// The host's place in modelled time when it was submitted.
    pub(super) submitted: Mutex<Moment>,
    /// The cost, which is known when the operation has run.
    pub(super) cost: OnceLock<Cost>,
    /// The end, which is known when the operation is laid out.
    pub(super) end: OnceLock<Nanoseconds>,
}

/// A moment that may not be known yet: this long after the end of the node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moment {
    pub(super) node: Option<Arc<Node>>,
    pub(super) plus: Nanoseconds,
}

impl Moment {
    pub(super) fn known(&self) -> Option<Nanoseconds> {
        match &self.node {
            None => Some(self.plus),
            Some(node) => node.end.get().map(|end| end.saturating_add(self.plus)),
        }
    }
}

impl Node {
    /// Makes an operation at this moment that occupies nothing.
    pub(super) fn at(place: Moment) -> Arc<Node> {
        Arc::new(Node {
            device: 0,
            lane: Lane::default(),
            after: Mutex::default(),
            submitted: Mutex::new(place),
            cost: OnceLock::from(Cost::NOTHING),
            end: OnceLock::new(),
        })
    }

    /// Returns the moment from which the operation can run. Everything that it waits for must
    /// be laid out.
    pub(super) fn ready(&self) -> Nanoseconds {
        let after = self.after.lock();
        let ends = after.iter().filter_map(|node| node.end.get().copied());
        ends.fold(self.submitted.lock().known().unwrap_or(0), Nanoseconds::max)
    }

    /// Returns the operations that have to be laid out before.
    pub(super) fn waits_for(&self) -> Vec<Arc<Node>> {
        let mut before = self.after.lock().clone();
        before.extend(self.submitted.lock().node.clone());
        before.retain(|node| node.end.get().is_none());
        before
    }

    /// Returns how long it took, once it has run.
    pub(crate) fn duration(&self) -> Nanoseconds {
        self.cost.get().map_or(0, |cost| cost.duration)
    }
}
