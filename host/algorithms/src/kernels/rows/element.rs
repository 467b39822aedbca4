//! The elements of rows: in memory `f32` or `Bf16`, in registers always `f32`.

use core::array::from_fn;

use lanewise_std::half::Bf16;

use super::super::gemv::Term;
use super::super::sixteen::Sixteen;

/// An element of a row. The arithmetic is in `f32`.
pub trait Element: Term<Sum = f32> {
    /// As many as have sixteen bytes.
    const LANES: usize = 16 / size_of::<Self>();
    /// A word of 32 bits of elements that are minus infinity.
    const LEAST_WORD: u32;
    /// Returns an element of sixteen bytes that were loaded as words. A register holds a word, and
    /// each element of 16 bits would have one of its own.
    fn of_words(words: &[u32; 4], lane: usize) -> f32;
    /// Returns the nearest element.
    fn narrow(value: f32) -> Self;
    /// Returns sixteen bytes of neighbours: the nearest to what `of` returns.
    fn neighbours(of: impl Fn(usize) -> f32) -> Self::Neighbours;
}

macro_rules! elements {
    ($($ty:ident: $narrow:expr, $least:literal, $of_words:expr;)*) => {$(
        impl Element for $ty {
            const LEAST_WORD: u32 = $least;

            #[inline(always)]
            fn of_words(words: &[u32; 4], lane: usize) -> f32 {
                $of_words(words, lane)
            }

            #[inline(always)]
            fn narrow(value: f32) -> Self {
                $narrow(value)
            }

            #[inline(always)]
            fn neighbours(of: impl Fn(usize) -> f32) -> Self::Neighbours {
                Sixteen(from_fn(|lane| $narrow(of(lane))))
            }
        }
    )*};
}

elements! {
    f32: |x| x, 0xFF80_0000, |words: &[u32; 4], lane: usize| f32::from_bits(words[lane]);
    Bf16: Bf16::from_f32, 0xFF80_FF80, |words: &[u32; 4], lane: usize| {
        Bf16::from_bits((words[lane / 2] >> (lane % 2 * 16)) as u16).to_f32()
    };
}
