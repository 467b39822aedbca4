//! Block scaling of `mma.sync`: each block of columns of A, and of rows of B, shares
//! a scale factor.
//!
//! PTX ISA 9.7.14.3 "Block Scaling for mma.sync". A register of each lane has four factors of a
//! byte. In each quad (four lanes), a selector chooses the lanes that are used. For A it chooses
//! a pair: the first lane has the factors of the quad's row, and the second those of the row
//! eight below. For B it chooses one lane, with the factors of the quad's column. Another
//! selector chooses the first of the bytes. A factor is a power of two (`.ue8m0`) or an `.e4m3`
//! without a sign (`.ue4m3`).
//!
//! None of this was measured, because an H200 has no such instruction. Products and factors are
//! multiplied exactly, in f64.

use crate::semantics::convert::{cvt_bf16_ue8m0, e4m3_to_f32};

/// The type of factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Factor {
    /// `.ue8m0`: a power of two.
    Ue8m0,
    /// `.ue4m3`: a float of 8 bits without a sign.
    Ue4m3,
}

impl Factor {
    fn value(self, byte: u8) -> f64 {
        match self {
            Factor::Ue8m0 => cvt_bf16_ue8m0(byte).to_f64(),
            Factor::Ue4m3 => e4m3_to_f32(byte & 0x7f).into(),
        }
    }
}

/// The scale factors of one matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale<'a> {
    /// The register of factors of every lane.
    pub(crate) data: &'a [u32; 32],
    /// The type of the scale factors.
    pub(crate) factor: Factor,
    /// The number of blocks along k: 1, 2 or 4.
    pub(crate) blocks: usize,
    /// The index of the first byte that is used.
    pub(crate) byte: usize,
    /// The pair of lanes of a quad that is used for A, or the lane for B.
    pub(crate) thread: usize,
}

impl Scale<'_> {
    /// Returns the factor in a lane's register for column (of A) or row (of B) number `at` of `k`.
    fn of(&self, lane: usize, at: usize, k: usize) -> f64 {
        let block = at * self.blocks / k.max(1);
        let byte = self.data[lane & 31] >> (8 * ((self.byte + block) & 3));
        self.factor.value(byte as u8)
    }

    /// Returns the factor of an element of A.
    pub(super) fn of_left(&self, row: usize, column: usize, k: usize) -> f64 {
        self.of(row % 8 * 4 + self.thread * 2 + row / 8, column, k)
    }

    /// Returns the factor of an element of B.
    pub(super) fn of_right(&self, row: usize, column: usize, k: usize) -> f64 {
        self.of(column * 4 + self.thread, row, k)
    }
}

/// The factors of A and B, if the product has any.
pub(crate) type Scales<'a> = Option<[Scale<'a>; 2]>;
