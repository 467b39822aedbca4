//! `add`, `sub`, `sad`, `div`, `rem`, `abs`, `neg`, `min`, `max`.
//!
//! PTX ISA 9.7.1. Open in the ISA: a division by zero. Quotient and remainder are all ones, as
//! measured on an H200 at 32 and 64 bits. 16 bits are assumed to behave in the same way, because
//! the GPU divides them at 32.

typed! {
    /// `add`: the sum, wrapping.
    |a, b| a.wrapping_add(b);
    add_u16: u16, add_s16: i16, add_u32: u32, add_u64: u64,
}

typed! {
    /// `add.sat.s32`: the sum, clamped to the range of `.s32`.
    |a, b| a.saturating_add(b);
    add_sat_s32: i32,
}

typed! {
    /// `sub`: the difference, wrapping.
    |a, b| a.wrapping_sub(b);
    sub_u16: u16, sub_s16: i16, sub_u32: u32, sub_u64: u64,
}

typed! {
    /// `sub.sat.s32`: the difference, clamped to the range of `.s32`.
    |a, b| a.saturating_sub(b);
    sub_sat_s32: i32,
}

typed! {
    /// `sad`: `c` plus the distance from `a` to `b`.
    |a, b, c| c.wrapping_add(if a < b { b.wrapping_sub(a) } else { a.wrapping_sub(b) });
    sad_u16: u16, sad_s16: i16, sad_u32: u32, sad_s32: i32, sad_u64: u64, sad_s64: i64,
}

typed! {
    /// `div`: the quotient, rounded towards zero. It is all ones for a zero divisor, and MIN for
    /// MIN / -1.
    |a, b| if b == 0 { !0 } else { a.wrapping_div(b) };
    div_u16: u16, div_s16: i16, div_u32: u32, div_s32: i32, div_u64: u64, div_s64: i64,
}

typed! {
    /// `rem`: the remainder, with the dividend's sign. It is all ones for a zero divisor, and 0 for
    /// MIN % -1.
    |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) };
    rem_u16: u16, rem_s16: i16, rem_u32: u32, rem_s32: i32, rem_u64: u64, rem_s64: i64,
}

typed! {
    /// `abs`: the magnitude; that of MIN is MIN.
    |a| a.wrapping_abs();
    abs_s16: i16, abs_s32: i32, abs_s64: i64,
}

typed! {
    /// `neg`: the negative; that of MIN is MIN.
    |a| a.wrapping_neg();
    neg_s16: i16, neg_s32: i32, neg_s64: i64,
}

typed! {
    /// `min`: the smaller.
    |a, b| if a < b { a } else { b };
    min_u16: u16, min_s16: i16, min_u32: u32, min_s32: i32, min_u64: u64, min_s64: i64,
}

typed! {
    /// `max`: the larger.
    |a, b| if a > b { a } else { b };
    max_u16: u16, max_s16: i16, max_u32: u32, max_s32: i32, max_u64: u64, max_s64: i64,
}

typed! {
    /// `min.relu.s32`: the smaller one, or zero if that is negative.
    |a, b| min_s32(a, b).max(0);
    min_relu_s32: i32,
}

typed! {
    /// `max.relu.s32`: the larger one, or zero if that is negative.
    |a, b| max_s32(a, b).max(0);
    max_relu_s32: i32,
}
