//! The instructions: the element types of the products that a sum of each size takes.

use super::descriptor::Order;
use super::sizes::{sizes, with_numbers};
use super::sum::Accumulator;
use crate::half::F16x2;
use crate::matrix::element::{B1, Bf16, E4m3, E5m2, F16, S8, Tf32, U8};
use crate::state_space::ptx;

pub(super) mod sealed {
    use crate::matrix::warpgroup::descriptor::Order;

    /// The instructions of a size and of types, each with a fence before it and the end of its
    /// group after it.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` does not take products of `{A}` and `{B}`",
        label = "the hardware has no such product",
        note = "the table in the documentation of `matrix::warpgroup` has the elements, sums and numbers of columns that go together"
    )]
    pub trait Instructions<A, B> {
        /// Whether a product may be subtracted.
        const HAS_SIGNS: bool;
        /// Starts the products of a tile. `SIGN` is 1 or -1.
        unsafe fn tile<const SIGN: i32, OA: Order<A>, OB: Order<B>>(&mut self, a: u64, b: u64);
        /// Starts one step along the inner dimension with the left operand in registers.
        unsafe fn step<OB: Order<B>>(&mut self, a: [u32; 4], b: u64);
        /// Starts the four steps of a tile with the left operand in registers.
        unsafe fn steps<OB: Order<B>>(&mut self, a: [[u32; 4]; 4], b: u64);
    }

    /// The instructions with a sparse left operand, of which half of the elements are stored.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` does not take products of sparse `{A}` and `{B}`",
        label = "the hardware has no such product",
        note = "the table in the documentation of `matrix::warpgroup` has the elements, sums and numbers of columns that go together"
    )]
    pub trait Sparse<A, B> {
        /// Starts one step along the inner dimension.
        unsafe fn sparse<const PART: u32, OA: Order<A>, OB: Order<B>>(
            &mut self,
            a: u64,
            metadata: u32,
            b: u64,
        );
        /// Starts one step with the left operand in registers.
        unsafe fn sparse_step<const PART: u32, OB: Order<B>>(
            &mut self,
            a: [u32; 4],
            metadata: u32,
            b: u64,
        );
    }
}

/// A sum that takes products of elements `A` and `B`.
pub trait MultiplyAdd<A, B = A>: sealed::Instructions<A, B> {}
impl<A, B, S: sealed::Instructions<A, B>> MultiplyAdd<A, B> for S {}

/// A sum that takes products of elements `A`, of which half are stored, and `B`.
pub trait MultiplyAddSparse<A, B = A>: sealed::Sparse<A, B> {}
impl<A, B, S: sealed::Sparse<A, B>> MultiplyAddSparse<A, B> for S {}

/// Floats of 8 bits, which differ in two numbers of the instruction: `e4m3`, `e5m2`.
trait Float8 {
    const EXPONENT: i32;
    const MANTISSA: i32;
}
impl Float8 for E4m3 {
    const EXPONENT: i32 = 4;
    const MANTISSA: i32 = 3;
}
impl Float8 for E5m2 {
    const EXPONENT: i32 = 5;
    const MANTISSA: i32 = 2;
}

/// The text of one instruction.
#[cfg(target_arch = "nvptx64")]
macro_rules! instruction {
    ($sparse:literal, $shape:expr, $a:literal, $b:literal, $metadata:literal, $tail:literal, [$first:literal $($i:literal)*]) => {
        concat!(
            "wgmma.mma_async", $sparse, ".sync.aligned.m64n{columns}", $shape, " {{ {", $first, "}", $(", {", $i, "}",)* " }}, ",
            $a, ", ", $b, $metadata, ", one", $tail, ";",
        )
    };
}

/// The instructions between the fence and the end of the group: their text, and the
/// operands that differ.
macro_rules! fenced {
    ($sum:expr, $columns:expr, [$($i:literal)*], [$($text:expr),*], $($operands:tt)*) => {
        // SAFETY: the caller keeps the contract of this function. The registers are operands of the
        // whole text, so later code depends on their new values.
        unsafe {
            ptx!("wgmma":
                "{{ .reg .pred one; .reg .b32 number; mov.b32 number, 1; setp.ne.b32 one, number, 0;",
                $($text,)*
                "wgmma.commit_group.sync.aligned; }}",
                $(inout(reg32) $sum[$i],)*
                columns = const $columns,
                $($operands)*
                options(nostack, preserves_flags),
            );
        }
    };
}

/// The instructions of a size and of types. After the operands come the signs of both, and the
/// order of 16-bit elements: `$tail`, or `$tail_of_registers` without the left operand's order.
macro_rules! products {
    (
        [$($generics:tt)*] $a:ty, $b:ty, $sum:ty, $columns:expr, $registers:literal $i:tt, $signs:literal, $shape:expr, [$($types:tt)*],
        $tail:literal, $tail_of_registers:literal, [$($sign:tt)*], [$($left:tt)*], [$($right:tt)*]
    ) => {
        impl<$($generics)*> sealed::Instructions<$a, $b> for Accumulator<$sum, $registers> {
            const HAS_SIGNS: bool = $signs;
            #[inline(always)]
            unsafe fn tile<const SIGN: i32, OA: Order<$a>, OB: Order<$b>>(&mut self, a: u64, b: u64) {
                fenced! { self.0, $columns, $i, [
                        ".reg .b64 a1, a2, a3, b1, b2, b3;",
                        "add.s64 a1, {a}, {a_step}; add.s64 a2, a1, {a_step}; add.s64 a3, a2, {a_step};",
                        "add.s64 b1, {b}, {b_step}; add.s64 b2, b1, {b_step}; add.s64 b3, b2, {b_step};",
                        "wgmma.fence.sync.aligned;",
                        instruction!("", $shape, "{a}", "{b}", "", $tail, $i),
                        instruction!("", $shape, "a1", "b1", "", $tail, $i),
                        instruction!("", $shape, "a2", "b2", "", $tail, $i),
                        instruction!("", $shape, "a3", "b3", "", $tail, $i)
                    ],
                    a = in(reg64) a,
                    b = in(reg64) b,
                    a_step = const OA::STEP,
                    b_step = const OB::STEP,
                    $($types)* $($sign)* $($left)* $($right)*
                }
            }
            #[inline(always)]
            unsafe fn step<OB: Order<$b>>(&mut self, a: [u32; 4], b: u64) {
                fenced! { self.0, $columns, $i, [
                        "wgmma.fence.sync.aligned;",
                        instruction!("", $shape, "{{ {a0}, {a1}, {a2}, {a3} }}", "{b}", "", $tail_of_registers, $i)
                    ],
                    a0 = in(reg32) a[0],
                    a1 = in(reg32) a[1],
                    a2 = in(reg32) a[2],
                    a3 = in(reg32) a[3],
                    b = in(reg64) b,
                    $($types)* $($right)*
                }
            }
            #[inline(always)]
            unsafe fn steps<OB: Order<$b>>(&mut self, a: [[u32; 4]; 4], b: u64) {
                fenced! { self.0, $columns, $i, [
                        ".reg .b64 b1, b2, b3;",
                        "add.s64 b1, {b}, {b_step}; add.s64 b2, b1, {b_step}; add.s64 b3, b2, {b_step};",
                        "wgmma.fence.sync.aligned;",
                        instruction!("", $shape, "{{ {a00}, {a01}, {a02}, {a03} }}", "{b}", "", $tail_of_registers, $i),
                        instruction!("", $shape, "{{ {a10}, {a11}, {a12}, {a13} }}", "b1", "", $tail_of_registers, $i),
                        instruction!("", $shape, "{{ {a20}, {a21}, {a22}, {a23} }}", "b2", "", $tail_of_registers, $i),
                        instruction!("", $shape, "{{ {a30}, {a31}, {a32}, {a33} }}", "b3", "", $tail_of_registers, $i)
                    ],
                    a00 = in(reg32) a[0][0],
                    a01 = in(reg32) a[0][1],
                    a02 = in(reg32) a[0][2],
                    a03 = in(reg32) a[0][3],
                    a10 = in(reg32) a[1][0],
                    a11 = in(reg32) a[1][1],
                    a12 = in(reg32) a[1][2],
                    a13 = in(reg32) a[1][3],
                    a20 = in(reg32) a[2][0],
                    a21 = in(reg32) a[2][1],
                    a22 = in(reg32) a[2][2],
                    a23 = in(reg32) a[2][3],
                    a30 = in(reg32) a[3][0],
                    a31 = in(reg32) a[3][1],
                    a32 = in(reg32) a[3][2],
                    a33 = in(reg32) a[3][3],
                    b = in(reg64) b,
                    b_step = const OB::STEP,
                    $($types)* $($right)*
                }
            }
        }
    };
    (
        @sparse [$($generics:tt)*] $a:ty, $b:ty, $sum:ty, $columns:expr, $registers:literal $i:tt, $shape:expr, [$($types:tt)*],
        $tail:literal, $tail_of_registers:literal, [$($sign:tt)*], [$($left:tt)*], [$($right:tt)*]
    ) => {
        impl<$($generics)*> sealed::Sparse<$a, $b> for Accumulator<$sum, $registers> {
            #[inline(always)]
            unsafe fn sparse<const PART: u32, OA: Order<$a>, OB: Order<$b>>(&mut self, a: u64, metadata: u32, b: u64) {
                fenced! { self.0, $columns, $i, [
                        "wgmma.fence.sync.aligned;",
                        instruction!(".sp", $shape, "{a}", "{b}", ", {metadata}, {part}", $tail, $i)
                    ],
                    a = in(reg64) a,
                    b = in(reg64) b,
                    metadata = in(reg32) metadata,
                    part = const PART,
                    $($types)* $($sign)* $($left)* $($right)*
                }
            }
            #[inline(always)]
            unsafe fn sparse_step<const PART: u32, OB: Order<$b>>(&mut self, a: [u32; 4], metadata: u32, b: u64) {
                fenced! { self.0, $columns, $i, [
                        "wgmma.fence.sync.aligned;",
                        instruction!(".sp", $shape, "{{ {a0}, {a1}, {a2}, {a3} }}", "{b}", ", {metadata}, {part}", $tail_of_registers, $i)
                    ],
                    a0 = in(reg32) a[0],
                    a1 = in(reg32) a[1],
                    a2 = in(reg32) a[2],
                    a3 = in(reg32) a[3],
                    b = in(reg64) b,
                    metadata = in(reg32) metadata,
                    part = const PART,
                    $($types)* $($right)*
                }
            }
        }
    };
}

/// Elements of 16 bits, which may lie across the inner dimension.
macro_rules! halves {
    ($element:ident $sum:ident $columns:expr, $registers:literal $i:tt, $types:literal) => {
        products! {
            [] $element, $element, $sum, $columns, $registers $i, true, concat!("k16.", $types), [],
            ", {sign}, 1, {left}, {right}", ", 1, 1, {right}",
            [sign = const SIGN,], [left = const OA::TRANSPOSED,], [right = const OB::TRANSPOSED,]
        }
        products! {
            @sparse [] $element, $element, $sum, $columns, $registers $i, concat!("k32.", $types), [],
            ", 1, 1, {left}, {right}", ", 1, 1, {right}", [], [left = const OA::TRANSPOSED,], [right = const OB::TRANSPOSED,]
        }
    };
}

/// Floats of 8 bits.
macro_rules! floats8 {
    ($sum:ident $columns:expr, $registers:literal $i:tt, $sum_type:literal) => {
        products! {
            [A: Float8, B: Float8] A, B, $sum, $columns, $registers $i, true, concat!("k32.", $sum_type, ".e{a_exponent}m{a_mantissa}.e{b_exponent}m{b_mantissa}"),
            [a_exponent = const A::EXPONENT, a_mantissa = const A::MANTISSA, b_exponent = const B::EXPONENT, b_mantissa = const B::MANTISSA,],
            ", {sign}, 1", ", 1, 1", [sign = const SIGN,], [], []
        }
        products! {
            @sparse [A: Float8, B: Float8] A, B, $sum, $columns, $registers $i, concat!("k64.", $sum_type, ".e{a_exponent}m{a_mantissa}.e{b_exponent}m{b_mantissa}"),
            [a_exponent = const A::EXPONENT, a_mantissa = const A::MANTISSA, b_exponent = const B::EXPONENT, b_mantissa = const B::MANTISSA,],
            ", 1, 1", ", 1, 1", [], [], []
        }
    };
}

/// Sums of floats of 32 bits.
macro_rules! floats {
    ($registers:literal $i:tt) => {
        halves! { F16 f32 2 * $registers, $registers $i, "f32.f16.f16" }
        halves! { Bf16 f32 2 * $registers, $registers $i, "f32.bf16.bf16" }
        products! {
            [] Tf32, Tf32, f32, 2 * $registers, $registers $i, true, "k8.f32.tf32.tf32", [],
            ", {sign}, 1", ", 1, 1", [sign = const SIGN,], [], []
        }
        products! {
            @sparse [] Tf32, Tf32, f32, 2 * $registers, $registers $i, "k16.f32.tf32.tf32", [], ", 1, 1", ", 1, 1", [], [], []
        }
        floats8! { f32 2 * $registers, $registers $i, "f32" }
    };
}

/// Sums of half floats, two in a register.
macro_rules! half_sums {
    ($registers:literal $i:tt) => {
        halves! { F16 F16x2 4 * $registers, $registers $i, "f16.f16.f16" }
        floats8! { F16x2 4 * $registers, $registers $i, "f16" }
    };
}

/// Sums of integers.
macro_rules! integers {
    ($registers:literal $i:tt) => {
        integers! { @ S8 S8 "s8.s8", $registers $i }
        integers! { @ S8 U8 "s8.u8", $registers $i }
        integers! { @ U8 S8 "u8.s8", $registers $i }
        integers! { @ U8 U8 "u8.u8", $registers $i }
        products! { [] B1, B1, i32, 2 * $registers, $registers $i, false, "k256.s32.b1.b1.and.popc", [], "", "", [], [], [] }
    };
    (@ $a:ident $b:ident $types:literal, $registers:literal $i:tt) => {
        products! { [] $a, $b, i32, 2 * $registers, $registers $i, false, concat!("k32.s32.", $types), [], "", "", [], [], [] }
        products! { @sparse [] $a, $b, i32, 2 * $registers, $registers $i, concat!("k64.s32.", $types), [], "", "", [], [], [] }
    };
}

sizes! {
    floats! by 4:
    4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 120 124 128
}
sizes! {
    half_sums! by 2:
    2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 64
}
// Of integers there are 8, 16, 24, 32 columns and then every 16.
integers! { 4 [0 1 2 3] }
integers! { 12 [0 1 2 3 4 5 6 7 8 9 10 11] }
sizes! { integers! by 8: 8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128 }
