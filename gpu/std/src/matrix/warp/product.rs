//! `mma.sync` and `mma.sp`: the supported combinations of types, and the instructions.

use super::{Left, Right, Sum};
use crate::half::F16x2;
use crate::matrix::Register;
use crate::matrix::element::{B1, Bf16, E4m3, E5m2, F16, S4, S8, Tf32, U4, U8};
use crate::matrix::sparse::{self, MetadataPart};
use crate::state_space::ptx;

macro_rules! traits {
    ($($(#[$doc:meta])* $name:ident, $function:ident, $what:literal;)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "`{Self}` and `{R}` have no such product that is added to `{S}`",
            label = $what,
            note = "the table in the documentation of `matrix::warp` has the operands and sums that go together"
        )]
        pub trait $name<R, S> {
            #[doc(hidden)]
            fn $function(&self, right: &R, sum: S) -> S;
        }
    )*};
}
traits! {
    /// A left operand that a warp multiplies by a right one `R`, with a sum `S`.
    Multiply, multiply_add, "the hardware has no such product";
    /// A left operand of integers for a product that saturates.
    Saturate, multiply_add_saturating, "only integers of 8 and 4 bits have a product that stops at the ends of the range";
}

/// A left operand of elements `E` of which half are stored, and which a warp multiplies by a right
/// one `R`, with a sum `S`.
#[diagnostic::on_unimplemented(
    message = "a sparse `{Self}` and `{R}` have no product that is added to `{S}`",
    label = "the hardware has no such product",
    note = "the right operand has as many registers as the left one, or twice as many of `Left<E>`; the table is in the documentation of `matrix::warp`"
)]
pub trait MultiplySparse<E, R, S> {
    #[doc(hidden)]
    fn multiply_add_sparse<const PART: u32>(
        &self,
        metadata: MetadataPart<E, PART>,
        right: &R,
        sum: S,
    ) -> S;
}

/// Returns `left * right + sum`, computed by all lanes of the warp. For [`B1`], it adds the number
/// of bits that are set in both operands.
#[doc(alias = "mma.sync")]
#[inline]
#[must_use]
pub fn multiply_add<L: Multiply<R, S>, R, S>(left: &L, right: &R, sum: S) -> S {
    left.multiply_add(right, sum)
}

/// Does the same as [`multiply_add`] for integers, but saturates the sum at the limits of `i32`.
#[doc(alias = "satfinite")]
#[inline]
#[must_use]
pub fn multiply_add_saturating<L: Saturate<R, S>, R, S>(left: &L, right: &R, sum: S) -> S {
    left.multiply_add_saturating(right, sum)
}

/// Returns `left * right + sum` for a [`sparse`] left operand, of which half of the elements are
/// stored. `metadata` selects these elements.
///
/// The right operand is twice as long along the inner dimension as the stored part of the left
/// operand. The parts of [`Metadata`](sparse::Metadata) are counted from 0. A part that does not
/// exist does not compile.
#[doc(alias = "mma.sp")]
#[doc(alias = "mma.sp::ordered_metadata")]
#[inline]
#[must_use]
pub fn multiply_add_sparse<E, L: MultiplySparse<E, R, S>, R, S, const PART: u32>(
    left: &L,
    metadata: MetadataPart<E, PART>,
    right: &R,
    sum: S,
) -> S {
    left.multiply_add_sparse(metadata, right, sum)
}

/// Executes the instruction. The arguments are the three parts of its text, the operands, the
/// registers of the sum and of both operands, and further operands.
macro_rules! instruction {
    (
        $start:literal, $words:expr, $tail:literal, $left:expr, $right:expr, $sum:expr,
        [$($c:ident $ci:literal),*], [$($a:ident $ai:literal),*], [$($b:ident $bi:literal),*], $($more:tt)*
    ) => {{
        let (a, b) = ($left.0, $right.0);
        let mut c = $sum.0.map(Register::to_bits);
        // SAFETY: the instruction accesses registers only.
        unsafe {
            ptx!("mma.sync":
                concat!(
                    $start, ".sync.aligned.", $words, " ", $crate::state_space::list!($($c)*), ", ", $crate::state_space::list!($($a)*), ", ", $crate::state_space::list!($($b)*), ", ", $crate::state_space::list!($($c)*), $tail, ";",
                ),
                $($c = inout(reg32) c[$ci],)*
                $($a = in(reg32) a[$ai],)*
                $($b = in(reg32) b[$bi],)*
                $($more)*
                options(nomem, nostack, preserves_flags),
            );
        }
        Sum(c.map(Register::from_bits))
    }};
}

/// Calls `instruction!` with the names of the registers, from the numbers of registers.
macro_rules! with_registers {
    ($sum:tt [4 $($rest:tt)*] $($more:tt)*) => { with_registers! { @ [c0 0, c1 1, c2 2, c3 3] $sum [$($rest)*] $($more)* } };
    ($sum:tt [2 $($rest:tt)*] $($more:tt)*) => { with_registers! { @ [c0 0, c1 1] $sum [$($rest)*] $($more)* } };
    (@ $c:tt $sum:tt [4, 4] $($more:tt)*) => { with_registers! { # $sum $c [a0 0, a1 1, a2 2, a3 3] [b0 0, b1 1, b2 2, b3 3] $($more)* } };
    (@ $c:tt $sum:tt [4, 2] $($more:tt)*) => { with_registers! { # $sum $c [a0 0, a1 1, a2 2, a3 3] [b0 0, b1 1] $($more)* } };
    (@ $c:tt $sum:tt [2, 2] $($more:tt)*) => { with_registers! { # $sum $c [a0 0, a1 1] [b0 0, b1 1] $($more)* } };
    (@ $c:tt $sum:tt [2, 1] $($more:tt)*) => { with_registers! { # $sum $c [a0 0, a1 1] [b0 0] $($more)* } };
    (# [$left:expr, $right:expr, $sum:expr] $c:tt $a:tt $b:tt $start:literal, $words:expr, $tail:literal, $($more:tt)*) => {
        instruction!($start, $words, $tail, $left, $right, $sum, $c, $a, $b, $($more)*)
    };
}

/// Implements products of full and of half depth, with their shapes and types.
macro_rules! products {
    ($($a:ident $b:ident, $sum:ident $registers:tt, $full:literal $half:literal $types:literal;)*) => {$(
        products! { @ $a 4, $b 2, $sum $registers, concat!($full, ".row.col", $types) }
        products! { @ $a 2, $b 1, $sum $registers, concat!($half, ".row.col", $types) }
    )*};
    (@ $a:ident $in_left:tt, $b:ident $in_right:tt, $sum:ident $registers:tt, $words:expr) => {
        impl Multiply<Right<$b, $in_right>, Sum<$sum, $registers>> for Left<$a, $in_left> {
            #[inline(always)]
            fn multiply_add(&self, right: &Right<$b, $in_right>, sum: Sum<$sum, $registers>) -> Sum<$sum, $registers> {
                with_registers!([self, right, sum] [$registers $in_left, $in_right] "mma", $words, "",)
            }
        }
    };
}
products! {
    F16 F16, f32 4, "m16n8k16" "m16n8k8" ".f32.f16.f16.f32";
    F16 F16, F16x2 2, "m16n8k16" "m16n8k8" ".f16.f16.f16.f16";
    Bf16 Bf16, f32 4, "m16n8k16" "m16n8k8" ".f32.bf16.bf16.f32";
    Tf32 Tf32, f32 4, "m16n8k8" "m16n8k4" ".f32.tf32.tf32.f32";
    E4m3 E4m3, f32 4, "m16n8k32" "m16n8k16" ".f32.e4m3.e4m3.f32";
    E4m3 E5m2, f32 4, "m16n8k32" "m16n8k16" ".f32.e4m3.e5m2.f32";
    E5m2 E4m3, f32 4, "m16n8k32" "m16n8k16" ".f32.e5m2.e4m3.f32";
    E5m2 E5m2, f32 4, "m16n8k32" "m16n8k16" ".f32.e5m2.e5m2.f32";
    E4m3 E4m3, F16x2 2, "m16n8k32" "m16n8k16" ".f16.e4m3.e4m3.f16";
    E4m3 E5m2, F16x2 2, "m16n8k32" "m16n8k16" ".f16.e4m3.e5m2.f16";
    E5m2 E4m3, F16x2 2, "m16n8k32" "m16n8k16" ".f16.e5m2.e4m3.f16";
    E5m2 E5m2, F16x2 2, "m16n8k32" "m16n8k16" ".f16.e5m2.e5m2.f16";
    B1 B1, i32 4, "m16n8k256" "m16n8k128" ".s32.b1.b1.s32.and.popc";
}

/// Products with half of the left operand's elements. `.sp::ordered_metadata` wants places in
/// order, which all of `TwoOfFour` are, and may be faster.
macro_rules! sparse_products {
    ($($a:ident $in_left:tt, $b:ident $in_right:tt, $sum:ident $registers:tt, $shape:literal $types:literal;)*) => {$(
        impl MultiplySparse<$a, Right<$b, $in_right>, Sum<$sum, $registers>> for Left<$a, $in_left> {
            #[inline(always)]
            fn multiply_add_sparse<const PART: u32>(
                &self,
                metadata: MetadataPart<$a, PART>,
                right: &Right<$b, $in_right>,
                sum: Sum<$sum, $registers>,
            ) -> Sum<$sum, $registers> {
                const { assert!(PART < sparse::parts::<$a>($in_left), "a part past the last") };
                with_registers!([self, right, sum] [$registers $in_left, $in_right]
                    "mma.sp::ordered_metadata", concat!($shape, ".row.col", $types), ", {metadata}, {part}",
                    metadata = in(reg32) metadata.bits(),
                    part = const PART,
                )
            }
        }
    )*};
}
sparse_products! {
    F16 4, F16 4, f32 4, "m16n8k32" ".f32.f16.f16.f32";
    F16 2, F16 2, f32 4, "m16n8k16" ".f32.f16.f16.f32";
    F16 4, F16 4, F16x2 2, "m16n8k32" ".f16.f16.f16.f16";
    F16 2, F16 2, F16x2 2, "m16n8k16" ".f16.f16.f16.f16";
    Bf16 4, Bf16 4, f32 4, "m16n8k32" ".f32.bf16.bf16.f32";
    Bf16 2, Bf16 2, f32 4, "m16n8k16" ".f32.bf16.bf16.f32";
    Tf32 4, Tf32 4, f32 4, "m16n8k16" ".f32.tf32.tf32.f32";
    Tf32 2, Tf32 2, f32 4, "m16n8k8" ".f32.tf32.tf32.f32";
    E4m3 4, E4m3 4, f32 4, "m16n8k64" ".f32.e4m3.e4m3.f32";
    E4m3 4, E5m2 4, f32 4, "m16n8k64" ".f32.e4m3.e5m2.f32";
    E5m2 4, E4m3 4, f32 4, "m16n8k64" ".f32.e5m2.e4m3.f32";
    E5m2 4, E5m2 4, f32 4, "m16n8k64" ".f32.e5m2.e5m2.f32";
}

/// Products of integers: of full and of half depth, stopping at the ends of the range too, and
/// sparse ones, of which the deeper shape is named.
macro_rules! integers {
    ($($a:ident $b:ident, $full:literal $half:literal $sparse:literal $types:literal;)*) => {$(
        products! { $a $b, i32 4, $full $half $types; }
        integers! { @ $a 4, $b 2, concat!($full, ".row.col.satfinite", $types) }
        integers! { @ $a 2, $b 1, concat!($half, ".row.col.satfinite", $types) }
        sparse_products! { $a 4, $b 4, i32 4, $sparse $types; $a 2, $b 2, i32 4, $full $types; }
    )*};
    (@ $a:ident $in_left:tt, $b:ident $in_right:tt, $words:expr) => {
        impl Saturate<Right<$b, $in_right>, Sum<i32>> for Left<$a, $in_left> {
            #[inline(always)]
            fn multiply_add_saturating(&self, right: &Right<$b, $in_right>, sum: Sum<i32>) -> Sum<i32> {
                with_registers!([self, right, sum] [4 $in_left, $in_right] "mma", $words, "",)
            }
        }
    };
}
integers! {
    S8 S8, "m16n8k32" "m16n8k16" "m16n8k64" ".s32.s8.s8.s32";
    S8 U8, "m16n8k32" "m16n8k16" "m16n8k64" ".s32.s8.u8.s32";
    U8 S8, "m16n8k32" "m16n8k16" "m16n8k64" ".s32.u8.s8.s32";
    U8 U8, "m16n8k32" "m16n8k16" "m16n8k64" ".s32.u8.u8.s32";
    S4 S4, "m16n8k64" "m16n8k32" "m16n8k128" ".s32.s4.s4.s32";
    S4 U4, "m16n8k64" "m16n8k32" "m16n8k128" ".s32.s4.u4.s32";
    U4 S4, "m16n8k64" "m16n8k32" "m16n8k128" ".s32.u4.s4.s32";
    U4 U4, "m16n8k64" "m16n8k32" "m16n8k128" ".s32.u4.u4.s32";
}
