//! The elements of rows: in memory `f32` or `Bf16`, in registers always `f32`.

use core::array::from_fn;

use lanewise_std::half::Bf16;

use super::super::gemv::Term;
use super::super::sixteen::Sixteen;

/// An element of a row. The arithmetic is in `f32`.
pub trait Element: Term<Sum = f32> {
    /// As many as have sixteen bytes.
    const LANES: usize = 16 / size_of::<Self>();
    /// Returns the nearest element.
    fn narrow(value: f32) -> Self;
    /// Returns sixteen bytes of neighbours: the nearest to what `of` returns.
    fn neighbours(of: impl Fn(usize) -> f32) -> Self::Neighbours;
}

macro_rules! elements {
    ($($ty:ident: $narrow:expr;)*) => {$(
        impl Element for $ty {
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
    f32: |x| x;
    Bf16: Bf16::from_f32;
}
