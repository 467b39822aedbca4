//! The number types of the algorithms: `f32` and `f64` under one name.

use core::fmt::Debug;

use lanewise_std::math::Float;

/// A float type of the GPU, with what kernels for both types need.
pub trait Real: Float {
    /// The number zero of the type.
    const ZERO: Self;
    /// The number one of the type.
    const ONE: Self;
    /// The square root of one half, for a rotation by an eighth.
    const HALF_ROOT: Self;
    /// A full rotation, in radians.
    const TURN: Self;
    /// Returns the bits of the number without its sign. Of two numbers that are not NaN, the one
    /// farther from zero has the larger result.
    #[must_use]
    fn magnitude(self) -> u64;
    /// Returns the number whose bits are set in both this one and `mask`: the number itself for a
    /// mask of ones, zero for zero. A branch could let the compiler make two loops.
    #[must_use]
    fn masked(self, mask: u64) -> Self;
    /// A type as large as two of these, with that alignment. It gives pairs their alignment.
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
