//! The same operation on both halves of a packed pair: `.f16x2`, `.bf16x2`.
//!
//! PTX ISA 9.7.4. The pair's first element is the low half. Any function of this module on one half
//! can be applied to pairs: `fma.rn.relu.f16x2` is `fma_rn_relu_f16` on each half. Only the common
//! operations have functions of their own.

use super::arithmetic::*;
use super::extremes::*;
use half::{bf16, f16};

/// A half type with its bits, for packing.
pub(crate) trait Packed: Copy {
    /// Returns the half with these bits.
    fn of(bits: u16) -> Self;
    /// Returns the bits of the half.
    fn bits(self) -> u16;
}

impl Packed for f16 {
    #[inline(always)]
    fn of(bits: u16) -> f16 {
        f16::from_bits(bits)
    }
    #[inline(always)]
    fn bits(self) -> u16 {
        self.to_bits()
    }
}

impl Packed for bf16 {
    #[inline(always)]
    fn of(bits: u16) -> bf16 {
        bf16::from_bits(bits)
    }
    #[inline(always)]
    fn bits(self) -> u16 {
        self.to_bits()
    }
}

/// Returns the low and the high half of a pair.
#[inline(always)]
pub(crate) fn unpack<H: Packed>(pair: u32) -> [H; 2] {
    [H::of(pair as u16), H::of((pair >> 16) as u16)]
}

/// Returns the pair of a low and a high half.
#[inline(always)]
pub(crate) fn pack<H: Packed>([low, high]: [H; 2]) -> u32 {
    u32::from(high.bits()) << 16 | u32::from(low.bits())
}

/// Applies `op` to both halves of a pair.
#[inline(always)]
pub(crate) fn x2_1<H: Packed>(a: u32, op: impl Fn(H) -> H) -> u32 {
    pack(unpack(a).map(op))
}

/// Defines named operations on pairs. They are written out, and do not use a function that takes
/// the operation as a value. Such an operation is not inlined into the loop over lanes, and the
/// loop would not be vectorised.
macro_rules! packed {
    ($($name:ident($($x:ident),+) = $one:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($one), "`] on both halves.")]
        #[inline(always)]
        pub(crate) fn $name($($x: u32),+) -> u32 {
            $(let $x = unpack($x);)+
            pack([$one($($x[0]),+), $one($($x[1]),+)])
        }
    )+};
}

packed! {
    add_rn_f16x2(a, b) = add_rn_f16;
    sub_rn_f16x2(a, b) = sub_rn_f16;
    mul_rn_f16x2(a, b) = mul_rn_f16;
    fma_rn_f16x2(a, b, c) = fma_rn_f16;
    min_f16x2(a, b) = min_f16;
    max_f16x2(a, b) = max_f16;
    add_rn_bf16x2(a, b) = add_rn_bf16;
    sub_rn_bf16x2(a, b) = sub_rn_bf16;
    mul_rn_bf16x2(a, b) = mul_rn_bf16;
    fma_rn_bf16x2(a, b, c) = fma_rn_bf16;
    min_bf16x2(a, b) = min_bf16;
    max_bf16x2(a, b) = max_bf16;
}
