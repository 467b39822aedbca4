//! Descriptors of operands in shared memory: their address and their order.

use core::marker::PhantomData;

use crate::matrix::Element;
use crate::matrix::element::{Bf16, F16};
use crate::state_space;

/// Bytes of a row of a tile.
pub const ROW_BYTES: usize = 128;

/// The order of the elements of a tile.
pub trait Order<E> {
    /// The number of the order in the instruction.
    #[doc(hidden)]
    const TRANSPOSED: i32;
    /// The increment of the descriptor for one step, in units of 16 bytes.
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

/// Rows of 64 elements across the inner dimension, of which 16 rows are one step. Of
/// 16-bit elements only.
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

/// The address and the order of an operand with rows of 128 bytes and a swizzle of 128 bytes.
#[derive(Debug)]
pub struct Descriptor<E, O = Along> {
    pub(super) bits: u64,
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
    /// Makes the descriptor of the tile that begins at this address, a multiple of 1024 bytes in
    /// this block's shared memory. A tensor map with a swizzle of 128 bytes has loaded it, in boxes
    /// of that width.
    #[doc(alias = "matrix descriptor")]
    #[inline]
    #[must_use]
    pub fn of_tile(tile: *const E::Bits) -> Self {
        Self::new(state_space::shared(tile), 16)
    }

    /// Returns the descriptor of the operand that begins `bytes` bytes later along its rows, a
    /// multiple of 32. 32 bytes are a step of the inner dimension.
    #[inline]
    #[must_use]
    pub fn advance(self, bytes: u32) -> Self {
        Descriptor {
            bits: self.bits + (u64::from(bytes) >> 4),
            ..self
        }
    }

    /// Returns the descriptor of the operand that begins `rows` rows further down, a multiple of 8.
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
    /// Makes the descriptor of the tile that begins at this address, a multiple of 1024 bytes. The
    /// tile has 64 rows along the inner dimension, each with 64 elements of the other dimension.
    /// An operand with more than 64 elements in that dimension is in several tiles, which are
    /// `next` bytes apart.
    #[doc(alias = "matrix descriptor")]
    #[inline]
    #[must_use]
    pub fn of_tiles_across(tile: *const E::Bits, next: u32) -> Self {
        Self::new(state_space::shared(tile), next)
    }
}
