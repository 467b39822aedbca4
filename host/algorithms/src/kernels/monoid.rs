//! Operators with a neutral element, which stands for elements past the end.

use lanewise_std::collective::{Max, Min, Operator, Product, Sum};

/// An operator with a neutral element: combined with it, each value stays as it is.
///
/// ```
/// use lanewise_algorithms::Monoid;
/// use lanewise_std::collective::{Max, Sum};
///
/// assert_eq!(<Sum as Monoid<i32>>::NEUTRAL, 0);
/// assert_eq!(<Max as Monoid<i32>>::NEUTRAL, i32::MIN);
/// ```
pub trait Monoid<T>: Operator<T> + Default {
    /// The neutral element.
    const NEUTRAL: T;
}

macro_rules! monoids {
    ($($ty:ident: $least:expr, $most:expr;)*) => {
        $(
            impl Monoid<$ty> for Sum {
                const NEUTRAL: $ty = 0 as $ty;
            }
            impl Monoid<$ty> for Product {
                const NEUTRAL: $ty = 1 as $ty;
            }
            impl Monoid<$ty> for Min {
                const NEUTRAL: $ty = $most;
            }
            impl Monoid<$ty> for Max {
                const NEUTRAL: $ty = $least;
            }
        )*
    };
}

// The extremes of floats are infinite: only a minimum of no numbers but NaN is infinite, too.
monoids! {
    i32: i32::MIN, i32::MAX;
    u32: u32::MIN, u32::MAX;
    i64: i64::MIN, i64::MAX;
    u64: u64::MIN, u64::MAX;
    f32: f32::NEG_INFINITY, f32::INFINITY;
    f64: f64::NEG_INFINITY, f64::INFINITY;
}
