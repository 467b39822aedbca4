//! Memory of several devices under one address, as a multicast object maps it.
//!
//! CUDA driver API reference, "Multicast Object Management"; PTX ISA, "multimem addresses". A range
//! of such addresses stands for one range in each device's memory. Kernels can access it with
//! `multimem` instructions only. Any other access is an error here; on a GPU it is undefined.

use std::sync::Arc;

use super::physical::View;

/// A range of a multicast mapping in which every device has memory.
#[derive(Debug)]
pub struct Replicas {
    /// The offset of the range in the mapping, in bytes.
    pub offset: u64,
    /// The size of the range, in bytes.
    pub size: u64,
    /// The address of each device's bytes.
    pub places: Vec<u64>,
    /// The index in `places` of the device that has this mapping, if the bytes have an address of
    /// their own on that device.
    pub own: Option<usize>,
    /// The views that keep places valid which have no address on their device.
    pub views: Vec<Arc<View>>,
}

/// A multicast mapping.
#[derive(Debug, Clone)]
pub(crate) struct Multicast {
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) stretches: Arc<[Replicas]>,
}

impl Multicast {
    /// Returns the range that contains `len` bytes at `address`, and their offset in it.
    pub(crate) fn at(&self, address: u64, len: u64) -> Option<(&Replicas, u64)> {
        let offset = address.checked_sub(self.base)?;
        self.stretches.iter().find_map(|stretch| {
            let inside = offset.checked_sub(stretch.offset)?;
            (inside < stretch.size && len <= stretch.size - inside).then_some((stretch, inside))
        })
    }
}
