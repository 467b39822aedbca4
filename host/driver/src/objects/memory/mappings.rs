//! The state that virtual memory and multicast objects share: handles, reserved
//! ranges, and mappings.
//!
//! Source: CUDA driver API reference, "Virtual Memory Management" and "Multicast Object
//! Management". Both kinds of handle are numbered by one count, and both kinds of object are mapped
//! into the same ranges. So one lock protects all of them.

use crate::abi::{CUdevice, CUmemAllocationProp};
use crate::error::{Result, ensure, fail};
use crate::objects::device::Device;
use crate::objects::memory;
use lanewise_sim::memory::{Physical, View};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The granularity of sizes and addresses of mappings: a large page of a GPU.
pub(crate) const GRANULARITY: u64 = 2 << 20;

/// Physical memory and the number of its handle's holders.
#[derive(Debug)]
pub(super) struct Handle {
    pub(super) memory: Arc<Memory>,
    /// How often it was created or retained and not yet released.
    pub(super) holders: u64,
}

/// Physical memory. It is freed with its last handle and mapping.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(super) handle: u64,
    pub(super) device: &'static Device,
    pub(super) physical: Physical,
    pub(crate) properties: CUmemAllocationProp,
}

/// A reserved range of addresses.
#[derive(Debug)]
pub(super) struct Reservation {
    pub(super) device: &'static Device,
    pub(super) size: u64,
    pub(super) mappings: BTreeMap<u64, Mapping>,
}

#[derive(Debug)]
pub(super) struct Mapping {
    pub(super) size: u64,
    pub(super) what: Mapped,
}

/// The object of a mapping.
#[derive(Debug)]
pub(super) enum Mapped {
    /// Physical memory, and whether its device may access it.
    Memory(Arc<Memory>, bool),
    /// The multicast object with this handle, and the devices that may access it.
    Multicast(u64, Vec<CUdevice>),
}

impl Mapping {
    pub(super) fn memory(&self) -> Option<&Arc<Memory>> {
        match &self.what {
            Mapped::Memory(memory, _) => Some(memory),
            Mapped::Multicast(..) => None,
        }
    }
}

/// A multicast object.
#[derive(Debug)]
pub(super) struct Object {
    /// Whether its handle is not yet released.
    pub(super) held: bool,
    /// How often it is mapped.
    pub(super) mappings: u64,
    pub(super) size: u64,
    /// The number of devices that it is made for.
    pub(super) wanted: usize,
    pub(super) devices: Vec<CUdevice>,
    pub(super) bindings: Vec<Binding>,
}

/// The memory of a device that is bound to an object.
#[derive(Debug)]
pub(super) struct Binding {
    pub(super) device: CUdevice,
    pub(super) offset: u64,
    pub(super) size: u64,
    pub(super) memory: Arc<Memory>,
    pub(super) memory_offset: u64,
    /// A view of the memory, at an address that no other mapping uses.
    pub(super) view: Arc<View>,
}

impl Binding {
    pub(super) fn overlaps(&self, device: CUdevice, offset: u64, size: u64) -> bool {
        self.device == device && self.offset < offset + size && offset < self.offset + self.size
    }
}

/// Everything that the calls of these two sections have made.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) handles: BTreeMap<u64, Handle>,
    /// Multicast objects. Their handles come from the same count.
    pub(super) multicasts: BTreeMap<u64, Object>,
    pub(super) next: u64,
    pub(super) reservations: BTreeMap<u64, Reservation>,
}

pub(super) static STATE: Mutex<State> = Mutex::new(State {
    handles: BTreeMap::new(),
    multicasts: BTreeMap::new(),
    next: 0,
    reservations: BTreeMap::new(),
});

/// Checks that a size or address is a multiple of the granularity. `what` names it in the error.
pub(super) fn whole(what: &str, bytes: u64) -> Result {
    ensure!(
        bytes.is_multiple_of(GRANULARITY),
        ERROR_INVALID_VALUE,
        "{what} is {bytes:#x}, no multiple of the granularity {GRANULARITY:#x} (cuMemGetAllocationGranularity)"
    );
    Ok(())
}

/// Returns a new handle.
pub(super) fn next_handle(state: &mut State) -> u64 {
    state.next += 1;
    0x564d_0000_0000 + state.next * 16
}

impl Memory {
    /// Returns its size in bytes.
    pub(super) fn size(&self) -> u64 {
        self.physical.size()
    }

    /// Returns the ordinal of its device.
    pub(super) fn ordinal(&self) -> CUdevice {
        self.device.ordinal
    }

    /// Returns a view of it for the host.
    pub(super) fn view(&self) -> Result<View> {
        self.physical.view().map_err(memory::error)
    }
}

pub(super) fn unknown<T>(handle: u64) -> Result<T> {
    fail!(
        ERROR_INVALID_VALUE,
        "{handle:#x} is not a live handle of physical memory: it was released, or never was one"
    )
}

impl State {
    /// Returns the reservation that contains `size` bytes from `base`, with its start address.
    pub(super) fn reservation(&mut self, base: u64, size: u64) -> Result<(u64, &mut Reservation)> {
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

    /// Returns the mapping that contains `address`, with its start address.
    pub(super) fn mapping(&self, address: u64) -> Option<(u64, &Mapping)> {
        let (_, range) = self.reservations.range(..=address).next_back()?;
        let (&start, mapping) = range.mappings.range(..=address).next_back()?;
        (address - start < mapping.size).then_some((start, mapping))
    }

    /// Removes a multicast object that has neither handle nor mapping.
    pub(super) fn forget_unused(&mut self, handle: u64) {
        let unused = |object: &Object| !object.held && object.mappings == 0;
        if self.multicasts.get(&handle).is_some_and(unused) {
            self.multicasts.remove(&handle);
        }
    }

    /// Returns whether a handle is one of a multicast object.
    pub(super) fn is_multicast(&self, handle: u64) -> bool {
        self.multicasts
            .get(&handle)
            .is_some_and(|object| object.held)
    }

    /// Returns whether a handle is one of physical memory.
    pub(super) fn is_memory(&self, handle: u64) -> bool {
        self.handles.contains_key(&handle)
    }

    /// Returns an address where the device of `memory` can access all of it, if there is one.
    pub(super) fn place(&self, memory: &Arc<Memory>) -> Option<u64> {
        let mut mappings = self.reservations.values().flat_map(|range| &range.mappings);
        mappings.find_map(|(&start, mapping)| match &mapping.what {
            Mapped::Memory(mapped, true) if Arc::ptr_eq(mapped, memory) => Some(start),
            _ => None,
        })
    }

    /// Returns the mappings of multicast objects: the address, the object's handle, and the devices
    /// that may access it there.
    pub(super) fn multicast_mappings(&self) -> impl Iterator<Item = (u64, u64, &[CUdevice])> {
        let mappings = self.reservations.values().flat_map(|range| &range.mappings);
        mappings.filter_map(|(&start, mapping)| match &mapping.what {
            Mapped::Multicast(handle, devices) => Some((start, *handle, devices.as_slice())),
            Mapped::Memory(..) => None,
        })
    }
}

impl Reservation {
    /// Checks that nothing is mapped in `size` bytes at `base`.
    pub(super) fn is_free(&self, base: u64, size: u64) -> Result {
        let before = self.mappings.range(..base + size).next_back();
        ensure!(
            before.is_none_or(|(start, other)| start + other.size <= base),
            ERROR_INVALID_VALUE,
            "something is mapped in the {size} bytes at {base:#x} already; unmap it first"
        );
        Ok(())
    }

    /// Returns the start addresses of the mappings that together are exactly `size`
    /// bytes from `base`.
    pub(super) fn cover(&self, base: u64, size: u64) -> Result<Vec<u64>> {
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

    /// Returns the ranges that adjacent mappings with access form: start and size.
    pub(super) fn stretches(&self) -> Vec<(u64, u64)> {
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

    /// Changes mappings, and updates the ranges that the device may access.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Self)) -> Result {
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
