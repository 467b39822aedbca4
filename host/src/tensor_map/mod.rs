//! Tensor maps: descriptions of a tensor for the tensor memory accelerator. They are checked before
//! the driver encodes them.
//!
//! A map contains the position of a tensor of 1 to 5 dimensions in a buffer, the size of the
//! tensor, and the size of the box (or of the column of an image's pixels) that one instruction
//! moves. It borrows its buffer, so a launch with it keeps order like a launch with the buffer.
//! It covers nothing outside of the buffer. The first dimension is the one that is contiguous
//! in memory: for a matrix of `rows` x `columns` the size is `[columns, rows]`. The kernel
//! takes `lanewise_std::tma::TensorMap<T, 2>`.
//!
//! ```no_run
//! use lanewise::tensor_map::{Swizzle, TensorMap, Tiles};
//! use lanewise::{Device, DeviceBuffer};
//!
//! let device = Device::open()?;
//! let matrix = DeviceBuffer::<f32>::zeroed(&device, 100 * 64)?;
//! let map = TensorMap::new(&matrix, Tiles::new([64, 100], [32, 8]).swizzle(Swizzle::B128))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A map that the hardware does not support is refused with an error that names the requirement.
//! NVIDIA's driver only reports that something is wrong.
//! Source: CUDA driver API, `cuTensorMapEncodeTiled`, `cuTensorMapEncodeIm2col`;
//! PTX ISA, "Tensors".
//!
//! | file | what it is |
//! | --- | --- |
//! | `shape` | what a map is made of: boxes of a tensor, columns of images |
//! | `layout` | where the tensor lies, checked and encoded |
//! | `element` | the types of its elements |
//! | `error` | what can be wrong |

mod element;
mod error;
mod layout;
mod shape;

use std::panic::Location;

use lanewise_driver::abi::{CUresult, CUtensorMap};
use lanewise_driver::tensor::Access;
use lanewise_std::tma;

pub use element::TensorElement;
pub use error::TensorMapError;
pub use lanewise_driver::tensor::{Element, Promotion, Swizzle, TensorMapError as Requirement};
pub use shape::{Columns, Tiles};

use crate::launch::argument::{Argument, ArgumentList};
use crate::stream::order;
use crate::{DeviceBuffer, DriverError};

/// The maximum number of dimensions.
const MOST: usize = 5;

/// A tensor that kernels read in boxes. It is passed for a `lanewise_std::tma::TensorMap`.
#[derive(Debug)]
pub struct TensorMap<'a, T: TensorElement, const RANK: usize> {
    encoded: CUtensorMap,
    moved: BoxSize,
    buffer: &'a DeviceBuffer<T>,
}

impl<'a, T: TensorElement, const RANK: usize> TensorMap<'a, T, RANK> {
    /// Makes a map of a tensor in this buffer.
    ///
    /// # Errors
    /// [`TensorMapError`], with the requirement that is not met.
    #[track_caller]
    pub fn new(buffer: &'a DeviceBuffer<T>, tiles: Tiles<RANK>) -> Result<Self, TensorMapError> {
        let encoded = tiles.encode(buffer, Location::caller())?;
        let moved = BoxSize::of(tiles.tile);
        Ok(Self {
            encoded,
            moved,
            buffer,
        })
    }
}

/// A tensor that kernels write in boxes. It is passed as `&mut`
/// for a `lanewise_std::tma::TensorMapMut`.
#[derive(Debug)]
pub struct TensorMapMut<'a, T: TensorElement, const RANK: usize> {
    encoded: CUtensorMap,
    moved: BoxSize,
    buffer: &'a mut DeviceBuffer<T>,
}

impl<'a, T: TensorElement, const RANK: usize> TensorMapMut<'a, T, RANK> {
    /// Makes a map of a tensor in this buffer. The size of its rows must be a multiple of 16 bytes,
    /// because a store writes 16 bytes at once. No two elements may have the same place: strides
    /// that overlap are for maps that are only read.
    ///
    /// # Errors
    /// [`TensorMapError`], with the requirement that is not met.
    #[track_caller]
    pub fn new(
        buffer: &'a mut DeviceBuffer<T>,
        tiles: Tiles<RANK>,
    ) -> Result<Self, TensorMapError> {
        let encoded = tiles.encode(buffer, Location::caller())?;
        tiles.layout.check_stored::<T>()?;
        let moved = BoxSize::of(tiles.tile);
        Ok(Self {
            encoded,
            moved,
            buffer,
        })
    }
}

/// Images that kernels read in columns of pixels. They are passed
/// for a `lanewise_std::tma::Im2colMap`.
#[derive(Debug)]
pub struct Im2colMap<'a, T: TensorElement, const RANK: usize> {
    encoded: CUtensorMap,
    moved: BoxSize,
    buffer: &'a DeviceBuffer<T>,
}

impl<'a, T: TensorElement, const RANK: usize> Im2colMap<'a, T, RANK> {
    /// Makes a map of images in this buffer.
    ///
    /// # Errors
    /// [`TensorMapError`], with the requirement that is not met.
    #[track_caller]
    pub fn new(
        buffer: &'a DeviceBuffer<T>,
        columns: Columns<RANK>,
    ) -> Result<Self, TensorMapError> {
        const { assert!(RANK >= 3 && RANK <= MOST, "images have 3 to 5 dimensions") };
        let moved = BoxSize::of([columns.columns.channels, columns.columns.pixels]);
        let access = Access::Im2col(columns.columns);
        let encoded = columns.layout.encode(buffer, access, Location::caller())?;
        Ok(Self {
            encoded,
            moved,
            buffer,
        })
    }
}

/// Images that kernels write in columns of pixels. They are passed as `&mut`
/// for a `lanewise_std::tma::Im2colMapMut`.
#[derive(Debug)]
pub struct Im2colMapMut<'a, T: TensorElement, const RANK: usize> {
    encoded: CUtensorMap,
    moved: BoxSize,
    buffer: &'a mut DeviceBuffer<T>,
}

impl<'a, T: TensorElement, const RANK: usize> Im2colMapMut<'a, T, RANK> {
    /// Makes a map of images in this buffer. The size of a pixel must be a multiple of 16 bytes,
    /// because a store writes 16 bytes at once. The box must be inside of the image: no lower
    /// corner is negative, and no upper corner is positive. An H200 (driver 580.159, 2026-11-22)
    /// ends a kernel that stores with any other map, at any position, with an illegal instruction.
    ///
    /// # Errors
    /// [`TensorMapError`], with the requirement that is not met.
    #[track_caller]
    pub fn new(
        buffer: &'a mut DeviceBuffer<T>,
        columns: Columns<RANK>,
    ) -> Result<Self, TensorMapError> {
        const { assert!(RANK >= 3 && RANK <= MOST, "images have 3 to 5 dimensions") };
        let moved = BoxSize::of([columns.columns.channels, columns.columns.pixels]);
        let access = Access::Im2col(columns.columns);
        let encoded = columns.layout.encode(buffer, access, Location::caller())?;
        columns.layout.check_stored::<T>()?;
        columns.check_stored_corners()?;
        Ok(Self {
            encoded,
            moved,
            buffer,
        })
    }
}

macro_rules! stored {
    ($($name:ident)*) => {$(
        impl<T: TensorElement, const RANK: usize> $name<'_, T, RANK> {
            /// Returns the 128 bytes of the map, for a buffer of maps that kernels take by address.
            /// The bytes do not borrow the tensor. The caller has to keep the tensor, and to order
            /// its uses, while a kernel uses the bytes.
            pub fn storage(&self) -> tma::MapStorage {
                tma::MapStorage::from_words(self.encoded.opaque)
            }
        }
    )*};
}
stored! { TensorMap TensorMapMut Im2colMap Im2colMapMut }

macro_rules! arguments {
    ($($on_host:ty => $on_device:ident, $access:ident;)*) => {$(
        // SAFETY: this passes one parameter, the bytes of the map, whose boxes have the size that
        // the kernel takes. The tensor is inside of the buffer. The launch keeps order with the
        // buffer's other uses, and freeing the buffer waits for the kernels that use it. Nothing
        // else borrows a buffer that is written.
        unsafe impl<T: TensorElement, const RANK: usize, Size: tma::BoxSize>
            Argument<tma::$on_device<'static, T, RANK, Size>> for $on_host
        {
            fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                self.moved.check::<Size>()?;
                list.push_with(&*self.buffer, order::Access::$access, self.encoded)
            }
        }
    )*};
}
arguments! {
    &TensorMap<'_, T, RANK> => TensorMap, Read;
    &mut TensorMapMut<'_, T, RANK> => TensorMapMut, Write;
    &Im2colMap<'_, T, RANK> => Im2colMap, Read;
    &mut Im2colMapMut<'_, T, RANK> => Im2colMapMut, Write;
}

/// The number of elements that an instruction moves, in each dimension: 1 in those that the map
/// does not have.
#[derive(Clone, Copy, Debug)]
struct BoxSize([usize; MOST]);

impl BoxSize {
    fn of<const RANK: usize>(size: [u32; RANK]) -> Self {
        BoxSize(std::array::from_fn(|i| {
            size.get(i).map_or(1, |&of| of as usize)
        }))
    }

    /// Checks that a kernel that takes maps of boxes of this size has memory for these boxes.
    fn check<Size: tma::BoxSize>(self) -> Result<(), DriverError> {
        match Size::SIZE {
            Some(expected) if expected != self.0 => Err(self.unlike(expected)),
            _ => Ok(()),
        }
    }

    fn unlike(self, expected: [usize; MOST]) -> DriverError {
        let text = |size: [usize; MOST]| {
            let dimensions = size
                .iter()
                .rposition(|&of| of != 1)
                .map_or(1, |last| last + 1);
            size[..dimensions]
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" x ")
        };
        let code = CUresult::ERROR_INVALID_VALUE;
        DriverError::answer("the check of a tensor map's boxes", code, Location::caller())
            .with_report(format!(
                "expected a map of boxes of {} elements, as the kernel's parameter says; found boxes of {}",
                text(expected),
                text(self.0)
            ))
    }
}

/// Returns the values, padded with defaults to the length that the driver takes for every rank.
fn padded<T: Copy + Default, const RANK: usize>(values: [T; RANK]) -> [T; MOST] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or_default())
}
