//! What a map is made of: a tensor that is moved in boxes, or images that are moved in columns of
//! pixels.

use std::panic::Location;

use lanewise_driver::abi::CUtensorMap;
use lanewise_driver::tensor::{Access, Fill, Im2col, Promotion, Swizzle};

use super::layout::Layout;
use super::{MOST, TensorElement, TensorMapError, padded};
use crate::DeviceBuffer;

macro_rules! settings {
    ($name:ident) => {
        impl<const RANK: usize> $name<RANK> {
            /// Bytes from one element to the next in each dimension but the first, where there are
            /// gaps, overlaps or another order than by size: for a matrix, the one distance between
            /// its rows. They are multiples of 16.
            pub fn strides(mut self, bytes: &[usize]) -> Self {
                self.layout.strides = Some(bytes.to_vec());
                self
            }

            /// The tensor begins at this element of the buffer; its address has to be a multiple of
            /// 16 bytes.
            pub fn offset(mut self, elements: usize) -> Self {
                self.layout.offset = elements;
                self
            }

            /// Takes only every so-many-th element of each dimension but the first.
            pub fn steps(mut self, steps: [u32; RANK]) -> Self {
                self.layout.steps = steps;
                self
            }

            /// How chunks of 16 bytes change places in shared memory, so that columns too are read
            /// without bank conflicts.
            pub fn swizzle(mut self, swizzle: Swizzle) -> Self {
                self.layout.swizzle = swizzle;
                self
            }

            /// Returns how much the second-level cache fetches at once.
            pub fn promotion(mut self, promotion: Promotion) -> Self {
                self.layout.promotion = promotion;
                self
            }

            /// What lies outside of the tensor is read as a NaN that `fma.oob` takes for zero, not
            /// as zeros. Of floats only.
            pub fn nan_outside(mut self) -> Self {
                self.layout.fill = Fill::Nan;
                self
            }
        }
    };
}

/// A tensor that is moved in boxes.
#[derive(Debug, Clone)]
pub struct Tiles<const RANK: usize> {
    pub(super) layout: Layout<RANK>,
    tile: [u32; RANK],
}

impl<const RANK: usize> Tiles<RANK> {
    /// A tensor of this size without gaps, in boxes of this size: 1 to 256 elements in each
    /// dimension, and a multiple of 16 bytes in the first.
    pub fn new(size: [usize; RANK], tile: [u32; RANK]) -> Self {
        Self {
            layout: Layout::new(size),
            tile,
        }
    }

    pub(super) fn encode<T: TensorElement>(
        &self,
        buffer: &DeviceBuffer<T>,
        at: &'static Location<'static>,
    ) -> Result<CUtensorMap, TensorMapError> {
        const { assert!(RANK >= 1 && RANK <= MOST, "a tensor has 1 to 5 dimensions") };
        self.layout
            .encode(buffer, Access::Tiled(padded(self.tile)), at)
    }
}
settings! { Tiles }

/// Images that are moved in columns of pixels, in the order in which a convolution meets them.
#[derive(Debug, Clone)]
pub struct Columns<const RANK: usize> {
    pub(super) layout: Layout<RANK>,
    pub(super) columns: Im2col,
}

impl<const RANK: usize> Columns<RANK> {
    /// Images of this size: channels, then 1 to 3 spatial dimensions with the width first, then how
    /// many images. One instruction moves `pixels` pixels (1 to 1024) of `channels` elements (1 to
    /// 256, a multiple of 16 bytes).
    ///
    /// The filter's corner is at first at `lower`, and at last at `upper`, counted from the last
    /// pixel; both with the width first. Of a map for stores `lower` is not negative, and `upper`
    /// not positive.
    pub fn new(
        size: [usize; RANK],
        (lower, upper): ([i16; 3], [i16; 3]),
        (channels, pixels): (u32, u32),
    ) -> Self {
        Self {
            layout: Layout::new(size),
            columns: Im2col {
                lower,
                upper,
                channels,
                pixels,
            },
        }
    }

    /// Returns whether the box of the pixels is inside of the image, as stores want it.
    pub(super) fn check_stored_corners(&self) -> Result<(), TensorMapError> {
        let Im2col { lower, upper, .. } = self.columns;
        let outside = |&dimension: &usize| lower[dimension] < 0 || upper[dimension] > 0;
        match (0..RANK.saturating_sub(2)).find(outside) {
            None => Ok(()),
            Some(dimension) => Err(TensorMapError::StoredCorners {
                dimension,
                lower: lower[dimension],
                upper: upper[dimension],
            }),
        }
    }
}
settings! { Columns }
