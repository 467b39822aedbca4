//! Several devices: who reaches whose memory, work that is split, and results that are put
//! together.
//!
//! Everything here works with as many devices as there are, eight at most. With one device its
//! parts are all on that one, so that the patterns run anywhere; `LANEWISE_SIM_DEVICES=4` makes
//! four simulated ones.

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

/// The most devices that are used.
pub const MOST: usize = 8;

/// The devices to split work between: all there are, up to [`MOST`]; where there is one, that one
/// twice.
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

/// How many different ones.
fn distinct(devices: &[Device]) -> usize {
    let mut ordinals: Vec<usize> = devices.iter().map(Device::ordinal).collect();
    ordinals.dedup();
    ordinals.len()
}

/// How many devices the parts are on.
fn figure(devices: &[Device]) -> Figure {
    Figure::new("devices", distinct(devices))
}

/// Where each of `parts` begins and ends that share `n` elements as evenly as can be.
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
