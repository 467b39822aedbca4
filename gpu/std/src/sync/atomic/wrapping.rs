//! Counters that start again: CUDA's `atomicInc` and `atomicDec`.
//!
//! PTX ISA, "atom", `.inc` and `.dec`; they are of `u32` alone. Rust has no such intrinsic, so the
//! instruction is written out, with fences for its order as in `operations`.

use super::{AtomicOrdering, BlockAtomicU32, DeviceAtomicU32, SystemAtomicU32};

#[cfg(target_arch = "nvptx64")]
macro_rules! atom {
    ($scope:ident, $instruction:literal, $cell:expr, $limit:expr, $order:expr) => {
        super::operations::ordered::<super::scope::$scope, u32>($order, || {
            let old;
            // SAFETY: a reference is valid and aligned, and this type has atomic access only.
            unsafe {
                core::arch::asm!(
                    concat!("atom.relaxed.", $instruction, ".u32 {old}, [{address}], {limit};"),
                    old = lateout(reg32) old,
                    address = in(reg64) core::ptr::from_ref($cell),
                    limit = in(reg32) $limit,
                    options(nostack, preserves_flags),
                );
            }
            old
        })
    };
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! atom {
    ($scope:ident, $instruction:literal, $cell:expr, $limit:expr, $order:expr) => {{
        let _: (&Self, u32, AtomicOrdering) = ($cell, $limit, $order);
        crate::device_only($instruction)
    }};
}

macro_rules! wrapping {
    ($($name:ident($scope:ident, $inc:literal, $dec:literal);)*) => {
        $(
            impl $name {
                /// Adds one, or starts again at 0 from `limit` or more. Gives the value that was
                /// there before.
                #[doc(alias = "atomicInc")]
                #[doc(alias = "atom.inc")]
                #[inline]
                pub fn fetch_inc(&self, limit: u32, order: AtomicOrdering) -> u32 {
                    atom!($scope, $inc, self, limit, order)
                }

                /// Subtracts one, or starts again at `limit` from 0 or from more than `limit`.
                /// Gives the value that was there before.
                #[doc(alias = "atomicDec")]
                #[doc(alias = "atom.dec")]
                #[inline]
                pub fn fetch_dec(&self, limit: u32, order: AtomicOrdering) -> u32 {
                    atom!($scope, $dec, self, limit, order)
                }
            }
        )*
    };
}

wrapping! {
    BlockAtomicU32(Block, "cta.inc", "cta.dec");
    DeviceAtomicU32(Device, "gpu.inc", "gpu.dec");
    SystemAtomicU32(System, "sys.inc", "sys.dec");
}
