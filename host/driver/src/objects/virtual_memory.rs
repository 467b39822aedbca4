//! Virtual memory management: ranges of addresses, physical memory, and what is mapped where.
//!
//! Source: CUDA driver API reference, "Virtual Memory Management". What devices may access is one piece of memory wherever mappings
//! with access lie side by side: a vector that grows by mapping more behind it can be copied as a whole.

use super::context;
use super::device::{self, Device};
use super::ledger::{self, What};
use super::multicast;
use crate::abi::{CUdevice, CUmemAllocationProp};
use crate::error::{Result, ensure, fail};
use crate::objects::memory;
use lanewise_sim::memory::{Physical, View};
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
    size: u64,
    what: Mapped,
}

/// What is mapped.
#[derive(Debug)]
enum Mapped {
    /// Physical memory, and whether its device may access it.
    Memory(Arc<Memory>, bool),
    /// The multicast object of this handle, and the devices that may access it.
    Multicast(u64, Vec<CUdevice>),
}

impl Mapping {
    fn memory(&self) -> Option<&Arc<Memory>> {
        match &self.what {
            Mapped::Memory(memory, _) => Some(memory),
            Mapped::Multicast(..) => None,
        }
    }
}

/// Everything that the calls of this chapter made.
#[derive(Debug, Default)]
pub(super) struct State {
    handles: BTreeMap<u64, Handle>,
    /// Multicast objects, whose handles are of the same kind.
    pub(super) multicasts: BTreeMap<u64, multicast::Object>,
    next: u64,
    reservations: BTreeMap<u64, Reservation>,
}

pub(super) static STATE: Mutex<State> = Mutex::new(State {
    handles: BTreeMap::new(),
    multicasts: BTreeMap::new(),
    next: 0,
    reservations: BTreeMap::new(),
});

/// Sees that a size or place is a multiple of the granularity, and none is zero.
pub(super) fn whole(what: &str, bytes: u64) -> Result {
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

/// A handle that nobody has.
pub(super) fn next_handle(state: &mut State) -> u64 {
    state.next += 1;
    0x564d_0000_0000 + state.next * 16
}

impl Memory {
    /// How many bytes it has.
    pub(super) fn size(&self) -> u64 {
        self.physical.size()
    }

    /// The device that it is of.
    pub(super) fn ordinal(&self) -> CUdevice {
        self.device.ordinal
    }

    /// It as the host sees it.
    pub(super) fn view(&self) -> Result<View> {
        self.physical.view().map_err(memory::error)
    }
}

/// Makes physical memory and a handle on it.
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

pub(super) fn unknown<T>(handle: u64) -> Result<T> {
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
    if let Some(object) = state.multicasts.get_mut(&handle).filter(|it| it.held) {
        object.held = false;
        ledger::gone(What::MulticastObject, handle);
        state.forget_unused(handle);
        return Ok(());
    }
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
        .and_then(|(_, mapping)| mapping.memory().cloned())
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
        (address - start < mapping.size).then_some((start, mapping))
    }

    /// Ends a multicast object that has neither handle nor mapping.
    fn forget_unused(&mut self, handle: u64) {
        let unused = |object: &multicast::Object| !object.held && object.mappings == 0;
        if self.multicasts.get(&handle).is_some_and(unused) {
            self.multicasts.remove(&handle);
        }
    }

    /// Whether a handle is one of a multicast object.
    fn is_multicast(&self, handle: u64) -> bool {
        self.multicasts
            .get(&handle)
            .is_some_and(|object| object.held)
    }

    /// Whether a handle is one of physical memory.
    pub(super) fn is_memory(&self, handle: u64) -> bool {
        self.handles.contains_key(&handle)
    }

    /// An address under which the device of `memory` reaches all of it, if there is one.
    pub(super) fn place(&self, memory: &Arc<Memory>) -> Option<u64> {
        let mut mappings = self.reservations.values().flat_map(|range| &range.mappings);
        mappings.find_map(|(&start, mapping)| match &mapping.what {
            Mapped::Memory(mapped, true) if Arc::ptr_eq(mapped, memory) => Some(start),
            _ => None,
        })
    }

    /// Where multicast objects are mapped: the address, the object's handle, and the devices that may access it there.
    pub(super) fn multicast_mappings(&self) -> impl Iterator<Item = (u64, u64, &[CUdevice])> {
        let mappings = self.reservations.values().flat_map(|range| &range.mappings);
        mappings.filter_map(|(&start, mapping)| match &mapping.what {
            Mapped::Multicast(handle, devices) => Some((start, *handle, devices.as_slice())),
            Mapped::Memory(..) => None,
        })
    }
}

impl Reservation {
    /// Sees that nothing is mapped in `size` bytes at `base`.
    fn is_free(&self, base: u64, size: u64) -> Result {
        let before = self.mappings.range(..base + size).next_back();
        ensure!(
            before.is_none_or(|(start, other)| start + other.size <= base),
            ERROR_INVALID_VALUE,
            "something is mapped in the {size} bytes at {base:#x} already; unmap it first"
        );
        Ok(())
    }

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
            at += mapping.size;
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
        let open = |mapping: &Mapping| matches!(mapping.what, Mapped::Memory(_, true));
        for (&start, mapping) in self.mappings.iter().filter(|(_, mapping)| open(mapping)) {
            let size = mapping.size;
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
    // SAFETY: the range is reserved, and nothing else is mapped there, as was seen just now.
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

/// The memory that is mapped at `address`, and how far into it that is.
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

/// Takes the mappings of `size` bytes at `base` away.
pub(crate) fn unmap(base: u64, size: u64) -> Result {
    // Work that was submitted may use it.
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
    // What is unmapped may be what a multicast object reached.
    state.show_multicasts()?;
    // SAFETY: these were whole mappings, which are not published any more.
    unsafe { owner.sim.memory().unmap(base, size) }.map_err(memory::error)
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
    // A multicast object may reach memory that has an address now.
    state.show_multicasts()
}

impl State {
    /// Says whether `device` may access the multicast object that is mapped at `base`.
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

/// Whether `device` may access what is mapped at `address`.
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
