//! Products by a warpgroup, four warps with consecutive numbers from a multiple of four: `wgmma`, for `sm_90a` alone.
//!
//! Both operands lie in shared memory, in tiles that the tensor memory accelerator has brought with a swizzle of 128 bytes: rows of 128 bytes along
//! the inner dimension ("K-major"). The left operand has 64 rows, the right one as many as the product has columns, stored as
//! its transpose. The sum stays in registers, spread over the 128 threads: an [`Accumulator`].
//!
//! `wgmma` is asynchronous: a fence before it, a group behind it, and a wait before a register may be touched. What is forgotten there is found by no
//! compiler. Here the three are one with the products: [`Accumulator::multiply_add`] starts the products of a whole tile one after another and returns
//! when they are done, so the registers are never out of the hardware's hands half-way. Copies by other warps go on meanwhile.
//! PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions", "Matrix Descriptor Format", "Strides".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use core::marker::PhantomData;

use super::Element;
use super::element::{Bf16, E4m3, E5m2, F16, S8, Tf32, U8};
use crate::state_space::{self, ptx};
use crate::thread;

/// Threads of a warpgroup.
pub const THREADS: u32 = 128;
/// Rows of the left operand, and of the sum.
pub const ROWS: usize = 64;
/// Bytes of a row of a tile.
pub const ROW_BYTES: usize = 128;

/// This thread's warpgroup in its block.
#[inline]
#[must_use]
pub fn warpgroup_id() -> u32 {
    thread::thread_rank() / THREADS
}

/// Where an operand lies, and how: rows of 128 bytes, swizzled by 128 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor<E> {
    bits: u64,
    element: PhantomData<E>,
}

impl<E: Element> Descriptor<E> {
    /// Of the tile that begins here: at a multiple of 1024 bytes of this block's shared memory, loaded by a tensor map with a swizzle of 128 bytes in
    /// boxes as wide.
    #[doc(alias = "matrix descriptor")]
    #[inline]
    #[must_use]
    pub fn of_tile(tile: *const E::Bits) -> Self {
        /// Bytes from eight rows to the next eight.
        const EIGHT_ROWS: u64 = 8 * ROW_BYTES as u64;
        /// A swizzle of 128 bytes.
        const SWIZZLE: u64 = 1;
        let start = u64::from(state_space::shared(tile));
        Descriptor {
            bits: (start & 0x3_ffff) >> 4 | 1 << 16 | (EIGHT_ROWS >> 4) << 32 | SWIZZLE << 62,
            element: PhantomData,
        }
    }

    /// The operand that begins so many rows below, a multiple of 8.
    #[inline]
    #[must_use]
    pub fn below(self, rows: u32) -> Self {
        Descriptor {
            bits: self.bits + u64::from(rows) * (ROW_BYTES as u64 >> 4),
            ..self
        }
    }
}

/// The sum of a warpgroup: 64 rows, and twice as many columns as each thread has `REGISTERS`.
#[derive(Clone, Copy, Debug)]
pub struct Accumulator<T, const REGISTERS: usize>([T; REGISTERS]);

/// 64 rows and 64 columns.
pub type Accumulator64<T> = Accumulator<T, 32>;
/// 64 rows and 128 columns.
pub type Accumulator128<T> = Accumulator<T, 64>;
/// 64 rows and 256 columns.
pub type Accumulator256<T> = Accumulator<T, 128>;

impl<T: Copy + Default, const REGISTERS: usize> Accumulator<T, REGISTERS> {
    /// Columns of the sum.
    pub const COLUMNS: usize = 2 * REGISTERS;

    /// An accumulator of zeros.
    #[inline]
    #[must_use]
    pub fn zero() -> Self {
        Accumulator([T::default(); REGISTERS])
    }

    /// Row and column of register `i` of a thread of the warpgroup.
    #[inline]
    #[must_use]
    pub const fn position(thread: u32, i: usize) -> (usize, usize) {
        let (warp, lane) = (thread as usize / 32, thread as usize % 32);
        (
            16 * warp + lane / 4 + 8 * (i / 2 % 2),
            8 * (i / 4) + 2 * (lane % 4) + i % 2,
        )
    }
}

/// The registers of a sum have numbers that are constants, or they would be memory: so each size has its function.
macro_rules! elements {
    ($($registers:literal: [$($i:literal)*];)*) => {$(
        impl<T: Copy + Default> Accumulator<T, $registers> {
            /// Calls `f` with row, column and value of each of this thread's elements.
            #[inline(always)]
            pub fn for_each(&self, mut f: impl FnMut(usize, usize, T)) {
                let thread = thread::thread_rank() % THREADS;
                $(
                    let (row, column) = Self::position(thread, $i);
                    f(row, column, self.0[$i]);
                )*
            }
        }
    )*};
}
elements! {
    32: [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31];
    64: [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63];
    128: [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
        64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95
        96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127];
}

/// A sum that takes products of elements `E`.
pub trait MultiplyAdd<E>: sealed::MultiplyAdd<E> {}

mod sealed {
    pub trait MultiplyAdd<E> {
        /// Adds the product of two tiles, of which the descriptors are given.
        unsafe fn multiply_add(&mut self, a: u64, b: u64);
    }
}

impl<T, const REGISTERS: usize> Accumulator<T, REGISTERS> {
    /// Adds the product of a left tile of 64 rows and a right tile of as many rows as the sum has columns: the whole 128 bytes of their rows.
    /// All four warps of the warpgroup call it.
    ///
    /// # Safety
    /// Both tiles are there, complete: loaded by copies that a barrier has been waited for, or written by threads and
    /// [`bulk::fence_proxy_async`](crate::bulk::fence_proxy_async) before a barrier. Nobody writes them until this returns.
    #[doc(alias = "wgmma.mma_async")]
    #[inline(always)]
    pub unsafe fn multiply_add<E>(&mut self, a: Descriptor<E>, b: Descriptor<E>)
    where
        Self: MultiplyAdd<E>,
    {
        // SAFETY: the caller's promise.
        unsafe { sealed::MultiplyAdd::multiply_add(self, a.bits, b.bits) }
    }
}

/// One instruction: a step of 32 bytes along the inner dimension.
#[cfg(target_arch = "nvptx64")]
macro_rules! step {
    ($instruction:expr, $tail:expr, $a:literal, $b:literal, [$($i:literal)*]) => {
        concat!(
            "wgmma.mma_async.sync.aligned.", $instruction, " {{ {0}", $(", {", $i, "}",)* " }}, ", $a, ", ", $b, ", one", $tail, ";",
        )
    };
}

macro_rules! products {
    ($element:ty, $sum:ty, $registers:literal, $instruction:expr, $tail:literal, [$($i:literal)*]) => {
        impl sealed::MultiplyAdd<$element> for Accumulator<$sum, $registers> {
            #[inline(always)]
            unsafe fn multiply_add(&mut self, a: u64, b: u64) {
                let sum = &mut self.0;
                // SAFETY: the caller's promise. The registers are handed over for all of it: from the fence to the end of the wait.
                unsafe {
                    ptx!("wgmma":
                        "{{ .reg .pred one; .reg .b32 number; .reg .b64 a1, a2, a3, b1, b2, b3;",
                        "mov.b32 number, 1; setp.ne.b32 one, number, 0;",
                        "add.s64 a1, {a}, 2; add.s64 a2, {a}, 4; add.s64 a3, {a}, 6;",
                        "add.s64 b1, {b}, 2; add.s64 b2, {b}, 4; add.s64 b3, {b}, 6;",
                        "wgmma.fence.sync.aligned;",
                        step!($instruction, $tail, "{a}", "{b}", [$($i)*]),
                        step!($instruction, $tail, "a1", "b1", [$($i)*]),
                        step!($instruction, $tail, "a2", "b2", [$($i)*]),
                        step!($instruction, $tail, "a3", "b3", [$($i)*]),
                        "wgmma.commit_group.sync.aligned;",
                        "wgmma.wait_group.sync.aligned 0; }}",
                        inout(reg32) sum[0],
                        $(inout(reg32) sum[$i],)*
                        a = in(reg64) a,
                        b = in(reg64) b,
                        options(nostack, preserves_flags),
                    );
                }
            }
        }
        impl MultiplyAdd<$element> for Accumulator<$sum, $registers> {}
    };
}

/// The products of an element type, for each width of the sum.
macro_rules! widths {
    ($($element:ty, $sum:ty, $k:literal, $types:literal, $tail:literal;)*) => {$(
        products! { $element, $sum, 32, concat!("m64n64", $k, ".", $types), $tail,
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31] }
        products! { $element, $sum, 64, concat!("m64n128", $k, ".", $types), $tail,
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
             32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63] }
        products! { $element, $sum, 128, concat!("m64n256", $k, ".", $types), $tail,
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
             32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
             64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95
             96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127] }
    )*};
}
// Behind the operands: signs of both, and for half floats whether one is stored by columns.
widths! {
    F16, f32, "k16", "f32.f16.f16", ", 1, 1, 0, 0";
    Bf16, f32, "k16", "f32.bf16.bf16", ", 1, 1, 0, 0";
    Tf32, f32, "k8", "f32.tf32.tf32", ", 1, 1";
    E4m3, f32, "k32", "f32.e4m3.e4m3", ", 1, 1";
    E5m2, f32, "k32", "f32.e5m2.e5m2", ", 1, 1";
}
// Integers wrap, and have no signs to give.
macro_rules! integers {
    ($($element:ty, $types:literal;)*) => {$(
        products! { $element, i32, 32, concat!("m64n64k32.s32.", $types), "",
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31] }
        products! { $element, i32, 64, concat!("m64n128k32.s32.", $types), "",
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
             32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63] }
    )*};
}
integers! {
    S8, "s8.s8";
    U8, "u8.u8";
}

/// Takes registers for this warpgroup's threads, up to so many each: 24 to 256, a multiple of 8. Others of the block must have given some
/// ([`decrease_registers`]), or the thread waits for ever. All warps of the warpgroup call it, in a kernel with `#[launch_bounds]`.
#[doc(alias = "setmaxnreg.inc")]
#[inline(always)]
pub fn increase_registers<const COUNT: u32>() {
    const {
        assert!(
            COUNT >= 24 && COUNT <= 256 && COUNT & 7 == 0,
            "a thread has 24 to 256 registers, a multiple of 8"
        )
    };
    // SAFETY: says how registers are shared out; what they hold stays.
    unsafe {
        ptx!("setmaxnreg.inc":
            "setmaxnreg.inc.sync.aligned.u32 {count};",
            count = const COUNT,
            options(nostack, preserves_flags),
        );
    }
}

/// Gives registers of this warpgroup's threads away, down to so many each: 24 to 256, a multiple of 8. All warps of the warpgroup call it, in a kernel
/// with `#[launch_bounds]`.
#[doc(alias = "setmaxnreg.dec")]
#[inline(always)]
pub fn decrease_registers<const COUNT: u32>() {
    const {
        assert!(
            COUNT >= 24 && COUNT <= 256 && COUNT & 7 == 0,
            "a thread has 24 to 256 registers, a multiple of 8"
        )
    };
    // SAFETY: as for `increase_registers`; the compiler keeps within what is left.
    unsafe {
        ptx!("setmaxnreg.dec":
            "setmaxnreg.dec.sync.aligned.u32 {count};",
            count = const COUNT,
            options(nostack, preserves_flags),
        );
    }
}
