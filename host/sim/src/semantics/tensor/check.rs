//! The requirements of a tensor map.
//!
//! The requirements are listed in the CUDA driver API reference, `cuTensorMapEncodeTiled` and
//! `cuTensorMapEncodeIm2col`, and in PTX ISA 5.5.3 and 5.5.4. The reference also computes strides
//! from sizes and padding. That computation is not a requirement: the strides of overlapping
//! windows and of broadcast dimensions differ from it, and are accepted.

use super::map::{Access, Fill, Im2col, Interleave, MOST, TensorMap};
use super::{Element, Swizzle};

/// The reason why a tensor map is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorMapError {
    /// Too few dimensions, or too many.
    #[error("a rank of {rank}; it has to be from {least} to 5 {why}")]
    Rank {
        /// The tensor's number of dimensions.
        rank: u32,
        /// The lowest rank that is allowed.
        least: u32,
        /// The feature that requires this rank.
        why: &'static str,
    },
    /// A tensor whose address is not aligned.
    #[error("the tensor's address {address:#x} is no multiple of {align} bytes")]
    Address {
        /// The tensor's address.
        address: u64,
        /// The required alignment, in bytes.
        align: u64,
    },
    /// A dimension without elements, with too many, or with a number that packed elements
    /// do not allow.
    #[error("{size} elements in dimension {dimension}; {need}")]
    Size {
        /// The dimension, from 0.
        dimension: usize,
        /// The number of elements in the map.
        size: u64,
        /// The numbers that are allowed.
        need: &'static str,
    },
    /// A stride that the hardware does not support.
    #[error(
        "a stride of {stride} bytes in dimension {dimension}; it has to be a multiple of {align} below 2^40"
    )]
    Stride {
        /// The dimension, from 1.
        dimension: usize,
        /// The stride in bytes.
        stride: u64,
        /// The number that the stride must be a multiple of.
        align: u64,
    },
    /// A box that is empty or too large.
    #[error("a box of {size} elements in dimension {dimension}; it has to have 1 to 256")]
    Box {
        /// The dimension, from 0.
        dimension: usize,
        /// The number of elements of the box.
        size: u32,
    },
    /// Rows of the box whose size is not a multiple of 16 bytes.
    #[error("rows of the box have {bits} bits; they have to be a multiple of 16 bytes")]
    Row {
        /// The size of a row of the box, in bits.
        bits: u32,
    },
    /// A box of packed elements that is not 128 elements wide.
    #[error("rows of the box have {size} packed elements; they have to have 128")]
    PackedRow {
        /// The number of elements of a row.
        size: u32,
    },
    /// Rows of the box that are too long for the swizzle.
    #[error(
        "rows of the box have {bytes} bytes, and the swizzle is of {span}: they may have no more"
    )]
    Span {
        /// The size of a row, in bytes.
        bytes: u32,
        /// The largest size of a row with this swizzle, in bytes.
        span: u32,
    },
    /// A traversal stride out of range.
    #[error("a traversal stride of {step} in dimension {dimension}; it has to be from 1 to 8")]
    Step {
        /// The dimension, from 0.
        dimension: usize,
        /// The traversal stride.
        step: u32,
    },
    /// Packed elements with a swizzle or an interleaved layout that they do not support.
    #[error("packed elements of this type have no such swizzle or interleaved layout")]
    Packed,
    /// A fill with NaN for elements that are not floats.
    #[error("outside of the tensor a NaN is asked for, and its elements are no floats")]
    Fill,
    /// A corner of the bounding box out of range.
    #[error(
        "a corner of the bounding box at {corner}; with {rank} dimensions it has to be from {least} to {most}"
    )]
    Corner {
        /// The coordinate of the corner.
        corner: i16,
        /// The tensor's number of dimensions.
        rank: u32,
        /// The lowest coordinate that is allowed.
        least: i32,
        /// The highest coordinate that is allowed.
        most: i32,
    },
    /// An empty bounding box.
    #[error("the bounding box is empty in spatial dimension {dimension}, counted from the width")]
    Empty {
        /// The dimension, from 0.
        dimension: usize,
    },
    /// A number of channels for each pixel that is out of range.
    #[error("{0} channels for each pixel; there have to be 1 to 256")]
    Channels(u32),
    /// A number of pixels for each column that is out of range.
    #[error("{0} pixels for each column; there have to be 1 to 1024")]
    Pixels(u32),
    /// A feature that this device does not have.
    #[error("{what} need compute capability 10.0")]
    Capability {
        /// The feature that the device lacks.
        what: &'static str,
    },
}

use TensorMapError as Error;

impl TensorMap {
    /// Checks whether a device of this compute capability (90 is 9.0) supports the map.
    ///
    /// # Errors
    /// The first requirement that the map does not meet.
    pub fn check(&self, capability: u32) -> Result<(), Error> {
        self.check_rank()?;
        self.check_capability(capability)?;
        let wide = self.interleave == Interleave::B32 || self.element.padded();
        let align = if wide { 32 } else { 16 };
        if !self.address.is_multiple_of(align) {
            let address = self.address;
            return Err(Error::Address { address, align });
        }
        let rank = self.rank as usize;
        for (dimension, &size) in self.size[..rank].iter().enumerate() {
            let need = match self.element {
                _ if size == 0 || size > 1 << 32 => "there have to be 1 to 2^32",
                element if dimension == 0 && element.padded() && !size.is_multiple_of(128) => {
                    "packed elements come in multiples of 128"
                }
                Element::U4x16 if dimension == 0 && !size.is_multiple_of(2) => {
                    "packed elements come in multiples of 2"
                }
                _ => continue,
            };
            return Err(Error::Size {
                dimension,
                size,
                need,
            });
        }
        for (i, &stride) in self.strides[..rank - 1].iter().enumerate() {
            if !stride.is_multiple_of(align) || stride >= 1 << 40 {
                let dimension = i + 1;
                return Err(Error::Stride {
                    dimension,
                    stride,
                    align,
                });
            }
        }
        let row = match &self.access {
            Access::Tiled(sizes) => self.check_box(sizes)?,
            Access::Im2col(it) => self.check_im2col(it)?,
        };
        // Without slices, the hardware ignores the traversal stride of the first dimension. An
        // H200's driver nevertheless requires a valid one.
        for (dimension, &step) in self.steps[..rank].iter().enumerate() {
            if !(1..=8).contains(&step) {
                return Err(Error::Step { dimension, step });
            }
        }
        self.check_layout(row)
    }

    fn check_rank(&self) -> Result<(), Error> {
        let (least, why) = match (self.access, self.interleave) {
            (Access::Im2col(_), _) => (3, "for images"),
            (_, Interleave::None) => (1, "here"),
            _ => (3, "with an interleaved layout"),
        };
        let rank = self.rank;
        if !(least..=MOST as u32).contains(&rank) {
            return Err(Error::Rank { rank, least, why });
        }
        Ok(())
    }

    fn check_capability(&self, capability: u32) -> Result<(), Error> {
        let what = match self.swizzle {
            _ if capability >= 100 => return Ok(()),
            Swizzle::B128Atom32 | Swizzle::B128Atom32Flip8 | Swizzle::B128Atom64 => {
                "swizzles of larger chunks"
            }
            _ if self.element.packed() => "packed elements",
            _ => return Ok(()),
        };
        Err(Error::Capability { what })
    }

    /// Checks the box, and returns the bits of a row.
    fn check_box(&self, sizes: &[u32; MOST]) -> Result<u32, Error> {
        for (dimension, &size) in sizes[..self.rank as usize].iter().enumerate() {
            if !(1..=256).contains(&size) {
                return Err(Error::Box { dimension, size });
            }
        }
        self.check_row(sizes[0])
    }

    fn check_row(&self, size: u32) -> Result<u32, Error> {
        if self.element.padded() && size != 128 {
            return Err(Error::PackedRow { size });
        }
        let bits = size * self.element.bits();
        if self.interleave == Interleave::None && !bits.is_multiple_of(128) {
            return Err(Error::Row { bits });
        }
        Ok(bits)
    }

    fn check_im2col(&self, it: &Im2col) -> Result<u32, Error> {
        let rank = self.rank;
        let half = match rank {
            3 => 1 << 15,
            4 => 1 << 7,
            _ => 1 << 4,
        };
        for dimension in 0..rank as usize - 2 {
            let (lower, upper) = (it.lower[dimension], it.upper[dimension]);
            for corner in [lower, upper] {
                if !(-half..half).contains(&i32::from(corner)) {
                    let (least, most) = (-half, half - 1);
                    return Err(Error::Corner {
                        corner,
                        rank,
                        least,
                        most,
                    });
                }
            }
            if self.size[dimension + 1] as i64 + i64::from(upper) <= i64::from(lower) {
                return Err(Error::Empty { dimension });
            }
        }
        if !(1..=256).contains(&it.channels) {
            return Err(Error::Channels(it.channels));
        }
        if !(1..=1024).contains(&it.pixels) {
            return Err(Error::Pixels(it.pixels));
        }
        self.check_row(it.channels)
    }

    /// Checks the combination of interleave, swizzle, element and fill. Slices are allowed with
    /// every swizzle. For slices of 32 bytes the reference requires a swizzle of 32 bytes, but the
    /// driver of an H200 (580.159.04) accepts any.
    fn check_layout(&self, row_bits: u32) -> Result<(), Error> {
        if self.element.padded() {
            let taken = matches!(
                self.swizzle,
                Swizzle::None | Swizzle::B128 | Swizzle::B128Atom32
            ) || self.element == Element::U6x16Padded
                && self.swizzle == Swizzle::B128Atom64;
            if !taken || self.interleave != Interleave::None {
                return Err(Error::Packed);
            }
        }
        if let (Interleave::None, Some(span)) = (self.interleave, self.swizzle.span())
            && row_bits > span * 8
        {
            let bytes = row_bits / 8;
            return Err(Error::Span { bytes, span });
        }
        if self.fill == Fill::Nan && !self.element.is_float() {
            return Err(Error::Fill);
        }
        Ok(())
    }
}
