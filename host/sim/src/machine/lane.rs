//! Registers of a warp: 32 values side by side, one for each lane.
//!
//! A register of up to 32 bits is a row of 32 `u32` (128 bytes), one of 64 bits is a row of 32
//! `u64`, and one of 128 bits is a row of 32 `u128`. A predicate is one `u32` with a bit for each
//! lane. Bits of a row above the register's width may have any value. An operation that reads a
//! 16-bit register uses the low half.

/// The number of lanes of a warp.
pub(crate) const LANES: usize = 32;
/// The mask of all lanes.
pub(crate) const FULL: u32 = u32::MAX;
/// The number of lanes that an operation handles at a time: two AVX2 registers of `u64`,
/// one of `u32`.
pub(crate) const CHUNK: usize = 8;

/// The type in which a row stores one lane.
pub(crate) trait Repr: Copy + Default + PartialEq + 'static {
    /// Returns `self` if `take`, else `old`.
    fn blend(self, old: Self, take: bool) -> Self;
}

macro_rules! repr {
    ($($t:ty),*) => {$(impl Repr for $t {
        #[inline(always)]
        fn blend(self, old: Self, take: bool) -> Self {
            if take { self } else { old }
        }
    })*};
}
repr!(u32, u64, u128);

/// A value that one lane computes with.
pub(crate) trait Lane: Copy + 'static {
    /// The type in which a row stores it.
    type Repr: Repr;
    /// Converts a row's value of one lane.
    fn of(repr: Self::Repr) -> Self;
    /// Converts to a row's value of one lane.
    fn repr(self) -> Self::Repr;
}

macro_rules! lane {
    ($($t:ty: $r:ty, |$x:ident| $of:expr, |$y:ident| $repr:expr;)*) => {$(
        impl Lane for $t {
            type Repr = $r;
            #[inline(always)]
            fn of($x: $r) -> $t {
                $of
            }
            #[inline(always)]
            fn repr(self) -> $r {
                let $y = self;
                $repr
            }
        }
    )*};
}

lane! {
    u8: u32, |x| x as u8, |y| y.into();
    i8: u32, |x| x as i8, |y| y as i32 as u32;
    u16: u32, |x| x as u16, |y| y.into();
    i16: u32, |x| x as i16, |y| y as i32 as u32;
    u32: u32, |x| x, |y| y;
    i32: u32, |x| x as i32, |y| y as u32;
    f32: u32, |x| f32::from_bits(x), |y| y.to_bits();
    u64: u64, |x| x, |y| y;
    i64: u64, |x| x as i64, |y| y as u64;
    f64: u64, |x| f64::from_bits(x), |y| y.to_bits();
    u128: u128, |x| x, |y| y;
    half::f16: u32, |x| half::f16::from_bits(x as u16), |y| y.to_bits().into();
    half::bf16: u32, |x| half::bf16::from_bits(x as u16), |y| y.to_bits().into();
}

/// Iterates over the lanes of a mask, lowest first.
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(lane)
    })
}
