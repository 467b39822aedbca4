//! Memory that a graph allocates: an address that is known when the node is added, and usable while a launch says so.
//!
//! Source: CUDA C++ Programming Guide, "Graph Memory Nodes". The bytes stay reserved from the adding of the node until the graph and
//! all that was instantiated of it are gone; whether they are in use is counted apart, so that a second launch without a free is
//! refused and the device's counters of graph memory are right. An access while nothing is allocated is not found.

use crate::abi::{CUDA_MEM_ALLOC_NODE_PARAMS, CUdevice};
use crate::error::{Result, fail};
use crate::objects::context::Context;
use crate::objects::memory;
use lanewise_sim::Kind;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An allocation node's memory; given back when the last user is gone.
#[derive(Debug)]
pub(crate) struct Reserved {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// What the call that added the node was given: allocation type, handle types, location.
    pub(crate) described: [u32; 4],
}

/// By address: whether it is allocated now, and of which device and size.
static KNOWN: Mutex<BTreeMap<u64, Known>> = Mutex::new(BTreeMap::new());

#[derive(Debug, Clone, Copy)]
struct Known {
    allocated: bool,
    bytes: u64,
    device: CUdevice,
}

/// The most that was in use and reserved at once, by device.
static HIGH: Mutex<BTreeMap<CUdevice, Usage>> = Mutex::new(BTreeMap::new());

/// Bytes of graph memory in use and reserved.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    pub(crate) used: u64,
    pub(crate) reserved: u64,
}

/// Finds memory for an allocation node.
pub(crate) fn reserve(
    context: &Context,
    params: &CUDA_MEM_ALLOC_NODE_PARAMS,
) -> Result<Arc<Reserved>> {
    let address = memory::allocate(context, params.bytesize, Kind::Device, 0)?;
    let (bytes, device) = (params.bytesize as u64, context.device.ordinal);
    KNOWN.lock().insert(
        address,
        Known {
            allocated: false,
            bytes,
            device,
        },
    );
    raise(device);
    let props = &params.pool_props;
    let described = [
        props.allocation_kind,
        props.handle_types,
        props.location.kind,
        props.location.id as u32,
    ];
    Ok(Arc::new(Reserved {
        address,
        bytes,
        described,
    }))
}

impl Drop for Reserved {
    fn drop(&mut self) {
        KNOWN.lock().remove(&self.address);
        memory::release(self.address);
    }
}

/// Whether graph memory begins at `address`.
pub(crate) fn is_known(address: u64) -> bool {
    KNOWN.lock().contains_key(&address)
}

/// Whether the memory at `address` is allocated now.
pub(crate) fn is_allocated(address: u64) -> bool {
    KNOWN
        .lock()
        .get(&address)
        .is_some_and(|known| known.allocated)
}

/// Notes that a launch allocates the memory at `address`, or that it or a call frees it.
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

/// What is in use and reserved on `device` now.
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

/// The most that was in use and reserved on `device` since it was last reset.
pub(crate) fn high(device: CUdevice) -> Usage {
    HIGH.lock().get(&device).copied().unwrap_or_default()
}

/// Starts a high-water mark of `device` anew.
pub(crate) fn reset_high(device: CUdevice, change: impl FnOnce(&mut Usage, Usage)) {
    let now = now(device);
    change(HIGH.lock().entry(device).or_default(), now);
}
