//! The memory that graphs have reserved, and the part of it that is in use, by address
//! and by device.
//!
//! This module is below the graphs, which reserve the memory, and below the calls that free memory
//! of any kind.

use crate::abi::CUdevice;
use crate::error::{Result, fail};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// For each address, whether it is allocated now, and its device and size.
static KNOWN: Mutex<BTreeMap<u64, Known>> = Mutex::new(BTreeMap::new());

#[derive(Debug, Clone, Copy)]
struct Known {
    allocated: bool,
    bytes: u64,
    device: CUdevice,
}

/// The largest numbers of bytes in use and reserved at once, by device.
static HIGH: Mutex<BTreeMap<CUdevice, Usage>> = Mutex::new(BTreeMap::new());

/// Bytes of graph memory in use and reserved.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    pub(crate) used: u64,
    pub(crate) reserved: u64,
}

/// Notes that the memory at `address` is reserved for an allocation node.
pub(crate) fn reserved(address: u64, bytes: u64, device: CUdevice) {
    let known = Known {
        allocated: false,
        bytes,
        device,
    };
    KNOWN.lock().insert(address, known);
    raise(device);
}

/// Removes the memory at `address`.
pub(crate) fn gone(address: u64) {
    KNOWN.lock().remove(&address);
}

/// Returns whether graph memory begins at `address`.
pub(crate) fn is_known(address: u64) -> bool {
    KNOWN.lock().contains_key(&address)
}

/// Returns whether the memory at `address` is allocated now.
pub(crate) fn is_allocated(address: u64) -> bool {
    KNOWN
        .lock()
        .get(&address)
        .is_some_and(|known| known.allocated)
}

/// Notes that a launch allocates the memory at `address`, or that a launch or a call frees it.
pub(crate) fn set_allocated(address: u64, allocated: bool) -> Result {
    let mut all = KNOWN.lock();
    let Some(known) = all.get_mut(&address) else {
        fail!(
            ERROR_INVALID_VALUE,
            "{address:#x} is not the memory of a graph's allocation node"
        )
    };
    if known.allocated == allocated {
        fail!(
            ERROR_INVALID_VALUE,
            "the graph memory at {address:#x} is {} already",
            if allocated { "allocated" } else { "free" }
        );
    }
    known.allocated = allocated;
    let device = known.device;
    drop(all);
    raise(device);
    Ok(())
}

/// Returns the bytes in use and reserved on `device` now.
pub(crate) fn now(device: CUdevice) -> Usage {
    let mut usage = Usage::default();
    for known in KNOWN.lock().values().filter(|known| known.device == device) {
        usage.reserved += known.bytes;
        usage.used += if known.allocated { known.bytes } else { 0 };
    }
    usage
}

fn raise(device: CUdevice) {
    let now = now(device);
    let mut high = HIGH.lock();
    let high = high.entry(device).or_default();
    high.used = high.used.max(now.used);
    high.reserved = high.reserved.max(now.reserved);
}

/// Returns the largest numbers of bytes in use and reserved on `device` since the last reset.
pub(crate) fn high(device: CUdevice) -> Usage {
    HIGH.lock().get(&device).copied().unwrap_or_default()
}

/// Resets a high-water mark of `device`.
pub(crate) fn reset_high(device: CUdevice, change: impl FnOnce(&mut Usage, Usage)) {
    let now = now(device);
    change(HIGH.lock().entry(device).or_default(), now);
}
