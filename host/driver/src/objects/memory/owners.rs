//! The owners of allocations.

use crate::abi::CUcontext;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

/// The context that owns an allocation, and the flags and attributes of the allocation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner {
    pub(crate) context: CUcontext,
    /// The flags that it was made with: `CU_MEMHOSTALLOC_*`,
    /// `CU_MEMHOSTREGISTER_*` or `CUmemAttach_flags`.
    pub(crate) flags: u32,
    /// `CU_POINTER_ATTRIBUTE_BUFFER_ID`: a number that no other allocation of the process ever has.
    pub(crate) id: u64,
    /// Whether a stream will free it (`cuMemFreeAsync`).
    pub(crate) freeing: bool,
    /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`, as the program has set it.
    pub(crate) sync_memops: bool,
}

/// The owners by start address. Addresses are unique over all devices, since all are addresses
/// of this process.
pub(super) static OWNERS: RwLock<BTreeMap<u64, Owner>> = RwLock::new(BTreeMap::new());
pub(super) static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Sets the attribute of the allocation at `address`.
pub(crate) fn set_sync_memops(address: u64, value: bool) {
    if let Some(owner) = OWNERS.write().get_mut(&address) {
        owner.sync_memops = value;
    }
}

/// Returns whether the allocation at `address` belongs to `context`.
pub(crate) fn is_of(address: u64, context: CUcontext) -> bool {
    OWNERS
        .read()
        .get(&address)
        .is_some_and(|owner| owner.context == context)
}
