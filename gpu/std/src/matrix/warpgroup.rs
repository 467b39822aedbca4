//! Products by a warpgroup, four warps with consecutive numbers from a multiple of four: `wgmma`, for `sm_90a` alone.
//!
//! The right operand lies in shared memory, the left one there or in registers ([`warp::Left`], as `ldmatrix` fills it). In shared memory they are tiles that the
//! tensor memory accelerator has brought with a swizzle of 128 bytes: rows of 128 bytes along the inner dimension ("K-major"), or, of 16-bit elements, along the other one ([`Across`]). The left operand
//! has 64 rows, the right one as many columns as the sum. The sum stays in registers, spread over the 128 threads: an [`Accumulator`].
//!
//! `wgmma` is asynchronous: a fence before it, a group behind it, and a wait before a register may be touched. What is forgotten there is found by no
//! compiler. Here they are part of the steps, and the sum is borrowed from the first product to the wait:
//!
//! | step | what it has in it |
//! | --- | --- |
//! | [`Accumulator::start`] | |
//! | [`Products::multiply_add`], [`multiply_subtract`](Products::multiply_subtract), [`multiply_add_registers`](Products::multiply_add_registers) | `wgmma.fence`, a tile's products, `wgmma.commit_group` |
//! | [`Products::wait_for_previous`] | `wgmma.wait_group 1`: what the products before the last ones read may be overwritten |
//! | [`Products::finish`], or where it is dropped | `wgmma.wait_group 0` |
//!
//! [`Accumulator::multiply_add`] is all of it for one tile.
//! PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions", "Matrix Descriptor Format", "Strides".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use core::marker::PhantomData;

use super::element::{B1, Bf16, E4m3, E5m2, F16, S8, Tf32, U8};
use super::{Element, warp};
use crate::half::F16x2;
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

mod sealed {
    /// The instructions of a size and of types.
    pub trait Instructions<A, B> {
        /// Whether a product may be taken away.
        const HAS_SIGNS: bool;
        /// A fence, the products of a tile, and their group. `SIGN` is 1 or -1.
        unsafe fn tile<const SIGN: i32, OA: super::Order<A>, OB: super::Order<B>>(
            &mut self,
            a: u64,
            b: u64,
        );
        /// The same for one step along the inner dimension with the left operand in registers.
        unsafe fn step<OB: super::Order<B>>(&mut self, a: [u32; 4], b: u64);
    }

    /// What is the same for all types.
    pub trait Registers {
        /// Waits for all groups; the registers are the thread's again.
        unsafe fn wait(&mut self);
    }
}

/// In which order a tile has its elements.
pub trait Order<E> {
    /// What the instruction calls it.
    #[doc(hidden)]
    const TRANSPOSED: i32;
    /// How far the descriptor goes for one step, in 16 bytes.
    #[doc(hidden)]
    const STEP: i32;
}

/// Rows of 128 bytes along the inner dimension: 32 bytes are one step.
#[doc(alias = "K-major")]
#[derive(Clone, Copy, Debug)]
pub enum Along {}
impl<E> Order<E> for Along {
    const TRANSPOSED: i32 = 0;
    const STEP: i32 = 2;
}

/// Rows of 64 elements across the inner dimension, of which 16 rows are one step. Of 16-bit elements only.
#[doc(alias = "MN-major")]
#[derive(Clone, Copy, Debug)]
pub enum Across {}
macro_rules! across {
    ($($element:ty)*) => {$(
        impl Order<$element> for Across {
            const TRANSPOSED: i32 = 1;
            const STEP: i32 = 128;
        }
    )*};
}
across! { F16 Bf16 }

/// Where an operand lies, and how: rows of 128 bytes, swizzled by 128 bytes.
#[derive(Debug)]
pub struct Descriptor<E, O = Along> {
    bits: u64,
    element: PhantomData<(E, O)>,
}

impl<E, O> Clone for Descriptor<E, O> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<E, O> Copy for Descriptor<E, O> {}

impl<E, O> Descriptor<E, O> {
    fn new(start: u32, leading: u32) -> Self {
        /// Bytes from eight rows to the next eight.
        const EIGHT_ROWS: u64 = 8 * ROW_BYTES as u64;
        /// A swizzle of 128 bytes.
        const SWIZZLE: u64 = 1;
        let (start, leading) = (u64::from(start & 0x3_ffff), u64::from(leading & 0x3_ffff));
        Descriptor {
            bits: start >> 4 | (leading >> 4) << 16 | (EIGHT_ROWS >> 4) << 32 | SWIZZLE << 62,
            element: PhantomData,
        }
    }
}

impl<E: Element> Descriptor<E> {
    /// Of the tile that begins here: at a multiple of 1024 bytes of this block's shared memory, loaded by a tensor map with a swizzle of 128 bytes in
    /// boxes as wide.
    #[doc(alias = "matrix descriptor")]
    #[inline]
    #[must_use]
    pub fn of_tile(tile: *const E::Bits) -> Self {
        Self::new(state_space::shared(tile), 16)
    }

    /// The operand that begins so many bytes further along its rows, a multiple of 32: a step of the inner dimension.
    #[inline]
    #[must_use]
    pub fn advance(self, bytes: u32) -> Self {
        Descriptor {
            bits: self.bits + (u64::from(bytes) >> 4),
            ..self
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

impl<E: Element> Descriptor<E, Across>
where
    Across: Order<E>,
{
    /// Of the tile that begins here, at a multiple of 1024 bytes: 64 rows along the inner dimension with 64 elements of the other one each; what has more than 64 there lies in tiles that are `next` bytes apart.
    #[doc(alias = "matrix descriptor")]
    #[inline]
    #[must_use]
    pub fn of_tiles_across(tile: *const E::Bits, next: u32) -> Self {
        Self::new(state_space::shared(tile), next)
    }
}

/// What a register of a sum holds.
pub trait Register: Copy {
    /// How many neighbours of a row.
    const ELEMENTS: usize;
    #[doc(hidden)]
    fn from_bits(bits: u32) -> Self;
    #[doc(hidden)]
    fn to_bits(self) -> u32;
}
impl Register for f32 {
    const ELEMENTS: usize = 1;
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        f32::from_bits(bits)
    }
    #[inline(always)]
    fn to_bits(self) -> u32 {
        f32::to_bits(self)
    }
}
impl Register for i32 {
    const ELEMENTS: usize = 1;
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits as i32
    }
    #[inline(always)]
    fn to_bits(self) -> u32 {
        self as u32
    }
}
/// What `F16` and the floats of 8 bits may be added up in besides `f32`.
impl Register for F16x2 {
    const ELEMENTS: usize = 2;
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        F16x2::from_bits(bits)
    }
    #[inline(always)]
    fn to_bits(self) -> u32 {
        F16x2::to_bits(self)
    }
}

/// The sum of a warpgroup: 64 rows, and twice as many columns as each thread has `REGISTERS` (of half floats four times as many).
#[derive(Clone, Copy, Debug)]
pub struct Accumulator<T, const REGISTERS: usize>([u32; REGISTERS], PhantomData<T>);

/// 64 rows and 64 columns.
pub type Accumulator64<T> = Accumulator<T, 32>;
/// 64 rows and 128 columns.
pub type Accumulator128<T> = Accumulator<T, 64>;
/// 64 rows and 256 columns.
pub type Accumulator256<T> = Accumulator<T, 128>;

impl<T: Register, const REGISTERS: usize> Accumulator<T, REGISTERS> {
    /// Columns of the sum.
    pub const COLUMNS: usize = 2 * T::ELEMENTS * REGISTERS;

    /// An accumulator of zeros.
    #[inline]
    #[must_use]
    pub fn zero() -> Self {
        Accumulator([0; REGISTERS], PhantomData)
    }

    /// Row and column of the first element in register `i` of a thread of the warpgroup.
    #[inline]
    #[must_use]
    pub const fn position(thread: u32, i: usize) -> (usize, usize) {
        let (warp, lane, i) = (thread as usize / 32, thread as usize % 32, T::ELEMENTS * i);
        (
            16 * warp + lane / 4 + 8 * (i / 2 % 2),
            8 * (i / 4) + 2 * (lane % 4) + i % 2,
        )
    }
}

/// The registers of a sum have numbers that are constants, or they would be memory: so each size has its function.
macro_rules! sizes {
    ($($registers:literal: [$($i:literal)*];)*) => {$(
        impl<T: Register> Accumulator<T, $registers> {
            /// Calls `f` with row, column and value of each of this thread's registers.
            #[inline(always)]
            pub fn for_each(&self, mut f: impl FnMut(usize, usize, T)) {
                let thread = thread::thread_rank() % THREADS;
                $(
                    let (row, column) = Self::position(thread, $i);
                    f(row, column, T::from_bits(self.0[$i]));
                )*
            }

            /// Gives each of this thread's registers what `f` makes of its row, column and value: a sum that begins with something, or is scaled half-way.
            #[inline(always)]
            pub fn map(&mut self, mut f: impl FnMut(usize, usize, T) -> T) {
                let thread = thread::thread_rank() % THREADS;
                $(
                    let (row, column) = Self::position(thread, $i);
                    self.0[$i] = f(row, column, T::from_bits(self.0[$i])).to_bits();
                )*
            }
        }

        impl sealed::Registers for [u32; $registers] {
            #[inline(always)]
            unsafe fn wait(&mut self) {
                // SAFETY: it waits; the registers go through it, so that nothing reads them before.
                unsafe {
                    ptx!("wgmma.wait_group":
                        concat!("wgmma.wait_group.sync.aligned 0; /*", $(" {", $i, "}",)* " */"),
                        $(inout(reg32) self[$i] => self[$i],)*
                        options(nostack, preserves_flags),
                    );
                }
            }
        }
    )*};
}
sizes! {
    2: [0 1];
    4: [0 1 2 3];
    8: [0 1 2 3 4 5 6 7];
    16: [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15];
    24: [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23];
    32: [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31];
    48: [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43
            44 45 46 47];
    64: [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43
            44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63];
    96: [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43
            44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84
            85 86 87 88 89 90 91 92 93 94 95];
    128: [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43
            44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84
            85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118
            119 120 121 122 123 124 125 126 127];
}

/// A sum that takes products of elements `A` and `B`.
pub trait MultiplyAdd<A, B = A>: sealed::Instructions<A, B> {}

/// A sum whose products are under way: nobody reads or writes its registers until [`finish`](Self::finish), or until this is dropped.
#[derive(Debug)]
#[must_use = "start products, and `finish` before the sum is read"]
pub struct Products<'a, T, const REGISTERS: usize>(&'a mut Accumulator<T, REGISTERS>)
where
    [u32; REGISTERS]: sealed::Registers;

impl<T, const REGISTERS: usize> Accumulator<T, REGISTERS>
where
    [u32; REGISTERS]: sealed::Registers,
{
    /// Hands the sum to the hardware, for products one after another.
    #[inline(always)]
    pub fn start(&mut self) -> Products<'_, T, REGISTERS> {
        Products(self)
    }

    /// Adds the product of a left tile of 64 rows and a right tile of as many columns as the sum, 128 bytes deep, and waits.
    /// All four warps of the warpgroup call it.
    ///
    /// # Safety
    /// As for [`Products::multiply_add`], until this returns.
    #[doc(alias = "wgmma.mma_async")]
    #[inline(always)]
    pub unsafe fn multiply_add<A, B, OA: Order<A>, OB: Order<B>>(
        &mut self,
        a: Descriptor<A, OA>,
        b: Descriptor<B, OB>,
    ) where
        Self: MultiplyAdd<A, B>,
    {
        let mut products = self.start();
        // SAFETY: the caller's promise; they are finished here.
        unsafe { products.multiply_add(a, b) };
    }
}

impl<T, const REGISTERS: usize> Products<'_, T, REGISTERS>
where
    [u32; REGISTERS]: sealed::Registers,
{
    /// Starts to add the product of a left tile of 64 rows and a right tile of as many columns as the sum, 128 bytes deep (across the inner dimension: 64 rows of it). All four warps of the warpgroup call it.
    ///
    /// # Safety
    /// Both tiles are there, complete: loaded by copies that a barrier has been waited for, or written by threads and
    /// [`bulk::fence_proxy_async`](crate::bulk::fence_proxy_async) before a barrier. Nobody writes them until the products were waited for. `self` is not forgotten.
    #[doc(alias = "wgmma.mma_async")]
    #[inline(always)]
    pub unsafe fn multiply_add<A, B, OA: Order<A>, OB: Order<B>>(
        &mut self,
        a: Descriptor<A, OA>,
        b: Descriptor<B, OB>,
    ) where
        Accumulator<T, REGISTERS>: MultiplyAdd<A, B>,
    {
        // SAFETY: the caller's promise.
        unsafe { sealed::Instructions::<A, B>::tile::<1, OA, OB>(self.0, a.bits, b.bits) }
    }

    /// As [`multiply_add`](Self::multiply_add), with the product taken away from the sum. Not of integers.
    ///
    /// # Safety
    /// As for [`multiply_add`](Self::multiply_add).
    #[inline(always)]
    pub unsafe fn multiply_subtract<A, B, OA: Order<A>, OB: Order<B>>(
        &mut self,
        a: Descriptor<A, OA>,
        b: Descriptor<B, OB>,
    ) where
        Accumulator<T, REGISTERS>: MultiplyAdd<A, B>,
    {
        const {
            assert!(
                <Accumulator<T, REGISTERS> as sealed::Instructions<A, B>>::HAS_SIGNS,
                "integers have no sign to turn"
            )
        };
        // SAFETY: the caller's promise.
        unsafe { sealed::Instructions::<A, B>::tile::<-1, OA, OB>(self.0, a.bits, b.bits) }
    }

    /// Starts to add the product of a left operand in registers, each warp its 16 rows of 32 bytes, and the first 32 bytes (16 rows) of the right tile.
    ///
    /// # Safety
    /// As for [`multiply_add`](Self::multiply_add), of the right tile.
    #[inline(always)]
    pub unsafe fn multiply_add_registers<A: Element, B, OB: Order<B>>(
        &mut self,
        a: &warp::Left<A>,
        b: Descriptor<B, OB>,
    ) where
        Accumulator<T, REGISTERS>: MultiplyAdd<A, B>,
    {
        // SAFETY: the caller's promise. The registers of the left operand are waited for with the sum: nobody has them but this.
        unsafe { sealed::Instructions::<A, B>::step::<OB>(self.0, a.registers(), b.bits) }
    }

    /// Waits for all products but those of the last call: what they read may be overwritten.
    #[doc(alias = "wgmma.wait_group")]
    #[inline(always)]
    pub fn wait_for_previous(&mut self) {
        // SAFETY: it waits.
        unsafe {
            ptx!("wgmma.wait_group": "wgmma.wait_group.sync.aligned 1;", options(nostack, preserves_flags));
        }
    }

    /// Waits for all products: the sum is the thread's again.
    #[inline(always)]
    pub fn finish(self) {
        drop(self);
    }
}

impl<T, const REGISTERS: usize> Drop for Products<'_, T, REGISTERS>
where
    [u32; REGISTERS]: sealed::Registers,
{
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: all four warps are here, as they were for the products.
        unsafe { sealed::Registers::wait(&mut self.0.0) };
    }
}

/// One instruction.
#[cfg(target_arch = "nvptx64")]
macro_rules! instruction {
    ($instruction:expr, $tail:literal, $a:literal, $b:literal, [$($i:literal)*]) => {
        concat!(
            "wgmma.mma_async.sync.aligned.", $instruction, " {{ {0}", $(", {", $i, "}",)* " }}, ", $a, ", ", $b, ", one", $tail, ";",
        )
    };
}

/// The instructions of a size and of types: behind the operands stand signs of both, and of 16-bit elements how they lie.
macro_rules! products {
    ($a:ty, $b:ty, $sum:ty, $signs:literal, $instruction:expr, $registers:literal, $list:tt, $tail:literal, $tail_of_registers:literal, [$($sign:tt)*], [$($left:tt)*], [$($right:tt)*]) => {
        impl sealed::Instructions<$a, $b> for Accumulator<$sum, $registers> {
            const HAS_SIGNS: bool = $signs;
            #[inline(always)]
            unsafe fn tile<const SIGN: i32, OA: Order<$a>, OB: Order<$b>>(&mut self, a: u64, b: u64) {
                products! { @tile self.0, a, b, $instruction, $list, $tail, [$($sign)* $($left)* $($right)*] }
            }
            #[inline(always)]
            unsafe fn step<OB: Order<$b>>(&mut self, a: [u32; 4], b: u64) {
                products! { @step self.0, a, b, $instruction, $list, $tail_of_registers, [$($right)*] }
            }
        }
    };
    (@tile $sum:expr, $a:ident, $b:ident, $instruction:expr, [$($i:literal)*], $tail:literal, [$($more:tt)*]) => {
        // SAFETY: the caller's promise. The registers are handed over for all of it, and are tied to what comes after.
        unsafe {
            ptx!("wgmma":
                "{{ .reg .pred one; .reg .b32 number; .reg .b64 a1, a2, a3, b1, b2, b3;",
                "mov.b32 number, 1; setp.ne.b32 one, number, 0;",
                "add.s64 a1, {a}, {a_step}; add.s64 a2, a1, {a_step}; add.s64 a3, a2, {a_step};",
                "add.s64 b1, {b}, {b_step}; add.s64 b2, b1, {b_step}; add.s64 b3, b2, {b_step};",
                "wgmma.fence.sync.aligned;",
                instruction!($instruction, $tail, "{a}", "{b}", [$($i)*]),
                instruction!($instruction, $tail, "a1", "b1", [$($i)*]),
                instruction!($instruction, $tail, "a2", "b2", [$($i)*]),
                instruction!($instruction, $tail, "a3", "b3", [$($i)*]),
                "wgmma.commit_group.sync.aligned; }}",
                inout(reg32) $sum[0],
                $(inout(reg32) $sum[$i],)*
                a = in(reg64) $a,
                b = in(reg64) $b,
                a_step = const OA::STEP,
                b_step = const OB::STEP,
                $($more)*
                options(nostack, preserves_flags),
            );
        }
    };
    (@step $sum:expr, $a:ident, $b:ident, $instruction:expr, [$($i:literal)*], $tail:literal, [$($more:tt)*]) => {
        // SAFETY: as for a tile.
        unsafe {
            ptx!("wgmma":
                "{{ .reg .pred one; .reg .b32 number; mov.b32 number, 1; setp.ne.b32 one, number, 0;",
                "wgmma.fence.sync.aligned;",
                instruction!($instruction, $tail, "{{ {a0}, {a1}, {a2}, {a3} }}", "{b}", [$($i)*]),
                "wgmma.commit_group.sync.aligned; }}",
                inout(reg32) $sum[0],
                $(inout(reg32) $sum[$i],)*
                a0 = in(reg32) $a[0],
                a1 = in(reg32) $a[1],
                a2 = in(reg32) $a[2],
                a3 = in(reg32) $a[3],
                b = in(reg64) $b,
                $($more)*
                options(nostack, preserves_flags),
            );
        }
    };
}

/// For each width of a sum of 32-bit elements: its registers, and the numbers of all but the first.
macro_rules! widths {
    ($($columns:literal $registers:literal $list:tt;)*) => {$(
        halves! { $columns $registers $list: F16 f32 "f32.f16.f16", Bf16 f32 "f32.bf16.bf16", }
        floats! { $columns $registers $list: "k8", Tf32 Tf32 f32 "f32.tf32.tf32", }
        floats! {
            $columns $registers $list: "k32", E4m3 E4m3 f32 "f32.e4m3.e4m3", E4m3 E5m2 f32 "f32.e4m3.e5m2",
            E5m2 E4m3 f32 "f32.e5m2.e4m3", E5m2 E5m2 f32 "f32.e5m2.e5m2",
        }
        integers! { $columns $registers $list: "k32", S8 S8 "s8.s8", S8 U8 "s8.u8", U8 S8 "u8.s8", U8 U8 "u8.u8", }
        integers! { $columns $registers $list: "k256", B1 B1 "b1.b1.and.popc", }
    )*};
}
/// The same for sums of half floats, two in a register.
macro_rules! widths_of_halves {
    ($($columns:literal $registers:literal $list:tt;)*) => {$(
        halves! { $columns $registers $list: F16 F16x2 "f16.f16.f16", }
        floats! {
            $columns $registers $list: "k32", E4m3 E4m3 F16x2 "f16.e4m3.e4m3", E4m3 E5m2 F16x2 "f16.e4m3.e5m2",
            E5m2 E4m3 F16x2 "f16.e5m2.e4m3", E5m2 E5m2 F16x2 "f16.e5m2.e5m2",
        }
    )*};
}
macro_rules! halves {
    ($columns:literal $registers:literal $list:tt: $($element:ident $sum:ident $types:literal,)*) => {$(
        products! {
            $element, $element, $sum, true, concat!("m64n", $columns, "k16.", $types), $registers, $list,
            ", {sign}, 1, {left}, {right}", ", 1, 1, {right}",
            [sign = const SIGN,], [left = const OA::TRANSPOSED,], [right = const OB::TRANSPOSED,]
        }
        impl MultiplyAdd<$element> for Accumulator<$sum, $registers> {}
    )*};
}
macro_rules! floats {
    ($columns:literal $registers:literal $list:tt: $k:literal, $($a:ident $b:ident $sum:ident $types:literal,)*) => {$(
        products! {
            $a, $b, $sum, true, concat!("m64n", $columns, $k, ".", $types), $registers, $list,
            ", {sign}, 1", ", 1, 1", [sign = const SIGN,], [], []
        }
        impl MultiplyAdd<$a, $b> for Accumulator<$sum, $registers> {}
    )*};
}
macro_rules! integers {
    ($columns:literal $registers:literal $list:tt: $k:literal, $($a:ident $b:ident $types:literal,)*) => {$(
        products! {
            $a, $b, i32, false, concat!("m64n", $columns, $k, ".s32.", $types), $registers, $list, "", "", [], [], []
        }
        impl MultiplyAdd<$a, $b> for Accumulator<i32, $registers> {}
    )*};
}
widths! {
    8 4 [1 2 3];
    16 8 [1 2 3 4 5 6 7];
    32 16 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15];
    64 32 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31];
    96 48 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44
        45 46 47];
    128 64 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44
        45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63];
    192 96 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44
        45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85
        86 87 88 89 90 91 92 93 94 95];
    256 128 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44
        45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85
        86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119
        120 121 122 123 124 125 126 127];
}
widths_of_halves! {
    8 2 [1];
    16 4 [1 2 3];
    32 8 [1 2 3 4 5 6 7];
    64 16 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15];
    96 24 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23];
    128 32 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31];
    192 48 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44
        45 46 47];
    256 64 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44
        45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63];
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
