//! The calls of "Memory Management" for copies from one address to another.
//!
//! The source for the synchronisation is "API synchronization behavior" in the driver API
//! reference. A copy from pageable memory reads the bytes before the call returns. A copy to
//! pageable memory has written them when it returns. Between pinned memory and the device, and
//! within the device, an asynchronous call returns at once.

use crate::abi::enums::memory_type;
use crate::abi::{CUDA_MEMCPY3D, CUcontext, CUdeviceptr, CUresult, CUstream, Side3D, c_void};
use crate::calls::{present, stream};
use crate::error::{Error, Result, ensure};
use crate::objects::context::{self, Context};
use crate::objects::graph::{Copy, Kind, Moves, capture};
use crate::objects::stream::{Job, Stream};
use crate::objects::submission::Run;
use crate::objects::submission::host_access;
use crate::objects::submission::traced;
use crate::objects::{memory, order};
use crate::settings;
use crate::time::model::{self, Direction};
use crate::time::operation::Cost;
use std::sync::Arc;

/// One end of a copy.
#[derive(Debug, Clone, Copy)]
pub(super) struct CopyEnd {
    pub(super) address: u64,
    pub(super) place: EndKind,
}

/// The kind of memory at an end of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndKind {
    Device,
    Pinned,
    Pageable,
}

impl CopyEnd {
    /// Makes an end from a pointer that must be device memory, or other memory that the
    /// device can access.
    pub(super) fn device(role: &str, address: CUdeviceptr, bytes: u64) -> Result<CopyEnd> {
        let found = memory::range(role, address, bytes)?;
        let place = if found.allocation.kind.on_device() {
            EndKind::Device
        } else {
            EndKind::Pinned
        };
        Ok(CopyEnd { address, place })
    }

    /// Makes an end from a host pointer.
    pub(super) fn host(role: &str, pointer: *const c_void, bytes: u64) -> Result<CopyEnd> {
        let address = pointer.expose_provenance() as u64;
        ensure!(
            address != 0,
            ERROR_INVALID_VALUE,
            "{role}: the pointer is null; pass memory of {bytes} bytes"
        );
        match memory::locate(address) {
            // Device memory that was freed is not host memory now.
            None if memory::freed(address).is_some() => CopyEnd::device(role, address, bytes),
            None => Ok(CopyEnd {
                address,
                place: EndKind::Pageable,
            }),
            // A device pointer passed as a host pointer works under unified addressing, if it
            // is in range.
            Some(_) => CopyEnd::device(role, address, bytes),
        }
    }

    /// Makes an end from a pointer of either kind. Its value shows which kind it is.
    pub(super) fn either(role: &str, address: CUdeviceptr, bytes: u64) -> Result<CopyEnd> {
        CopyEnd::host(
            role,
            std::ptr::with_exposed_provenance(address as usize),
            bytes,
        )
    }
}

/// Returns the direction of a copy between these kinds of memory.
pub(super) fn direction(from: EndKind, to: EndKind) -> Direction {
    match (from, to) {
        (EndKind::Device, EndKind::Device) => Direction::DeviceToDevice,
        (EndKind::Device, to) => Direction::DeviceToHost {
            pinned: to == EndKind::Pinned,
        },
        (from, EndKind::Device) => Direction::HostToDevice {
            pinned: from == EndKind::Pinned,
        },
        _ => Direction::HostToHost,
    }
}

/// Returns the direction of a copy between these ends, which may be on different devices.
fn between(from: CopyEnd, to: CopyEnd) -> Result<Direction> {
    let device = |end: CopyEnd| memory::locate(end.address).map(|found| found.device.ordinal);
    if from.place == EndKind::Device && to.place == EndKind::Device && device(from) != device(to) {
        let direct = settings::peers()?;
        return Ok(Direction::DeviceToPeer { direct });
    }
    Ok(direction(from.place, to.place))
}

/// Copies `bytes` from address to address, at once.
///
/// # Safety
/// Both ranges are valid while the copy runs.
pub(super) unsafe fn move_bytes(to: u64, from: u64, bytes: usize) {
    let to: *mut u8 = std::ptr::with_exposed_provenance_mut(to as usize);
    let from: *const u8 = std::ptr::with_exposed_provenance(from as usize);
    memory::moved(
        to.expose_provenance() as u64,
        from.expose_provenance() as u64,
        bytes as u64,
    );
    // SAFETY: the ranges are valid by the caller's contract, and `copy` permits them to overlap.
    unsafe { std::ptr::copy(from, to, bytes) };
}

/// Whether a copy returns before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Synchronous,
    Asynchronous,
}

/// Submits a copy that was checked. `staged` makes a copy that has read the bytes of
/// pageable memory already.
pub(super) fn submit(
    (context, stream): (&Arc<Context>, &Stream),
    mode: Mode,
    (from, to): (EndKind, EndKind),
    copy: Copy,
    staged: impl FnOnce() -> Box<dyn FnOnce() + Send>,
) -> Result {
    if mode == Mode::Asynchronous {
        // In a graph every end is read and written when the graph runs.
        let is_captured = capture::part(stream).is_some();
        if is_captured || (from != EndKind::Pageable && to != EndKind::Pageable) {
            return context.enqueue(stream, Kind::Copy(copy)).map(|_| ());
        }
    }
    let label = traced::label(&Kind::Copy(copy.clone()));
    let cost = copy.cost;
    let job = |copy: Box<dyn FnOnce() + Send>| -> Job {
        Box::new(move |fault| {
            if fault.is_some() {
                return Ok(Cost::NOTHING);
            }
            order::set_label("a copy".into());
            copy();
            Ok(cost)
        })
    };
    if mode == Mode::Asynchronous && to != EndKind::Pageable {
        let work = context.submit(stream, Vec::new(), Run::ByWorker(job(staged())))?;
        traced::submitted(label, context, stream, &work);
        host_access::submitted(&work);
        return Ok(());
    }
    let work = context.run_now(stream, job(Box::new(move || (copy.moves.0)())))?;
    traced::submitted(label, context, stream, &work);
    // Copies within the device do not make the host wait for the device's time.
    if (from, to) != (EndKind::Device, EndKind::Device) {
        context.wait_for(&[work]);
    }
    context.check()
}

/// Returns a copy in the form of `cuGraphMemcpyNodeGetParams`: one row between these ends.
fn described(to: CopyEnd, from: CopyEnd, bytes: usize) -> CUDA_MEMCPY3D {
    let side = |end: CopyEnd| {
        let on_host = end.place == EndKind::Pageable;
        Side3D {
            memory_type: if on_host {
                memory_type::HOST
            } else {
                memory_type::DEVICE
            },
            host: std::ptr::with_exposed_provenance_mut(if on_host {
                end.address as usize
            } else {
                0
            }),
            device: if on_host { 0 } else { end.address },
            pitch: bytes,
            height: 1,
            ..Side3D::NONE
        }
    };
    CUDA_MEMCPY3D {
        src: side(from),
        dst: side(to),
        width_in_bytes: bytes,
        height: 1,
        depth: 1,
    }
}

/// Submits a copy of contiguous bytes.
pub(super) fn linear(
    handle: CUstream,
    mode: Mode,
    to: Result<CopyEnd>,
    from: Result<CopyEnd>,
    bytes: usize,
) -> Result {
    let (context, stream) = stream(handle)?;
    if bytes == 0 {
        return Ok(());
    }
    let (to, from) = (to?, from?);
    let copy = Copy {
        context: context.clone(),
        described: described(to, from, bytes),
        // SAFETY: device ranges were checked to be live, and the driver frees none before
        // its streams are idle. Host ranges belong to the caller, who keeps them valid by
        // the call's contract.
        moves: Moves(Arc::new(move || unsafe {
            move_bytes(to.address, from.address, bytes)
        })),
        cost: model::copy(context.device.sim.model(), between(from, to)?, bytes as u64),
        bytes: bytes as u64,
    };
    submit(
        (&context, &stream),
        mode,
        (from.place, to.place),
        copy,
        || {
            let source: *const u8 = std::ptr::with_exposed_provenance(from.address as usize);
            // SAFETY: by the caller's contract there are `bytes` readable bytes.
            let bytes = unsafe { std::slice::from_raw_parts(source, bytes) }.to_vec();
            // SAFETY: the destination was checked as above, and the vector contains the bytes.
            Box::new(move || unsafe {
                move_bytes(
                    to.address,
                    bytes.as_ptr().expose_provenance() as u64,
                    bytes.len(),
                )
            })
        },
    )
}

pub(crate) unsafe fn any(to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { any_on(Mode::Synchronous, to, from, bytes, CUstream::DEFAULT) }
}

pub(crate) unsafe fn any_async(
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { any_on(Mode::Asynchronous, to, from, bytes, stream) }
}

/// Makes several copies in one call. Their attributes for places and order are hints to a GPU.
/// Copies here run one after another.
pub(crate) unsafe fn batch(
    to: *mut CUdeviceptr,
    from: *mut CUdeviceptr,
    bytes: *mut usize,
    count: usize,
    _attributes: *mut c_void,
    _firsts: *mut usize,
    _attributes_count: usize,
    stream: CUstream,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { copy_all(to, from, bytes, count, stream) }.map_err(|(_, error)| error)
}

/// [`batch`] of CUDA 12.8, which reports the index of the copy that failed, or `SIZE_MAX` if no
/// single copy caused the failure.
pub(crate) unsafe fn batch_v1(
    to: *mut CUdeviceptr,
    from: *mut CUdeviceptr,
    bytes: *mut usize,
    count: usize,
    _attributes: *mut c_void,
    _firsts: *mut usize,
    _attributes_count: usize,
    failed: *mut usize,
    stream: CUstream,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { copy_all(to, from, bytes, count, stream) }.map_err(|(at, error)| {
        if !failed.is_null() {
            // SAFETY: the pointer is not null, so it is valid by the caller's contract.
            unsafe { failed.write(at.unwrap_or(usize::MAX)) };
        }
        error
    })
}

/// # Safety
/// Each list is null or has `count` elements, and the ranges in the lists are valid until the
/// copies have run.
unsafe fn copy_all(
    to: *mut CUdeviceptr,
    from: *mut CUdeviceptr,
    bytes: *mut usize,
    count: usize,
    stream: CUstream,
) -> std::result::Result<(), (Option<usize>, Error)> {
    let whole = |error| (None, error);
    present(to, "dsts").map_err(whole)?;
    present(from, "srcs").map_err(whole)?;
    present(bytes, "sizes").map_err(whole)?;
    if count == 0 || stream == CUstream::DEFAULT || stream == CUstream::LEGACY {
        let message =
            "a batch has at least one copy, and a stream other than the legacy default one";
        return Err(whole(Error::new(CUresult::ERROR_INVALID_VALUE, message)));
    }
    for i in 0..count {
        // SAFETY: by the caller's contract each list has this many elements, and the
        // ranges are valid.
        unsafe {
            let (to, from, bytes) = (to.add(i).read(), from.add(i).read(), bytes.add(i).read());
            any_on(Mode::Asynchronous, to, from, bytes, stream)
                .map_err(|error| (Some(i), error))?;
        }
    }
    Ok(())
}

unsafe fn any_on(
    mode: Mode,
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> Result {
    let (to, from) = (
        CopyEnd::either("dst", to, bytes as u64),
        CopyEnd::either("src", from, bytes as u64),
    );
    linear(stream, mode, to, from, bytes)
}

pub(crate) unsafe fn to_device(to: CUdeviceptr, from: *const c_void, bytes: usize) -> Result {
    to_device_on(Mode::Synchronous, to, from, bytes, CUstream::DEFAULT)
}

pub(crate) unsafe fn to_device_async(
    to: CUdeviceptr,
    from: *const c_void,
    bytes: usize,
    stream: CUstream,
) -> Result {
    to_device_on(Mode::Asynchronous, to, from, bytes, stream)
}

fn to_device_on(
    mode: Mode,
    to: CUdeviceptr,
    from: *const c_void,
    bytes: usize,
    stream: CUstream,
) -> Result {
    let (to, from) = (
        CopyEnd::device("dstDevice", to, bytes as u64),
        CopyEnd::host("srcHost", from, bytes as u64),
    );
    linear(stream, mode, to, from, bytes)
}

pub(crate) unsafe fn to_host(to: *mut c_void, from: CUdeviceptr, bytes: usize) -> Result {
    to_host_on(Mode::Synchronous, to, from, bytes, CUstream::DEFAULT)
}

pub(crate) unsafe fn to_host_async(
    to: *mut c_void,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> Result {
    to_host_on(Mode::Asynchronous, to, from, bytes, stream)
}

fn to_host_on(
    mode: Mode,
    to: *mut c_void,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> Result {
    let (to, from) = (
        CopyEnd::host("dstHost", to, bytes as u64),
        CopyEnd::device("srcDevice", from, bytes as u64),
    );
    linear(stream, mode, to, from, bytes)
}

pub(crate) unsafe fn within_device(to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result {
    within_device_on(Mode::Synchronous, to, from, bytes, CUstream::DEFAULT)
}

pub(crate) unsafe fn within_device_async(
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> Result {
    within_device_on(Mode::Asynchronous, to, from, bytes, stream)
}

fn within_device_on(
    mode: Mode,
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> Result {
    let (to, from) = (
        CopyEnd::device("dstDevice", to, bytes as u64),
        CopyEnd::device("srcDevice", from, bytes as u64),
    );
    linear(stream, mode, to, from, bytes)
}

pub(crate) unsafe fn peer(
    to: CUdeviceptr,
    to_context: CUcontext,
    from: CUdeviceptr,
    from_context: CUcontext,
    bytes: usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe {
        peer_on(
            Mode::Synchronous,
            (to, to_context),
            (from, from_context),
            bytes,
            CUstream::DEFAULT,
        )
    }
}

pub(crate) unsafe fn peer_async(
    to: CUdeviceptr,
    to_context: CUcontext,
    from: CUdeviceptr,
    from_context: CUcontext,
    bytes: usize,
    stream: CUstream,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe {
        peer_on(
            Mode::Asynchronous,
            (to, to_context),
            (from, from_context),
            bytes,
            stream,
        )
    }
}

unsafe fn peer_on(
    mode: Mode,
    (to, to_context): (CUdeviceptr, CUcontext),
    (from, from_context): (CUdeviceptr, CUcontext),
    bytes: usize,
    stream: CUstream,
) -> Result {
    let (to_context, from_context) = (context::get(to_context)?, context::get(from_context)?);
    to_context.check()?;
    from_context.check()?;
    within_device_on(mode, to, from, bytes, stream)
}
