//! Several devices: access to each other's memory, work that is split between them, and results
//! that are combined.
//!
//! All patterns here use all devices, eight at most. If there is only one device, all parts
//! are on that device, so the patterns run on every machine. `LANEWISE_SIM_DEVICES=4` makes
//! four simulated devices.

pub mod collectives;
pub mod group;
pub mod halo_stencil;
pub mod meeting;
pub mod nccl;
pub mod peer_copies;
mod ring;
pub mod split_matmul;
pub mod split_sum;

use anyhow::Result;
use lanewise::Device;

use crate::Figure;

/// The maximum number of devices that are used.
pub const MOST: usize = 8;

/// Returns the devices between which work is split: all devices, up to [`MOST`]. If there is only
/// one device, the list contains it twice.
///
/// # Errors
/// The driver's error. After a fault in a kernel, every call on its context returns that error.
pub fn devices() -> Result<Vec<Device>> {
    let mut devices = Device::all()?;
    devices.truncate(MOST);
    if let [only] = &devices[..] {
        devices = vec![only.clone(), only.clone()];
    }
    Ok(devices)
}

/// Returns the number of different devices.
fn distinct(devices: &[Device]) -> usize {
    let mut ordinals: Vec<usize> = devices.iter().map(Device::ordinal).collect();
    ordinals.dedup();
    ordinals.len()
}

/// Returns the figure for the number of devices that have parts.
fn figure(devices: &[Device]) -> Figure {
    Figure::new("devices", distinct(devices))
}

/// Returns the ranges of `parts` parts that divide `n` elements as evenly as possible.
pub fn shares(n: usize, parts: usize) -> Vec<std::ops::Range<usize>> {
    let start = |part: usize| part * (n / parts) + part.min(n % parts);
    (0..parts)
        .map(|part| start(part)..start(part + 1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn shares_are_even_and_all_there_is() {
        assert_eq!(shares(10, 4), [0..3, 3..6, 6..8, 8..10]);
        assert_eq!(shares(2, 3), [0..1, 1..2, 2..2]);
        assert_eq!(shares(0, 2), [0..0, 0..0]);
    }
}
