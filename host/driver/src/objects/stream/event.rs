//! Events: points in a stream. The host can wait for them, make streams wait for them, and measure
//! the time between two of them.

use super::capturing::Capturing;
use super::points::Points;
use super::work::Work;
use crate::abi::enums::event_flags;
use crate::abi::{CUcontext, CUevent};
use crate::error::{Result, fail};
use crate::objects::handle::ledger::ObjectKind;
use crate::objects::handle::registry::Registry;
use parking_lot::Mutex;
use std::sync::Arc;

/// All live events.
pub(crate) static EVENTS: Registry<CUevent, Event> = Registry::to_give_back(ObjectKind::Event);

/// Removes the events of a context.
pub(crate) fn forget_all(context: CUcontext) {
    EVENTS.remove_where(|event| event.context == context);
}

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) handle: CUevent,
    pub(crate) context: CUcontext,
    pub(crate) flags: u32,
    /// The point that it recorded last.
    recorded: Mutex<Recorded>,
    /// The same record for other processes, if they may open the event.
    points: Option<Arc<Points>>,
}

/// A point that other processes may wait for. Dropping it marks that the point has happened.
struct PendingPoint(Arc<Points>, u64);

impl Drop for PendingPoint {
    fn drop(&mut self) {
        self.0.happen(self.1);
    }
}

/// The point that an event has recorded.
#[derive(Debug, Default)]
enum Recorded {
    #[default]
    Nothing,
    /// The point at which all of these operations have run.
    Work(Vec<Arc<Work>>),
    /// A point in a capture, which never happens.
    Captured(Capturing),
}

impl Event {
    /// Makes an event that has recorded nothing.
    pub(crate) fn new(handle: CUevent, context: CUcontext, flags: u32) -> Event {
        Event {
            handle,
            context,
            flags,
            recorded: Mutex::default(),
            points: None,
        }
    }

    /// Makes an event that other processes can use too.
    pub(crate) fn shared(
        handle: CUevent,
        context: CUcontext,
        flags: u32,
        points: Arc<Points>,
    ) -> Event {
        Event {
            points: Some(points),
            ..Event::new(handle, context, flags)
        }
    }

    /// Returns the record for other processes, if they may open the event.
    pub(crate) fn points(&self) -> Option<&Arc<Points>> {
        self.points.as_ref()
    }

    /// Returns whether its time can be read.
    pub(crate) fn has_time(&self) -> bool {
        self.flags & event_flags::DISABLE_TIMING == 0
    }

    /// Records `work`, which ends when all operations submitted before it have run.
    pub(crate) fn record(&self, work: Arc<Work>) {
        self.record_all(vec![work]);
    }

    /// Records the point at which all of these operations have run.
    pub(crate) fn record_all(&self, work: Vec<Arc<Work>>) {
        if let Some(points) = &self.points {
            let number = points.submit();
            // The point happens when the last of them drops this.
            let happened = Arc::new(PendingPoint(points.clone(), number));
            for one in &work {
                let happened = happened.clone();
                one.then(move || drop(happened));
            }
        }
        *self.recorded.lock() = Recorded::Work(work);
    }

    /// Records a point in a capture.
    pub(crate) fn record_captured(&self, point: Capturing) {
        *self.recorded.lock() = Recorded::Captured(point);
    }

    /// Returns the operations that it recorded last. The event happens when all of them have run.
    /// An event that has recorded nothing counts as done.
    pub(crate) fn recorded(&self) -> Option<Vec<Arc<Work>>> {
        match &*self.recorded.lock() {
            Recorded::Work(work) => Some(work.clone()),
            _ => None,
        }
    }

    /// Returns the point in a capture, if it recorded one last.
    pub(crate) fn captured(&self) -> Option<Capturing> {
        match &*self.recorded.lock() {
            Recorded::Captured(point) => Some(point.clone()),
            _ => None,
        }
    }
}

/// Returns the event that `handle` names.
pub(crate) fn get(handle: CUevent) -> Result<Arc<Event>> {
    match EVENTS.get(handle) {
        Some(event) => Ok(event),
        None => fail!(
            ERROR_INVALID_HANDLE,
            "{:#x} is not a live event: it was destroyed, or never was one",
            handle.0
        ),
    }
}
