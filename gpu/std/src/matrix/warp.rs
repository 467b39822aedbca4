//! Products by a warp: `mma.sync`, from `sm_80`.
//!
//! A product is of 16 rows and 8 columns, and 32 bytes along the inner dimension: 16 half floats, 8 of `tf32`, 32 bytes, 64 halves of bytes, 256 bits; of `f64` see [`multiply_add_f64`]. The operands lie in
//! registers, spread over the 32 lanes: a [`Left`], a [`Right`], and the [`Sum`], which is `f32` or, of integers, `i32`. `ldmatrix` fills the first two from shared
//! memory. All lanes of the warp come to each of these functions.
//! PTX ISA, "Matrix Fragments for mma.m16n8k16", "mma", "ldmatrix", "stmatrix".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unused_mut, unreachable_code, dead_code)
)]

use core::marker::PhantomData;

use super::Element;
use super::element::{B1, Bf16, F16, S4, S8, Tf32, U4, U8};
use crate::state_space::{self, ptx};
use crate::warp;

/// Rows of the left operand and of the sum.
pub const ROWS: usize = 16;
/// Columns of the right operand and of the sum.
pub const COLUMNS: usize = 8;
/// Bytes of a row of the left operand, and of a column of the right one.
pub const BYTES: usize = 32;

/// The left operand: 16 rows of 32 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Left<E>([u32; 4], PhantomData<E>);

/// The right operand: 8 columns of 32 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Right<E>([u32; 2], PhantomData<E>);

/// The sum: 16 rows of 8, of which each lane has four.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum<T>([T; 4]);

impl<E: Element> Left<E> {
    /// Loads from shared memory: from row to row there are `stride` bytes, a multiple of 16.
    ///
    /// # Safety
    /// The rows are there, at multiples of 16 bytes, and nobody writes them meanwhile.
    #[doc(alias = "ldmatrix")]
    #[inline]
    #[must_use]
    pub unsafe fn load(tile: *const E::Bits, stride: usize) -> Self {
        let lane = warp::lane_id() as usize;
        // Four matrices of 8 rows of 16 bytes: lane l gives the address of row l % 8 of matrix l / 8.
        let offset = lane % 16 * stride + lane / 16 * 16;
        // SAFETY: the caller's promise.
        Left(
            unsafe { load_matrices(tile.cast::<u8>().wrapping_add(offset)) },
            PhantomData,
        )
    }

    /// The registers, for who makes them in another way.
    #[inline]
    #[must_use]
    pub fn from_registers(registers: [u32; 4]) -> Self {
        Left(registers, PhantomData)
    }

    /// The registers, as the instruction takes them.
    #[inline]
    #[must_use]
    pub fn registers(&self) -> [u32; 4] {
        self.0
    }
}

impl<E: Element> Right<E> {
    /// Loads from shared memory where the operand is stored as its transpose: 8 rows of 32 bytes, with `stride` bytes from one to the next.
    ///
    /// # Safety
    /// As for [`Left::load`].
    #[doc(alias = "ldmatrix")]
    #[inline]
    #[must_use]
    pub unsafe fn load_transpose(tile: *const E::Bits, stride: usize) -> Self {
        let lane = warp::lane_id() as usize % 16;
        let offset = lane % 8 * stride + lane / 8 * 16;
        // SAFETY: the caller's promise.
        Right(
            unsafe { load_matrices(tile.cast::<u8>().wrapping_add(offset)) },
            PhantomData,
        )
    }

    /// The registers, for who makes them in another way.
    #[inline]
    #[must_use]
    pub fn from_registers(registers: [u32; 2]) -> Self {
        Right(registers, PhantomData)
    }
}

macro_rules! halves {
    ($($element:ty)*) => {$(
        impl Right<$element> {
            /// Loads from shared memory where the operand is stored by its own rows: 16 rows of 8 elements, with `stride` bytes from one to the next.
            ///
            /// # Safety
            /// As for [`Left::load`].
            #[doc(alias = "ldmatrix.trans")]
            #[inline]
            #[must_use]
            pub unsafe fn load(tile: *const u16, stride: usize) -> Self {
                let lane = warp::lane_id() as usize % 16;
                // SAFETY: the caller's promise.
                Right(unsafe { load_matrices_transposed(tile.cast::<u8>().wrapping_add(lane * stride)) }, PhantomData)
            }
        }
    )*};
}
halves! { F16 Bf16 }

impl<T: Copy> Sum<T> {
    /// This lane's elements, in the order of [`position`](Self::position).
    #[inline]
    #[must_use]
    pub fn elements(&self) -> [T; 4] {
        self.0
    }

    /// A sum of these elements.
    #[inline]
    #[must_use]
    pub fn of(elements: [T; 4]) -> Self {
        Sum(elements)
    }

    /// Row and column of element `i` of a lane.
    #[inline]
    #[must_use]
    pub const fn position(lane: u32, i: usize) -> (usize, usize) {
        let lane = lane as usize;
        (lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2)
    }
}

/// Elements that a warp multiplies: as a left operand, by `B`.
pub trait Multiply<B = Self>: Element + Sized {
    /// What their products are added up in.
    type Sum: Copy;

    /// `left * right + sum`.
    #[doc(hidden)]
    fn multiply_add(left: &Left<Self>, right: &Right<B>, sum: Sum<Self::Sum>) -> Sum<Self::Sum>;
}

/// `left * right + sum`, by all lanes of the warp. Of [`B1`] what is added is how many bits both have.
#[doc(alias = "mma.sync")]
#[inline]
#[must_use]
pub fn multiply_add<A: Multiply<B>, B>(
    left: &Left<A>,
    right: &Right<B>,
    sum: Sum<A::Sum>,
) -> Sum<A::Sum> {
    A::multiply_add(left, right, sum)
}

macro_rules! products {
    ($($a:ty, $b:ty, $sum:ty, $instruction:literal;)*) => {$(
        impl Multiply<$b> for $a {
            type Sum = $sum;

            #[inline(always)]
            fn multiply_add(left: &Left<$a>, right: &Right<$b>, sum: Sum<$sum>) -> Sum<$sum> {
                let (a, b, Sum(mut c)) = (left.0, right.0, sum);
                // SAFETY: works on registers.
                unsafe {
                    ptx!("mma.sync":
                        concat!("mma.sync.aligned.", $instruction, " {{{c0}, {c1}, {c2}, {c3}}}, {{{a0}, {a1}, {a2}, {a3}}}, {{{b0}, {b1}}}, {{{c0}, {c1}, {c2}, {c3}}};"),
                        c0 = inout(reg32) c[0],
                        c1 = inout(reg32) c[1],
                        c2 = inout(reg32) c[2],
                        c3 = inout(reg32) c[3],
                        a0 = in(reg32) a[0],
                        a1 = in(reg32) a[1],
                        a2 = in(reg32) a[2],
                        a3 = in(reg32) a[3],
                        b0 = in(reg32) b[0],
                        b1 = in(reg32) b[1],
                        options(nomem, nostack, preserves_flags),
                    );
                }
                Sum(c)
            }
        }
    )*};
}
products! {
    F16, F16, f32, "m16n8k16.row.col.f32.f16.f16.f32";
    Bf16, Bf16, f32, "m16n8k16.row.col.f32.bf16.bf16.f32";
    Tf32, Tf32, f32, "m16n8k8.row.col.f32.tf32.tf32.f32";
    S8, S8, i32, "m16n8k32.row.col.s32.s8.s8.s32";
    S8, U8, i32, "m16n8k32.row.col.s32.s8.u8.s32";
    U8, S8, i32, "m16n8k32.row.col.s32.u8.s8.s32";
    U8, U8, i32, "m16n8k32.row.col.s32.u8.u8.s32";
    S4, S4, i32, "m16n8k64.row.col.s32.s4.s4.s32";
    S4, U4, i32, "m16n8k64.row.col.s32.s4.u4.s32";
    U4, S4, i32, "m16n8k64.row.col.s32.u4.s4.s32";
    U4, U4, i32, "m16n8k64.row.col.s32.u4.u4.s32";
    B1, B1, i32, "m16n8k256.row.col.s32.b1.b1.s32.and.popc";
}

/// `left * right + sum` in double precision, by all lanes of the warp: 8 rows, 8 columns, 4 deep. Lane `l` has row `l / 4` of the left operand at place `l % 4`, column `l / 4` of the right one
/// at place `l % 4`, and of the sum row `l / 4`, columns `2 * (l % 4)` and the next.
#[doc(alias = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64")]
#[inline]
#[must_use]
pub fn multiply_add_f64(left: f64, right: f64, mut sum: [f64; 2]) -> [f64; 2] {
    // SAFETY: works on registers.
    unsafe {
        ptx!("mma.sync":
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{{c0}, {c1}}}, {{{a}}}, {{{b}}}, {{{c0}, {c1}}};",
            c0 = inout(reg64) sum[0],
            c1 = inout(reg64) sum[1],
            a = in(reg64) left,
            b = in(reg64) right,
            options(nomem, nostack, preserves_flags),
        );
    }
    sum
}

/// One, two or four matrices at once. The sizes are constants, so that of the three instructions one is left.
macro_rules! by_number {
    ($action:ident, $number:expr, $($operands:tt)*) => {
        match $number {
            1 => $action!(".x1", "{{{0}}}", [0], $($operands)*),
            2 => $action!(".x2", "{{{0}, {1}}}", [0 1], $($operands)*),
            _ => $action!(".x4", "{{{0}, {1}, {2}, {3}}}", [0 1 2 3], $($operands)*),
        }
    };
}
macro_rules! load {
    ($number:literal, $list:literal, [$($i:literal)*], $words:literal, $row:ident, $registers:ident) => {
        ptx!("ldmatrix":
            concat!("ldmatrix.sync.aligned.m8n8", $number, $words, ".shared.b16 ", $list, ", [{row}];"),
            $(out(reg32) $registers[$i],)*
            row = in(reg32) $row,
            options(nostack, preserves_flags),
        )
    };
}
macro_rules! store {
    ($number:literal, $list:literal, [$($i:literal)*], $words:literal, $row:ident, $registers:ident) => {
        ptx!("stmatrix":
            concat!("stmatrix.sync.aligned.m8n8", $number, $words, ".shared.b16 [{row}], ", $list, ";"),
            $(in(reg32) $registers[$i],)*
            row = in(reg32) $row,
            options(nostack, preserves_flags),
        )
    };
}

/// That there is an instruction for so many.
const fn can_be(matrices: usize) {
    assert!(
        matches!(matrices, 1 | 2 | 4),
        "one, two or four matrices are loaded or stored at once"
    );
}

/// Loads one, two or four matrices of 8 rows of 16 bytes from shared memory: lane `l` gives the address of row `l % 8` of matrix `l / 8`, and has of each matrix
/// four bytes of row `l / 4`. Addresses of lanes beyond the matrices do not matter.
///
/// # Safety
/// Each address is of 16 bytes of shared memory, aligned to them, which nobody writes meanwhile. All lanes of the warp come here.
#[doc(alias = "ldmatrix")]
#[inline(always)]
#[must_use]
pub unsafe fn load_matrices<const MATRICES: usize>(row: *const u8) -> [u32; MATRICES] {
    const { can_be(MATRICES) };
    let row = state_space::shared(row);
    let mut registers = [0u32; 4];
    // SAFETY: the caller's promise.
    unsafe { by_number!(load, MATRICES, "", row, registers) };
    core::array::from_fn(|i| registers[i])
}

/// As [`load_matrices`], each transposed as a matrix of 8 by 8 elements of 16 bits.
///
/// # Safety
/// As for [`load_matrices`].
#[doc(alias = "ldmatrix.trans")]
#[inline(always)]
#[must_use]
pub unsafe fn load_matrices_transposed<const MATRICES: usize>(row: *const u8) -> [u32; MATRICES] {
    const { can_be(MATRICES) };
    let row = state_space::shared(row);
    let mut registers = [0u32; 4];
    // SAFETY: the caller's promise.
    unsafe { by_number!(load, MATRICES, ".trans", row, registers) };
    core::array::from_fn(|i| registers[i])
}

/// Stores one, two or four matrices of 8 rows of 8 elements of 16 bits, a register of each lane each, to shared memory: lane `l` gives the address of row `l % 8` of
/// matrix `l / 8`. From `sm_90`.
///
/// # Safety
/// Each lane's `row` is of 16 bytes of this block's shared memory, aligned to them, which nobody else touches before a barrier. All lanes of the warp come here.
#[doc(alias = "stmatrix")]
#[inline(always)]
pub unsafe fn store_matrices<const MATRICES: usize>(row: *mut u8, registers: [u32; MATRICES]) {
    const { can_be(MATRICES) };
    let row = state_space::shared(row);
    let registers: [u32; 4] = core::array::from_fn(|i| registers.get(i).copied().unwrap_or(0));
    // SAFETY: the caller's promise.
    unsafe { by_number!(store, MATRICES, "", row, registers) };
}

/// As [`store_matrices`], each transposed.
///
/// # Safety
/// As for [`store_matrices`].
#[doc(alias = "stmatrix.trans")]
#[inline(always)]
pub unsafe fn store_matrices_transposed<const MATRICES: usize>(
    row: *mut u8,
    registers: [u32; MATRICES],
) {
    const { can_be(MATRICES) };
    let row = state_space::shared(row);
    let registers: [u32; 4] = core::array::from_fn(|i| registers.get(i).copied().unwrap_or(0));
    // SAFETY: the caller's promise.
    unsafe { by_number!(store, MATRICES, ".trans", row, registers) };
}
