//! Counters that wrap around: CUDA's `atomicInc` and `atomicDec`.
//!
//! PTX ISA, "atom", `.inc` and `.dec`, which exist only for `u32`. Rust has no such intrinsic, so
//! the instruction is inline assembly, with fences for its order as in `operations`.

use super::{Atomic, AtomicOrdering};
use crate::scope::{Block, Device, System};

#[cfg(target_arch = "nvptx64")]
macro_rules! atom {
    ($scope:ident, $instruction:literal, $cell:expr, $limit:expr, $order:expr) => {
        super::operations::ordered::<$scope, u32>($order, || {
            let old;
            // SAFETY: a reference is valid and aligned, and this type allows only atomic access.
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
    ($($scope:ident: $inc:literal, $dec:literal;)*) => {
        $(
            impl Atomic<u32, $scope> {
                /// Adds one, or stores 0 if the value is `limit` or more. Returns
                /// the previous value.
                #[doc(alias = "atomicInc")]
                #[doc(alias = "atom.inc")]
                #[inline]
                pub fn fetch_inc(&self, limit: u32, order: AtomicOrdering) -> u32 {
                    atom!($scope, $inc, self, limit, order)
                }

                /// Subtracts one, or stores `limit` if the value is 0 or more than `limit`. Returns
                /// the previous value.
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
    Block: "cta.inc", "cta.dec";
    Device: "gpu.inc", "gpu.dec";
    System: "sys.inc", "sys.dec";
}
