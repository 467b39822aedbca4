//! Memory that a graph holds while it is launched. Graphs don't borrow what they use, so other
//! launches wait for them here.

use std::sync::Arc;

use super::{Access, Marked, Order, Queue};

/// The outcome of an attempt to hold memory for a graph.
#[derive(Debug)]
pub(crate) enum HoldOutcome<S: Queue> {
    /// Nobody else begins a use until this is dropped.
    Held(HeldMemory<S>),
    /// Somebody's use is not queued yet: let go of the rest, and try again.
    Busy,
    /// The memory was freed.
    Gone,
}

/// Memory that is held: no other launch begins to use it. With the parts that it was split into.
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
    /// Holds it for a graph that is to be launched and uses it in this way.
    pub(crate) fn hold(&self, access: Access) -> HoldOutcome<S> {
        let mut uses = self.lock();
        if uses.gone {
            return HoldOutcome::Gone;
        }
        // Reads that are not queued yet are in no reader's way. One may take long: a copy to the
        // host waits for what the default stream does.
        let in_the_way = match access {
            Access::Read => uses.writing,
            Access::Write => uses.under_way,
        };
        if uses.held || in_the_way > 0 {
            return HoldOutcome::Busy;
        }
        // Who has a part borrows the whole, and the graph does not: it may be launched beside them.
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

    /// Whether anybody but the whole knows this part's order.
    fn is_somebodys(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Begins a use by a graph that holds it, as [`Order::begin`] does for a launch: a use of the
    /// whole, and of each part that somebody has and may use later.
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
