//! `cvt` to f32 and f64, rounded to nearest: from integers and from each other.
//!
//! PTX ISA 9.7.9, "cvt". Between f32 and f64, a NaN keeps its sign and as much of its payload as
//! fits, and is made quiet, as measured on an H200. The rule that f32 has only one NaN applies to
//! arithmetic, and not to these two conversions.

use super::integer::Int;
use crate::semantics::float::nan::{UP, flush_tiny};

/// `cvt.rn.f32.atype` from an integer.
#[inline(always)]
pub(crate) fn cvt_rn_f32<S: Int>(a: S) -> f32 {
    a.to_f32()
}

/// `cvt.rn.f64.atype` from an integer (exact from 32 bits or fewer).
#[inline(always)]
pub(crate) fn cvt_rn_f64<S: Int>(a: S) -> f64 {
    a.to_f64()
}

/// Returns the f32 NaN for an f64 NaN: its sign and the top of its payload, quiet.
#[inline(always)]
pub(crate) fn narrow_nan(a: f64) -> f32 {
    let bits = a.to_bits();
    let sign = (bits >> 32) as u32 & 0x8000_0000;
    f32::from_bits(sign | 0x7fc0_0000 | ((bits >> 29) as u32 & 0x003f_ffff))
}

/// Returns the result of `cvt.rn.f32.f64`.
#[inline(always)]
pub(crate) fn cvt_rn_f32_f64(a: f64) -> f32 {
    if a.is_nan() { narrow_nan(a) } else { a as f32 }
}

/// `cvt.ftz.f32.f64`, rounded by `cvt`. As in other operations, a result counts as subnormal if it
/// is below the smallest normal number when rounded with an unlimited exponent range: measured on
/// an H200 in all four roundings.
#[inline(always)]
pub(crate) fn cvt_ftz_f32_f64(a: f64, cvt: impl Fn(f64) -> f32) -> f32 {
    flush_tiny(cvt(a), cvt(a * f64::from(UP)))
}

/// `cvt.f64.f32`: exact. A NaN's payload stays at the top, and the NaN becomes quiet.
#[inline(always)]
pub(crate) fn cvt_f64_f32(a: f32) -> f64 {
    let bits = u64::from(a.to_bits());
    let nan = (bits & 0x8000_0000) << 32 | 0x7ff8_0000_0000_0000 | (bits & 0x003f_ffff) << 29;
    if a.is_nan() {
        f64::from_bits(nan)
    } else {
        f64::from(a)
    }
}
