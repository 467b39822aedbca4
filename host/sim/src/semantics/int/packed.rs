//! `add`, `min`, `max` on pairs of 16-bit integers (`.u16x2`, `.s16x2`).
//!
//! PTX ISA 9.7.1. The pair's first element is the low half. The two halves are independent.

/// Applies the same 16-bit operation to both halves.
#[inline(always)]
fn halves(a: u32, b: u32, op: impl Fn(u16, u16) -> u16) -> u32 {
    let low = op(a as u16, b as u16);
    let high = op((a >> 16) as u16, (b >> 16) as u16);
    u32::from(high) << 16 | u32::from(low)
}

typed! {
    /// `add.u16x2`, `add.s16x2`: two sums, each wrapping.
    |a, b| halves(a, b, |a, b| a.wrapping_add(b));
    add_u16x2: u32, add_s16x2: u32,
}

typed! {
    /// `min.u16x2`: the smaller of each half.
    |a, b| halves(a, b, |a, b| a.min(b));
    min_u16x2: u32,
}

typed! {
    /// `max.u16x2`: the larger of each half.
    |a, b| halves(a, b, |a, b| a.max(b));
    max_u16x2: u32,
}

typed! {
    /// `min.s16x2`: the smaller of each half, signed.
    |a, b| halves(a, b, |a, b| (a as i16).min(b as i16) as u16);
    min_s16x2: u32,
}

typed! {
    /// `max.s16x2`: the larger of each half, signed.
    |a, b| halves(a, b, |a, b| (a as i16).max(b as i16) as u16);
    max_s16x2: u32,
}

typed! {
    /// `min.relu.s16x2`: the smaller of each half, or zero if that is negative.
    |a, b| halves(a, b, |a, b| (a as i16).min(b as i16).max(0) as u16);
    min_relu_s16x2: u32,
}

typed! {
    /// `max.relu.s16x2`: the larger of each half, or zero if that is negative.
    |a, b| halves(a, b, |a, b| (a as i16).max(b as i16).max(0) as u16);
    max_relu_s16x2: u32,
}
