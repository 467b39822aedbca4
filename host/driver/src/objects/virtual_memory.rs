//! Virtual memory management: ranges of addresses, physical memory, and what is mapped where.
//!
//! Source: CUDA driver API reference, "Virtual Memory Management". What devices may access is one piece of memory wherever mappings
//! with access lie side by side: a vector that grows by mapping more behind it can be copied as a whole.

use super::context;
use super::device::{self, Device};
use super::ledger::{self, What};
use crate::abi::{CUdevice, CUmemAllocationProp};
use crate::error::{Result, ensure, fail};
use crate::objects::memory;
use lanewise_sim::memory::Physical;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What sizes and places of mappings are multiples of: a large page of a GPU.
pub(crate) const GRANULARITY: u64 = 2 << 20;

/// Physical memory with the handles on it.
#[derive(Debug)]
struct Handle {
    memory: Arc<Memory>,
    /// How often it was created, retained, and not released.
    holders: u64,
}

/// Physical memory, freed with its last handle and mapping.
#[derive(Debug)]
pub(crate) struct Memory {
    handle: u64,
    device: &'static Device,
    physical: Physical,
    pub(crate) properties: CUmemAllocationProp,
}

/// A reserved range of addresses.
#[derive(Debug)]
struct Reservation {
    device: &'static Device,
    size: u64,
    mappings: BTreeMap<u64, Mapping>,
}

#[derive(Debug)]
struct Mapping {
    memory: Arc<Memory>,
    /// Whether the device may access it.
    open: bool,
}

#[derive(Debug, Default)]
struct State {
    handles: BTreeMap<u64, Handle>,
    next: u64,
    reservations: BTreeMap<u64, Reservation>,
}

static STATE: Mutex<State> = Mutex::new(State {
    handles: BTreeMap::new(),
    next: 0,
    reservations: BTreeMap::new(),
});

/// Sees that a size or place is a multiple of the granularity, and none is zero.
fn whole(what: &str, bytes: u64) -> Result {
    ensure!(
        bytes.is_multiple_of(GRANULARITY),
        ERROR_INVALID_VALUE,
        "{what} is {bytes:#x}, no multiple of the granularity {GRANULARITY:#x} (cuMemGetAllocationGranularity)"
    );
    Ok(())
}

/// The device of the current context, or the first.
fn here() -> Result<&'static Device> {
    match context::current() {
        Ok(context) => Ok(context.device),
        Err(_) => device::get(0),
    }
}

/// Takes a range of addresses.
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
    ledger::made(What::Range, found, size);
    Ok(found)
}

/// Gives a range of addresses back.
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
    ledger::gone(What::Range, base);
    state.reservations.remove(&base);
    Ok(())
}

/// Makes physical memory and a handle on it.
pub(crate) fn create(size: u64, properties: CUmemAllocationProp) -> Result<u64> {
    ensure!(size > 0, ERROR_INVALID_VALUE, "physical memory of no bytes");
    whole("the size", size)?;
    check(&properties)?;
    let device = device::get(properties.location.id)?;
    let physical = device.sim.memory().physical(size).map_err(memory::error)?;
    let state = &mut *STATE.lock();
    state.next += 1;
    let handle = 0x564d_0000_0000 + state.next * 16;
    let memory = Arc::new(Memory {
        handle,
        device,
        physical,
        properties,
    });
    state.handles.insert(handle, Handle { memory, holders: 1 });
    ledger::made(What::PhysicalMemory, handle, size);
    Ok(handle)
}

/// Sees that properties ask for what there is.
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

fn unknown<T>(handle: u64) -> Result<T> {
    fail!(
        ERROR_INVALID_VALUE,
        "{handle:#x} is no handle of physical memory; it was released, or never was one"
    )
}

/// The memory that `handle` names.
pub(crate) fn get(handle: u64) -> Result<Arc<Memory>> {
    match STATE.lock().handles.get(&handle) {
        Some(found) => Ok(found.memory.clone()),
        None => unknown(handle),
    }
}

/// Gives up a hold on a handle.
pub(crate) fn release(handle: u64) -> Result {
    let state = &mut *STATE.lock();
    let Some(found) = state.handles.get_mut(&handle) else {
        return unknown(handle);
    };
    found.holders -= 1;
    if found.holders == 0 {
        state.handles.remove(&handle);
        ledger::gone(What::PhysicalMemory, handle);
    }
    Ok(())
}

/// Another hold on the handle of what is mapped at `address`.
pub(crate) fn retain(address: u64) -> Result<u64> {
    let state = &mut *STATE.lock();
    let Some(memory) = state
        .mapping(address)
        .map(|(_, mapping)| mapping.memory.clone())
    else {
        fail!(ERROR_INVALID_VALUE, "nothing is mapped at {address:#x}")
    };
    let handle = memory.handle;
    let entry = state.handles.entry(handle);
    entry.or_insert(Handle { memory, holders: 0 }).holders += 1;
    Ok(handle)
}

impl State {
    /// The reservation that `size` bytes from `base` are in, with its first address.
    fn reservation(&mut self, base: u64, size: u64) -> Result<(u64, &mut Reservation)> {
        let found = self.reservations.range_mut(..=base).next_back();
        let inside = found.filter(|(start, range)| {
            let room = range.size - (base - **start).min(range.size);
            size <= room && size > 0
        });
        match inside {
            Some((start, range)) => Ok((*start, range)),
            None => fail!(
                ERROR_INVALID_VALUE,
                "{size} bytes at {base:#x} are in no reserved range (cuMemAddressReserve)"
            ),
        }
    }

    /// What is mapped at `address`, with where it begins.
    fn mapping(&self, address: u64) -> Option<(u64, &Mapping)> {
        let (_, range) = self.reservations.range(..=address).next_back()?;
        let (&start, mapping) = range.mappings.range(..=address).next_back()?;
        (address - start < mapping.memory.physical.size()).then_some((start, mapping))
    }
}

impl Reservation {
    /// The mappings that are `size` bytes from `base`, whole.
    fn cover(&self, base: u64, size: u64) -> Result<Vec<u64>> {
        let mut at = base;
        let mut starts = Vec::new();
        while at < base + size {
            let Some(mapping) = self.mappings.get(&at) else {
                fail!(
                    ERROR_INVALID_VALUE,
                    "{size} bytes at {base:#x} are no whole mappings; {at:#x} is not where one begins"
                )
            };
            starts.push(at);
            at += mapping.memory.physical.size();
        }
        ensure!(
            at == base + size,
            ERROR_INVALID_VALUE,
            "{size} bytes at {base:#x} end inside of a mapping; pass whole ones"
        );
        Ok(starts)
    }

    /// Stretches of open mappings side by side: start and size.
    fn stretches(&self) -> Vec<(u64, u64)> {
        let mut found: Vec<(u64, u64)> = Vec::new();
        for (&start, mapping) in self.mappings.iter().filter(|(_, mapping)| mapping.open) {
            let size = mapping.memory.physical.size();
            match found.last_mut() {
                Some((first, length)) if *first + *length == start => *length += size,
                _ => found.push((start, size)),
            }
        }
        found
    }

    /// Changes mappings, and tells the device what it may access then.
    fn change(&mut self, change: impl FnOnce(&mut Self)) -> Result {
        let before = self.stretches();
        change(self);
        let after = self.stretches();
        let memory = self.device.sim.memory();
        for (start, _) in before.iter().filter(|stretch| !after.contains(stretch)) {
            memory.withdraw(*start).map_err(memory::error)?;
        }
        for &(start, size) in after.iter().filter(|stretch| !before.contains(stretch)) {
            memory.publish(start, size, None).map_err(memory::error)?;
        }
        Ok(())
    }
}

/// Maps the memory of `handle` at `base`.
pub(crate) fn map(base: u64, size: u64, handle: u64) -> Result {
    whole("the address", base)?;
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
    let before = range.mappings.range(..base + size).next_back();
    ensure!(
        before.is_none_or(|(start, other)| start + other.memory.physical.size() <= base),
        ERROR_INVALID_VALUE,
        "something is mapped in the {size} bytes at {base:#x} already; unmap it first"
    );
    // SAFETY: the range is reserved, and nothing else is mapped there, as was seen just now.
    unsafe { range.device.sim.memory().map(base, &memory.physical) }.map_err(memory::error)?;
    range.mappings.insert(
        base,
        Mapping {
            memory,
            open: false,
        },
    );
    Ok(())
}

/// Takes the mappings of `size` bytes at `base` away.
pub(crate) fn unmap(base: u64, size: u64) -> Result {
    // Work that was submitted may use it.
    if let Ok(context) = context::current() {
        context.wait();
    }
    let state = &mut *STATE.lock();
    let (_, range) = state.reservation(base, size)?;
    let starts = range.cover(base, size)?;
    let mut gone = Vec::new();
    range.change(|range| {
        gone.extend(
            starts
                .iter()
                .filter_map(|start| range.mappings.remove(start)),
        )
    })?;
    // SAFETY: these were whole mappings, which are not published any more.
    unsafe { range.device.sim.memory().unmap(base, size) }.map_err(memory::error)
}

/// Says whether `device` may access `size` bytes at `base`.
pub(crate) fn set_access(base: u64, size: u64, device: CUdevice, open: bool) -> Result {
    // Unlike elsewhere, an H200 does not answer INVALID_DEVICE here.
    let Ok(device) = device::get(device) else {
        fail!(ERROR_INVALID_VALUE, "{device} is no device")
    };
    let state = &mut *STATE.lock();
    let (_, range) = state.reservation(base, size)?;
    let starts = range.cover(base, size)?;
    if !std::ptr::eq(device, range.device) {
        ensure!(
            !open,
            ERROR_NOT_SUPPORTED,
            "access of device {} to memory of device {}; simulated devices reach each other's ordinary memory only",
            device.ordinal,
            range.device.ordinal
        );
        return Ok(());
    }
    range.change(|range| {
        for start in &starts {
            if let Some(mapping) = range.mappings.get_mut(start) {
                mapping.open = open;
            }
        }
    })
}

/// Whether `device` may access what is mapped at `address`.
pub(crate) fn access(address: u64, device: CUdevice) -> Result<bool> {
    let device = device::get(device)?;
    let state = STATE.lock();
    match state.mapping(address) {
        Some((_, mapping)) => Ok(mapping.open && std::ptr::eq(mapping.memory.device, device)),
        None => fail!(ERROR_INVALID_VALUE, "nothing is mapped at {address:#x}"),
    }
}
