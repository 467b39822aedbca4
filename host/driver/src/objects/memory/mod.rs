//! The memory that the driver has allocated: its owners, and the allocation that
//! contains an address.
//!
//! The bytes and the table of live allocations belong to each device's [`lanewise_sim::Memory`].
//! This module has what only the driver needs: the context that an allocation belongs to (and is
//! freed with), the flags it was made with, and its buffer id.

pub(crate) mod graph_memory;
pub(crate) mod ipc;
pub(crate) mod managed;
pub(crate) mod mappings;
pub(crate) mod multicast;
pub(crate) mod owners;
pub(crate) mod peer;
pub(crate) mod pool;
pub(crate) mod virtual_memory;

use super::context::Context;
use super::device::{self, Device};
use super::fault::host_finding;
use super::handle::ledger::{self, ObjectKind};
use super::handle::origin::{self, Origin};
use super::order::{self, Addresses};
use crate::abi::CUresult;
use crate::error::{Error, Result, ensure, fail};
use crate::{calling, observe};
use lanewise_sim::checks::{FindingKind, Footprint};
use lanewise_sim::memory::Trail;
use lanewise_sim::{Allocation, AllocationKind, FaultReport, Finding, MemoryError};
use owners::{NEXT_ID, OWNERS, Owner};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the driver ever made memory that the host and the device share.
static ANY_SHARED: AtomicBool = AtomicBool::new(false);

/// The functions with which the order of operations looks addresses up.
pub(crate) const ADDRESSES: Addresses = Addresses {
    describe,
    allocation: |address| {
        let Allocation {
            base, size, kind, ..
        } = locate(address)?.allocation;
        // Registered memory belongs to the program, and its pages contain other objects
        // of the program.
        Some((base, base + size, is_shared(&kind)))
    },
};

fn is_shared(kind: &AllocationKind) -> bool {
    matches!(kind, AllocationKind::Pinned | AllocationKind::Managed)
}

/// Returns whether the driver ever made memory that the host's code may access.
pub(crate) fn any_shared() -> bool {
    ANY_SHARED.load(Ordering::Relaxed)
}

/// The allocation that contains an address.
#[derive(Debug, Clone)]
pub(crate) struct Located {
    pub(crate) device: &'static Device,
    pub(crate) allocation: Allocation,
    /// The owner; `None` for a module's variables.
    pub(crate) owner: Option<Owner>,
}

/// Returns the live allocation, on any device, that contains `address`.
pub(crate) fn locate(address: u64) -> Option<Located> {
    device::all().iter().find_map(|device| {
        let allocation = device.sim.memory().find(address)?;
        if peer::is_shown(device, allocation.base) {
            return None;
        }
        let owner = OWNERS.read().get(&allocation.base).copied();
        Some(Located {
            device,
            allocation,
            owner,
        })
    })
}

/// Notes that the host wrote bytes, for the check of uninitialised memory. They may belong
/// to any device.
pub(crate) fn written(address: u64, bytes: u64) {
    if order::is_collecting() && locate(address).is_some() {
        order::writes(address, bytes);
    }
    note_written(address, bytes);
}

/// Notes a write that is an operation of its own and takes no part in the check of races.
pub(crate) fn note_written(address: u64, bytes: u64) {
    for device in device::all() {
        device.sim.memory().written(address, bytes);
    }
}

/// Notes that bytes were copied. A copy of uninitialised bytes is uninitialised too.
pub(crate) fn moved(to: u64, from: u64, bytes: u64) {
    // Memory of the host alone may have another use at another time.
    if order::is_collecting() {
        if locate(to).is_some() {
            order::writes(to, bytes);
        }
        if locate(from).is_some() {
            order::reads(from, bytes);
        }
    }
    let gaps: Vec<(u64, u64)> = device::all()
        .iter()
        .flat_map(|device| device.sim.memory().unwritten(from, bytes))
        .collect();
    if !gaps.is_empty() {
        report_unwritten(to, from, &gaps);
    }
    for device in device::all() {
        let memory = device.sim.memory();
        memory.written(to, bytes);
        for &(at, len) in &gaps {
            memory.forgotten(to + at, len);
        }
    }
}

/// Allocates memory for `context`.
pub(crate) fn allocate(
    context: &Context,
    size: usize,
    kind: AllocationKind,
    flags: u32,
) -> Result<u64> {
    let place = calling::call_site().map(ToString::to_string);
    context.device.timeline.catch_up();
    let kind_is_managed = kind == AllocationKind::Managed;
    if is_shared(&kind) {
        ANY_SHARED.store(true, Ordering::Relaxed);
    }
    let memory = context.device.sim.memory();
    let address = memory
        .allocate(size as u64, 1, kind, place.as_deref())
        .map_err(error)?;
    // Advice about earlier memory at these addresses does not apply to this memory.
    if kind_is_managed {
        managed::forget(address, size as u64);
    }
    if let Some(origin) = origin::here() {
        memory.made_by(address, trail(origin, "allocated"));
    }
    own(address, context, flags);
    Ok(address)
}

/// Returns the text for reports on where an allocation was made or freed.
fn trail(origin: Origin, verb: &'static str) -> Trail {
    Trail::new(move || origin.note(verb))
}

/// Returns the place in the program that frees memory now, if a check needs it.
pub(crate) fn freeing_now() -> Option<Trail> {
    origin::here().map(|origin| trail(origin, "freed"))
}

/// Notes the owner of the allocation at `address`.
pub(crate) fn own(address: u64, context: &Context, flags: u32) {
    let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
    OWNERS.write().insert(
        address,
        Owner {
            context: context.handle,
            flags,
            id,
            freeing: false,
            sync_memops: false,
        },
    );
    if let Some(allocation) = context.device.sim.memory().find(address) {
        peer::allocated(context, &allocation);
        if let Some(what) = kind_of_leak(&allocation.kind) {
            ledger::made(what, address, allocation.size);
        }
    }
}

/// Returns the kind of object that the program has to free; `None` for memory that is freed
/// with another object.
fn kind_of_leak(kind: &AllocationKind) -> Option<ObjectKind> {
    Some(match kind {
        AllocationKind::Device => ObjectKind::DeviceMemory,
        AllocationKind::Managed => ObjectKind::ManagedMemory,
        AllocationKind::Pinned => ObjectKind::PinnedMemory,
        AllocationKind::Registered => ObjectKind::Registration,
        _ => return None,
    })
}

/// Removes the entries of an allocation that was freed.
fn disown(allocation: &Allocation) {
    OWNERS.write().remove(&allocation.base);
    order::forget(allocation.base, allocation.size);
    if let Some(what) = kind_of_leak(&allocation.kind) {
        ledger::gone(what, allocation.base);
    }
}

/// Frees the allocation that starts at `address`, if `is_right` accepts its kind. `meant` names
/// that kind for the message.
pub(crate) fn free(
    address: u64,
    is_right: impl Fn(&AllocationKind) -> bool,
    meant: &str,
) -> Result {
    let found = check_free(address, is_right, meant)?;
    // Kernels and copies in any stream may still use it. A GPU's driver waits for them, and so
    // does this function.
    if let Some(context) = found
        .owner
        .and_then(|owner| super::context::CONTEXTS.get(owner.context))
    {
        context.wait();
        context.check()?;
    }
    if graph_memory::is_known(address) {
        return graph_memory::set_allocated(address, false);
    }
    pool::freed(address);
    peer::freeing(found.device, address);
    let memory = found.device.sim.memory();
    memory.free_by(address, freeing_now()).map_err(error)?;
    disown(&found.allocation);
    Ok(())
}

/// Checks whether [`free`] would free `address`.
pub(crate) fn check_free(
    address: u64,
    is_right: impl Fn(&AllocationKind) -> bool,
    meant: &str,
) -> Result<Located> {
    let Some(found) = locate(address) else {
        report_freed("freed a second time", address);
        fail!(
            ERROR_INVALID_VALUE,
            "{}; free each pointer once, and only what the driver gave out",
            describe(address)
        );
    };
    let Allocation {
        base, number, kind, ..
    } = &found.allocation;
    ensure!(
        is_right(kind),
        ERROR_INVALID_VALUE,
        "{address:#x} is in allocation #{number}, which is {kind}, not {meant}; free it with the call that matches how it was made"
    );
    ensure!(
        *base == address,
        ERROR_INVALID_VALUE,
        "{address:#x} is {} bytes into allocation #{number}, not its start; free the pointer that was allocated",
        address - base
    );
    ensure!(
        !found.owner.is_some_and(|owner| owner.freeing),
        ERROR_INVALID_VALUE,
        "{address:#x} (allocation #{number}) is being freed by a stream already; free each pointer once"
    );
    Ok(found)
}

/// Notes that a stream will [`release`] the allocation. From now on any other free is refused.
pub(crate) fn promise_free(address: u64) {
    if let Some(owner) = OWNERS.write().get_mut(&address) {
        owner.freeing = true;
    }
}

/// Frees an allocation noted by [`promise_free`], when its stream reaches that point. `by` is the
/// place in the program that requested it.
pub(crate) fn release(address: u64, by: Option<Trail>) {
    if let Some(found) = locate(address) {
        order::frees(found.allocation.base, found.allocation.size, ADDRESSES);
        pool::freed(address);
        peer::freeing(found.device, address);
        // The address is the start of a live allocation: `check_free` checked that, and other frees
        // have been refused since.
        let _ = found.device.sim.memory().free_by(address, by);
        disown(&found.allocation);
    }
}

/// Makes host memory accessible to the device of `context`.
///
/// # Safety
/// The bytes stay valid for reads and writes until [`unregister`].
pub(crate) unsafe fn register(context: &Context, address: u64, size: usize, flags: u32) -> Result {
    let place = calling::call_site().map(ToString::to_string);
    // SAFETY: the caller keeps the same contract.
    unsafe {
        context
            .device
            .sim
            .memory()
            .register(address, size as u64, place.as_deref())
    }
    .map_err(|cause| match cause {
        MemoryError::Overlap { .. } => {
            Error::new(CUresult::ERROR_HOST_MEMORY_ALREADY_REGISTERED, cause)
        }
        other => error(other),
    })?;
    own(address, context, flags);
    Ok(())
}

/// Undoes the registration by [`register`].
pub(crate) fn unregister(address: u64) -> Result {
    let found = locate(address).filter(|found| found.allocation.kind == AllocationKind::Registered);
    let Some(found) = found else {
        fail!(ERROR_HOST_MEMORY_NOT_REGISTERED, "{}", describe(address))
    };
    if let Some(context) = found
        .owner
        .and_then(|owner| super::context::CONTEXTS.get(owner.context))
    {
        context.wait();
    }
    peer::freeing(found.device, address);
    found
        .device
        .sim
        .memory()
        .unregister(address)
        .map_err(error)?;
    disown(&found.allocation);
    Ok(())
}

/// Frees the memory that still belongs to `context`, which is being destroyed.
pub(crate) fn free_all(context: &Context) {
    let mut freed = Vec::new();
    OWNERS.write().retain(|&address, owner| {
        if owner.context != context.handle {
            return true;
        }
        let memory = context.device.sim.memory();
        let found = memory.find(address);
        freed.extend(
            found
                .as_ref()
                .map(|found| found.size)
                .map(|size| (address, size)),
        );
        let kind = found.map(|found| found.kind);
        if let Some(what) = kind.as_ref().and_then(kind_of_leak) {
            ledger::gone(what, address);
        }
        pool::freed(address);
        peer::freeing(context.device, address);
        // The allocation is live, since it is in the table, and is either allocated or registered.
        let _ = memory
            .free_by(address, freeing_now())
            .or_else(|_| memory.unregister(address));
        false
    });
    for (address, size) in freed {
        order::forget(address, size);
    }
}

/// Checks that `bytes` from `address` are inside one live allocation. `role` names the
/// argument in messages.
pub(crate) fn range(role: &str, address: u64, bytes: u64) -> Result<Located> {
    let Some(found) = locate(address) else {
        report_freed("used by the host", address);
        fail!(ERROR_INVALID_VALUE, "{role}: {}", describe(address));
    };
    let Allocation {
        base,
        size,
        number,
        kind,
        made_at,
        ..
    } = &found.allocation;
    ensure!(
        *kind != AllocationKind::Multicast,
        ERROR_INVALID_VALUE,
        "{role}: {address:#x} is multicast memory (allocation #{number}), which `multimem` instructions alone reach; copy to each device's own memory"
    );
    let offset = address - base;
    if bytes > size - offset {
        let made_at = made_at
            .as_ref()
            .map(|place| format!(", made at {place}"))
            .unwrap_or_default();
        fail!(
            ERROR_INVALID_VALUE,
            "{role}: {bytes} bytes from {address:#x} go {} bytes past the end of allocation #{number} ({kind}, {size} bytes{made_at})",
            bytes - (size - offset)
        );
    }
    Ok(found)
}

/// Returns the freed allocation that contained an address, and the offset in it. Host memory that
/// was registered still belongs to the program.
pub(crate) fn freed(address: u64) -> Option<(u64, Allocation)> {
    device::all()
        .iter()
        .filter_map(|device| device.sim.memory().freed(address))
        .find(|(_, old)| old.kind != AllocationKind::Registered)
}

/// Reports, under the check of memory, that a call uses memory that was freed.
fn report_freed(how: &str, address: u64) {
    if !observe::checks().memory {
        return;
    }
    let (Some((at, old)), Some(origin)) = (freed(address), origin::here()) else {
        return;
    };
    let (place, note) = origin.describe("used");
    let mut notes = vec![note, format!("the address is {at} bytes into freed {old}")];
    notes.extend(old.trails());
    let help = "keep memory until nothing uses it, and free it only once";
    let report = FaultReport::of_host(
        format!("freed memory is {how}"),
        place,
        notes,
        Some(help.into()),
    );
    host_finding::found(Finding::new(FindingKind::Freed, report));
}

/// Reports, under the strict check of initialisation, that the host reads device memory that
/// nothing has written: offsets from `from` with lengths.
fn report_unwritten(to: u64, from: u64, gaps: &[(u64, u64)]) {
    let on_host = locate(to).is_none_or(|found| found.allocation.kind.on_host());
    let Some(&(first, _)) = gaps.first().filter(|_| on_host && observe::checks().strict) else {
        return;
    };
    let bytes: u64 = gaps.iter().map(|(_, len)| len).sum();
    let place = locate(from + first).map(|found| {
        let at = from + first - found.allocation.base;
        format!("the first is {at} bytes into {}", found.allocation)
    });
    let origin = origin::capture().map(|origin| origin.describe("read"));
    let (at, by) = origin.map_or((None, None), |(at, by)| (at, Some(by)));
    let count = format!("{bytes} bytes were never written");
    let notes = by.into_iter().chain([count]).chain(place).collect();
    let help = "write every element before it is read; for padding, and for values that may be absent, use `init` in place of `init=strict`";
    let what = "the host reads uninitialised memory of the device".to_owned();
    let report = FaultReport::of_host(what, at, notes, Some(help.into()));
    host_finding::found(Finding::new(FindingKind::UnwrittenRead, report));
}

/// Keeps, of a kernel's accesses, only those to memory of the program. Returns whether the host may
/// have seen strong accesses there.
pub(crate) fn of_program(footprint: &mut Footprint) -> bool {
    let kind = |address| locate(address).map(|found| found.allocation.kind);
    footprint.retain(|at| {
        !matches!(
            kind(at),
            None | Some(
                AllocationKind::Heap
                    | AllocationKind::Launches
                    | AllocationKind::Cooperation
                    | AllocationKind::Panic
                    | AllocationKind::Constant(_)
            )
        )
    });
    let strong = footprint
        .strong_read
        .iter()
        .chain(&footprint.strong_written);
    let mut strong = strong.map(|&(start, _)| start);
    strong.any(|at| kind(at).is_some_and(|kind| kind.on_host()))
}

/// Describes an address for reports.
pub(crate) fn describe(address: u64) -> String {
    if let Some(found) = locate(address) {
        let memory = found.device.sim.memory();
        return memory.whereabouts(address).to_string();
    }
    if address == 0 {
        return "the pointer is null; allocate first, and check that the allocation succeeded"
            .into();
    }
    match device::all().first() {
        // If there is only one device, its memory has all the information.
        Some(device) if device::all().len() == 1 => {
            format!("{address:#x} {}", device.sim.memory().whereabouts(address))
        }
        _ => format!(
            "{address:#x} is in no live allocation of any device; was it freed, or is it a host pointer?"
        ),
    }
}

/// Converts an error of a device's memory to an error with a result code.
pub(crate) fn error(cause: MemoryError) -> Error {
    let code = match &cause {
        MemoryError::OutOfMemory { .. } | MemoryError::Reserve { .. } => {
            CUresult::ERROR_OUT_OF_MEMORY
        }
        _ => CUresult::ERROR_INVALID_VALUE,
    };
    Error::new(code, cause)
}
