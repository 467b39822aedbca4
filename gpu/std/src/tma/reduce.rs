//! Which elements a store of a box can join with those that are there, so that a pair that the hardware does not have does not compile.
//!
//! The instruction does not name the elements' type, the map does: ptxas takes any pair, and a GPU ends a kernel with a wrong one by an illegal
//! instruction. The ISA's table of `cp.reduce.async.bulk.tensor` does not list the types of each operation; these are what an H200 takes (driver
//! 580.159, 2026-11-22).
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

use crate::half::{Bf16, F16};

mod sealed {
    pub trait Add {}
    pub trait MinMax {}
    pub trait Bitwise {}
    pub trait IncDec {}
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident, $sealed:ident, $what:literal, $list:literal: $($ty:ty)*;)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "a tensor's elements of `{Self}` cannot be joined by this store",
            label = "the tensor memory accelerator has no such reduction of `{Self}`",
            note = $what, note = $list
        )]
        pub trait $name: Copy + sealed::$sealed {}
        $(
            impl sealed::$sealed for $ty {}
            impl $name for $ty {}
        )*
    )*};
}
reductions! {
    /// Elements that a store adds to those in the tensor. `i64` has no addition of its own: the bits of a sum are those of `u64`.
    ReduceAdd, Add, "it adds, wrapping, or rounded to nearest even", "u32, i32, u64, F16, Bf16, f32, f64":
        u32 i32 u64 F16 Bf16 f32 f64;
    /// Elements of which the lesser or the greater stays.
    ReduceMinMax, MinMax, "it keeps the lesser or the greater", "u32, i32, u64, i64, F16, Bf16":
        u32 i32 u64 i64 F16 Bf16;
    /// Elements whose bits a store joins.
    ReduceBitwise, Bitwise, "it joins bits", "u32, i32, u64":
        u32 i32 u64;
    /// Elements that a store counts up or down.
    ReduceIncDec, IncDec, "it counts, up to or down from the element that comes", "u32":
        u32;
}
