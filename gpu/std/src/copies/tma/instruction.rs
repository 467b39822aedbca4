//! The text and the operands of instructions that take the coordinates of a box.

/// Executes one instruction. The arguments are its text before and after the number of dimensions,
/// and its operands before and after the coordinates.
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

/// Executes such an instruction if the number of dimensions is a const parameter. The compiler
/// keeps one of the five instructions.
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

/// Calls `$each` with the stores that combine each element with the stored one: their
/// documentation, names, bounds of the element type, and text.
macro_rules! reductions {
    ($each:ident! { $($before:tt)* }) => {
        $each! {
            $($before)*
            /// Like [`store`](Self::store), but adds each element to the stored element.
            #[doc(alias = "cp.reduce.async.bulk.tensor.add")]
            store_add: ReduceAdd, "add";
            /// Like [`store`](Self::store), but stores the minimum of each element and
            /// the stored element.
            #[doc(alias = "cp.reduce.async.bulk.tensor.min")]
            store_min: ReduceMinMax, "min";
            /// Like [`store`](Self::store), but stores the maximum of each element and
            /// the stored element.
            #[doc(alias = "cp.reduce.async.bulk.tensor.max")]
            store_max: ReduceMinMax, "max";
            /// Like [`store`](Self::store), but increments the stored element, or sets it to 0 if
            /// it is at least the new element.
            #[doc(alias = "cp.reduce.async.bulk.tensor.inc")]
            store_inc: ReduceIncDec, "inc";
            /// Like [`store`](Self::store), but decrements the stored element, or sets it to the
            /// new element if it is 0 or greater than that.
            #[doc(alias = "cp.reduce.async.bulk.tensor.dec")]
            store_dec: ReduceIncDec, "dec";
            /// Like [`store`](Self::store), but stores the bitwise AND of both elements.
            #[doc(alias = "cp.reduce.async.bulk.tensor.and")]
            store_and: ReduceBitwise, "and";
            /// Like [`store`](Self::store), but stores the bitwise OR of both elements.
            #[doc(alias = "cp.reduce.async.bulk.tensor.or")]
            store_or: ReduceBitwise, "or";
            /// Like [`store`](Self::store), but stores the bitwise XOR of both elements.
            #[doc(alias = "cp.reduce.async.bulk.tensor.xor")]
            store_xor: ReduceBitwise, "xor";
        }
    };
}
pub(super) use reductions;
