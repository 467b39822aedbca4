//! Memory that a graph holds while it is launched. Graphs don't borrow what they use, so other
//! launches wait for them here.

use std::convert::Infallible;
use std::sync::Arc;

use super::uses::Uses;
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
    /// They are released with the whole.
    _parts: Vec<HeldMemory<S>>,
}

impl<S: Queue> Drop for HeldMemory<S> {
    fn drop(&mut self) {
        self.order.lock().held = false;
    }
}

impl<S: Queue> Order<S> {
    /// Holds the memory for a call on a graph that accesses it in this way.
    pub(crate) fn hold(&self, access: Access) -> HoldOutcome<S> {
        let held = self.hold_and(access, &mut |_| Ok::<_, Infallible>(()));
        let Ok(held) = held;
        held
    }

    /// Holds the memory for a graph that is about to be launched on `stream`, and begins its use,
    /// as [`Order::begin`] does for a launch. It is a use of the whole, and of each part that has
    /// an owner, who may use it later.
    ///
    /// A caller that then has to release the memory has noted a use too many, and later uses wait
    /// for more than they have to.
    pub(crate) fn hold_on<E>(
        &self,
        stream: &S,
        access: Access,
        mut wait: impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<HoldOutcome<S>, E> {
        self.hold_and(access, &mut |uses| {
            uses.wait(stream, access, &mut wait).map(drop)
        })
    }

    /// Holds the memory, and calls `begin` with the uses of each part and of the whole.
    fn hold_and<E>(
        &self,
        access: Access,
        begin: &mut dyn FnMut(&mut Uses<S>) -> Result<(), E>,
    ) -> Result<HoldOutcome<S>, E> {
        let mut uses = self.lock();
        self.0.alone.end();
        if uses.gone {
            return Ok(HoldOutcome::Gone);
        }
        // Reads that are not queued yet do not conflict with another read. Waiting for them could
        // take long: a copy to the host waits for the default stream.
        let in_the_way = match access {
            Access::Read => uses.writing,
            Access::Write => uses.under_way,
        };
        if uses.held || in_the_way > 0 {
            return Ok(HoldOutcome::Busy);
        }
        // The owner of a part borrows the whole buffer. The graph borrows nothing, so it may be
        // launched while parts exist.
        uses.join_parts_but(|part| part.is_somebodys());
        let mut parts = Vec::with_capacity(uses.parts.len());
        for part in &uses.parts {
            match part.hold_and(access, begin)? {
                HoldOutcome::Held(part) => parts.push(part),
                otherwise => return Ok(otherwise),
            }
        }
        begin(&mut uses)?;
        uses.held = true;
        Ok(HoldOutcome::Held(HeldMemory {
            order: self.clone(),
            _parts: parts,
        }))
    }

    /// Returns whether this part still has an owner, which is anything except the whole buffer.
    fn is_somebodys(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}
