//! `cvt` between integers.
//!
//! PTX ISA 9.7.9, "cvt". A conversion to a wider type extends by the source's sign. A conversion to
//! a narrower type drops the high bits, unless it has `.sat`.

/// The integer types of PTX.
pub(crate) trait Int: Copy {
    /// Returns the value's bits, extended to 64 by its sign.
    fn extend(self) -> u64;
    /// Returns the value from the low bits of an [`Int::extend`].
    fn truncate(bits: u64) -> Self;
    /// Returns the number as a wider integer.
    fn value(self) -> i128;
    /// Returns the nearest value of the type.
    fn saturate(value: i128) -> Self;
    /// Converts `x`, a whole number, and saturates it. For a NaN, returns the GPU's result.
    fn from_f32(x: f32) -> Self;
    /// Converts `x`, a whole number, and saturates it. For a NaN, returns the GPU's result.
    fn from_f64(x: f64) -> Self;
    /// Returns the nearest f32, ties to even.
    fn to_f32(self) -> f32;
    /// Returns the nearest f64, ties to even.
    fn to_f64(self) -> f64;
}

/// Converts a float to an integer and saturates it; a NaN gives `$nan`. It does the same as Rust's
/// `as`, but with selects that vectorise, which `as` does not.
macro_rules! saturate_float {
    ($x:ident: $f:ty as $t:ty, $nan:expr) => {{
        const LOW: $f = <$t>::MIN as $f;
        // The largest float that the integer type can represent. The type's own maximum may be
        // rounded up to a float that is too large.
        const HIGH: $f = {
            let near = <$t>::MAX as $f;
            if near as i128 > <$t>::MAX as i128 {
                <$f>::from_bits(near.to_bits() - 1)
            } else {
                near
            }
        };
        let above = if $x > LOW { $x } else { LOW }; // also for NaN
        let inside = if above < HIGH { above } else { HIGH };
        // SAFETY: `inside` is a number in [LOW, HIGH], and the integer type can
        // represent both bounds.
        let whole: $t = unsafe { inside.to_int_unchecked() };
        let saturated = if $x > HIGH { <$t>::MAX } else { whole };
        if $x.is_nan() { $nan } else { saturated }
    }};
}

/// Implements the integer types, each with the results for an f32 NaN and an f64
/// NaN (see `to_integer`).
macro_rules! int {
    ($($t:ty: $nan32:expr, $nan64:expr);+ $(;)?) => {$(
        impl Int for $t {
            #[inline(always)]
            fn extend(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn truncate(bits: u64) -> Self {
                bits as Self
            }
            #[inline(always)]
            fn value(self) -> i128 {
                i128::from(self)
            }
            #[inline(always)]
            fn saturate(value: i128) -> Self {
                value.clamp(i128::from(Self::MIN), i128::from(Self::MAX)) as Self
            }
            #[inline(always)]
            fn from_f32(x: f32) -> Self {
                saturate_float!(x: f32 as $t, $nan32)
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                saturate_float!(x: f64 as $t, $nan64)
            }
            #[inline(always)]
            fn to_f32(self) -> f32 {
                self as f32
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )+};
}

int! {
    u8: 0, 1 << 7; i8: 0, i8::MIN;
    u16: 0, 1 << 15; i16: 0, i16::MIN;
    u32: 0, 1 << 31; i32: 0, i32::MIN;
    u64: 1 << 63, 1 << 63; i64: i64::MIN, i64::MIN;
}

/// `cvt.dtype.atype` between integers: extends by the source's sign, or keeps the low bits.
#[inline(always)]
pub(crate) fn cvt<D: Int, S: Int>(a: S) -> D {
    D::truncate(a.extend())
}

/// `cvt.sat.dtype.atype` between integers: the nearest value of the destination type.
#[inline(always)]
pub(crate) fn cvt_sat<D: Int, S: Int>(a: S) -> D {
    D::saturate(a.value())
}
