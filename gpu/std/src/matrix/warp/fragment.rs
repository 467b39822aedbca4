//! Operands and sums of a warp, which are in the registers of its lanes.

use core::marker::PhantomData;

use super::rows::{load_matrices, load_matrices_transposed};
use crate::matrix::Element;
use crate::matrix::element::{Bf16, F16};
use crate::warp;

/// Rows of the left operand and of the sum.
pub const ROWS: usize = 16;
/// Columns of the right operand and of the sum.
pub const COLUMNS: usize = 8;
/// Bytes of a row of a [`Left<E>`](Left), and of a column of a [`Right<E>`](Right).
pub const BYTES: usize = 32;

/// The left operand: 16 rows of 8 bytes for each of a lane's `REGISTERS`, 4 or 2.
#[derive(Clone, Copy, Debug)]
pub struct Left<E, const REGISTERS: usize = 4>(pub(super) [u32; REGISTERS], PhantomData<E>);

/// The right operand: 8 columns of 16 bytes for each of a lane's `REGISTERS`, 2 or 1, or 4 where
/// the left one is [sparse](crate::matrix::sparse).
#[derive(Clone, Copy, Debug)]
pub struct Right<E, const REGISTERS: usize = 2>(pub(super) [u32; REGISTERS], PhantomData<E>);

/// The sum: 16 rows of 8, of which each lane has four, one in a register, or two half floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sum<T, const REGISTERS: usize = 4>(pub(super) [T; REGISTERS]);

impl<E: Element, const REGISTERS: usize> Left<E, REGISTERS> {
    /// Loads the operand from shared memory. The stride between rows is `stride` bytes, a
    /// multiple of 16.
    ///
    /// # Safety
    /// The rows are at multiples of 16 bytes, and no thread writes them at the same time.
    #[doc(alias = "ldmatrix")]
    #[inline]
    #[must_use]
    pub unsafe fn load(tile: *const E::Bits, stride: usize) -> Self {
        let lane = warp::lane_id() as usize % (8 * REGISTERS);
        // Matrices of 8 rows of 16 bytes: lane l gives the address of row l % 8 of matrix l / 8.
        let offset = lane % ROWS * stride + lane / ROWS * 16;
        // SAFETY: the caller keeps the contract of this function.
        Left(
            unsafe { load_matrices(tile.cast::<u8>().wrapping_add(offset)) },
            PhantomData,
        )
    }

    /// Makes the operand from registers that the caller has filled in another way.
    #[inline]
    #[must_use]
    pub fn from_registers(registers: [u32; REGISTERS]) -> Self {
        Left(registers, PhantomData)
    }

    /// Returns the registers, as the instruction takes them.
    #[inline]
    #[must_use]
    pub fn registers(&self) -> [u32; REGISTERS] {
        self.0
    }
}

impl<E: Element, const REGISTERS: usize> Right<E, REGISTERS> {
    /// Loads the operand from shared memory that contains its transpose: 8 rows along the inner
    /// dimension, with a stride of `stride` bytes.
    ///
    /// # Safety
    /// As for [`Left::load`].
    #[doc(alias = "ldmatrix")]
    #[inline]
    #[must_use]
    pub unsafe fn load_transpose(tile: *const E::Bits, stride: usize) -> Self {
        let lane = warp::lane_id() as usize % (8 * REGISTERS);
        let offset = lane % COLUMNS * stride + lane / COLUMNS * 16;
        // SAFETY: the caller keeps the contract of this function.
        Right(
            unsafe { load_matrices(tile.cast::<u8>().wrapping_add(offset)) },
            PhantomData,
        )
    }

    /// Makes the operand from registers that the caller has filled in another way.
    #[inline]
    #[must_use]
    pub fn from_registers(registers: [u32; REGISTERS]) -> Self {
        Right(registers, PhantomData)
    }
}

macro_rules! halves {
    ($($element:ty)*) => {$(
        impl<const REGISTERS: usize> Left<$element, REGISTERS> {
            /// Loads the operand from shared memory that contains its transpose: rows of 16
            /// elements across the inner dimension, with a stride of `stride` bytes.
            ///
            /// # Safety
            /// As for [`Left::load`].
            #[doc(alias = "ldmatrix.trans")]
            #[inline]
            #[must_use]
            pub unsafe fn load_transpose(tile: *const $element, stride: usize) -> Self {
                let lane = warp::lane_id() as usize % (8 * REGISTERS);
                // Matrix 1 has the lower half of the rows, so 16 bytes further in each row of the
                // transpose; matrices 2 and 3 have the second half of the inner dimension.
                let offset = (lane % 8 + lane / 16 * 8) * stride + lane / 8 % 2 * 16;
                // SAFETY: the caller keeps the contract of this function.
                Left(unsafe { load_matrices_transposed(tile.cast::<u8>().wrapping_add(offset)) }, PhantomData)
            }
        }

        impl<const REGISTERS: usize> Right<$element, REGISTERS> {
            /// Loads the operand from shared memory that contains it row by row: rows of 8
            /// elements, with a stride of `stride` bytes.
            ///
            /// # Safety
            /// As for [`Left::load`].
            #[doc(alias = "ldmatrix.trans")]
            #[inline]
            #[must_use]
            pub unsafe fn load(tile: *const $element, stride: usize) -> Self {
                let lane = warp::lane_id() as usize % (8 * REGISTERS);
                // SAFETY: the caller keeps the contract of this function.
                Right(unsafe { load_matrices_transposed(tile.cast::<u8>().wrapping_add(lane * stride)) }, PhantomData)
            }
        }
    )*};
}
halves! { F16 Bf16 }

impl<T: Copy + Default, const REGISTERS: usize> Default for Sum<T, REGISTERS> {
    #[inline]
    fn default() -> Self {
        Sum([T::default(); REGISTERS])
    }
}

impl<T: Copy, const REGISTERS: usize> Sum<T, REGISTERS> {
    /// Returns this lane's elements, in the order of [`position`](Self::position).
    #[inline]
    #[must_use]
    pub fn elements(&self) -> [T; REGISTERS] {
        self.0
    }

    /// Makes a sum from these elements.
    #[inline]
    #[must_use]
    pub fn of(elements: [T; REGISTERS]) -> Self {
        Sum(elements)
    }

    /// Returns the row and the column of the first element in register `i` of a lane.
    #[inline]
    #[must_use]
    pub const fn position(lane: u32, i: usize) -> (usize, usize) {
        let (lane, i) = (lane as usize, 4 / REGISTERS * i);
        (lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2)
    }
}
