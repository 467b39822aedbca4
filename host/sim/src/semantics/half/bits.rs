//! Conversions of f16 and bf16 to f32 and back, with selects and integer arithmetic that vectorise.
//!
//! PTX ISA 9.7.9 "cvt" and 5.2.3 "Alternate Floating-Point Data Formats". Crate `half` also has
//! these conversions, but it tests at run time, at each call, whether the CPU has instructions for
//! them. That is too slow in a loop over lanes.

use std::hint::select_unpredictable as select;

use half::{bf16, f16};

/// The operations that both half types have.
pub(crate) trait Half: Copy {
    /// Returns the exact value in f32. A NaN becomes the only NaN of f32.
    fn widen(self) -> f32;
    /// Returns the nearest half, ties to even.
    fn narrow(x: f32) -> Self;
    /// Replaces a subnormal by the zero of its sign.
    fn flush(self) -> Self;
}

impl Half for f16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        cvt_f32_f16(self)
    }
    #[inline(always)]
    fn narrow(x: f32) -> f16 {
        cvt_rn_f16_f32(x)
    }
    #[inline(always)]
    fn flush(self) -> f16 {
        ftz_f16(self)
    }
}

impl Half for bf16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        cvt_f32_bf16(self)
    }
    #[inline(always)]
    fn narrow(x: f32) -> bf16 {
        cvt_rn_bf16_f32(x)
    }
    #[inline(always)]
    fn flush(self) -> bf16 {
        let bits = self.to_bits();
        bf16::from_bits(if bits & 0x7fff < 0x0080 {
            bits & 0x8000
        } else {
            bits
        })
    }
}

/// `cvt.f32.f16`: exact. Open in the ISA: a NaN; here it becomes the only NaN of f32.
#[inline(always)]
pub(crate) fn cvt_f32_f16(a: f16) -> f32 {
    let bits = u32::from(a.to_bits());
    let (sign, magnitude) = ((bits & 0x8000) << 16, bits & 0x7fff);
    let subnormal = (magnitude as i32 as f32 * 2f32.powi(-24)).to_bits();
    let normal = (magnitude << 13) + (112 << 23);
    let finite = select(magnitude < 0x0400, subnormal, normal);
    let wide = select(magnitude < 0x7c00, finite, 0x7f80_0000);
    f32::from_bits(select(magnitude > 0x7c00, 0x7fff_ffff, sign | wide))
}

/// `cvt.f32.bf16`: exact. Open in the ISA: a NaN; here it becomes the only NaN of f32.
#[inline(always)]
pub(crate) fn cvt_f32_bf16(a: bf16) -> f32 {
    crate::semantics::float::canonical_f32(f32::from_bits(u32::from(a.to_bits()) << 16))
}

/// `cvt.rn.f16.f32`: the nearest, ties to even; infinity for magnitudes from 65520 on.
#[inline(always)]
pub(crate) fn cvt_rn_f16_f32(a: f32) -> f16 {
    let bits = a.to_bits();
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    // The last digit of a sum with 0.5 is f16's smallest number. So the sum is rounded as
    // f16's subnormals are.
    let subnormal = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0.5f32.to_bits());
    let rounded = magnitude.wrapping_add(0xfff + (magnitude >> 13 & 1));
    let normal = rounded.wrapping_sub(112 << 23) >> 13;
    let normal = select(normal < 0x7c00, normal, 0x7c00);
    let finite = select(magnitude < 0x3880_0000, subnormal, normal);
    let narrow = select(magnitude < 0x7f80_0000, finite, 0x7c00);
    f16::from_bits(select(magnitude > 0x7f80_0000, 0x7fff, sign | narrow) as u16)
}

/// `cvt.rn.bf16.f32`: the nearest, ties to even.
#[inline(always)]
pub(crate) fn cvt_rn_bf16_f32(a: f32) -> bf16 {
    let bits = a.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    bf16::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 {
        0x7fff
    } else {
        rounded as u16
    })
}

/// `.ftz` at f16: a subnormal replaced by the zero of its sign.
#[inline(always)]
pub(crate) fn ftz_f16(a: f16) -> f16 {
    let bits = a.to_bits();
    f16::from_bits(if bits & 0x7fff < 0x0400 {
        bits & 0x8000
    } else {
        bits
    })
}

/// `.sat` at f16: clamped to [0, 1]; NaN and -0 become +0.
#[inline(always)]
pub(crate) fn sat_f16(a: f16) -> f16 {
    f16::narrow(crate::semantics::float::sat_f32(a.widen()))
}
