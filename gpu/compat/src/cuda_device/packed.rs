//! Two 16-bit floats in a `u32`, by functions: [`f16x2`] and [`bf16x2`].

use lanewise_std::half::{Bf16, Bf16x2, F16, F16x2};

macro_rules! packed {
    ($($(#[$doc:meta])* $module:ident: $pair:ident of $half:ident, $add:ident $sub:ident $mul:ident $fma:ident $relu:ident $neg:ident $abs:ident $min:ident $max:ident;)*) => {$(
        $(#[$doc])*
        pub mod $module {
            use super::{$half, $pair};

            /// Each half by itself.
            #[inline(always)]
            fn by_halves(a: u32, b: u32, of: impl Fn($half, $half) -> $half) -> u32 {
                let (a, b) = ($pair::from_bits(a), $pair::from_bits(b));
                $pair::new(of(a.low, b.low), of(a.high, b.high)).to_bits()
            }

            /// `a + b`.
            #[inline(always)]
            #[must_use]
            pub fn $add(a: u32, b: u32) -> u32 {
                ($pair::from_bits(a) + $pair::from_bits(b)).to_bits()
            }

            /// `a - b`.
            #[inline(always)]
            #[must_use]
            pub fn $sub(a: u32, b: u32) -> u32 {
                ($pair::from_bits(a) - $pair::from_bits(b)).to_bits()
            }

            /// `a * b`.
            #[inline(always)]
            #[must_use]
            pub fn $mul(a: u32, b: u32) -> u32 {
                ($pair::from_bits(a) * $pair::from_bits(b)).to_bits()
            }

            /// `a * b + c`, rounded once.
            #[inline(always)]
            #[must_use]
            pub fn $fma(a: u32, b: u32, c: u32) -> u32 {
                $pair::from_bits(a)
                    .mul_add($pair::from_bits(b), $pair::from_bits(c))
                    .to_bits()
            }

            /// `a * b + c`, rounded once, and zero where that is negative.
            #[inline(always)]
            #[must_use]
            pub fn $relu(a: u32, b: u32, c: u32) -> u32 {
                by_halves($fma(a, b, c), 0, |x, zero| if x <= zero { zero } else { x })
            }

            /// `-a`, in each half.
            #[inline(always)]
            #[must_use]
            pub fn $neg(a: u32) -> u32 {
                a ^ 0x8000_8000
            }

            /// `a` without its sign.
            #[inline(always)]
            #[must_use]
            pub fn $abs(a: u32) -> u32 {
                a & 0x7fff_7fff
            }

            /// The lesser of both; of a NaN and a number the number.
            #[inline(always)]
            #[must_use]
            pub fn $min(a: u32, b: u32) -> u32 {
                by_halves(a, b, $half::min)
            }

            /// The greater of both; of a NaN and a number the number.
            #[inline(always)]
            #[must_use]
            pub fn $max(a: u32, b: u32) -> u32 {
                by_halves(a, b, $half::max)
            }
        }
    )*};
}
packed! {
    /// Pairs of `f16`.
    f16x2: F16x2 of F16, add_f16x2 sub_f16x2 mul_f16x2 fma_f16x2 fma_relu_f16x2 neg_f16x2 abs_f16x2 min_f16x2 max_f16x2;
    /// Pairs of `bf16`.
    bf16x2: Bf16x2 of Bf16, add_bf16x2 sub_bf16x2 mul_bf16x2 fma_bf16x2 fma_relu_bf16x2 neg_bf16x2 abs_bf16x2 min_bf16x2 max_bf16x2;
}
