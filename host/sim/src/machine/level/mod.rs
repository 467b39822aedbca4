//! The capabilities of the host's processor, and how an operation's code is built for them.
//!
//! Operations are written once, as `#[inline(always)]` bodies over arrays of 32 lanes.
//! [`levels!`] wraps a body into two functions: one is compiled for AVX2 with FMA, and one for
//! the crate's own target. The decoder chooses between them when a module is decoded. AVX-512 was
//! measured and gains nothing here: an operation is bound by loads, stores and dispatch, not by
//! the width of its arithmetic.
//!
//! If the host is an x86-64 without AVX2 (none was made in ten years), operations go lane by lane.
//! That keeps the crate small and quick to compile. On other processors there is one level, the
//! crate's own target.

#[cfg(not(target_arch = "x86_64"))]
mod other;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::machine::checks::race::AccessKind;

use super::core::Core;
use super::memory::access::LaneBytes;
use super::memory::state_space::StateSpace;
use super::op::Op;
use crate::counters::even::Neighbours;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use other::levels;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{Avx2, HostLevel, host_level, levels};

/// What operation bodies need from the level that they are built for.
pub(crate) trait Level: Copy + 'static {
    /// Whether loops over lanes become vector code. If not, bodies take the smallest form.
    const VECTOR: bool;

    /// Returns one bit for each lane whose value has its top bit set. Compilers do not find the
    /// instruction for this by themselves.
    fn top_bits(lanes: [u32; 8]) -> u32;

    /// Returns which lanes' addresses are equal to the next lane's, or `size` before it.
    ///
    /// # Safety
    /// `op` must be a memory operation of the running frame.
    unsafe fn neighbours(core: &Core<'_>, op: *const Op, mask: u32, size: u64) -> Neighbours;

    /// Does [`Core::locate_here`], compiled once for the level.
    ///
    /// # Safety
    /// As for [`Core::locate_here`].
    unsafe fn locate<S: StateSpace>(
        core: &mut Core<'_>,
        op: *const Op,
        act: AccessKind,
        mask: u32,
        log: u32,
    ) -> LaneBytes;
}

/// Plain Rust, for any processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Level for Portable {
    const VECTOR: bool = !cfg!(target_arch = "x86_64");

    #[inline(always)]
    fn top_bits(lanes: [u32; 8]) -> u32 {
        let mut bits = 0;
        for (i, lane) in lanes.into_iter().enumerate() {
            bits |= (lane >> 31) << i;
        }
        bits
    }

    unsafe fn neighbours(core: &Core<'_>, op: *const Op, mask: u32, size: u64) -> Neighbours {
        // SAFETY: passed on.
        Neighbours::of(&unsafe { core.addresses(op) }, mask, size)
    }

    #[inline(never)]
    unsafe fn locate<S: StateSpace>(
        core: &mut Core<'_>,
        op: *const Op,
        act: AccessKind,
        mask: u32,
        log: u32,
    ) -> LaneBytes {
        // SAFETY: passed on.
        unsafe { core.locate_here::<S>(op, act, mask, log) }
    }
}
