//! `add`, `sub`, `mul`, `fma`, `mad`, `div`, `rcp`, `sqrt`, rounded to nearest (`.rn`).
//!
//! PTX ISA 9.7.3. `add`, `sub` and `mul` without a rounding modifier are also these functions (the
//! decoder decides whether `mul` and `add` may be fused). `mad` is `fma`, as on every target since
//! sm_20. The other roundings are in `directed`. Each f32 operation is one Rust operation and a
//! select, and loops over them become vector code.

use super::nan::{
    UP, canonical_f32, flush_tiny, ftz_f32, sat_f32, settle1_f64, settle2_f64, settle3_f64,
};

/// Returns the result of `add.rn.f32`.
#[inline(always)]
pub(crate) fn add_rn_f32(a: f32, b: f32) -> f32 {
    canonical_f32(a + b)
}

/// Returns the result of `sub.rn.f32`.
#[inline(always)]
pub(crate) fn sub_rn_f32(a: f32, b: f32) -> f32 {
    canonical_f32(a - b)
}

/// Returns the result of `mul.rn.f32`.
#[inline(always)]
pub(crate) fn mul_rn_f32(a: f32, b: f32) -> f32 {
    canonical_f32(a * b)
}

/// `fma.rn.f32`, `mad.rn.f32`: a * b + c, rounded once.
#[inline(always)]
pub(crate) fn fma_rn_f32(a: f32, b: f32, c: f32) -> f32 {
    canonical_f32(a.mul_add(b, c))
}

/// Returns the result of `div.rn.f32`.
#[inline(always)]
pub(crate) fn div_rn_f32(a: f32, b: f32) -> f32 {
    canonical_f32(a / b)
}

/// `rcp.rn.f32`: 1 / a.
#[inline(always)]
pub(crate) fn rcp_rn_f32(a: f32) -> f32 {
    canonical_f32(1.0 / a)
}

/// `sqrt.rn.f32`: -0 for -0, and NaN for negative numbers.
#[inline(always)]
pub(crate) fn sqrt_rn_f32(a: f32) -> f32 {
    // This is not `canonical_f32`, because LLVM 22 turns "x < 0 ? NaN : sqrt(x)" into sqrt(x),
    // whose NaN is a different one. With operations on bits it does not.
    let bits = a.sqrt().to_bits();
    let nan = bits & 0x7fff_ffff > 0x7f80_0000;
    f32::from_bits(if nan {
        super::nan::NAN_F32.to_bits()
    } else {
        bits
    })
}

ftz_and_sat! {
    add_rn_f32(a, b) => add_rn_ftz_f32, add_rn_sat_f32, add_rn_ftz_sat_f32;
    sub_rn_f32(a, b) => sub_rn_ftz_f32, sub_rn_sat_f32, sub_rn_ftz_sat_f32;
}

ftz_scaled! {
    mul_rn_f32(a, b) [a * UP, b] => mul_rn_ftz_f32;
    fma_rn_f32(a, b, c) [a * UP, b, c * UP] => fma_rn_ftz_f32;
    div_rn_f32(a, b) [a * UP, b] => div_rn_ftz_f32;
}

sat! {
    mul_rn_f32(a, b) => mul_rn_sat_f32; mul_rn_ftz_f32(a, b) => mul_rn_ftz_sat_f32;
    fma_rn_f32(a, b, c) => fma_rn_sat_f32; fma_rn_ftz_f32(a, b, c) => fma_rn_ftz_sat_f32;
}

/// [`rcp_rn_f32`] with `.ftz`.
#[inline(always)]
pub(crate) fn rcp_rn_ftz_f32(a: f32) -> f32 {
    let a = ftz_f32(a);
    flush_tiny(rcp_rn_f32(a), UP / a)
}

ftz! {
    sqrt_rn_f32(a) => sqrt_rn_ftz_f32;
}

/// Returns the result of `add.rn.f64`.
#[inline(always)]
pub(crate) fn add_rn_f64(a: f64, b: f64) -> f64 {
    settle2_f64(a + b, a, b)
}

/// Returns the result of `sub.rn.f64`.
#[inline(always)]
pub(crate) fn sub_rn_f64(a: f64, b: f64) -> f64 {
    settle2_f64(a - b, a, b)
}

/// Returns the result of `mul.rn.f64`.
#[inline(always)]
pub(crate) fn mul_rn_f64(a: f64, b: f64) -> f64 {
    settle2_f64(a * b, a, b)
}

/// `fma.rn.f64`, `mad.rn.f64`: a * b + c, rounded once.
#[inline(always)]
pub(crate) fn fma_rn_f64(a: f64, b: f64, c: f64) -> f64 {
    settle3_f64(a.mul_add(b, c), a, b, c)
}

/// Returns the result of `div.rn.f64`.
#[inline(always)]
pub(crate) fn div_rn_f64(a: f64, b: f64) -> f64 {
    settle2_f64(a / b, b, a) // of two NaNs the first
}

/// `rcp.rn.f64`: 1 / a.
#[inline(always)]
pub(crate) fn rcp_rn_f64(a: f64) -> f64 {
    settle1_f64(1.0 / a, a)
}

/// `sqrt.rn.f64`: -0 for -0, and NaN for negative numbers.
#[inline(always)]
pub(crate) fn sqrt_rn_f64(a: f64) -> f64 {
    settle1_f64(a.sqrt(), a)
}
