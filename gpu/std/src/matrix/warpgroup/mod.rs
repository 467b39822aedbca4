//! Products by a warpgroup, which is four warps with consecutive numbers from a multiple of four:
//! `wgmma`, only for `sm_90a`.
//!
//! The right operand is in shared memory. The left operand is in shared memory or in registers
//! ([`warp::Left`], as `ldmatrix` fills it). Operands in shared memory are tiles that the tensor
//! memory accelerator has loaded with a swizzle of 128 bytes. Their rows of 128 bytes are along the
//! inner dimension ("K-major"), or for 16-bit elements along the other dimension ([`Across`]). The
//! left operand has 64 rows, and the right operand has as many columns as the sum. The sum stays in
//! registers, distributed over the 128 threads: an [`Accumulator`].
//!
//! | elements | sum | columns |
//! | --- | --- | --- |
//! | `F16` | `f32`, `F16x2` | 8, 16, 24, .. 256 |
//! | `Bf16`, `Tf32` | `f32` | 8, 16, 24, .. 256 |
//! | `E4m3`, `E5m2`, either with either | `f32`, `F16x2` | 8, 16, 24, .. 256 |
//! | `S8`, `U8`, either with either; `B1` | `i32` | 8, 16, 24, 32, 48, 64, .. 256 |
//!
//! `wgmma` is asynchronous. It needs a fence before it, the end of a group after it, and a wait
//! before any access to a register of the sum. No compiler detects that one of these is missing.
//! Here they are part of the steps, and the sum is borrowed from the first product to the wait:
//!
//! | step | what it has in it |
//! | --- | --- |
//! | [`Accumulator::start`] | |
//! | [`Products::multiply_add`], [`multiply_subtract`](Products::multiply_subtract), [`multiply_add_registers`](Products::multiply_add_registers), [`multiply_add_registers_tile`](Products::multiply_add_registers_tile) | `wgmma.fence`, a tile's products, `wgmma.commit_group` |
//! | [`Products::multiply_add_sparse`], [`multiply_add_sparse_registers`](Products::multiply_add_sparse_registers): a [sparse] left operand | the same with one product |
//! | [`Products::wait_for_previous`] | `wgmma.wait_group 1`: what the products before the last ones read may be overwritten |
//! | [`Products::finish`], or where it is dropped | `wgmma.wait_group 0` |
//! | [`Products::finish_before`]: another sum's products continue | `wgmma.wait_group` with their number |
//!
//! [`Accumulator::multiply_add`] performs all steps for one tile. A combination of sum and products
//! that the hardware does not support does not compile:
//!
//! ```compile_fail,E0277
//! use lanewise_std::matrix::element::S8;
//! use lanewise_std::matrix::warpgroup::{Accumulator, Descriptor};
//!
//! unsafe fn of_40_columns(sum: &mut Accumulator<i32, 20>, a: Descriptor<S8>, b: Descriptor<S8>) {
//!     unsafe { sum.multiply_add(a, b) } // of integers there are 32 columns, and 48
//! }
//! ```
//!
//! PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions", "Matrix
//! Descriptor Format", "Strides".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

mod descriptor;
mod product;
mod share;
mod sizes;
mod sum;

use core::mem::ManuallyDrop;

pub use descriptor::{Across, Along, Descriptor, Order, ROW_BYTES};
pub use product::{MultiplyAdd, MultiplyAddSparse};
pub use share::{decrease_registers, increase_registers};
pub use sum::{Accumulator, Accumulator64, Accumulator128, Accumulator256, SumRegisters};

use super::sparse::{self, MetadataPart, SparseElement};
use super::{Element, warp};
use crate::state_space::ptx;
use crate::thread;
use product::sealed::{Instructions, Sparse};
use sum::sealed::Registers;

/// Threads of a warpgroup.
pub const THREADS: u32 = 128;
/// Rows of the left operand, and of the sum.
pub const ROWS: usize = 64;

/// Returns the number of this thread's warpgroup in its block.
#[inline]
#[must_use]
pub fn warpgroup_id() -> u32 {
    thread::thread_rank() / THREADS
}

/// A sum with products in progress. No code reads or writes its registers until
/// [`finish`](Self::finish), or until this value is dropped.
#[derive(Debug)]
#[must_use = "start products, and `finish` before the sum is read"]
pub struct Products<'a, T, const REGISTERS: usize>(&'a mut Accumulator<T, REGISTERS>)
where
    [u32; REGISTERS]: Registers;

impl<T, const REGISTERS: usize> Accumulator<T, REGISTERS>
where
    [u32; REGISTERS]: Registers,
{
    /// Borrows the sum for a sequence of products.
    #[inline(always)]
    pub fn start(&mut self) -> Products<'_, T, REGISTERS> {
        Products(self)
    }

    /// Adds the product of a left tile of 64 rows and a right tile of as many columns as the sum,
    /// 128 bytes deep, and waits. All four warps of the warpgroup call it.
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
        // SAFETY: the caller keeps the contract of this function, and the products
        // are finished here.
        unsafe { products.multiply_add(a, b) };
    }
}

impl<T, const REGISTERS: usize> Products<'_, T, REGISTERS>
where
    [u32; REGISTERS]: Registers,
{
    /// Starts to add the product of a left tile of 64 rows and a right tile of as many columns as
    /// the sum, 128 bytes deep ([`Across`] the inner dimension: 64 rows deep). All four warps of
    /// the warpgroup call it.
    ///
    /// # Safety
    /// Both tiles are complete: they were loaded by copies whose barrier was waited for, or written
    /// by threads that called [`fence_proxy_async_shared`](crate::fence::fence_proxy_async_shared)
    /// before a barrier. Nothing writes them until the products were waited for. `self` is not
    /// passed to `mem::forget`.
    #[doc(alias = "wgmma.mma_async")]
    #[inline(always)]
    pub unsafe fn multiply_add<A, B, OA: Order<A>, OB: Order<B>>(
        &mut self,
        a: Descriptor<A, OA>,
        b: Descriptor<B, OB>,
    ) where
        Accumulator<T, REGISTERS>: MultiplyAdd<A, B>,
    {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { Instructions::<A, B>::tile::<1, OA, OB>(self.0, a.bits, b.bits) }
    }

    /// Like [`multiply_add`](Self::multiply_add), but subtracts the product from the sum.
    /// Not for integers.
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
                <Accumulator<T, REGISTERS> as Instructions<A, B>>::HAS_SIGNS,
                "integers have no sign to turn"
            )
        };
        // SAFETY: the caller keeps the contract of this function.
        unsafe { Instructions::<A, B>::tile::<-1, OA, OB>(self.0, a.bits, b.bits) }
    }

    /// Starts to add the product of a left operand in registers and the first 32 bytes (16 rows) of
    /// the right tile. Each warp has its 16 rows of 32 bytes of the left operand.
    ///
    /// # Safety
    /// As for [`multiply_add`](Self::multiply_add), for the right tile.
    #[inline(always)]
    pub unsafe fn multiply_add_registers<A: Element, B, OB: Order<B>>(
        &mut self,
        a: &warp::Left<A>,
        b: Descriptor<B, OB>,
    ) where
        Accumulator<T, REGISTERS>: MultiplyAdd<A, B>,
    {
        // SAFETY: the caller keeps the contract of this function. The wait for the sum also covers
        // the registers of the left operand, which no other code can access.
        unsafe { Instructions::<A, B>::step::<OB>(self.0, a.registers(), b.bits) }
    }

    /// Does the same for four left operands, whose 128 bytes (64 rows of the right tile) are the
    /// inner dimension of the whole tile.
    ///
    /// # Safety
    /// As for [`multiply_add`](Self::multiply_add), for the right tile.
    #[inline(always)]
    pub unsafe fn multiply_add_registers_tile<A: Element, B, OB: Order<B>>(
        &mut self,
        a: &[warp::Left<A>; 4],
        b: Descriptor<B, OB>,
    ) where
        Accumulator<T, REGISTERS>: MultiplyAdd<A, B>,
    {
        let a = [
            a[0].registers(),
            a[1].registers(),
            a[2].registers(),
            a[3].registers(),
        ];
        // SAFETY: as in `multiply_add_registers`.
        unsafe { Instructions::<A, B>::steps::<OB>(self.0, a, b.bits) }
    }

    /// Starts to add the product of a sparse left operand, of which half of the elements are
    /// stored, and a right tile. It takes the first 32 bytes (16 rows) of the left tile, and the
    /// first 64 bytes (32 rows) of the right tile. Each warp has the metadata of its 16 rows.
    ///
    /// # Safety
    /// As for [`multiply_add`](Self::multiply_add), for those bytes.
    #[doc(alias = "wgmma.mma_async.sp")]
    #[inline(always)]
    pub unsafe fn multiply_add_sparse<A, B, OA: Order<A>, OB: Order<B>, const PART: u32>(
        &mut self,
        a: Descriptor<A, OA>,
        metadata: MetadataPart<A, PART>,
        b: Descriptor<B, OB>,
    ) where
        A: SparseElement,
        Accumulator<T, REGISTERS>: MultiplyAddSparse<A, B>,
    {
        const { assert!(PART < sparse::parts::<A>(4), "a part past the last") };
        // SAFETY: the caller keeps the contract of this function.
        unsafe {
            Sparse::<A, B>::sparse::<PART, OA, OB>(self.0, a.bits, metadata.bits(), b.bits);
        }
    }

    /// Does the same as [`multiply_add_sparse`](Self::multiply_add_sparse), with the stored
    /// elements of the left operand in registers. Each warp has its 16 rows of 32 bytes.
    ///
    /// # Safety
    /// As for [`multiply_add_sparse`](Self::multiply_add_sparse), for the right tile.
    #[inline(always)]
    pub unsafe fn multiply_add_sparse_registers<A, B, OB: Order<B>, const PART: u32>(
        &mut self,
        a: &warp::Left<A>,
        metadata: MetadataPart<A, PART>,
        b: Descriptor<B, OB>,
    ) where
        A: SparseElement,
        Accumulator<T, REGISTERS>: MultiplyAddSparse<A, B>,
    {
        const { assert!(PART < sparse::parts::<A>(4), "a part past the last") };
        // SAFETY: the caller keeps the contract of this function. The wait for the sum also covers
        // the registers of the left operand, which no other code can access.
        unsafe {
            Sparse::<A, B>::sparse_step::<PART, OB>(self.0, a.registers(), metadata.bits(), b.bits);
        }
    }

    /// Waits for all products except those of the last call. The operands of the completed products
    /// may then be overwritten.
    #[doc(alias = "wgmma.wait_group")]
    #[inline(always)]
    pub fn wait_for_previous(&mut self) {
        // SAFETY: it waits.
        unsafe {
            ptx!("wgmma.wait_group": "wgmma.wait_group.sync.aligned 1;", options(nostack, preserves_flags));
        }
    }

    /// Waits for all products. The thread may then use the sum again.
    #[inline(always)]
    pub fn finish(self) {
        drop(self);
    }

    /// Waits for all products but those of the last `LATER` calls, which were for another sum. The
    /// thread may then use this sum again, while the others are in progress.
    ///
    /// # Safety
    /// After the last call for this sum, there were `LATER` calls or more for other sums.
    #[doc(alias = "wgmma.wait_group")]
    #[inline(always)]
    pub unsafe fn finish_before<const LATER: u32>(self) {
        let mut products = ManuallyDrop::new(self);
        // SAFETY: all four warps are here, as they were for the products, and those of this sum
        // have ended.
        unsafe { Registers::wait::<LATER>(&mut products.0.0) };
    }
}

impl<T, const REGISTERS: usize> Drop for Products<'_, T, REGISTERS>
where
    [u32; REGISTERS]: Registers,
{
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: all four warps are here, as they were for the products.
        unsafe { Registers::wait::<0>(&mut self.0.0) };
    }
}
