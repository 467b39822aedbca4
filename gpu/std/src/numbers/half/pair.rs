//! Two 16-bit floats in one register, on which one instruction operates.

use core::ops::{Add, Mul, Neg, Sub};

use super::{Bf16, F16};
use crate::kernel::Value;
use crate::warp::Shuffle;

macro_rules! pairs {
    ($($(#[$doc:meta])* $name:ident of $element:ident: $module:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            #[repr(C, align(4))]
            pub struct $name {
                /// The number in the lower half, which is first in memory.
                pub low: $element,
                /// The number in the upper half.
                pub high: $element,
            }

            impl $name {
                /// Makes the pair of these two numbers.
                #[inline(always)]
                #[must_use]
                pub const fn new(low: $element, high: $element) -> Self {
                    Self { low, high }
                }

                /// Makes the pair that has this number in both halves.
                #[inline(always)]
                #[must_use]
                pub const fn splat(value: $element) -> Self {
                    Self { low: value, high: value }
                }

                /// Makes the pair with these bits.
                #[inline(always)]
                #[must_use]
                pub const fn from_bits(bits: u32) -> Self {
                    Self::new($element::from_bits(bits as u16), $element::from_bits((bits >> 16) as u16))
                }

                /// Returns the bits of both halves, with the first number in the low 16 bits.
                #[inline(always)]
                #[must_use]
                pub const fn to_bits(self) -> u32 {
                    (self.high.to_bits() as u32) << 16 | self.low.to_bits() as u32
                }

                /// Rounds both numbers.
                #[doc(alias("__floats2half2_rn", "__floats2bfloat162_rn"))]
                #[inline(always)]
                #[must_use]
                pub fn from_f32(pair: [f32; 2]) -> Self {
                    #[cfg(target_arch = "nvptx64")]
                    if crate::target::is_at_least(80) {
                        return $module::from_f32(pair);
                    }
                    let [low, high] = pair.map($element::from_f32);
                    Self::new(low, high)
                }

                /// Returns `self * a + b` for each half, rounded once.
                #[doc(alias = "__hfma2")]
                #[inline(always)]
                #[must_use]
                pub fn mul_add(self, a: Self, b: Self) -> Self {
                    $module::mul_add(self, a, b)
                }
            }

            impl Add for $name {
                type Output = Self;
                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    $module::add(self, other)
                }
            }

            impl Sub for $name {
                type Output = Self;
                #[inline(always)]
                fn sub(self, other: Self) -> Self {
                    $module::add(self, -other)
                }
            }

            impl Mul for $name {
                type Output = Self;
                #[inline(always)]
                fn mul(self, other: Self) -> Self {
                    $module::mul(self, other)
                }
            }

            impl Neg for $name {
                type Output = Self;
                #[inline(always)]
                fn neg(self) -> Self {
                    Self::from_bits(self.to_bits() ^ 0x8000_8000)
                }
            }

            // SAFETY: the type is two 16-bit numbers without padding.
            unsafe impl Value for $name {
                const LAYOUT: u64 = crate::kernel::layout::named(stringify!($name));
            }
            crate::kernel::plain_numbers! { $name }
            // SAFETY: the value is one word, and any bits are a valid pair.
            unsafe impl Shuffle for $name {
                #[inline(always)]
                fn map(self, exchange: impl Fn(u32) -> u32) -> Self {
                    Self::from_bits(exchange(self.to_bits()))
                }
            }
        )*
    };
}

pairs! {
    /// Two [`F16`]: CUDA's `__half2`.
    #[doc(alias = "__half2")]
    F16x2 of F16: f16x2;
    /// Two [`Bf16`]: CUDA's `__nv_bfloat162`.
    #[doc(alias = "__nv_bfloat162")]
    Bf16x2 of Bf16: bf16x2;
}

/// Executes an instruction on pairs.
#[cfg(target_arch = "nvptx64")]
macro_rules! packed {
    ($pair:ident, $instruction:literal, $a:expr, $b:expr $(, $c:expr)?) => {{
        let bits: u32;
        // SAFETY: the instruction reads and writes registers only.
        unsafe {
            core::arch::asm!(
                concat!($instruction, " {d}, {a}, {b}", $(packed!(@third $c),)? ";"),
                d = lateout(reg32) bits, a = in(reg32) $a.to_bits(), b = in(reg32) $b.to_bits(), $(c = in(reg32) $c.to_bits(),)?
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        $pair::from_bits(bits)
    }};
    (@third $c:expr) => { ", {c}" };
}

/// Applies an operation to each half separately.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! by_halves {
    ($pair:ident, |$a:ident, $b:ident| $of:expr, $x:expr, $y:expr) => {{
        let half = |$a, $b| $of;
        $pair::new(half($x.low, $y.low), half($x.high, $y.high))
    }};
}

/// Rounds two numbers with one instruction, which names the upper half first.
#[cfg(target_arch = "nvptx64")]
macro_rules! rounded {
    ($pair:ident, $instruction:literal, $low:expr, $high:expr) => {{
        let bits: u32;
        // SAFETY: the instruction reads and writes registers only.
        unsafe {
            core::arch::asm!(
                concat!($instruction, " {d}, {high}, {low};"),
                d = lateout(reg32) bits, high = in(reg32) $high, low = in(reg32) $low,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        $pair::from_bits(bits)
    }};
}

/// Operations on pairs of `F16`, which every target has.
#[cfg(target_arch = "nvptx64")]
mod f16x2 {
    use super::F16x2;

    /// From `sm_80` on.
    #[inline(always)]
    pub(super) fn from_f32([low, high]: [f32; 2]) -> F16x2 {
        rounded!(F16x2, "cvt.rn.f16x2.f32", low, high)
    }

    #[inline(always)]
    pub(super) fn add(a: F16x2, b: F16x2) -> F16x2 {
        packed!(F16x2, "add.rn.f16x2", a, b)
    }

    #[inline(always)]
    pub(super) fn mul(a: F16x2, b: F16x2) -> F16x2 {
        packed!(F16x2, "mul.rn.f16x2", a, b)
    }

    #[inline(always)]
    pub(super) fn mul_add(a: F16x2, b: F16x2, c: F16x2) -> F16x2 {
        packed!(F16x2, "fma.rn.f16x2", a, b, c)
    }
}

/// Operations on pairs of `Bf16`. They use `fma` from `sm_80` on, as the operations on
/// single numbers do.
#[cfg(target_arch = "nvptx64")]
mod bf16x2 {
    use super::Bf16x2;
    use crate::target;

    const ONES: Bf16x2 = Bf16x2::from_bits(0x3f80_3f80);
    const MINUS_ZEROS: Bf16x2 = Bf16x2::from_bits(0x8000_8000);

    /// From `sm_80` on.
    #[inline(always)]
    pub(super) fn from_f32([low, high]: [f32; 2]) -> Bf16x2 {
        rounded!(Bf16x2, "cvt.rn.bf16x2.f32", low, high)
    }

    #[inline(always)]
    pub(super) fn add(a: Bf16x2, b: Bf16x2) -> Bf16x2 {
        mul_add(a, ONES, b)
    }

    #[inline(always)]
    pub(super) fn mul(a: Bf16x2, b: Bf16x2) -> Bf16x2 {
        mul_add(a, b, MINUS_ZEROS)
    }

    #[inline(always)]
    pub(super) fn mul_add(a: Bf16x2, b: Bf16x2, c: Bf16x2) -> Bf16x2 {
        if target::is_at_least(80) {
            return packed!(Bf16x2, "fma.rn.bf16x2", a, b, c);
        }
        Bf16x2::new(a.low.mul_add(b.low, c.low), a.high.mul_add(b.high, c.high))
    }
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! on_the_host {
    ($($module:ident: $pair:ident;)*) => {
        $(
            mod $module {
                use super::$pair;

                pub(super) fn add(a: $pair, b: $pair) -> $pair {
                    by_halves!($pair, |a, b| a + b, a, b)
                }

                pub(super) fn mul(a: $pair, b: $pair) -> $pair {
                    by_halves!($pair, |a, b| a * b, a, b)
                }

                pub(super) fn mul_add(a: $pair, b: $pair, c: $pair) -> $pair {
                    $pair::new(a.low.mul_add(b.low, c.low), a.high.mul_add(b.high, c.high))
                }
            }
        )*
    };
}

#[cfg(not(target_arch = "nvptx64"))]
on_the_host! {
    f16x2: F16x2;
    bf16x2: Bf16x2;
}
