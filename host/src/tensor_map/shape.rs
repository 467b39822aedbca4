//! The shape of a map: a tensor that is moved in boxes, or images that are moved in
//! columns of pixels.

use std::panic::Location;

use lanewise_driver::abi::CUtensorMap;
use lanewise_driver::tensor::{Access, Fill, Im2col, Promotion, Swizzle};

use super::layout::Layout;
use super::{MOST, TensorElement, TensorMapError, padded};
use crate::DeviceBuffer;

macro_rules! settings {
    ($name:ident) => {
        impl<const RANK: usize> $name<RANK> {
            /// Sets the strides in bytes of each dimension but the first. They are needed if the
            /// tensor has gaps, overlaps or another order of dimensions. A matrix has one stride,
            /// the distance between its rows. Strides must be multiples of 16.
            pub fn strides(mut self, bytes: &[usize]) -> Self {
                self.layout.strides = Some(bytes.to_vec());
                self
            }

            /// Sets the element of the buffer where the tensor begins. Its address must be a
            /// multiple of 16 bytes.
            pub fn offset(mut self, elements: usize) -> Self {
                self.layout.offset = elements;
                self
            }

            /// Sets the steps. With a step of `n`, only every `n`-th element of that dimension is
            /// taken. This holds for each dimension but the first.
            pub fn steps(mut self, steps: [u32; RANK]) -> Self {
                self.layout.steps = steps;
                self
            }

            /// Sets how chunks of 16 bytes are permuted in shared memory, so that columns too can
            /// be read without bank conflicts.
            pub fn swizzle(mut self, swizzle: Swizzle) -> Self {
                self.layout.swizzle = swizzle;
                self
            }

            /// Sets how much the L2 cache fetches at once.
            pub fn promotion(mut self, promotion: Promotion) -> Self {
                self.layout.promotion = promotion;
                self
            }

            /// Makes elements outside of the tensor read as a NaN that `fma.oob` treats as zero,
            /// instead of as zeros. This is for floats only.
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
    pub(super) tile: [u32; RANK],
}

impl<const RANK: usize> Tiles<RANK> {
    /// Makes the shape of a tensor of this size without gaps. Its boxes have the size `tile`: 1 to
    /// 256 elements in each dimension, and a multiple of 16 bytes in the first.
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

/// Images that are moved in columns of pixels, in the order in which a convolution uses them.
#[derive(Debug, Clone)]
pub struct Columns<const RANK: usize> {
    pub(super) layout: Layout<RANK>,
    pub(super) columns: Im2col,
}

impl<const RANK: usize> Columns<RANK> {
    /// Makes the shape of images of this size: channels, then 1 to 3 spatial dimensions with the
    /// width first, then the number of images. One instruction moves `pixels` pixels (1 to 1024) of
    /// `channels` elements (1 to 256, a multiple of 16 bytes).
    ///
    /// The corner of the filter moves from `lower` to `upper`. `lower` is counted from the first
    /// pixel and `upper` from the last one, both with the width first. For a map for stores,
    /// `lower` must not be negative and `upper` must not be positive.
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

    /// Checks that the box of the pixels is inside of the image, which stores require.
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
