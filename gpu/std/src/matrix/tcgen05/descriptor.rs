//! Descriptors of operands in shared memory.

use core::marker::PhantomData;

use crate::matrix::Element;
use crate::state_space;

/// The permutation of the 16-byte pieces of an operand's rows. It is that of the tensor map that
/// loaded the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzle {
    /// The rows are not permuted.
    None = 0,
    /// Pieces of 32 bytes in rows of 128.
    Bytes128By32 = 1,
    /// In rows of 128 bytes.
    Bytes128 = 2,
    /// In rows of 64 bytes.
    Bytes64 = 4,
    /// In rows of 32 bytes.
    Bytes32 = 6,
}

/// The address and the layout of an operand with elements `E` in shared memory. PTX ISA, "Shared
/// memory descriptor" of `tcgen05`, which differs from that of `wgmma`.
#[doc(alias = "shared memory descriptor")]
#[doc(alias = "UMMA::SmemDescriptor")]
#[derive(Clone, Copy, Debug)]
pub struct SharedDescriptor<E> {
    bits: u64,
    element: PhantomData<E>,
}

impl<E: Element> SharedDescriptor<E> {
    /// Makes the descriptor of the tile that begins at this address, a multiple of 1024 bytes in
    /// this block's shared memory. Its rows have 128 bytes along the inner dimension, and a tensor
    /// map with a swizzle of 128 bytes has loaded them.
    #[inline]
    #[must_use]
    pub fn of_tile(tile: *const E::Bits) -> Self {
        Self::new(tile, 16, 1024, Swizzle::Bytes128)
    }

    /// Makes the descriptor of a matrix that begins at this address. `leading` and `stride` are the
    /// bytes from one group of pieces to the next, along and across rows. Both are multiples of 16.
    /// The ISA describes their meaning for each swizzle under "Strides".
    #[inline]
    #[must_use]
    pub fn new(start: *const E::Bits, leading: u32, stride: u32, swizzle: Swizzle) -> Self {
        Self::of_address(state_space::shared(start), leading, stride, swizzle)
    }

    fn of_address(start: u32, leading: u32, stride: u32, swizzle: Swizzle) -> Self {
        /// The constant bits that mark these descriptors.
        const VERSION: u64 = 1;
        let field = |bytes: u32| u64::from(bytes & 0x3_ffff) >> 4;
        SharedDescriptor {
            bits: field(start)
                | field(leading) << 16
                | field(stride) << 32
                | VERSION << 46
                | (swizzle as u64) << 61,
            element: PhantomData,
        }
    }

    /// Returns the descriptor of the operand that begins `bytes` bytes later, a multiple of 16.
    /// Within a swizzled row, this is the next piece along the inner dimension.
    #[inline]
    #[must_use]
    pub fn advance(self, bytes: u32) -> Self {
        SharedDescriptor {
            bits: self.bits + (u64::from(bytes) >> 4),
            ..self
        }
    }

    /// Returns the descriptor as the instruction takes it.
    #[inline]
    #[must_use]
    pub fn bits(self) -> u64 {
        self.bits
    }
}

#[cfg(test)]
mod tests {
    use super::{SharedDescriptor, Swizzle};
    use crate::matrix::element::Bf16;

    #[test]
    fn fields_are_where_the_isa_has_them() {
        let tile = SharedDescriptor::<Bf16>::of_address(0x8400, 16, 1024, Swizzle::Bytes128);
        assert_eq!(tile.bits(), 0x840 | 1 << 16 | 64 << 32 | 1 << 46 | 2 << 61);
        assert_eq!(tile.advance(32).bits() - tile.bits(), 2);
        let plain = SharedDescriptor::<Bf16>::of_address(0, 128, 256, Swizzle::None);
        assert_eq!(plain.bits(), 8 << 16 | 16 << 32 | 1 << 46);
    }
}
