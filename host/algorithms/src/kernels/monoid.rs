//! Operators with a neutral element, which stands for elements past the end.

use lanewise_std::collective::{Max, Min, Operator, Product, Sum};

use super::Number;

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
    ($($ty:ident),*) => {
        $(
            impl Monoid<$ty> for Sum {
                const NEUTRAL: $ty = 0 as $ty;
            }
            impl Monoid<$ty> for Product {
                const NEUTRAL: $ty = 1 as $ty;
            }
            impl Monoid<$ty> for Min {
                const NEUTRAL: $ty = <$ty as Number>::MOST;
            }
            impl Monoid<$ty> for Max {
                const NEUTRAL: $ty = <$ty as Number>::LEAST;
            }
        )*
    };
}

monoids!(i32, u32, i64, u64, f32, f64);
