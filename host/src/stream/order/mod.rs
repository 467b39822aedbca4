//! The streams on which a buffer was used. The next use waits for the earlier ones that
//! it conflicts with.
//!
//! Reads may run at the same time. A write waits for all earlier uses, and a read waits for the
//! earlier writes. A buffer remembers the streams of its uses: an event that is recorded on such a
//! stream later comes after the use. A buffer's parts ([`Order::split`]) remember their own uses,
//! and the whole waits for those of its parts.
//!
//! Such an event also comes after the work that was queued on the stream since the use, and the
//! next use would wait for that work too. Two devices that exchange rows would then work one after
//! the other. So once a buffer has been used on two streams, an event is recorded directly after
//! each use of it. A buffer that is used on one stream only costs no events.
//!
//! A launch first notes that it uses the buffer, and is queued on its stream a moment later. In
//! between, another thread may launch with the same buffer, if both only read it. The stream of
//! that launch can't wait for work that isn't queued yet. So a stream is remembered until every
//! launch that has begun is queued. Only then does a wait for the latest launch include all others.
//!
//! Most buffers are used on one stream only. Such a launch has nothing to wait for and nothing to
//! note, and takes no lock: see `alone`.
//!
//! | file | what it is |
//! | --- | --- |
//! | `alone` | memory that is used on one stream only |
//! | `uses` | what is remembered of the uses so far |
//! | `launch` | a launch's use, until it is queued |
//! | `held` | memory that a graph holds while it is launched |

mod alone;
mod held;
mod launch;
#[cfg(test)]
mod tests;
mod uses;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alone::Alone;
use held::Held;
pub(crate) use held::HoldOutcome;
pub(crate) use launch::{BegunUse, LaunchUse, end_together};
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
    /// A point in the queue.
    type Mark: Clone + std::fmt::Debug;

    /// Returns a number of the queue that no other queue has, above 0; or 0 if it has none.
    fn number(&self) -> u64;

    /// Returns the point after everything that is queued now, or `None` if it can't be marked.
    fn mark(&self) -> Option<Marked<Self>>;
}

/// The uses of one piece of memory. A clone is a handle of the same uses.
#[derive(Debug)]
pub(crate) struct Order<S: Queue>(Arc<Memory<S>>);

/// What is remembered of one piece of memory.
#[derive(Debug)]
struct Memory<S: Queue> {
    /// The graph that owns the memory and alone may use it.
    graph: Option<u64>,
    alone: Alone,
    held: Held,
    uses: Mutex<Uses<S>>,
}

impl<S: Queue> Memory<S> {
    fn lock(&self) -> MutexGuard<'_, Uses<S>> {
        let uses = self.uses.lock();
        uses.unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Queue> Clone for Order<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Queue> Default for Order<S> {
    fn default() -> Self {
        Self::new(None, Uses::default())
    }
}

impl<S: Queue> Order<S> {
    fn new(graph: Option<u64>, uses: Uses<S>) -> Self {
        let uses = Mutex::new(uses);
        Self(Arc::new(Memory {
            graph,
            alone: Alone::default(),
            held: Held::default(),
            uses,
        }))
    }

    /// Makes the order of memory that a graph allocates and frees each time it is launched.
    pub(crate) fn of_graph(graph: u64) -> Self {
        Self::new(Some(graph), Uses::default())
    }

    /// Returns the number of the graph that owns the memory.
    pub(crate) fn graph(&self) -> Option<u64> {
        self.0.graph
    }

    /// Notes that a graph uses the memory.
    pub(crate) fn enter_graph(&self) {
        let mut uses = self.lock();
        self.0.alone.end();
        uses.in_graphs = true;
    }

    /// Returns whether a graph may use the memory. Another thread may launch the graph at any time,
    /// even while the memory is borrowed mutably.
    pub(crate) fn is_in_graphs(&self) -> bool {
        self.lock().in_graphs
    }

    fn lock(&self) -> MutexGuard<'_, Uses<S>> {
        self.0.lock()
    }

    /// Locks the uses once no graph is being launched with the memory. That takes no longer
    /// than a launch.
    fn lock_free(&self) -> MutexGuard<'_, Uses<S>> {
        loop {
            let uses = self.lock();
            if !self.0.held.is() {
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

    /// Returns whether both belong to the same memory.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Forgets the uses so far, so that the next waits for none.
    pub(crate) fn forget(&self) {
        let mut uses = self.lock_free();
        self.0.alone.end();
        uses.writers.clear();
        uses.readers.clear();
        uses.parts.clear();
    }

    /// Returns the orders of this many new parts. Their uses come after the uses of the whole so
    /// far. The parts that were made before are no longer used.
    pub(crate) fn split(&self, parts: usize) -> Vec<Self> {
        let mut uses = self.lock_free();
        self.0.alone.end();
        uses.join_parts_but(|_| false);
        let new = || {
            let uses = Uses {
                number: uses.number,
                writers: uses.writers.clone(),
                readers: uses.readers.clone(),
                crossed: uses.crossed,
                in_graphs: uses.in_graphs,
                ..Uses::default()
            };
            Self::new(self.graph(), uses)
        };
        let made: Vec<Self> = (0..parts).map(|_| new()).collect();
        uses.parts.clone_from(&made);
        made
    }

    /// Returns every stream with a use of the memory, or of a part of it, that may not have ended.
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
