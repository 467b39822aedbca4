//! The operations of the copy unit and the element types that each supports. Any other pair
//! does not compile.
//!
//! The instruction for boxes of tensors does not contain the element type; the map does. So
//! ptxas accepts any pair, and a GPU ends a kernel with a wrong pair by an illegal instruction.
//! The ISA does not list the types of each operation. These are the types that an H200 accepts
//! (driver 580.159, 2026-11-22). The instructions of plain bulk copies contain the type, and
//! have the same list.
//!
//! | trait | operations | elements |
//! | --- | --- | --- |
//! | [`ReduceAdd`] | add | `u32`, `i32`, `u64`, `F16`, `Bf16`, `f32`, `f64` |
//! | [`ReduceMinMax`] | min, max | `u32`, `i32`, `u64`, `i64`, `F16`, `Bf16` |
//! | [`ReduceBitwise`] | and, or, xor | `u32`, `i32`, `u64` |
//! | [`ReduceIncDec`] | inc, dec | `u32` |
//!
//! ```compile_fail,E0277
//! # use lanewise_std::tma::TensorMapMut;
//! unsafe fn least(map: &TensorMapMut<f32, 1>, tile: *const f32) {
//!     unsafe { map.store_min([0], tile) } // of `f32` there is addition only
//! }
//! ```

use super::copy::{WITHOUT, WithPolicy, bytes};
use crate::cache::hinted;
use crate::half::{Bf16, F16};
use crate::state_space::{self, ptx};

/// A sealed trait for each public trait, with the instruction for consecutive elements.
mod sealed {
    use crate::cache::CachePolicy;

    macro_rules! operations {
        ($($name:ident: $($operation:ident)*;)*) => {$(
            pub trait $name: Sized {$(
                unsafe fn $operation(to: *mut Self, from: u32, bytes: u32, policy: Option<CachePolicy>);
            )*}
        )*};
    }
    operations! {
        Add: add;
        MinMax: min max;
        Bitwise: and or xor;
        IncDec: inc dec;
    }
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident, $sealed:ident, $what:literal, $list:literal: { $($ty:ty: $type_name:literal;)* } $operations:tt)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "elements of `{Self}` cannot be joined by this store",
            label = "the hardware has no such reduction of `{Self}`",
            note = $what, note = $list
        )]
        pub trait $name: Copy + sealed::$sealed {}
        $(
            reductions! { @ $sealed, $ty, $type_name, $operations }
            impl $name for $ty {}
        )*
    )*};
    (@ $sealed:ident, $ty:ty, $type_name:literal, [$($operation:ident: $words:literal),*]) => {
        impl sealed::$sealed for $ty {$(
            #[inline(always)]
            unsafe fn $operation(to: *mut Self, from: u32, bytes: u32, policy: Option<crate::cache::CachePolicy>) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    hinted!(policy, "cp.reduce.async.bulk":
                        ["cp.reduce.async.bulk.global.shared::cta.bulk_group"],
                        [".", $words, $type_name, " [{to}], [{from}], {bytes}"],
                        [";"],
                        to = in(reg64) state_space::global(to),
                        from = in(reg32) from,
                        bytes = in(reg32) bytes,
                        options(nostack, preserves_flags),
                    );
                }
            }
        )*}
    };
}
reductions! {
    /// Elements that a store can add to those in global memory. `i64` has no addition of its own,
    /// because its sums have the same bits as those of `u64`.
    ReduceAdd, Add, "it adds, wrapping, or rounded to nearest even", "u32, i32, u64, F16, Bf16, f32, f64": {
        u32: "u32"; i32: "s32"; u64: "u64"; F16: "noftz.f16"; Bf16: "noftz.bf16"; f32: "f32"; f64: "f64";
    } [add: "add."]
    /// Elements for which a store can keep the minimum or the maximum.
    ReduceMinMax, MinMax, "it keeps the lesser or the greater", "u32, i32, u64, i64, F16, Bf16": {
        u32: "u32"; i32: "s32"; u64: "u64"; i64: "s64"; F16: "f16"; Bf16: "bf16";
    } [min: "min.", max: "max."]
    /// Elements that a store can combine bitwise.
    ReduceBitwise, Bitwise, "it joins bits", "u32, i32, u64": {
        u32: "b32"; i32: "b32"; u64: "b64";
    } [and: "and.", or: "or.", xor: "xor."]
    /// Elements that a store can increment or decrement.
    ReduceIncDec, IncDec, "it counts, up to or down from the element that comes", "u32": {
        u32: "u32";
    } [inc: "inc.", dec: "dec."]
}

macro_rules! stores {
    ($($(#[$doc:meta])* $name:ident: $bound:ident, $operation:ident;)*) => {$(
        $(#[$doc])*
        /// The operation is atomic for each element separately. It is part of this
        /// thread's open group.
        ///
        /// # Safety
        /// As for [`store`](super::store). But at the same time, other threads may update the
        /// destination's elements by atomics.
        #[inline]
        pub unsafe fn $name<T: $bound>(to: *mut T, from: *const T, count: usize) {
            // SAFETY: the caller promises what the called function requires.
            unsafe { WITHOUT.$name(to, from, count) }
        }

        impl WithPolicy {
            #[doc = concat!("[`", stringify!($name), "`] with this policy.")]
            ///
            /// # Safety
            #[doc = concat!("As for [`", stringify!($name), "`].")]
            #[inline]
            pub unsafe fn $name<T: $bound>(self, to: *mut T, from: *const T, count: usize) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe { T::$operation(to, state_space::shared(from), bytes::<T>(count), self.0) }
            }
        }
    )*};
}
stores! {
    /// Adds `count` elements of this block's shared memory to those in global memory.
    #[doc(alias = "cp.reduce.async.bulk")]
    store_add: ReduceAdd, add;
    /// Replaces `count` elements in global memory by the minimum of each and the element in this
    /// block's shared memory.
    store_min: ReduceMinMax, min;
    /// Replaces each element in global memory by the maximum of it and the element
    /// in shared memory.
    store_max: ReduceMinMax, max;
    /// Replaces each element in global memory by the bitwise AND of it and the element
    /// in shared memory.
    store_and: ReduceBitwise, and;
    /// Replaces each element in global memory by the bitwise OR of it and the element
    /// in shared memory.
    store_or: ReduceBitwise, or;
    /// Replaces each element in global memory by the bitwise XOR of it and the element
    /// in shared memory.
    store_xor: ReduceBitwise, xor;
    /// Increments each element in global memory, or sets it to 0 if it is at least the element
    /// in shared memory.
    store_inc: ReduceIncDec, inc;
    /// Decrements each element in global memory, or sets it to the element in shared memory if it
    /// is 0 or greater than that.
    store_dec: ReduceIncDec, dec;
}
