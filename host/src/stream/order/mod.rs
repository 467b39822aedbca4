//! On which streams a buffer was used, so that the next use waits for those before as far as it has
//! to.
//!
//! Reads may run beside one another; a write waits for all uses before, and a read for the writes
//! before. What is remembered is the streams: an event recorded there comes after the use. A
//! buffer's parts ([`Order::split`]) remember their own uses, and the whole waits for those of its
//! parts.
//!
//! Such an event also comes after what was queued on the stream since, and has others wait for
//! that: two devices that exchange rows would work in turn. So once a buffer has been used on two
//! streams, each use of it is marked by an event right behind it. What stays on one stream pays
//! nothing.
//!
//! A launch says first that it uses the buffer, and is queued on its stream a moment later. Between
//! the two another thread may launch with the same buffer (both only read it): its stream can't
//! wait for what isn't queued yet. So a stream is remembered until every launch that was under way
//! has been queued; only then is waiting for the latest one waiting for all.
//!
//! | file | what it is |
//! | --- | --- |
//! | `uses` | what is remembered of the uses so far |
//! | `launch` | a launch's use, until it is queued |
//! | `held` | memory that a graph holds while it is launched |

mod held;
mod launch;
#[cfg(test)]
mod tests;
mod uses;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use held::{HeldMemory, HoldOutcome};
pub(crate) use launch::{LaunchUse, LaunchUses};
use uses::Uses;

/// What a use does with the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// It only reads it.
    Read,
    /// It may write it.
    Write,
}

/// A point of a queue, with a number that is larger for a later point of the same queue.
pub(crate) type Marked<S> = (u64, <S as Queue>::Mark);

/// What work is queued on: a stream.
pub(crate) trait Queue: Clone + PartialEq + std::fmt::Debug {
    /// A point in it.
    type Mark: Clone + std::fmt::Debug;

    /// The point behind what is queued by now; none if it can't be made.
    fn mark(&self) -> Option<Marked<Self>>;
}

/// The uses of one piece of memory. Clones are the same piece's.
#[derive(Debug)]
pub(crate) struct Order<S: Queue>(Arc<Mutex<Uses<S>>>);

impl<S: Queue> Clone for Order<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Queue> Default for Order<S> {
    fn default() -> Self {
        Self::new(Uses::default())
    }
}

impl<S: Queue> Order<S> {
    fn new(uses: Uses<S>) -> Self {
        Self(Arc::new(Mutex::new(uses)))
    }

    /// Of memory that a graph allocates and frees, each time it is launched.
    pub(crate) fn of_graph(graph: u64) -> Self {
        let order = Self::default();
        order.lock().graph = Some(graph);
        order
    }

    /// The graph whose memory it is.
    pub(crate) fn graph(&self) -> Option<u64> {
        self.lock().graph
    }

    /// Notes that there is a graph that uses it.
    pub(crate) fn enter_graph(&self) {
        self.lock().in_graphs = true;
    }

    /// Whether there may be a graph that uses it: another thread may launch that at any time, even
    /// while somebody has the memory for himself.
    pub(crate) fn is_in_graphs(&self) -> bool {
        self.lock().in_graphs
    }

    fn lock(&self) -> MutexGuard<'_, Uses<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks it once no graph is being launched with it, which takes no longer than a launch.
    fn lock_free(&self) -> MutexGuard<'_, Uses<S>> {
        loop {
            let uses = self.lock();
            if !uses.held {
                return uses;
            }
            drop(uses);
            std::thread::yield_now();
        }
    }

    /// Notes that the memory is about to be freed.
    pub(crate) fn end(&self) {
        self.lock_free().gone = true;
    }

    /// Whether both are the same memory's.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Forgets the uses so far, so that the next waits for none.
    pub(crate) fn forget(&self) {
        let mut uses = self.lock();
        uses.writers.clear();
        uses.readers.clear();
        uses.parts.clear();
    }

    /// The orders of this many parts, whose uses begin after those of the whole so far. The parts
    /// that were made before are used no more.
    pub(crate) fn split(&self, parts: usize) -> Vec<Self> {
        let mut uses = self.lock_free();
        uses.join_parts_but(|_| false);
        let new = || {
            Self::new(Uses {
                writers: uses.writers.clone(),
                readers: uses.readers.clone(),
                crossed: uses.crossed,
                graph: uses.graph,
                in_graphs: uses.in_graphs,
                ..Uses::default()
            })
        };
        let made: Vec<Self> = (0..parts).map(|_| new()).collect();
        uses.parts.clone_from(&made);
        made
    }

    /// Every stream that used it, or a part of it, and may not have ended.
    pub(crate) fn streams(&self) -> Vec<S> {
        let uses = self.lock();
        let mut all = Vec::new();
        let mut add = |stream: &S| {
            if !all.contains(stream) {
                all.push(stream.clone());
            }
        };
        for past in uses.writers.iter().chain(&uses.readers) {
            add(&past.stream);
        }
        for part in &uses.parts {
            part.streams().iter().for_each(&mut add);
        }
        all
    }
}
