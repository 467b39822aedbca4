//! `cvt.rs`: stochastic rounding, with random bits from the program.
//!
//! PTX ISA 9.7.9, "cvt", `.rs`, `rbits`. The random bits are added to the digits that are cut off,
//! aligned at the top, and a carry rounds away from zero. So a number exactly between two others
//! goes up for half of all random bits, and a number that the type can represent stays. f16 uses 13
//! bits for each operand, bf16 16. With four operands {a, b, e, f} of 8 bits each, a and b share
//! the upper 16 bits of `rbits`, and e and f the lower. With four bits each, a and b share the
//! upper bytes of both halves, and e and f the lower bytes.
//!
//! Open in the ISA: how two operands share 16 bits. For e4m3x4, FlashInfer's authors found on
//! sm_100a that b and f use the bits as they are, and a and e use them in reverse order (their
//! `conversion.cuh`). The other formats are assumed to do the same. A NaN becomes the format's only
//! NaN, as in the other roundings.

use super::narrow::{satfinite_bf16, satfinite_f16};
use super::tensor::{E2M1, E2M3, E3M2, E4M3, E5M2};
use crate::semantics::exact::{BF16, Exact, F16};
use crate::semantics::half::{cvt_rn_bf16_f32, cvt_rn_f16_f32, pack};
use half::{bf16, f16};

/// Rounds `x` to f16 with 13 random bits.
#[inline]
fn f16_randomly(x: f32, random: u32) -> f16 {
    if x.is_finite() {
        f16::from_bits(Exact::from_f64(x.into()).round_randomly(F16, random & 0x1fff, 13) as u16)
    } else {
        cvt_rn_f16_f32(x)
    }
}

/// Rounds `x` to bf16 with 16 random bits.
#[inline]
fn bf16_randomly(x: f32, random: u32) -> bf16 {
    if x.is_finite() {
        bf16::from_bits(Exact::from_f64(x.into()).round_randomly(BF16, random & 0xffff, 16) as u16)
    } else {
        cvt_rn_bf16_f32(x)
    }
}

/// `cvt.rs.f16x2.f32`: `a` above `b`.
#[inline]
pub(crate) fn cvt_rs_f16x2_f32(a: f32, b: f32, rbits: u32) -> u32 {
    pack([f16_randomly(b, rbits), f16_randomly(a, rbits >> 16)])
}

/// Returns the result of `cvt.rs.satfinite.f16x2.f32`.
#[inline]
pub(crate) fn cvt_rs_satfinite_f16x2_f32(a: f32, b: f32, rbits: u32) -> u32 {
    pack([f16_randomly(b, rbits), f16_randomly(a, rbits >> 16)].map(satfinite_f16))
}

/// `cvt.rs.bf16x2.f32`: `a` above `b`.
#[inline]
pub(crate) fn cvt_rs_bf16x2_f32(a: f32, b: f32, rbits: u32) -> u32 {
    pack([bf16_randomly(b, rbits), bf16_randomly(a, rbits >> 16)])
}

/// Returns the result of `cvt.rs.satfinite.bf16x2.f32`.
#[inline]
pub(crate) fn cvt_rs_satfinite_bf16x2_f32(a: f32, b: f32, rbits: u32) -> u32 {
    pack([bf16_randomly(b, rbits), bf16_randomly(a, rbits >> 16)].map(satfinite_bf16))
}

/// Returns 16 bits in reverse order.
#[inline]
fn reversed(bits: u32) -> u32 {
    u32::from((bits as u16).reverse_bits())
}

/// Rounds two numbers to one format, `x` above `y`, with the 16 random bits that they share.
macro_rules! pairs {
    ($($name:ident, $text:literal: $format:ident);+ $(;)?) => {$(
        #[doc = concat!("Half of `cvt.rs.satfinite.", $text, "x4.f32`: `x` above `y`, by 16 random bits.")]
        #[inline]
        pub(crate) fn $name(x: f32, y: f32, random: u32) -> u32 {
            let x = $format.narrow_randomly(x, reversed(random), 16);
            let y = $format.narrow_randomly(y, random & 0xffff, 16);
            u32::from(x) << 8 | u32::from(y)
        }
    )+};
}

pairs! {
    cvt_rs_satfinite_e4m3x2_f32, "e4m3": E4M3;
    cvt_rs_satfinite_e5m2x2_f32, "e5m2": E5M2;
    cvt_rs_satfinite_e2m3x2_f32, "e2m3": E2M3;
    cvt_rs_satfinite_e3m2x2_f32, "e3m2": E3M2;
}

/// Half of `cvt.rs.satfinite.e2m1x4.f32`: `x` above `y`, four bits each. The random bits are the
/// low bytes of both halves of `random`.
#[inline]
pub(crate) fn cvt_rs_satfinite_e2m1x2_f32(x: f32, y: f32, random: u32) -> u32 {
    let random = random >> 8 & 0xff00 | random & 0xff;
    let x = E2M1.narrow_randomly(x, reversed(random), 16);
    let y = E2M1.narrow_randomly(y, random, 16);
    u32::from(x) << 4 | u32::from(y)
}
