//! What a tensor map may say.
//!
//! CUDA driver API reference, `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col`, which list
//! the requirements; PTX ISA 5.5.3 and 5.5.4. The reference also shows how strides follow from
//! sizes and padding. That is a recipe: strides of overlapping windows and of broadcast dimensions
//! do not follow it, and are taken.

use super::map::{Access, Fill, Im2col, Interleave, MOST, TensorMap};
use super::{Element, Swizzle};

/// Why a tensor map cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorMapError {
    /// Too few dimensions, or too many.
    #[error("a rank of {rank}; it has to be from {least} to 5 {why}")]
    Rank {
        /// The tensor's number of dimensions.
        rank: u32,
        /// The least that would do.
        least: u32,
        /// What asks for it.
        why: &'static str,
    },
    /// A tensor that starts in between.
    #[error("the tensor's address {address:#x} is no multiple of {align} bytes")]
    Address {
        /// The address that was given.
        address: u64,
        /// What it has to be a multiple of.
        align: u64,
    },
    /// A dimension of no elements, too many, or a number that packed elements cannot have.
    #[error("{size} elements in dimension {dimension}; {need}")]
    Size {
        /// Which, from 0.
        dimension: usize,
        /// How many elements were given.
        size: u64,
        /// What would do.
        need: &'static str,
    },
    /// A stride that the hardware cannot take.
    #[error(
        "a stride of {stride} bytes in dimension {dimension}; it has to be a multiple of {align} below 2^40"
    )]
    Stride {
        /// Which, from 1.
        dimension: usize,
        /// How many bytes were given.
        stride: u64,
        /// What it has to be a multiple of.
        align: u64,
    },
    /// A box that is empty or too large.
    #[error("a box of {size} elements in dimension {dimension}; it has to have 1 to 256")]
    Box {
        /// Which, from 0.
        dimension: usize,
        /// How many elements were given.
        size: u32,
    },
    /// Rows of the box that do not fill 16 bytes.
    #[error("rows of the box have {bits} bits; they have to be a multiple of 16 bytes")]
    Row {
        /// How many bits an element has.
        bits: u32,
    },
    /// A box of packed elements that is not 128 wide.
    #[error("rows of the box have {size} packed elements; they have to have 128")]
    PackedRow {
        /// How many elements were given.
        size: u32,
    },
    /// Rows of the box that the swizzle cannot shuffle.
    #[error(
        "rows of the box have {bytes} bytes, and the swizzle is of {span}: they may have no more"
    )]
    Span {
        /// How many bytes were given.
        bytes: u32,
        /// Bytes that the swizzle shuffles.
        span: u32,
    },
    /// A traversal stride out of range.
    #[error("a traversal stride of {step} in dimension {dimension}; it has to be from 1 to 8")]
    Step {
        /// Which, from 0.
        dimension: usize,
        /// How many elements were given.
        step: u32,
    },
    /// Packed elements with a swizzle or an interleaved layout that they do not have.
    #[error("packed elements of this type have no such swizzle or interleaved layout")]
    Packed,
    /// A NaN where elements are no floats.
    #[error("outside of the tensor a NaN is asked for, and its elements are no floats")]
    Fill,
    /// A corner of the bounding box out of range.
    #[error(
        "a corner of the bounding box at {corner}; with {rank} dimensions it has to be from {least} to {most}"
    )]
    Corner {
        /// The coordinate that was given.
        corner: i16,
        /// The tensor's number of dimensions.
        rank: u32,
        /// The least that is allowed.
        least: i32,
        /// The most that is allowed.
        most: i32,
    },
    /// A bounding box of nothing.
    #[error("the bounding box is empty in spatial dimension {dimension}, counted from the width")]
    Empty {
        /// Which, from 0.
        dimension: usize,
    },
    /// Channels of a pixel out of range.
    #[error("{0} channels for each pixel; there have to be 1 to 256")]
    Channels(u32),
    /// Pixels of a column out of range.
    #[error("{0} pixels for each column; there have to be 1 to 1024")]
    Pixels(u32),
    /// What this device cannot do.
    #[error("{what} need compute capability 10.0")]
    Capability {
        /// What needs more.
        what: &'static str,
    },
}

use TensorMapError as Error;

impl TensorMap {
    /// Looks whether a device of this compute capability (90 is 9.0) can take the map.
    ///
    /// # Errors
    /// The first requirement that it does not meet.
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
        // Without slices the hardware has no stride in the first dimension; the driver of an H200
        // wants a valid one all the same.
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

    /// Bits of a row of the box.
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

    /// Interleave, swizzle, element and fill against each other. Slices go with every swizzle: the
    /// reference asks for one of 32 bytes where slices have 32, and the driver of an H200
    /// (580.159.04) takes any.
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
