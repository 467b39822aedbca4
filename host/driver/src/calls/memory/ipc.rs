//! The calls of "Memory Management" for interprocess memory and events.

use crate::abi::enums::event_flags;
use crate::abi::{CUdeviceptr, CUevent, CUipcEventHandle, CUipcMemHandle, c_char, c_uint};
use crate::calls::{present, put};
use crate::error::{Result, ensure};
use crate::objects::context;
use crate::objects::memory::ipc::{self, BYTES, ExportedHandle, Shared};
use crate::objects::stream::event;
use crate::objects::stream::event::{EVENTS, Event};
use crate::objects::stream::points::Points;
use std::sync::Arc;

fn reserved(bytes: [u8; BYTES]) -> [c_char; BYTES] {
    bytes.map(|byte| byte as c_char)
}

fn bytes(reserved: [c_char; BYTES]) -> [u8; BYTES] {
    reserved.map(|byte| byte as u8)
}

pub(crate) unsafe fn memory(handle: *mut CUipcMemHandle, address: CUdeviceptr) -> Result {
    context::current()?;
    present(handle, "pHandle")?;
    let reserved = reserved(ipc::export(address)?);
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, CUipcMemHandle { reserved }, "pHandle") }
}

pub(crate) unsafe fn open_memory(
    address: *mut CUdeviceptr,
    handle: CUipcMemHandle,
    flags: c_uint,
) -> Result {
    let context = context::current()?;
    present(address, "pdptr")?;
    ensure!(
        flags == 1,
        ERROR_INVALID_VALUE,
        "{flags:#x} for the flags, which have to be CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS (1)"
    );
    let found = ipc::open(&context, bytes(handle.reserved))?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(address, found, "pdptr") }
}

pub(crate) unsafe fn close_memory(address: CUdeviceptr) -> Result {
    context::current()?;
    ipc::close(address)
}

pub(crate) unsafe fn event(handle: *mut CUipcEventHandle, event: CUevent) -> Result {
    context::current()?;
    present(handle, "pHandle")?;
    let event = event::get(event)?;
    let points = event.points();
    ensure!(
        points.is_some(),
        ERROR_INVALID_VALUE,
        "the event was made without CU_EVENT_INTERPROCESS (4); such events alone are shared"
    );
    let (file, inode) = points.map_or((0, 0), |points| points.numbers());
    let name = ExportedHandle {
        of: Shared::Event,
        process: std::process::id(),
        file,
        inode,
        size: 0,
    };
    let reserved = reserved(name.bytes());
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, CUipcEventHandle { reserved }, "pHandle") }
}

pub(crate) unsafe fn open_event(to: *mut CUevent, handle: CUipcEventHandle) -> Result {
    let context = context::current()?;
    present(to, "phEvent")?;
    let name = ExportedHandle::read(bytes(handle.reserved), Shared::Event)?;
    let points = Arc::new(Points::of(name.open()?)?);
    let flags = event_flags::INTERPROCESS | event_flags::DISABLE_TIMING;
    let event = EVENTS.add(|handle| Event::shared(handle, context.handle, flags, points));
    // SAFETY: the caller keeps the contract.
    unsafe { put(to, event.handle, "phEvent") }
}
