//! Memory that a graph holds while it is launched. Graphs don't borrow what they use, so other
//! launches wait for them here.

use std::sync::Arc;

use super::{Access, Marked, Order, Queue};

/// The outcome of an attempt to hold memory for a graph.
#[derive(Debug)]
pub(crate) enum HoldOutcome<S: Queue> {
    /// No other use begins until this is dropped.
    Held(HeldMemory<S>),
    /// A use is not queued yet. The caller releases the memory that it holds, and tries again.
    Busy,
    /// The memory was freed.
    Gone,
}

/// Memory that is held, with the parts that it was split into. No other launch begins to use it.
#[derive(Debug)]
pub(crate) struct HeldMemory<S: Queue> {
    order: Order<S>,
    parts: Vec<HeldMemory<S>>,
}

impl<S: Queue> Drop for HeldMemory<S> {
    fn drop(&mut self) {
        self.order.lock().held = false;
    }
}

impl<S: Queue> Order<S> {
    /// Holds the memory for a graph that is about to be launched and accesses it in this way.
    pub(crate) fn hold(&self, access: Access) -> HoldOutcome<S> {
        let mut uses = self.lock();
        if uses.gone {
            return HoldOutcome::Gone;
        }
        // Reads that are not queued yet do not conflict with another read. Waiting for them could
        // take long: a copy to the host waits for the default stream.
        let in_the_way = match access {
            Access::Read => uses.writing,
            Access::Write => uses.under_way,
        };
        if uses.held || in_the_way > 0 {
            return HoldOutcome::Busy;
        }
        // The owner of a part borrows the whole buffer. The graph borrows nothing, so it may be
        // launched while parts exist.
        uses.join_parts_but(|part| part.is_somebodys());
        let mut parts = Vec::with_capacity(uses.parts.len());
        for part in &uses.parts {
            match part.hold(access) {
                HoldOutcome::Held(part) => parts.push(part),
                otherwise => return otherwise,
            }
        }
        uses.held = true;
        let order = self.clone();
        HoldOutcome::Held(HeldMemory { order, parts })
    }

    /// Returns whether this part still has an owner, which is anything except the whole buffer.
    fn is_somebodys(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Begins a use by a graph that holds the memory, as [`Order::begin`] does for a launch. It is
    /// a use of the whole, and of each part that has an owner, who may use it later.
    pub(crate) fn begin_held<E>(
        held: &HeldMemory<S>,
        stream: &S,
        access: Access,
        mut wait: impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<(), E> {
        for used in held.parts.iter().chain([held]) {
            used.order.lock().wait(stream, access, &mut wait)?;
        }
        Ok(())
    }
}
