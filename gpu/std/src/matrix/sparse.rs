//! Sparse left operands, of which half of the elements are stored: "structured sparsity".
//!
//! The columns of such a matrix are divided into *groups*. In each group, half of the elements are
//! zeros and are not stored. Two of four elements are stored ([`TwoOfFour`]), for `Tf32` one of two
//! ([`OneOfTwo`]), and for integers of 4 bits two of four pairs. The stored elements have the
//! layout of a matrix with half the columns. [`Metadata`] contain which elements are stored: one
//! register of each lane of a warp for 16 rows and 16 groups. That is enough for the products of 64
//! columns (32 of `Tf32`, 128 of 4 bits). One product takes a [`MetadataPart`] of them.
//!
//! | elements | columns of 16 groups | parts, each for 32 bytes of stored elements | for 16 bytes |
//! | --- | --- | --- | --- |
//! | `F16`, `Bf16` | 64 | 2 | 4 |
//! | `Tf32` | 32 | 2 | 4 |
//! | `E4m3`, `E5m2` | 64 | 1 | |
//! | `S8`, `U8` | 64 | 1 | 2 |
//! | `S4`, `U4` | 128 | 1 | 2 |
//!
//! PTX ISA, "Matrix multiply-accumulate operation using mma.sp instruction with sparse matrix A",
//! "Asynchronous Multiply-and-Accumulate Instruction: wgmma.mma_async.sp". The ISA shows in
//! figures which lane holds which metadata. This was checked on an H200 for every shape and type
//! (driver 580.159, 2026-11-21).

use core::marker::PhantomData;

use super::Element;
use super::element::{Bf16, E4m3, E5m2, F16, S4, S8, Tf32, U4, U8};
use crate::warp;

/// The number of rows that the metadata of a warp cover.
pub const ROWS: usize = 16;
/// The number of groups of a row that the metadata of a warp cover.
pub const GROUPS: usize = 16;

/// Which two of a group's four elements (or pairs of integers of 4 bits) are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TwoOfFour {
    /// The first and the second.
    FirstSecond = 0b0100,
    /// The first and the third.
    FirstThird = 0b1000,
    /// The first and the fourth.
    FirstFourth = 0b1100,
    /// The second and the third.
    SecondThird = 0b1001,
    /// The second and the fourth.
    SecondFourth = 0b1101,
    /// The third and the fourth.
    ThirdFourth = 0b1110,
}

impl TwoOfFour {
    /// All six choices of two elements out of four.
    pub const ALL: [Self; 6] = [
        TwoOfFour::FirstSecond,
        TwoOfFour::FirstThird,
        TwoOfFour::FirstFourth,
        TwoOfFour::SecondThird,
        TwoOfFour::SecondFourth,
        TwoOfFour::ThirdFourth,
    ];

    /// Returns the positions of the two elements in their group, from 0.
    ///
    /// ```
    /// use lanewise_std::matrix::sparse::TwoOfFour;
    ///
    /// assert_eq!(TwoOfFour::SecondFourth.places(), [1, 3]);
    /// ```
    #[inline]
    #[must_use]
    pub const fn places(self) -> [usize; 2] {
        [self as usize & 3, self as usize >> 2]
    }
}

/// Which of a group's two elements is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneOfTwo {
    /// The first of the two elements is kept.
    First = 0b0100,
    /// The second of the two elements is kept.
    Second = 0b1110,
}

mod sealed {
    /// The four bits of a group.
    pub trait Kept {
        fn bits(self) -> u32;
    }
    impl Kept for super::TwoOfFour {
        #[inline(always)]
        fn bits(self) -> u32 {
            self as u32
        }
    }
    impl Kept for super::OneOfTwo {
        #[inline(always)]
        fn bits(self) -> u32 {
            self as u32
        }
    }
}

/// Element types that a sparse operand can have.
pub trait SparseElement: Element {
    /// The type that selects the stored elements of a group.
    type Kept: sealed::Kept;
    /// Whether a lane holds four groups of each of two rows, not eight of one.
    #[doc(hidden)]
    const TWO_ROWS: bool;
}

macro_rules! elements {
    ($($two_rows:literal $kept:ty: $($element:ident)*;)*) => {$($(
        impl SparseElement for $element {
            type Kept = $kept;
            const TWO_ROWS: bool = $two_rows;
        }
    )*)*};
}
elements! {
    true TwoOfFour: F16 Bf16;
    true OneOfTwo: Tf32;
    false TwoOfFour: E4m3 E5m2 S8 U8 S4 U4;
}

/// The selection of the stored elements of 16 rows and 16 groups. A warp has it together, and this
/// is the lane's part.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<E>(u32, PhantomData<E>);

/// The part of some [`Metadata`] that one product takes.
#[derive(Clone, Copy, Debug)]
pub struct MetadataPart<E, const PART: u32>(u32, PhantomData<E>);

impl<E: SparseElement> Metadata<E> {
    /// Returns the row and the group of entry `i`, 0 to 7, of a lane.
    #[inline]
    #[must_use]
    pub const fn position(lane: u32, i: usize) -> (usize, usize) {
        let (quad, of_quad) = (lane as usize / 4, lane as usize % 4);
        if E::TWO_ROWS {
            (quad + 8 * (i / 4), 4 * of_quad + i % 4)
        } else {
            (quad + 8 * (of_quad % 2), 8 * (of_quad / 2) + i)
        }
    }

    /// Makes metadata from the result of `kept` for each row and group. Each lane calls it for its
    /// eight entries. All lanes of the warp call this function.
    #[inline(always)]
    #[must_use]
    pub fn from_fn(mut kept: impl FnMut(usize, usize) -> E::Kept) -> Self {
        let lane = warp::lane_id();
        let mut bits = 0;
        for i in 0..8 {
            let (row, group) = Self::position(lane, i);
            bits |= sealed::Kept::bits(kept(row, group)) << (4 * i);
        }
        Metadata(bits, PhantomData)
    }

    /// Makes the metadata from this lane's register, for metadata that were made before.
    ///
    /// # Safety
    /// `bits` are the [`bits`](Self::bits) of metadata for the same element type, from the lane
    /// with the same number.
    #[inline]
    #[must_use]
    pub unsafe fn from_bits(bits: u32) -> Self {
        Metadata(bits, PhantomData)
    }

    /// Returns the metadata as bits of this lane's register.
    #[inline]
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Returns the part for the product with this number along the inner dimension.
    #[doc(alias = "sparsity selector")]
    #[inline]
    #[must_use]
    pub fn part<const PART: u32>(self) -> MetadataPart<E, PART> {
        MetadataPart(self.0, PhantomData)
    }
}

impl<E, const PART: u32> MetadataPart<E, PART> {
    /// The register that the instruction takes.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        self.0
    }
}

/// Parts that 16 groups have for products of this many registers of stored elements.
pub(super) const fn parts<E: SparseElement>(registers: usize) -> u32 {
    let groups = if E::TWO_ROWS { 2 } else { 4 } * registers;
    (GROUPS / groups) as u32
}

#[cfg(test)]
mod tests {
    use super::{E4m3, F16, GROUPS, Metadata, ROWS, SparseElement, TwoOfFour};

    /// Each row and group is one lane's.
    fn covers<E: SparseElement>() {
        let mut seen = [[0; GROUPS]; ROWS];
        for lane in 0..32 {
            for i in 0..8 {
                let (row, group) = Metadata::<E>::position(lane, i);
                seen[row][group] += 1;
            }
        }
        assert_eq!(seen, [[1; GROUPS]; ROWS]);
    }

    #[test]
    fn lanes_share_rows_and_groups_out() {
        covers::<F16>();
        covers::<E4m3>();
    }

    #[test]
    fn the_two_places_are_in_order() {
        for kept in TwoOfFour::ALL {
            let [first, second] = kept.places();
            assert!(first < second && second < 4, "{kept:?}");
        }
    }
}
