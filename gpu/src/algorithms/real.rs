//! Numbers that the algorithms are written for: `f32` and `f64`, by one name, and sixteen bytes of
//! them, which one instruction loads.

use core::fmt::Debug;

use lanewise_std::math::Float;

/// A float of the machine, with what kernels over both kinds need.
pub trait Real: Float {
    /// The number zero of the type.
    const ZERO: Self;
    /// The number one of the type.
    const ONE: Self;
    /// The root of one half: a turn by an eighth.
    const HALF_ROOT: Self;
    /// A whole turn, in radians.
    const TURN: Self;
    /// The bits of the number without its sign: of two numbers that are not NaN, the one farther
    /// from zero has more.
    #[must_use]
    fn magnitude(self) -> u64;
    /// The number whose bits are those that this one and `mask` have: all with a mask of ones, zero
    /// with zero. No branch, of which a compiler could make two loops.
    #[must_use]
    fn masked(self, mask: u64) -> Self;
    /// As large as two of these, and aligned so: gives pairs their alignment.
    type Pair: Copy + PartialEq + Debug + 'static;
}

macro_rules! reals {
    ($($real:ident $bits:ident $pair:ident;)*) => {
        $(
            impl Real for $real {
                const ZERO: Self = 0.0;
                const ONE: Self = 1.0;
                const HALF_ROOT: Self = core::$real::consts::FRAC_1_SQRT_2;
                const TURN: Self = core::$real::consts::TAU;
                type Pair = $pair;

                #[inline(always)]
                fn magnitude(self) -> u64 {
                    u64::from(self.abs().to_bits())
                }

                #[inline(always)]
                fn masked(self, mask: u64) -> Self {
                    $real::from_bits(self.to_bits() & mask as $bits)
                }
            }
        )*
    };
}

reals! {
    f32 u32 u64;
    f64 u64 u128;
}

/// As many neighbours as have sixteen bytes: four of `f32`, two of `f64`.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Sixteen<T, const N: usize>(pub(super) [T; N]);

impl<T, const N: usize> Sixteen<T, N> {
    /// Whether neighbours from here on may be loaded so.
    #[inline(always)]
    pub(super) fn may_be_at(place: *const T) -> bool {
        place.cast::<Self>().is_aligned()
    }
}
