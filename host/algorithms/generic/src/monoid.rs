//! Operators with a neutral element, which stands for elements past the end.

use lanewise_std::collective::{Max, Min, Operator, Product, Sum};

use crate::Number;

/// An operator with a neutral element: combined with it, each value stays as it is.
///
/// ```
/// use lanewise_algorithms_generic::Monoid;
/// use lanewise_std::collective::{Max, Sum};
///
/// assert_eq!(<Sum as Monoid<i32>>::NEUTRAL, 0);
/// assert_eq!(<Max as Monoid<i32>>::NEUTRAL, i32::MIN);
/// ```
///
/// A kernel makes the operator by `Default`, so it has no fields.
pub trait Monoid<T>: Operator<T> + Default {
    /// The neutral element, on either side.
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

/// Compiles only if the operator has no fields, which its kernels would not know.
#[doc(hidden)]
pub const fn assert_no_fields<O>() {
    const {
        assert!(
            size_of::<O>() == 0,
            "an operator has no fields: its kernels make it by `Default`"
        );
    }
}

/// Returns the values combined in their order.
#[inline(always)]
pub(crate) fn combined<'a, T: Copy + 'a, O: Monoid<T>>(
    values: impl IntoIterator<Item = &'a T>,
    operator: O,
) -> T {
    let values = values.into_iter();
    values.fold(O::NEUTRAL, |before, value| operator.combine(before, *value))
}
