//! The calls of "Event Management". Times are modelled device time; see [`crate::time`].

use crate::abi::enums::{event_flags, event_use};
use crate::abi::{CUevent, CUstream, c_uint};
use crate::calls::{present, put, stream};
use crate::error::{Result, ensure, fail};
use crate::objects::graph::{Kind, capture};
use crate::objects::stream::event::{EVENTS, Event, get};
use crate::objects::stream::points::Points;
use crate::objects::stream::work::Work;
use crate::objects::submission::Run;
use crate::objects::{context, order};
use crate::time::operation::Cost;
use std::sync::Arc;

/// Returns the event that `handle` names, whose context must be usable.
fn usable(handle: CUevent) -> Result<(Arc<context::Context>, Arc<Event>)> {
    let event = get(handle)?;
    let context = context::get(event.context)?;
    context.check()?;
    Ok((context, event))
}

pub(crate) unsafe fn create(handle: *mut CUevent, flags: c_uint) -> Result {
    let context = context::current()?;
    present(handle, "phEvent")?;
    let interprocess = flags & event_flags::INTERPROCESS != 0;
    ensure!(
        flags & !event_flags::ALL == 0
            && (!interprocess || flags & event_flags::DISABLE_TIMING != 0),
        ERROR_INVALID_VALUE,
        "{flags:#x} are no event flags; CU_EVENT_INTERPROCESS (4) must come with CU_EVENT_DISABLE_TIMING (2)"
    );
    let event = if interprocess {
        let points = Arc::new(Points::new()?);
        EVENTS.add(|handle| Event::shared(handle, context.handle, flags, points))
    } else {
        EVENTS.add(|handle| Event::new(handle, context.handle, flags))
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, event.handle, "phEvent") }
}

pub(crate) unsafe fn record(handle: CUevent, on: CUstream) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { record_with(handle, on, 0) }
}

pub(crate) unsafe fn record_with(handle: CUevent, on: CUstream, flags: c_uint) -> Result {
    let (context, stream) = stream(on)?;
    let event = get(handle)?;
    ensure!(
        flags <= event_use::EXTERNAL,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CUevent_record_flags"
    );
    ensure!(
        event.context == context.handle,
        ERROR_INVALID_HANDLE,
        "the event belongs to context {:#x}, the stream to {:#x}; record an event in its own context",
        event.context.0,
        context.handle.0
    );
    if let Some(point) = capture::part(&stream) {
        if flags == event_use::EXTERNAL {
            return context.enqueue(&stream, Kind::Record(event)).map(|_| ());
        }
        event.record_captured(point);
        return Ok(());
    }
    event.record(context.submit(
        &stream,
        Vec::new(),
        Run::Light(Box::new(|_| Ok(Cost::NOTHING))),
    )?);
    Ok(())
}

/// Refuses an event that was last recorded in a capture, where it never happens. The
/// capture becomes invalid.
fn not_captured(event: &Event) -> Result {
    if let Some(point) = event.captured() {
        point.capture().invalidate();
        fail!(
            ERROR_CAPTURED_EVENT,
            "the event was last recorded in a stream that was being captured, so it is no point in time; the capture is \
             invalid from now on"
        )
    }
    Ok(())
}

pub(crate) unsafe fn query(handle: CUevent) -> Result {
    let (context, event) = usable(handle)?;
    not_captured(&event)?;
    capture::permit_unsafe()?;
    if let Some(points) = event.points() {
        ensure!(
            points.has_happened(points.latest()),
            ERROR_NOT_READY,
            "the event has not happened yet"
        );
    }
    if let Some(work) = event.recorded() {
        ensure!(
            work.iter().all(|work| work.is_done()),
            ERROR_NOT_READY,
            "the event has not happened yet"
        );
        host_knows(&work);
    }
    context.check()
}

pub(crate) unsafe fn synchronize(handle: CUevent) -> Result {
    let (context, event) = usable(handle)?;
    not_captured(&event)?;
    capture::permit_unsafe()?;
    if let Some(work) = event.recorded() {
        context.wait_for(&work);
    }
    if let Some(points) = event.points() {
        points.wait(points.latest());
    }
    context.check()
}

pub(crate) unsafe fn destroy(handle: CUevent) -> Result {
    get(handle)?;
    // Streams that wait for it keep what it recorded.
    EVENTS.remove(handle);
    Ok(())
}

pub(crate) unsafe fn elapsed(milliseconds: *mut f32, start: CUevent, end: CUevent) -> Result {
    let (context, start) = usable(start)?;
    let (_, end) = usable(end)?;
    // A GPU's driver returns this code here, and not INVALID_VALUE as elsewhere.
    ensure!(
        !milliseconds.is_null(),
        ERROR_INVALID_HANDLE,
        "`pMilliseconds` is null"
    );
    ensure!(
        start.context == end.context,
        ERROR_INVALID_HANDLE,
        "the events are of different contexts; times are measured within one"
    );
    let (start, end) = (timed("start", &start)?, timed("end", &end)?);
    let timeline = &context.device.timeline;
    let time = |work: &[Arc<Work>]| -> Option<u64> {
        let ends = work.iter().map(|work| timeline.end(&work.node));
        ends.collect::<Option<Vec<_>>>()?.into_iter().max()
    };
    let (Some(start), Some(end)) = (time(&start), time(&end)) else {
        fail!(
            ERROR_NOT_READY,
            "an event has not happened yet; cuEventSynchronize waits for it"
        )
    };
    let nanoseconds = end as f64 - start as f64;
    // SAFETY: the caller keeps the contract.
    unsafe { put(milliseconds, (nanoseconds / 1e6) as f32, "pMilliseconds") }
}

/// Returns the operations that an event recorded, if its time can be read.
fn timed(role: &str, event: &Event) -> Result<Vec<Arc<Work>>> {
    ensure!(
        event.has_time(),
        ERROR_INVALID_HANDLE,
        "the {role} event was made with CU_EVENT_DISABLE_TIMING; make it without to measure"
    );
    not_captured(event)?;
    let Some(work) = event.recorded() else {
        fail!(
            ERROR_INVALID_HANDLE,
            "the {role} event was never recorded; cuEventRecord it first"
        )
    };
    ensure!(
        work.iter().all(|work| work.is_done()),
        ERROR_NOT_READY,
        "the {role} event has not happened yet; cuEventSynchronize waits for it"
    );
    host_knows(&work);
    Ok(work)
}

/// Notes that the host has learned that these operations have run.
fn host_knows(work: &[Arc<Work>]) {
    let tickets = work.iter().filter_map(|work| work.ticket.as_ref());
    tickets.for_each(|ticket| order::host_waited_for(ticket));
}
