//! The tensor map object.
//!
//! NVIDIA does not publish the layout of its 128 bytes. Here the layout is
//! as follows, little-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..4 | a mark, `LwTM`, so that memory that was never encoded is known |
//! | 4..11 | access (0 tiled, 1 im2col), element, rank, interleave, swizzle, promotion, fill |
//! | 11..16 | traversal stride of each dimension |
//! | 16..24 | the tensor's address |
//! | 24..44 | size of each dimension, less one |
//! | 44..54 | box size of each dimension, less one (tiled) |
//! | 54..58 | channels for each pixel, pixels for each column (im2col) |
//! | 64..96 | stride of each dimension but the first, in bytes |
//! | 96..108 | lower and upper corner of the bounding box, width first (im2col) |
//!
//! Other bytes are zero. Entries for dimensions above the rank are also zero.

use super::{Element, Swizzle};

/// The largest number of dimensions.
pub(super) const MOST: usize = 5;
/// The size of the object, in bytes.
pub(super) const BYTES: usize = 128;

const MARK: [u8; 4] = *b"LwTM";

/// The layout of channels in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Interleave {
    /// The channels of an element are adjacent.
    #[default]
    None,
    /// In slices of 16 bytes.
    B16,
    /// In slices of 32 bytes.
    B32,
}

/// How much the second-level cache fetches at once. It is a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Promotion {
    /// Reads fetch the requested bytes.
    #[default]
    None,
    /// Reads fetch at least 64 bytes.
    B64,
    /// Reads fetch at least 128 bytes.
    B128,
    /// Reads fetch at least 256 bytes.
    B256,
}

/// The value of elements outside the tensor when they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Fill {
    /// Elements outside are zeros.
    #[default]
    Zero,
    /// Elements outside are a NaN that `fma.oob` treats as zero.
    Nan,
}

macro_rules! numbered {
    ($($name:ident: $($variant:ident),+;)+) => {$(
        impl $name {
            /// Returns the value with this number in the driver's enumeration,
            /// and in `tensormap.replace`.
            pub fn of(number: u32) -> Option<Self> {
                [$($name::$variant),+].get(number as usize).copied()
            }
        }
    )+};
}
numbered! {
    Interleave: None, B16, B32;
    Promotion: None, B64, B128, B256;
    Fill: Zero, Nan;
}

impl Swizzle {
    /// Returns the mode with this number in `CUtensorMapSwizzle`.
    pub fn of(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }
}

/// The elements that one instruction copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// A box of this many elements in each dimension.
    Tiled([u32; MOST]),
    /// A column of an image's pixels.
    Im2col(Im2col),
}

/// A column of pixels, in the order in which a convolution uses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Im2col {
    /// The lower corner of the bounding box in each spatial dimension, width first: the first
    /// position of the filter's corner.
    pub lower: [i16; 3],
    /// The upper corner of the bounding box in each spatial dimension: the last position, relative
    /// to the last pixel.
    pub upper: [i16; 3],
    /// Elements of each pixel.
    pub channels: u32,
    /// Pixels that one instruction copies.
    pub pixels: u32,
}

/// The contents of a tensor map. Dimension 0 is the one that is contiguous in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorMap {
    /// The type of the tensor's elements.
    pub element: Element,
    /// The number of dimensions of the tensor, 1 to 5.
    pub rank: u32,
    /// The address of the first element.
    pub address: u64,
    /// Elements in each dimension.
    pub size: [u64; MOST],
    /// The stride of each dimension but the first, in bytes.
    pub strides: [u64; MOST - 1],
    /// The traversal stride of each dimension, in elements.
    pub steps: [u32; MOST],
    /// The elements that one instruction copies.
    pub access: Access,
    /// The layout of channels.
    pub interleave: Interleave,
    /// The swizzling mode in shared memory.
    pub swizzle: Swizzle,
    /// How much the cache fetches at once.
    pub promotion: Promotion,
    /// The value of elements outside the tensor.
    pub fill: Fill,
}

/// A field that `tensormap.replace` writes, with its dimension if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The field `.global_address` of the map.
    Address,
    /// The field `.rank`, which contains the rank less one.
    Rank,
    /// The field `.box_dim`, by dimension.
    Box(u32),
    /// The field `.global_dim`, by dimension.
    Size(u32),
    /// The field `.global_stride`, by dimension.
    Stride(u32),
    /// The field `.element_stride`, by dimension.
    Step(u32),
    /// The field `.elemtype`, in the ISA's numbers.
    Element,
    /// The field `.interleave_layout` of the map.
    Interleave,
    /// The field `.swizzle_mode` of the map.
    Swizzle,
    /// The field `.swizzle_atomicity` of the map.
    Atomicity,
    /// The field `.fill_mode` of the map.
    Fill,
}

/// Returns the range of bytes of a dimension in a field.
const fn dimension<const SIZE: usize>(start: usize, dimension: usize) -> std::ops::Range<usize> {
    start + dimension * SIZE..start + (dimension + 1) * SIZE
}

fn word<const N: usize>(bytes: &[u8; BYTES], at: usize) -> u64 {
    let mut value = [0; 8];
    value[..N].copy_from_slice(&bytes[at..at + N]);
    u64::from_le_bytes(value)
}

impl TensorMap {
    /// The size of the object, in bytes. It must be aligned to half of that.
    pub const BYTES: usize = BYTES;

    /// Returns the map as the 128 bytes of a kernel's parameter.
    pub fn encode(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..4].copy_from_slice(&MARK);
        let im2col = matches!(self.access, Access::Im2col(_));
        let kinds = [
            u32::from(im2col),
            self.element.number(),
            self.rank,
            self.interleave as u32,
            self.swizzle as u32,
            self.promotion as u32,
            self.fill as u32,
        ];
        for (byte, kind) in bytes[4..11].iter_mut().zip(kinds) {
            *byte = kind as u8;
        }
        bytes[16..24].copy_from_slice(&self.address.to_le_bytes());
        for i in 0..MOST {
            bytes[11 + i] = self.steps[i] as u8;
            let less = self.size[i].wrapping_sub(1) as u32;
            bytes[dimension::<4>(24, i)].copy_from_slice(&less.to_le_bytes());
        }
        for (i, stride) in self.strides.iter().enumerate() {
            bytes[dimension::<8>(64, i)].copy_from_slice(&stride.to_le_bytes());
        }
        match self.access {
            Access::Tiled(sizes) => {
                for (i, size) in sizes.iter().enumerate() {
                    let less = size.wrapping_sub(1) as u16;
                    bytes[dimension::<2>(44, i)].copy_from_slice(&less.to_le_bytes());
                }
            }
            Access::Im2col(it) => {
                bytes[54..56].copy_from_slice(&(it.channels as u16).to_le_bytes());
                bytes[56..58].copy_from_slice(&(it.pixels as u16).to_le_bytes());
                for i in 0..3 {
                    bytes[dimension::<2>(96, i)].copy_from_slice(&it.lower[i].to_le_bytes());
                    bytes[dimension::<2>(102, i)].copy_from_slice(&it.upper[i].to_le_bytes());
                }
            }
        }
        bytes
    }

    /// Reads a map from its bytes, without checking it. Returns `None` if the bytes are not a map.
    pub fn decode(bytes: &[u8; BYTES]) -> Option<Self> {
        let kind = |at: usize| u32::from(bytes[at]);
        if bytes[..4] != MARK || kind(4) > 1 {
            return None;
        }
        let short = |at: usize| word::<2>(bytes, at) as u16;
        let corner = |start: usize| std::array::from_fn(|i| short(start + 2 * i) as i16);
        let access = match kind(4) {
            0 => Access::Tiled(std::array::from_fn(|i| u32::from(short(44 + 2 * i)) + 1)),
            _ => Access::Im2col(Im2col {
                lower: corner(96),
                upper: corner(102),
                channels: short(54).into(),
                pixels: short(56).into(),
            }),
        };
        Some(Self {
            element: Element::of_driver(kind(5))?,
            rank: kind(6),
            address: word::<8>(bytes, 16),
            size: std::array::from_fn(|i| word::<4>(bytes, 24 + 4 * i) + 1),
            strides: std::array::from_fn(|i| word::<8>(bytes, 64 + 8 * i)),
            steps: std::array::from_fn(|i| kind(11 + i)),
            access,
            interleave: Interleave::of(kind(7))?,
            swizzle: Swizzle::of(kind(8))?,
            promotion: Promotion::of(kind(9))?,
            fill: Fill::of(kind(10))?,
        })
    }

    /// Makes zeros an object whose fields are all zero. Programs that set every field on the device
    /// begin with zeros.
    pub fn begin(bytes: &mut [u8; BYTES]) {
        if *bytes == [0; BYTES] {
            bytes[..4].copy_from_slice(&MARK);
        }
    }

    /// Writes a field of the object in these bytes, as `tensormap.replace` does. The value is
    /// checked later, when the map is used. Returns false if the field cannot contain the value.
    pub fn replace(bytes: &mut [u8; BYTES], field: Field, value: u64) -> bool {
        let small = u32::try_from(value).unwrap_or(u32::MAX);
        let in_rank = |ordinal: u32, most: usize| (ordinal as usize) < most;
        let mut put = |range: std::ops::Range<usize>, value: u64| {
            let length = range.len();
            bytes[range].copy_from_slice(&value.to_le_bytes()[..length]);
            true
        };
        match field {
            Field::Address => put(16..24, value),
            Field::Rank => small < MOST as u32 && put(6..7, value + 1),
            Field::Box(i) => {
                in_rank(i, MOST)
                    && (1..=1 << 16).contains(&small)
                    && put(dimension::<2>(44, i as usize), value - 1)
            }
            Field::Size(i) => {
                in_rank(i, MOST) && put(dimension::<4>(24, i as usize), value.wrapping_sub(1))
            }
            Field::Stride(i) => in_rank(i, MOST - 1) && put(dimension::<8>(64, i as usize), value),
            Field::Step(i) => {
                in_rank(i, MOST) && small < 256 && put(11 + i as usize..12 + i as usize, value)
            }
            Field::Element => match Element::of_ptx(small) {
                Some(element) => put(5..6, element.number().into()),
                None => false,
            },
            Field::Interleave => Interleave::of(small).is_some() && put(7..8, value),
            Field::Swizzle => small <= Swizzle::B128 as u32 && put(8..9, value),
            Field::Atomicity => {
                // The atomicity divides the lines of the mode that is there, 128
                // bytes, into chunks.
                small < 4 && put(8..9, Swizzle::B128 as u64 + value)
            }
            Field::Fill => Fill::of(small).is_some() && put(10..11, value),
        }
    }
}
