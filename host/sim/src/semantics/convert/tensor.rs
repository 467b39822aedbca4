//! `cvt` to and from the formats of tensor cores: tf32, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0.
//!
//! PTX ISA 9.7.9 "cvt" and 5.2.3 "Alternate Floating-Point Data Formats". tf32 is f32 with ten
//! fraction bits; the low 13 bits of the register are zero. The narrow formats always saturate
//! (`.satfinite`): values above the largest number, including infinity, become that number. NaN
//! is `0x7f` in e4m3 and e5m2, and the largest number in formats without NaN. In a packed result,
//! the first operand is the upper element. `.relu` is [`relu_f32`] on the operands, or `relu_f16`
//! on the results.
//!
//! Open in the ISA: a NaN to tf32, which is as measured on an H200, described at each function;
//! a negative number to ue8m0, which has no sign, so the magnitude is used. Stochastic rounding
//! is in `stochastic`.

use crate::semantics::Rounding::{self, Nearest};
use crate::semantics::exact::{Exact, Format};
use crate::semantics::float::nan::NAN_F32;
use crate::semantics::half::{cvt_f32_f16, cvt_rn_f16_f32, pack, unpack};
use half::f16;

/// `.relu` on f32: a negative value becomes zero, and NaN stays.
#[inline(always)]
pub(crate) fn relu_f32(a: f32) -> f32 {
    crate::semantics::float::max_nan_f32(a, 0.0)
}

/// The bits that tf32 does not have.
const TF32_REST: u32 = 0x1fff;

/// `cvt.rna.tf32.f32`: the nearest, ties away from zero. It has no special case for NaN: the low
/// bits of infinities and NaNs are cut off (measured on an H200).
#[inline(always)]
pub(crate) fn cvt_rna_tf32_f32(a: f32) -> f32 {
    let bits = a.to_bits();
    let finite = bits.wrapping_add(0x1000);
    let rounded = if a.is_finite() { finite } else { bits };
    f32::from_bits(rounded & !TF32_REST)
}

/// `cvt.rna.satfinite.tf32.f32`: a result of infinity or above becomes the largest number (measured
/// on an H200, also for NaN).
#[inline(always)]
pub(crate) fn cvt_rna_satfinite_tf32_f32(a: f32) -> f32 {
    let bits = cvt_rna_tf32_f32(a).to_bits();
    let finite = bits & 0x7fff_ffff < 0x7f80_0000;
    f32::from_bits(if finite { bits } else { bits - 0x2000 })
}

/// The result of `.rn` and `.rz` for a NaN: measured on an H200.
const NAN_TF32: f32 = f32::from_bits(0x7fff_e000);

/// `cvt.rn.tf32.f32`: the nearest, ties to even.
#[inline(always)]
pub(crate) fn cvt_rn_tf32_f32(a: f32) -> f32 {
    let bits = a.to_bits();
    let rounded = bits.wrapping_add(0xfff + (bits >> 13 & 1)) & !TF32_REST;
    let finite = if a.is_finite() {
        f32::from_bits(rounded)
    } else {
        a
    };
    if a.is_nan() { NAN_TF32 } else { finite }
}

/// `cvt.rz.tf32.f32`: the low bits are cut off.
#[inline(always)]
pub(crate) fn cvt_rz_tf32_f32(a: f32) -> f32 {
    if a.is_nan() {
        NAN_TF32
    } else {
        f32::from_bits(a.to_bits() & !TF32_REST)
    }
}

/// `.satfinite` to tf32 with `.rn` or `.rz`: an infinity becomes the largest number of its sign.
#[inline(always)]
pub(crate) fn satfinite_tf32(a: f32) -> f32 {
    if a.is_infinite() {
        f32::from_bits((a.to_bits() & 0x8000_0000) | 0x7f7f_e000)
    } else {
        a
    }
}

/// A format of at most 8 bits, with the result for a NaN.
#[derive(Clone, Copy)]
pub(super) struct Tiny {
    format: Format,
    nan: u8,
    /// The bits of infinity, if the format has one.
    infinity: Option<u8>,
}

pub(super) const E4M3: Tiny = Tiny {
    format: Format {
        bias: 7,
        fraction_bits: 3,
        largest: 0x7e,
        sign: 0x80,
    },
    nan: 0x7f,
    infinity: None,
};
pub(super) const E5M2: Tiny = Tiny {
    format: Format {
        bias: 15,
        fraction_bits: 2,
        largest: 0x7b,
        sign: 0x80,
    },
    nan: 0x7f,
    infinity: Some(0x7c),
};
pub(super) const E2M3: Tiny = Tiny {
    format: Format {
        bias: 1,
        fraction_bits: 3,
        largest: 0x1f,
        sign: 0x20,
    },
    nan: 0x1f,
    infinity: None,
};
pub(super) const E3M2: Tiny = Tiny {
    format: Format {
        bias: 3,
        fraction_bits: 2,
        largest: 0x1f,
        sign: 0x20,
    },
    nan: 0x1f,
    infinity: None,
};
pub(super) const E2M1: Tiny = Tiny {
    format: Format {
        bias: 1,
        fraction_bits: 1,
        largest: 0x07,
        sign: 0x08,
    },
    nan: 0x07,
    infinity: None,
};

impl Tiny {
    /// Returns the nearest number, ties to even, saturated.
    #[inline]
    fn narrow(self, x: f32) -> u8 {
        if x.is_nan() {
            return self.nan;
        }
        let limit = self.widen(self.format.largest as u8);
        Exact::from_f64(x.clamp(-limit, limit).into()).round(self.format, Nearest) as u8
    }

    /// Returns one of the two neighbours, chosen by `bits` random bits, saturated.
    #[inline]
    pub(super) fn narrow_randomly(self, x: f32, random: u32, bits: u32) -> u8 {
        if x.is_nan() {
            return self.nan;
        }
        let limit = self.widen(self.format.largest as u8);
        Exact::from_f64(x.clamp(-limit, limit).into()).round_randomly(self.format, random, bits)
            as u8
    }

    /// Returns the value. f16 can represent the values of every format.
    #[inline]
    fn widen(self, bits: u8) -> f32 {
        let bits = u64::from(bits);
        let magnitude = bits & (self.format.sign - 1);
        let negative = bits & self.format.sign != 0;
        let fraction = magnitude & ((1 << self.format.fraction_bits) - 1);
        let field = (magnitude >> self.format.fraction_bits) as i32;
        let significand = if field == 0 {
            fraction
        } else {
            fraction | 1 << self.format.fraction_bits
        };
        let exponent = field.max(1) - self.format.bias - self.format.fraction_bits as i32;
        let number = significand as f32 * f32::from_bits(((exponent + 127) as u32) << 23);
        let value = if magnitude <= self.format.largest {
            number
        } else if self.infinity.map(u64::from) == Some(magnitude) {
            f32::INFINITY
        } else {
            return NAN_F32;
        };
        if negative { -value } else { value }
    }
}

/// Defines conversions of one format of 8 bits (6-bit formats leave the upper two bits zero).
macro_rules! tiny {
    ($($tiny:ident, $text:literal: $from_f32:ident, $to_f16:ident $(, $from_f16:ident)?);+ $(;)?) => {$(
        #[doc = concat!("`cvt.rn.satfinite.", $text, "x2.f32`: `a` above `b`.")]
        #[inline]
        pub(crate) fn $from_f32(a: f32, b: f32) -> u16 {
            u16::from($tiny.narrow(a)) << 8 | u16::from($tiny.narrow(b))
        }

        $(
            #[doc = concat!("`cvt.rn.satfinite.", $text, "x2.f16x2`.")]
            #[inline]
            pub(crate) fn $from_f16(a: u32) -> u16 {
                let [low, high] = unpack::<f16>(a).map(cvt_f32_f16);
                $from_f32(high, low)
            }
        )?

        #[doc = concat!("`cvt.rn.f16x2.", $text, "x2`: exact.")]
        #[inline]
        pub(crate) fn $to_f16(a: u16) -> u32 {
            pack([a as u8, (a >> 8) as u8].map(|bits| cvt_rn_f16_f32($tiny.widen(bits))))
        }
    )+};
}

tiny! {
    E4M3, "e4m3": cvt_rn_satfinite_e4m3x2_f32, cvt_rn_f16x2_e4m3x2, cvt_rn_satfinite_e4m3x2_f16x2;
    E5M2, "e5m2": cvt_rn_satfinite_e5m2x2_f32, cvt_rn_f16x2_e5m2x2, cvt_rn_satfinite_e5m2x2_f16x2;
    E2M3, "e2m3": cvt_rn_satfinite_e2m3x2_f32, cvt_rn_f16x2_e2m3x2;
    E3M2, "e3m2": cvt_rn_satfinite_e3m2x2_f32, cvt_rn_f16x2_e3m2x2;
}

/// `cvt.rn.satfinite.e2m1x2.f32`: `a` in the upper four bits.
#[inline]
pub(crate) fn cvt_rn_satfinite_e2m1x2_f32(a: f32, b: f32) -> u8 {
    E2M1.narrow(a) << 4 | E2M1.narrow(b)
}

/// Returns the result of `cvt.rn.f16x2.e2m1x2`, which is exact.
#[inline]
pub(crate) fn cvt_rn_f16x2_e2m1x2(a: u8) -> u32 {
    pack([a & 0xf, a >> 4].map(|bits| cvt_rn_f16_f32(E2M1.widen(bits))))
}

/// Converts one number of a narrow format to f32, for `mma`.
macro_rules! to_f32 {
    ($($name:ident = $tiny:ident);+ $(;)?) => {$(
        #[doc = concat!("One ", stringify!($tiny), " as f32: exact.")]
        #[inline]
        pub(crate) fn $name(bits: u8) -> f32 {
            $tiny.widen(bits)
        }
    )+};
}

to_f32! {
    e4m3_to_f32 = E4M3;
    e5m2_to_f32 = E5M2;
    e2m3_to_f32 = E2M3;
    e3m2_to_f32 = E3M2;
    e2m1_to_f32 = E2M1;
}

/// `cvt.{rz,rp}.ue8m0.f32`: the power of two at or below (`Zero`) or at or above (`Up`) the
/// magnitude, as its exponent plus 127. The result is 0xff for NaN, and, unless `satfinite`, for
/// values above the largest power.
#[inline]
pub(crate) fn cvt_ue8m0_f32(a: f32, rounding: Rounding, satfinite: bool) -> u8 {
    let magnitude = a.to_bits() & 0x7fff_ffff;
    if a.is_nan() {
        return 0xff;
    }
    // Subnormals are 2^-127 and fractions of it. 2^-127 itself has the bits 0x00400000.
    let (field, rest) = if magnitude < 0x0080_0000 {
        (0, u32::from(magnitude > 0x0040_0000))
    } else {
        (magnitude >> 23, magnitude & 0x007f_ffff)
    };
    let power = field + u32::from(rounding == Rounding::Up && rest != 0);
    if power < 0xff {
        power as u8
    } else if satfinite {
        0xfe
    } else {
        0xff
    }
}

/// `cvt.rn.bf16x2.ue8m0x2`, one element: 2^(x - 127), a NaN for 0xff.
#[inline]
pub(crate) fn cvt_bf16_ue8m0(a: u8) -> half::bf16 {
    half::bf16::from_bits(match a {
        0 => 0x0040,
        0xff => 0x7fff,
        _ => u16::from(a) << 7,
    })
}
