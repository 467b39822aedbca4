//! `neg`, `abs`, `copysign`.
//!
//! PTX ISA 9.7.3. On an H200, `neg` and `abs` are arithmetic and not bit operations: their f32 NaN
//! is canonical (measured). Their f64 NaN is made quiet and keeps its sign (measured). `copysign`
//! only moves bits.

use super::nan::{canonical_f32, ftz_f32, quiet_f64};

/// Returns the result of `neg.f32`.
#[inline(always)]
pub(crate) fn neg_f32(a: f32) -> f32 {
    canonical_f32(-a)
}

/// Returns the result of `neg.ftz.f32`.
#[inline(always)]
pub(crate) fn neg_ftz_f32(a: f32) -> f32 {
    neg_f32(ftz_f32(a))
}

/// Returns the result of `neg.f64`.
#[inline(always)]
pub(crate) fn neg_f64(a: f64) -> f64 {
    if a.is_nan() { quiet_f64(a) } else { -a }
}

/// Returns the result of `abs.f32`.
#[inline(always)]
pub(crate) fn abs_f32(a: f32) -> f32 {
    canonical_f32(a.abs())
}

/// Returns the result of `abs.ftz.f32`.
#[inline(always)]
pub(crate) fn abs_ftz_f32(a: f32) -> f32 {
    abs_f32(ftz_f32(a))
}

/// Returns the result of `abs.f64`.
#[inline(always)]
pub(crate) fn abs_f64(a: f64) -> f64 {
    if a.is_nan() { quiet_f64(a) } else { a.abs() }
}

typed! {
    /// `copysign`: the magnitude of `b` with the sign of `a`.
    |a, b| b.copysign(a);
    copysign_f32: f32, copysign_f64: f64,
}
