//! `add`, `sub`, `mul`, `fma` on pairs of f32 (`.f32x2`).
//!
//! PTX ISA 9.7.3, from sm_100. A pair has 64 bits, and its first element is the low word. The two
//! elements are independent.

use super::arithmetic::*;
use super::directed::*;

/// Returns the two f32 of a pair.
#[inline(always)]
fn unpack(pair: u64) -> [f32; 2] {
    [
        f32::from_bits(pair as u32),
        f32::from_bits((pair >> 32) as u32),
    ]
}

/// Returns the pair of two f32.
#[inline(always)]
fn pack([low, high]: [f32; 2]) -> u64 {
    u64::from(high.to_bits()) << 32 | u64::from(low.to_bits())
}

/// Applies an f32 operation to both elements of its operands.
macro_rules! packed {
    ($($name:ident($($x:ident),+) = $one:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($one), "`] on both elements.")]
        #[inline(always)]
        pub(crate) fn $name($($x: u64),+) -> u64 {
            $(let $x = unpack($x);)+
            pack([$one($($x[0]),+), $one($($x[1]),+)])
        }
    )+};
}

packed! {
    add_rn_f32x2(a, b) = add_rn_f32; add_rn_ftz_f32x2(a, b) = add_rn_ftz_f32;
    add_rz_f32x2(a, b) = add_rz_f32; add_rz_ftz_f32x2(a, b) = add_rz_ftz_f32;
    add_rm_f32x2(a, b) = add_rm_f32; add_rm_ftz_f32x2(a, b) = add_rm_ftz_f32;
    add_rp_f32x2(a, b) = add_rp_f32; add_rp_ftz_f32x2(a, b) = add_rp_ftz_f32;
    sub_rn_f32x2(a, b) = sub_rn_f32; sub_rn_ftz_f32x2(a, b) = sub_rn_ftz_f32;
    sub_rz_f32x2(a, b) = sub_rz_f32; sub_rz_ftz_f32x2(a, b) = sub_rz_ftz_f32;
    sub_rm_f32x2(a, b) = sub_rm_f32; sub_rm_ftz_f32x2(a, b) = sub_rm_ftz_f32;
    sub_rp_f32x2(a, b) = sub_rp_f32; sub_rp_ftz_f32x2(a, b) = sub_rp_ftz_f32;
    mul_rn_f32x2(a, b) = mul_rn_f32; mul_rn_ftz_f32x2(a, b) = mul_rn_ftz_f32;
    mul_rz_f32x2(a, b) = mul_rz_f32; mul_rz_ftz_f32x2(a, b) = mul_rz_ftz_f32;
    mul_rm_f32x2(a, b) = mul_rm_f32; mul_rm_ftz_f32x2(a, b) = mul_rm_ftz_f32;
    mul_rp_f32x2(a, b) = mul_rp_f32; mul_rp_ftz_f32x2(a, b) = mul_rp_ftz_f32;
    fma_rn_f32x2(a, b, c) = fma_rn_f32; fma_rn_ftz_f32x2(a, b, c) = fma_rn_ftz_f32;
    fma_rz_f32x2(a, b, c) = fma_rz_f32; fma_rz_ftz_f32x2(a, b, c) = fma_rz_ftz_f32;
    fma_rm_f32x2(a, b, c) = fma_rm_f32; fma_rm_ftz_f32x2(a, b, c) = fma_rm_ftz_f32;
    fma_rp_f32x2(a, b, c) = fma_rp_f32; fma_rp_ftz_f32x2(a, b, c) = fma_rp_ftz_f32;
}
