//! Numbers that the algorithms are written for: `f32` and `f64`, by one name.

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use lanewise_std::kernel::Value;
use lanewise_std::math::Float;
use lanewise_std::warp::Shuffle;

/// A float of the machine, with what kernels over both kinds need.
pub trait Real:
    Value
    + Shuffle
    + Float
    + Default
    + Debug
    + PartialOrd
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number zero of the type.
    const ZERO: Self;
    /// The number one of the type.
    const ONE: Self;
    /// The root of one half: a turn by an eighth.
    const HALF_ROOT: Self;
    /// As large as two of these, and aligned so: gives pairs their alignment.
    type Pair: Copy + PartialEq + Debug + 'static;
}

macro_rules! reals {
    ($($real:ident $pair:ident;)*) => {
        $(
            impl Real for $real {
                const ZERO: Self = 0.0;
                const ONE: Self = 1.0;
                const HALF_ROOT: Self = core::$real::consts::FRAC_1_SQRT_2;
                type Pair = $pair;
            }
        )*
    };
}

reals! {
    f32 u64;
    f64 u128;
}
