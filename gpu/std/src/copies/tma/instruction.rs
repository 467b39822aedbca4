//! Instructions that name a box by its coordinates: how their words and operands are put together.

/// One instruction: its words before the number of dimensions and behind it, its operands before
/// the coordinates and behind them.
macro_rules! with_coordinates {
    (
        $name:literal, $policy:expr, $dimensions:literal, [$($c:ident)*]:
        [$($start:expr),*], [$($words:expr),*], $before:expr, [$($behind:expr),*], $($operands:tt)*
    ) => {
        hinted!($policy, $name:
            [$($start,)* $dimensions, $($words),*],
            [$before, $crate::state_space::list!($($c)*), $($behind),*],
            [";"],
            $($c = in(reg32) $c,)*
            $($operands)*
            options(nostack, preserves_flags),
        )
    };
}
pub(super) use with_coordinates;

/// The same for a number of dimensions that is a const parameter: one of five instructions is left.
macro_rules! by_rank {
    ($name:literal, $policy:expr, $rank:expr, $at:expr, $($parts:tt)*) => {{
        let [c0, c1, c2, c3, c4]: [i32; 5] = core::array::from_fn(|i| $at.get(i).copied().unwrap_or(0));
        match $rank {
            1 => with_coordinates!($name, $policy, "1d", [c0]: $($parts)*),
            2 => with_coordinates!($name, $policy, "2d", [c0 c1]: $($parts)*),
            3 => with_coordinates!($name, $policy, "3d", [c0 c1 c2]: $($parts)*),
            4 => with_coordinates!($name, $policy, "4d", [c0 c1 c2 c3]: $($parts)*),
            _ => with_coordinates!($name, $policy, "5d", [c0 c1 c2 c3 c4]: $($parts)*),
        }
    }};
}
pub(super) use by_rank;

/// Calls `$each` with the stores that join each element with the one that is there: what is said of
/// them, their names, what elements have to be, their words.
macro_rules! reductions {
    ($each:ident! { $($before:tt)* }) => {
        $each! {
            $($before)*
            /// [`store`](Self::store), but each element is added to the one that is there.
            #[doc(alias = "cp.reduce.async.bulk.tensor.add")]
            store_add: ReduceAdd, "add";
            /// [`store`](Self::store), but the lesser of each element and the one that is there
            /// stays.
            #[doc(alias = "cp.reduce.async.bulk.tensor.min")]
            store_min: ReduceMinMax, "min";
            /// [`store`](Self::store), but the greater of each element and the one that is there
            /// stays.
            #[doc(alias = "cp.reduce.async.bulk.tensor.max")]
            store_max: ReduceMinMax, "max";
            /// [`store`](Self::store), but the element that is there counts up, and from the one
            /// that comes on begins at 0 again.
            #[doc(alias = "cp.reduce.async.bulk.tensor.inc")]
            store_inc: ReduceIncDec, "inc";
            /// [`store`](Self::store), but the element that is there counts down, and from 0, or
            /// from above the one that comes, goes to that one.
            #[doc(alias = "cp.reduce.async.bulk.tensor.dec")]
            store_dec: ReduceIncDec, "dec";
            /// [`store`](Self::store), but the bits that both elements have stay.
            #[doc(alias = "cp.reduce.async.bulk.tensor.and")]
            store_and: ReduceBitwise, "and";
            /// [`store`](Self::store), but the bits that either element has are set.
            #[doc(alias = "cp.reduce.async.bulk.tensor.or")]
            store_or: ReduceBitwise, "or";
            /// [`store`](Self::store), but the bits that one of the two elements has are set.
            #[doc(alias = "cp.reduce.async.bulk.tensor.xor")]
            store_xor: ReduceBitwise, "xor";
        }
    };
}
pub(super) use reductions;
