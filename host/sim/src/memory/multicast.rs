//! Memory of several devices under one address: what a multicast object is mapped at.
//!
//! CUDA driver API reference, "Multicast Object Management"; PTX ISA, "multimem addresses". A
//! stretch of such addresses stands for one stretch of each device's memory. Kernels reach it by
//! `multimem` alone: to every other access nothing is there, which on a GPU is undefined.

use std::sync::Arc;

use super::physical::View;

/// A stretch of a multicast mapping that every device has memory for.
#[derive(Debug)]
pub struct Replicas {
    /// How far into the mapping it begins.
    pub offset: u64,
    /// How many bytes it has.
    pub size: u64,
    /// Where each device's bytes begin.
    pub places: Vec<u64>,
    /// Which of them is of the device that it is mapped for, where that has it under its own
    /// address too.
    pub own: Option<usize>,
    /// What keeps places valid that have no address on their device.
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
    /// The stretch that holds `len` bytes at `address`, and how far into it they are.
    pub(crate) fn at(&self, address: u64, len: u64) -> Option<(&Replicas, u64)> {
        let offset = address.checked_sub(self.base)?;
        self.stretches.iter().find_map(|stretch| {
            let inside = offset.checked_sub(stretch.offset)?;
            (inside < stretch.size && len <= stretch.size - inside).then_some((stretch, inside))
        })
    }
}
