//! The calls of the chapter "Stream Management".

pub(crate) mod attribute;
pub(crate) mod event;
pub(crate) mod memory;

use super::{made_stream, present, put, stream};
use crate::abi::enums::{event_use, stream_flags};
use crate::abi::{
    CUcontext, CUdevice, CUevent, CUhostFn, CUresult, CUstream, CUstreamCallback, c_int, c_uint,
    c_ulonglong, c_void,
};
use crate::error::{Error, Result, ensure, fail};
use crate::objects::context::{self, STREAMS};
use crate::objects::graph::{Host, Kind, UserData, capture};
use crate::objects::order;
use crate::objects::stream::event as events;
use crate::objects::submission::Run;
use crate::time::operation::Cost;

pub(crate) unsafe fn create(handle: *mut CUstream, flags: c_uint) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { create_with_priority(handle, flags, 0) }
}

pub(crate) unsafe fn create_with_priority(
    handle: *mut CUstream,
    flags: c_uint,
    priority: c_int,
) -> Result {
    let context = context::current()?;
    present(handle, "phStream")?;
    ensure!(
        flags & !stream_flags::NON_BLOCKING == 0,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no stream flags; pass CU_STREAM_DEFAULT (0) or CU_STREAM_NON_BLOCKING (1)"
    );
    // By the reference, a priority outside the range is moved into it.
    let (least, greatest) = super::context::PRIORITIES;
    let stream = context.add_stream(flags, priority.clamp(greatest, least));
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, stream.handle, "phStream") }
}

pub(crate) unsafe fn destroy(handle: CUstream) -> Result {
    ensure!(
        handle.0 > CUstream::PER_THREAD.0,
        ERROR_INVALID_HANDLE,
        "{:#x} is a default stream, which cannot be destroyed",
        handle.0
    );
    let stream = made_stream(handle)?;
    let context = context::get(stream.context)?;
    STREAMS.remove(handle);
    context.remove_stream(&stream);
    context.check()
}

pub(crate) unsafe fn priority(handle: CUstream, priority: *mut c_int) -> Result {
    let (_, stream) = stream(handle)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(priority, stream.priority, "priority") }
}

pub(crate) unsafe fn flags(handle: CUstream, flags: *mut c_uint) -> Result {
    let (_, stream) = stream(handle)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(flags, stream.flags, "flags") }
}

pub(crate) unsafe fn context(handle: CUstream, context: *mut CUcontext) -> Result {
    let (found, _) = stream(handle)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(context, found.handle, "pctx") }
}

pub(crate) unsafe fn id(handle: CUstream, id: *mut c_ulonglong) -> Result {
    let (context, stream) = stream(handle)?;
    // A stream's handle is unique. For a default stream, the id is its context's handle, whose low
    // bits are zero, combined with the stream's own.
    let found = if stream.handle.0 > CUstream::PER_THREAD.0 {
        stream.handle.0
    } else {
        context.handle.0 | stream.handle.0
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(id, found as c_ulonglong, "streamId") }
}

pub(crate) unsafe fn device(handle: CUstream, device: *mut CUdevice) -> Result {
    let (context, _) = stream(handle)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(device, context.device.ordinal, "device") }
}

pub(crate) unsafe fn wait_event(handle: CUstream, event: CUevent, flags: c_uint) -> Result {
    let (context, stream) = stream(handle)?;
    let event = events::get(event)?;
    ensure!(
        flags <= event_use::EXTERNAL,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CUevent_wait_flags"
    );
    if let Some(point) = event.captured() {
        return capture::join(&stream, &point);
    }
    if let Some(part) = capture::part(&stream) {
        if flags == event_use::EXTERNAL {
            return context.enqueue(&stream, Kind::Wait(event)).map(|_| ());
        }
        part.capture().invalidate();
        fail!(
            ERROR_STREAM_CAPTURE_ISOLATION,
            "the stream is being captured and the event was not recorded in that capture; record it there, or pass \
             CU_EVENT_WAIT_EXTERNAL (1) to make the wait a node"
        )
    }
    // Another process may have recorded it last.
    if let Some(points) = event.points().cloned() {
        let number = points.latest();
        if !points.has_happened(number) {
            let job = move |_: Option<&_>| {
                points.wait(number);
                Ok(Cost::NOTHING)
            };
            context.submit(&stream, Vec::new(), Run::MayNeedHost(Box::new(job)))?;
        }
    }
    // An event that has recorded nothing makes no stream wait.
    if let Some(recorded) = event.recorded() {
        context.submit(
            &stream,
            recorded,
            Run::Light(Box::new(|_| Ok(Cost::NOTHING))),
        )?;
    }
    Ok(())
}

pub(crate) unsafe fn add_callback(
    handle: CUstream,
    callback: CUstreamCallback,
    data: *mut c_void,
    flags: c_uint,
) -> Result {
    let (context, stream) = stream(handle)?;
    let Some(callback) = callback else {
        fail!(ERROR_INVALID_VALUE, "`callback` is null; pass a function")
    };
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "flags must be 0, not {flags:#x}"
    );
    let data = UserData(data);
    let job = move |fault: Option<&Error>| {
        let data = data;
        let status = fault.map_or(CUresult::SUCCESS, |fault| fault.code);
        // SAFETY: by the caller's contract the function has this type and may be called once
        // with this data.
        order::runs_on_host(|| unsafe { callback(handle, status, data.0) });
        Ok(Cost::NOTHING)
    };
    context.submit(&stream, Vec::new(), Run::MayNeedHost(Box::new(job)))?;
    Ok(())
}

pub(crate) unsafe fn host_function(
    handle: CUstream,
    function: CUhostFn,
    data: *mut c_void,
) -> Result {
    let (context, stream) = stream(handle)?;
    let Some(function) = function else {
        fail!(ERROR_INVALID_VALUE, "`fn` is null; pass a function")
    };
    let data = UserData(data);
    context
        .enqueue(&stream, Kind::Host(Host { function, data }))
        .map(|_| ())
}

pub(crate) unsafe fn query(handle: CUstream) -> Result {
    let (context, stream) = stream(handle)?;
    context.permit(&stream)?;
    capture::refuse(&stream, "be asked whether it is done")?;
    if let Some(work) = stream.tail() {
        ensure!(work.is_done(), ERROR_NOT_READY, "the stream has work left");
        work.ticket
            .iter()
            .for_each(|ticket| order::host_waited_for(ticket));
    }
    context.check()
}

pub(crate) unsafe fn synchronize(handle: CUstream) -> Result {
    let (context, stream) = stream(handle)?;
    context.permit(&stream)?;
    capture::refuse(&stream, "be waited for")?;
    if stream.legacy {
        // The new operation waits for the blocking streams, so it represents everything that the
        // stream waits for now.
        let work = context.submit(
            &stream,
            Vec::new(),
            Run::Light(Box::new(|_| Ok(Cost::NOTHING))),
        )?;
        context.wait_for(&[work]);
    } else if let Some(work) = stream.tail() {
        context.wait_for(&[work]);
    }
    context.check()
}
