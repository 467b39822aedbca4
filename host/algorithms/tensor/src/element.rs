//! The types of elements: of factors, and of what is computed from them in `f32`.

use lanewise_std::float8::{E4m3, E5m2};
use lanewise_std::half::{Bf16, Bf16x2, F16, F16x2};
use lanewise_std::kernel::Value;

/// A factor whose neighbours in memory have different `k`.
pub const ALONG: u32 = 0;
/// A factor whose neighbours in memory have the same `k`.
pub const ACROSS: u32 = 1;

/// An element of a result: `f32`, `F16`, `Bf16`, `E4m3` or `E5m2`.
pub trait Output: Value {
    /// Two neighbours, aligned so that they are written at once.
    #[doc(hidden)]
    type Pair: Copy;
    /// Returns the nearest elements to both.
    #[doc(hidden)]
    fn narrow_pair(pair: [f32; 2]) -> Self::Pair;
    #[doc(hidden)]
    fn widen_pair(pair: Self::Pair) -> [f32; 2];
    /// Returns the nearest element.
    #[doc(hidden)]
    fn narrow(value: f32) -> Self;
    #[doc(hidden)]
    fn widen(self) -> f32;
}

/// An element of 16 bits, of which two are in a register.
pub trait Half: Output {
    /// Returns the bits of both, rounded.
    #[doc(hidden)]
    fn bits_of(pair: [f32; 2]) -> u32;
    #[doc(hidden)]
    fn widen_bits(bits: u32) -> [f32; 2];
}

/// Two neighbours of `f32`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub struct Two([f32; 2]);

impl Output for f32 {
    type Pair = Two;

    #[inline(always)]
    fn narrow_pair(pair: [f32; 2]) -> Two {
        Two(pair)
    }

    #[inline(always)]
    fn widen_pair(pair: Two) -> [f32; 2] {
        pair.0
    }

    #[inline(always)]
    fn narrow(value: f32) -> f32 {
        value
    }

    #[inline(always)]
    fn widen(self) -> f32 {
        self
    }
}

macro_rules! outputs {
    ($($ty:ident: $pair:ident, $narrow:expr, $widen:expr;)*) => {$(
        impl Output for $ty {
            type Pair = $pair;

            #[inline(always)]
            fn narrow_pair(pair: [f32; 2]) -> $pair {
                $narrow(pair)
            }

            #[inline(always)]
            fn widen_pair(pair: $pair) -> [f32; 2] {
                $widen(pair).map($ty::to_f32)
            }

            #[inline(always)]
            fn narrow(value: f32) -> Self {
                Self::from_f32(value)
            }

            #[inline(always)]
            fn widen(self) -> f32 {
                self.to_f32()
            }
        }
    )*};
}
outputs! {
    F16: F16x2, F16x2::from_f32, |pair: F16x2| [pair.low, pair.high];
    Bf16: Bf16x2, Bf16x2::from_f32, |pair: Bf16x2| [pair.low, pair.high];
    E4m3: u16, |pair| u16::from_le_bytes(E4m3::pair_from_f32(pair).map(E4m3::to_bits)), |pair: u16| pair.to_le_bytes().map(E4m3::from_bits);
    E5m2: u16, |pair| u16::from_le_bytes(E5m2::pair_from_f32(pair).map(E5m2::to_bits)), |pair: u16| pair.to_le_bytes().map(E5m2::from_bits);
}

macro_rules! halves {
    ($($ty:ident: $pair:ident;)*) => {$(
        impl Half for $ty {
            #[inline(always)]
            fn bits_of(pair: [f32; 2]) -> u32 {
                $pair::from_f32(pair).to_bits()
            }

            #[inline(always)]
            fn widen_bits(bits: u32) -> [f32; 2] {
                Self::widen_pair($pair::from_bits(bits))
            }
        }
    )*};
}
halves! { F16: F16x2; Bf16: Bf16x2; }
