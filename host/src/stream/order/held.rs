//! Memory that a graph holds while it is launched. Graphs don't borrow what they use, so other
//! launches wait for them here.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::uses::Uses;
use super::{Access, Marked, Order, Queue};

/// Whether a graph holds the memory. It is set while the uses are locked. It is taken back without
/// the lock, since who waits for that looks again.
#[derive(Debug, Default)]
pub(super) struct Held(AtomicU8);

const FREE: u8 = 0;
const WHOLE: u8 = 1;
/// Held, and so are the parts that it was split into, which do not change meanwhile.
const WITH_PARTS: u8 = 2;

impl Held {
    pub(super) fn is(&self) -> bool {
        self.0.load(Ordering::Acquire) != FREE
    }
}

/// The outcome of an attempt to hold memory for a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HoldOutcome {
    /// No other use begins before [`Order::release`].
    Held,
    /// A use is not queued yet. The caller releases the memory that it holds, and tries again.
    Busy,
    /// The memory was freed.
    Gone,
}

impl<S: Queue> Order<S> {
    /// Holds the memory for a call on a graph that accesses it in this way.
    pub(crate) fn hold(&self, access: Access) -> HoldOutcome {
        let Ok(held) = self.hold_and(access, &mut |_| Ok::<_, Infallible>(()));
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
    ) -> Result<HoldOutcome, E> {
        self.hold_and(access, &mut |uses| {
            uses.wait(stream, access, &mut wait).map(drop)
        })
    }

    /// Holds the memory, and calls `begin` with the uses of each part and of the whole.
    fn hold_and<E>(
        &self,
        access: Access,
        begin: &mut dyn FnMut(&mut Uses<S>) -> Result<(), E>,
    ) -> Result<HoldOutcome, E> {
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
        if self.0.held.is() || in_the_way > 0 {
            return Ok(HoldOutcome::Busy);
        }
        if !uses.parts.is_empty() {
            // The owner of a part borrows the whole buffer. The graph borrows nothing, so it may be
            // launched while parts exist.
            uses.join_parts_but(|part| part.is_somebodys());
            for (at, part) in uses.parts.iter().enumerate() {
                let outcome = part.hold_and(access, begin);
                if !matches!(outcome, Ok(HoldOutcome::Held)) {
                    uses.parts[..at].iter().for_each(Self::release);
                    return outcome;
                }
            }
        }
        if let Err(error) = begin(&mut uses) {
            uses.parts.iter().for_each(Self::release);
            return Err(error);
        }
        let held = if uses.parts.is_empty() {
            WHOLE
        } else {
            WITH_PARTS
        };
        self.0.held.0.store(held, Ordering::Relaxed);
        Ok(HoldOutcome::Held)
    }

    /// Releases memory that was held, with its parts.
    pub(crate) fn release(&self) {
        let held = &self.0.held.0;
        if held.load(Ordering::Relaxed) == WITH_PARTS {
            self.lock().parts.iter().for_each(Self::release);
        }
        held.store(FREE, Ordering::Release);
    }

    /// Returns whether this part still has an owner, which is anything except the whole buffer.
    fn is_somebodys(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}
