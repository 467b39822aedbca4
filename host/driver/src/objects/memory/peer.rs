//! The memory that a device's kernels can access besides its own: another context's memory after
//! `cuCtxEnablePeerAccess`, and all pinned memory.
//!
//! Source: CUDA driver API reference, "Peer Context Memory Access" and "Unified Addressing". Every
//! device's memory is memory of this process. So access needs only an entry for the other device's
//! checks: the memory is registered there under the same address. A kernel that follows a pointer
//! to a peer without access faults, as on a GPU. Managed memory and pinned memory can be accessed
//! from every device. Not modelled: a module's variables cannot be accessed from a peer.

use super::owners;
use crate::abi::{CUcontext, CUdevice};
use crate::objects::context::{CONTEXTS, Context};
use crate::objects::device::{self, Device};
use lanewise_sim::{Allocation, AllocationKind};
use parking_lot::Mutex;
use std::collections::HashMap;

/// The registrations of another device's memory: for each device and address, the size in bytes.
static SHOWN: Mutex<Option<HashMap<(CUdevice, u64), u64>>> = Mutex::new(None);

/// Returns whether `address`, registered on `device`, belongs to another device.
pub(crate) fn is_shown(device: &Device, address: u64) -> bool {
    SHOWN
        .lock()
        .as_ref()
        .is_some_and(|shown| shown.contains_key(&(device.ordinal, address)))
}

/// Makes an allocation accessible to the kernels of `to`.
fn show(to: &Device, address: u64, size: u64, made_at: Option<&str>) {
    let mut shown = SHOWN.lock();
    let shown = shown.get_or_insert_default();
    if shown.contains_key(&(to.ordinal, address)) {
        return;
    }
    // SAFETY: the bytes belong to another simulated device, which frees them after it
    // has called `conceal`.
    let registered = unsafe { to.sim.memory().register(address, size, made_at) };
    if registered.is_ok() {
        // Writes of another device's kernels are not tracked, so all of it counts as written.
        for device in device::all() {
            device.sim.memory().written(address, size);
        }
        shown.insert((to.ordinal, address), size);
    }
}

/// Removes the access that [`show`] has given.
fn conceal(from: &Device, address: u64) {
    let mut shown = SHOWN.lock();
    let was = shown
        .as_mut()
        .and_then(|shown| shown.remove(&(from.ordinal, address)));
    if was.is_some() {
        // It was registered when it was noted, and no other code unregisters it.
        let _ = from.sim.memory().unregister(address);
    }
}

/// Returns whether every device can access memory of this kind.
fn is_everybodys(kind: &AllocationKind) -> bool {
    matches!(
        kind,
        AllocationKind::Pinned | AllocationKind::Managed | AllocationKind::Registered
    )
}

/// Makes an allocation that `owner` has just made accessible to the devices that may access it.
pub(crate) fn allocated(owner: &Context, allocation: &Allocation) {
    if device::all().len() < 2 {
        return;
    }
    let made_at = allocation.made_at.as_deref();
    for other in others(owner.device) {
        let may = is_everybodys(&allocation.kind) || reaches(other, owner.handle);
        if may {
            show(other, allocation.base, allocation.size, made_at);
        }
    }
}

/// Removes all access to the allocation at `address` of `owner`, which is about to be freed.
pub(crate) fn freeing(owner: &Device, address: u64) {
    if device::all().len() > 1 {
        others(owner).for_each(|other| conceal(other, address));
    }
}

/// Makes the allocations of `peer` accessible to the kernels of `context`.
pub(crate) fn enabled(context: &Context, peer: &Context) {
    for allocation in peer.device.sim.memory().live() {
        if !is_shown(peer.device, allocation.base) && owners::is_of(allocation.base, peer.handle) {
            let made_at = allocation.made_at.as_deref();
            show(context.device, allocation.base, allocation.size, made_at);
        }
    }
}

/// Removes that access, unless another context of the device still has it.
pub(crate) fn disabled(context: &Context, peer: &Context) {
    if reaches(context.device, peer.handle) {
        return;
    }
    for allocation in peer.device.sim.memory().live() {
        if !is_everybodys(&allocation.kind) && owners::is_of(allocation.base, peer.handle) {
            conceal(context.device, allocation.base);
        }
    }
}

fn others(device: &Device) -> impl Iterator<Item = &'static Device> {
    let ordinal = device.ordinal;
    device::all()
        .iter()
        .filter(move |other| other.ordinal != ordinal)
}

/// Returns whether a context of `device` has access to `peer`'s memory.
fn reaches(device: &Device, peer: CUcontext) -> bool {
    let mut found = false;
    CONTEXTS.for_each(|context| {
        found |= context.device.ordinal == device.ordinal && context.peers.lock().contains(&peer);
    });
    found
}
