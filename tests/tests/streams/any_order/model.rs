//! What the kernels do, on the host.

use gpu::streams::advance::{FACTOR, INCREMENT};

/// `to[i] = from[i]`, so many steps on, as far as both reach.
pub(super) fn advance(from: &[u32], to: &mut [u32], rounds: u32) {
    for (from, to) in from.iter().zip(to) {
        let step = |x: u32, _| x.wrapping_mul(FACTOR).wrapping_add(INCREMENT);
        *to = (0..rounds).fold(*from, step);
    }
}

/// Counts each value where there is a bin for it.
pub(super) fn bins(from: &[u32], to: &mut [u32]) {
    for value in from {
        if let Some(bin) = to.get_mut(*value as usize) {
            *bin = bin.wrapping_add(1);
        }
    }
}
