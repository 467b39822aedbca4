//! Multicast objects: one range of addresses for memory of several devices, which
//! `multimem` instructions reach.
//!
//! Source: CUDA driver API reference, "Multicast Object Management". An object is made for a number
//! of devices. The devices are added to it. Then memory of each device is bound at the same
//! offsets, and the object is mapped like physical memory. An access faults where memory is not
//! bound by every device. A call that needs all devices to be added waits for some seconds and then
//! reports an error.

use std::sync::Arc;
use std::time::Duration;

use super::mappings::{
    Binding, GRANULARITY, Memory, Object, STATE, State, next_handle, unknown, whole,
};
use crate::abi::{CUdevice, CUmulticastObjectProp};
use crate::error::{Result, ensure, fail};
use crate::objects::device::{self, Device};
use crate::objects::handle::ledger::{self, ObjectKind};
use crate::objects::memory;
use lanewise_sim::memory::Replicas;
use parking_lot::{Condvar, MutexGuard};

/// How long a call waits for the devices of an object to be added.
const PATIENCE: Duration = Duration::from_secs(5);

/// Notified when a device was added to an object.
static ADDED: Condvar = Condvar::new();

/// Returns whether a device is of a kind that NVIDIA connects with switches that copy and add.
pub(crate) fn is_supported(device: &Device) -> bool {
    let [major, _] = device.sim.model().compute_capability;
    matches!(major, 9 | 10) && device::all().len() > 1
}

fn supported(device: &Device) -> Result {
    ensure!(
        is_supported(device),
        ERROR_NOT_SUPPORTED,
        "device {} has no multicast: that takes two devices or more (LANEWISE_SIM_DEVICES) of a model such as h200 or b200",
        device.ordinal
    );
    Ok(())
}

/// Checks that the requested properties are supported.
pub(crate) fn check(properties: &CUmulticastObjectProp) -> Result {
    let count = device::all().len();
    ensure!(
        (1..=count).contains(&(properties.num_devices as usize)),
        ERROR_INVALID_VALUE,
        "an object for {} devices; there are {count} (LANEWISE_SIM_DEVICES)",
        properties.num_devices
    );
    ensure!(
        properties.flags == 0,
        ERROR_INVALID_VALUE,
        "flags must be 0, not {:#x}",
        properties.flags
    );
    ensure!(
        properties.handle_types == 0,
        ERROR_NOT_SUPPORTED,
        "an object that other processes can open (handle types {:#x}); simulated devices are this process's own",
        properties.handle_types
    );
    supported(device::get(0)?)
}

/// Makes an object without devices, and a handle to it.
pub(crate) fn create(properties: &CUmulticastObjectProp) -> Result<u64> {
    check(properties)?;
    let size = properties.size as u64;
    ensure!(size > 0, ERROR_INVALID_VALUE, "an object of no bytes");
    whole("the size", size)?;
    let state = &mut *STATE.lock();
    let handle = next_handle(state);
    state.multicasts.insert(
        handle,
        Object {
            held: true,
            mappings: 0,
            size,
            wanted: properties.num_devices as usize,
            devices: Vec::new(),
            bindings: Vec::new(),
        },
    );
    ledger::made(ObjectKind::MulticastObject, handle, size);
    Ok(handle)
}

fn get(state: &mut State, handle: u64) -> Result<&mut Object> {
    if state.is_memory(handle) {
        fail!(
            ERROR_INVALID_VALUE,
            "{handle:#x} is a handle of physical memory, not of a multicast object (cuMulticastCreate)"
        );
    }
    match state.multicasts.get_mut(&handle) {
        Some(found) if found.held => Ok(found),
        _ => unknown(handle),
    }
}

/// Adds a device to an object.
pub(crate) fn add_device(handle: u64, device: CUdevice) -> Result {
    supported(device::get(device)?)?;
    let state = &mut *STATE.lock();
    let object = get(state, handle)?;
    ensure!(
        !object.devices.contains(&device),
        ERROR_INVALID_VALUE,
        "device {device} was added already"
    );
    ensure!(
        object.devices.len() < object.wanted,
        ERROR_INVALID_VALUE,
        "the object is for {} devices, which it has; device {device} is one more",
        object.wanted
    );
    object.devices.push(device);
    ADDED.notify_all();
    Ok(())
}

/// Waits until all devices of an object were added, and returns its size.
pub(super) fn complete(state: &mut MutexGuard<'_, State>, handle: u64) -> Result<u64> {
    loop {
        let object = get(state, handle)?;
        let (has, wanted, size) = (object.devices.len(), object.wanted, object.size);
        if has == wanted {
            return Ok(size);
        }
        let waited = ADDED.wait_for(state, PATIENCE);
        ensure!(
            !waited.timed_out(),
            ERROR_TIMEOUT,
            "the object is for {wanted} devices and has {has}: on a GPU this call waits until the others were added (cuMulticastAddDevice)"
        );
    }
}

/// Binds `size` bytes of `memory`, starting at `memory_offset`, to `offset` of an object.
pub(crate) fn bind(
    handle: u64,
    offset: u64,
    memory: Arc<Memory>,
    memory_offset: u64,
    size: u64,
) -> Result {
    whole("the offset in the object", offset)?;
    whole("the offset in the memory", memory_offset)?;
    whole("the size", size)?;
    ensure!(size > 0, ERROR_INVALID_VALUE, "a binding of no bytes");
    let state = &mut STATE.lock();
    let whole_size = complete(state, handle)?;
    let inside = |from: u64, of: u64| from.checked_add(size).is_some_and(|end| end <= of);
    ensure!(
        inside(memory_offset, memory.size()),
        ERROR_INVALID_VALUE,
        "{size} bytes from {memory_offset:#x} of memory that has {}",
        memory.size()
    );
    ensure!(
        inside(offset, whole_size),
        ERROR_INVALID_VALUE,
        "{size} bytes at {offset:#x} of an object that has {whole_size}"
    );
    let device = memory.ordinal();
    let view = memory.view()?;
    let object = get(state, handle)?;
    ensure!(
        object.devices.contains(&device),
        ERROR_INVALID_VALUE,
        "memory of device {device}, which was not added to the object (cuMulticastAddDevice)"
    );
    ensure!(
        object
            .bindings
            .iter()
            .all(|other| !other.overlaps(device, offset, size)),
        ERROR_INVALID_VALUE,
        "device {device} has memory bound in the {size} bytes at {offset:#x} already; unbind it first (cuMulticastUnbind)"
    );
    object.bindings.push(Binding {
        device,
        offset,
        size,
        memory,
        memory_offset,
        view: Arc::new(view),
    });
    state.show_multicasts()
}

/// Removes a device's bindings in `size` bytes at `offset`.
pub(crate) fn unbind(handle: u64, device: CUdevice, offset: u64, size: u64) -> Result {
    device::get(device)?;
    let state = &mut *STATE.lock();
    let object = get(state, handle)?;
    ensure!(
        object.devices.contains(&device),
        ERROR_INVALID_VALUE,
        "device {device} was not added to the object"
    );
    let end = offset.saturating_add(size);
    let within = |binding: &Binding| {
        binding.device == device && offset <= binding.offset && binding.offset + binding.size <= end
    };
    let bound: u64 = object
        .bindings
        .iter()
        .filter(|binding| within(binding))
        .map(|binding| binding.size)
        .sum();
    ensure!(
        size > 0 && bound == size,
        ERROR_INVALID_VALUE,
        "{size} bytes at {offset:#x} are no whole bindings of device {device}; {bound} of them are bound so"
    );
    let bindings = std::mem::take(&mut object.bindings);
    let (gone, left): (Vec<_>, Vec<_>) = bindings.into_iter().partition(within);
    object.bindings = left;
    let shown = state.show_multicasts();
    // Their memory is freed when no device's mapping shows it any more.
    drop(gone);
    shown
}

impl Object {
    /// Returns, for each range of the object that every device has bound memory for, the memory
    /// that it stands for, as `device` sees it.
    fn stretches(&self, state: &State, device: CUdevice) -> Vec<Replicas> {
        let mut cuts: Vec<u64> = self
            .bindings
            .iter()
            .flat_map(|binding| [binding.offset, binding.offset + binding.size])
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        let stretch = |cut: &[u64]| {
            let (offset, size) = (cut[0], cut[1] - cut[0]);
            let (mut places, mut views, mut own) = (Vec::new(), Vec::new(), None);
            for &member in &self.devices {
                let binding = self
                    .bindings
                    .iter()
                    .find(|binding| binding.overlaps(member, offset, size))?;
                let inside = binding.memory_offset + offset - binding.offset;
                // If the device has the memory mapped, use that address, so that the checks treat
                // both as the same memory.
                let mapped = state.place(&binding.memory);
                if member == device && mapped.is_some() {
                    own = Some(places.len());
                }
                places.push(mapped.unwrap_or(binding.view.start()) + inside);
                views.push(binding.view.clone());
            }
            Some(Replicas {
                offset,
                size,
                places,
                own,
                views,
            })
        };
        cuts.windows(2).filter_map(stretch).collect()
    }
}

impl State {
    /// Updates the multicast mappings of every device.
    pub(super) fn show_multicasts(&self) -> Result {
        for (base, handle, devices) in self.multicast_mappings() {
            let Some(object) = self.multicasts.get(&handle) else {
                continue;
            };
            for &device in devices {
                let target = device::get(device)?.sim.memory();
                // This fails if the mapping is new and was not published yet.
                let _ = target.withdraw(base);
                let stretches = object.stretches(self, device);
                // SAFETY: the addresses are views, which the ranges keep alive, or lie in a
                // device's range of addresses, which stays valid until the process ends. The
                // mapping lies in a reserved range.
                unsafe { target.publish_multicast(base, object.size, stretches) }
                    .map_err(memory::error)?;
            }
        }
        Ok(())
    }
}

/// Returns the granularity of sizes and offsets in an object.
pub(crate) fn granularity(properties: &CUmulticastObjectProp) -> Result<u64> {
    check(properties)?;
    Ok(GRANULARITY)
}
