//! Virtual memory management: ranges of addresses, physical memory, and mappings.
//!
//! Source: CUDA driver API reference, "Virtual Memory Management". Adjacent mappings that a device
//! may access count as one piece of memory. So a vector that grows by mapping more memory at its
//! end can be copied as a whole.

use super::mappings::{
    GRANULARITY, Handle, Mapped, Mapping, Memory, Reservation, STATE, State, next_handle, unknown,
    whole,
};
use super::multicast;
use crate::abi::{CUdevice, CUmemAllocationProp};
use crate::error::{Result, ensure, fail};
use crate::objects::context;
use crate::objects::device::{self, Device};
use crate::objects::handle::ledger::{self, ObjectKind};
use crate::objects::memory;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the device of the current context, or the first device.
fn here() -> Result<&'static Device> {
    match context::current() {
        Ok(context) => Ok(context.device),
        Err(_) => device::get(0),
    }
}

/// Reserves a range of addresses.
pub(crate) fn reserve(size: u64, alignment: u64) -> Result<u64> {
    ensure!(size > 0, ERROR_INVALID_VALUE, "a range of no addresses");
    whole("the size", size)?;
    ensure!(
        alignment == 0 || alignment.is_power_of_two(),
        ERROR_INVALID_VALUE,
        "an alignment of {alignment}; it is 0 or a power of two"
    );
    let device = here()?;
    let found = device
        .sim
        .memory()
        .reserve(size, alignment.max(GRANULARITY))
        .map_err(memory::error)?;
    STATE.lock().reservations.insert(
        found,
        Reservation {
            device,
            size,
            mappings: BTreeMap::new(),
        },
    );
    ledger::made(ObjectKind::Range, found, size);
    Ok(found)
}

/// Releases a range of addresses.
pub(crate) fn unreserve(base: u64, size: u64) -> Result {
    let state = &mut *STATE.lock();
    let Some(found) = state
        .reservations
        .get(&base)
        .filter(|range| range.size == size)
    else {
        fail!(
            ERROR_INVALID_VALUE,
            "{size} bytes at {base:#x} are no reserved range; give back what cuMemAddressReserve gave, whole and once"
        )
    };
    ensure!(
        found.mappings.is_empty(),
        ERROR_INVALID_VALUE,
        "memory is still mapped in {base:#x}; unmap it first (cuMemUnmap)"
    );
    found.device.sim.memory().unreserve(base, size);
    ledger::gone(ObjectKind::Range, base);
    state.reservations.remove(&base);
    Ok(())
}

/// Makes physical memory and a handle to it.
pub(crate) fn create(size: u64, properties: CUmemAllocationProp) -> Result<u64> {
    ensure!(size > 0, ERROR_INVALID_VALUE, "physical memory of no bytes");
    whole("the size", size)?;
    check(&properties)?;
    let device = device::get(properties.location.id)?;
    let physical = device.sim.memory().physical(size).map_err(memory::error)?;
    let state = &mut *STATE.lock();
    let handle = next_handle(state);
    let memory = Arc::new(Memory {
        handle,
        device,
        physical,
        properties,
    });
    state.handles.insert(handle, Handle { memory, holders: 1 });
    ledger::made(ObjectKind::PhysicalMemory, handle, size);
    Ok(handle)
}

/// Checks that the requested properties are supported.
pub(crate) fn check(properties: &CUmemAllocationProp) -> Result {
    ensure!(
        properties.kind == 1 && properties.location.kind == 1,
        ERROR_INVALID_VALUE,
        "type {} at location type {}; there is pinned memory (1) on devices (1)",
        properties.kind,
        properties.location.kind
    );
    device::get(properties.location.id)?;
    ensure!(
        properties.handle_types == 0,
        ERROR_NOT_SUPPORTED,
        "memory that other processes can open (handle types {:#x}); the simulated device is this process's own",
        properties.handle_types
    );
    Ok(())
}

/// Returns the memory that `handle` names.
pub(crate) fn get(handle: u64) -> Result<Arc<Memory>> {
    match STATE.lock().handles.get(&handle) {
        Some(found) => Ok(found.memory.clone()),
        None => unknown(handle),
    }
}

/// Releases one hold on a handle.
pub(crate) fn release(handle: u64) -> Result {
    let state = &mut *STATE.lock();
    if let Some(object) = state.multicasts.get_mut(&handle).filter(|it| it.held) {
        object.held = false;
        ledger::gone(ObjectKind::MulticastObject, handle);
        state.forget_unused(handle);
        return Ok(());
    }
    let Some(found) = state.handles.get_mut(&handle) else {
        return unknown(handle);
    };
    found.holders -= 1;
    if found.holders == 0 {
        state.handles.remove(&handle);
        ledger::gone(ObjectKind::PhysicalMemory, handle);
    }
    Ok(())
}

/// Adds a hold on the handle of the memory mapped at `address`, and returns the handle.
pub(crate) fn retain(address: u64) -> Result<u64> {
    let state = &mut *STATE.lock();
    let Some(memory) = state
        .mapping(address)
        .and_then(|(_, mapping)| mapping.memory().cloned())
    else {
        fail!(ERROR_INVALID_VALUE, "nothing is mapped at {address:#x}")
    };
    let handle = memory.handle;
    let entry = state.handles.entry(handle);
    entry.or_insert(Handle { memory, holders: 0 }).holders += 1;
    Ok(handle)
}

/// Maps the memory of `handle` at `base`.
pub(crate) fn map(base: u64, size: u64, handle: u64) -> Result {
    whole("the address", base)?;
    if STATE.lock().is_multicast(handle) {
        return map_multicast(base, size, handle);
    }
    let memory = get(handle)?;
    ensure!(
        size == memory.physical.size(),
        ERROR_INVALID_VALUE,
        "{size} bytes of memory that has {}; it is mapped whole",
        memory.physical.size()
    );
    let state = &mut *STATE.lock();
    let (_, range) = state.reservation(base, size)?;
    ensure!(
        std::ptr::eq(memory.device, range.device),
        ERROR_NOT_SUPPORTED,
        "memory of device {} among the addresses of device {}; reserve with a context of the memory's device current",
        memory.device.ordinal,
        range.device.ordinal
    );
    range.is_free(base, size)?;
    // SAFETY: the range is reserved, and nothing else is mapped there, as was checked above.
    unsafe { range.device.sim.memory().map(base, &memory.physical) }.map_err(memory::error)?;
    let what = Mapped::Memory(memory, false);
    range.mappings.insert(base, Mapping { size, what });
    Ok(())
}

/// Maps the multicast object of `handle` at `base`.
fn map_multicast(base: u64, size: u64, handle: u64) -> Result {
    let mut state = STATE.lock();
    let whole = multicast::complete(&mut state, handle)?;
    ensure!(
        size == whole,
        ERROR_INVALID_VALUE,
        "{size} bytes of a multicast object that has {whole}; it is mapped whole"
    );
    let (_, range) = state.reservation(base, size)?;
    range.is_free(base, size)?;
    let what = Mapped::Multicast(handle, Vec::new());
    range.mappings.insert(base, Mapping { size, what });
    if let Some(object) = state.multicasts.get_mut(&handle) {
        object.mappings += 1;
    }
    Ok(())
}

/// Returns the memory that is mapped at `address`, and the offset of the address in it.
pub(crate) fn mapped(address: u64) -> Result<(Arc<Memory>, u64)> {
    let state = STATE.lock();
    let found = state.mapping(address);
    match found.and_then(|(start, mapping)| Some((mapping.memory()?.clone(), address - start))) {
        Some(found) => Ok(found),
        None => fail!(
            ERROR_INVALID_VALUE,
            "no memory of cuMemCreate is mapped at {address:#x}"
        ),
    }
}

/// Removes the mappings of `size` bytes at `base`.
pub(crate) fn unmap(base: u64, size: u64) -> Result {
    // Submitted work may still use it.
    if let Ok(context) = context::current() {
        context.wait();
    }
    let state = &mut *STATE.lock();
    let (_, range) = state.reservation(base, size)?;
    let starts = range.cover(base, size)?;
    let owner = range.device;
    let mut gone = Vec::new();
    range.change(|range| {
        let removed = starts
            .iter()
            .map(|start| (*start, range.mappings.remove(start)));
        gone.extend(removed);
    })?;
    for (start, mapping) in &gone {
        let Some(Mapped::Multicast(handle, devices)) = mapping.as_ref().map(|m| &m.what) else {
            continue;
        };
        for &device in devices {
            let memory = device::get(device)?.sim.memory();
            memory.withdraw(*start).map_err(memory::error)?;
        }
        if let Some(object) = state.multicasts.get_mut(handle) {
            object.mappings -= 1;
            state.forget_unused(*handle);
        }
    }
    // A multicast object may have used the address that is unmapped.
    state.show_multicasts()?;
    // SAFETY: these are whole mappings, which are no longer published.
    unsafe { owner.sim.memory().unmap(base, size) }.map_err(memory::error)
}

/// Sets whether `device` may access `size` bytes at `base`.
pub(crate) fn set_access(base: u64, size: u64, device: CUdevice, open: bool) -> Result {
    // Unlike elsewhere, an H200 does not return INVALID_DEVICE here.
    let Ok(device) = device::get(device) else {
        fail!(ERROR_INVALID_VALUE, "{device} is no device")
    };
    let state = &mut *STATE.lock();
    let (_, range) = state.reservation(base, size)?;
    let starts = range.cover(base, size)?;
    let is_multicast = |start: &u64| {
        let mapping = range.mappings.get(start);
        mapping.is_some_and(|mapping| matches!(mapping.what, Mapped::Multicast(..)))
    };
    let many: Vec<u64> = starts.iter().copied().filter(is_multicast).collect();
    let memory = many.len() < starts.len();
    if memory && !std::ptr::eq(device, range.device) {
        ensure!(
            !open,
            ERROR_NOT_SUPPORTED,
            "access of device {} to memory of device {}; simulated devices reach each other's ordinary memory only",
            device.ordinal,
            range.device.ordinal
        );
    } else if memory {
        range.change(|range| {
            for start in &starts {
                if let Some(Mapped::Memory(_, is_open)) = range
                    .mappings
                    .get_mut(start)
                    .map(|mapping| &mut mapping.what)
                {
                    *is_open = open;
                }
            }
        })?;
    }
    for start in many {
        state.open_multicast(start, device, open)?;
    }
    // A multicast object may contain memory that has an address now.
    state.show_multicasts()
}

impl State {
    /// Sets whether `device` may access the multicast object that is mapped at `base`.
    fn open_multicast(&mut self, base: u64, device: &Device, open: bool) -> Result {
        let ordinal = device.ordinal;
        let (_, range) = self.reservation(base, 1)?;
        let found = range
            .mappings
            .get_mut(&base)
            .map(|mapping| &mut mapping.what);
        let Some(Mapped::Multicast(handle, devices)) = found else {
            return Ok(());
        };
        let was = devices.contains(&ordinal);
        if was && !open {
            devices.retain(|other| *other != ordinal);
            device.sim.memory().withdraw(base).map_err(memory::error)?;
        }
        if open && !was {
            let handle = *handle;
            let object = self.multicasts.get(&handle);
            ensure!(
                object.is_some_and(|object| object.devices.contains(&ordinal)),
                ERROR_INVALID_VALUE,
                "device {ordinal} was not added to the multicast object that is mapped at {base:#x}"
            );
            let (_, range) = self.reservation(base, 1)?;
            if let Some(Mapped::Multicast(_, devices)) = range
                .mappings
                .get_mut(&base)
                .map(|mapping| &mut mapping.what)
            {
                devices.push(ordinal);
            }
        }
        Ok(())
    }
}

/// Returns whether `device` may access the memory mapped at `address`.
pub(crate) fn access(address: u64, device: CUdevice) -> Result<bool> {
    let device = device::get(device)?;
    let state = STATE.lock();
    match state.mapping(address) {
        Some((_, mapping)) => Ok(match &mapping.what {
            Mapped::Memory(memory, open) => *open && std::ptr::eq(memory.device, device),
            Mapped::Multicast(_, devices) => devices.contains(&device.ordinal),
        }),
        None => fail!(ERROR_INVALID_VALUE, "nothing is mapped at {address:#x}"),
    }
}
