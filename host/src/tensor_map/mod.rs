//! Tensor maps: what the tensor memory accelerator is told of a tensor, checked before the driver
//! encodes it.
//!
//! A map says where a tensor of 1 to 5 dimensions lies in a buffer, how large it is, and how large
//! a box (or a column of an image's pixels) is that one instruction moves. It borrows its buffer,
//! so that a launch with it keeps order like a launch with the buffer, and it covers nothing
//! outside of it. Dimensions begin with the one that is contiguous in memory: of a matrix of `rows`
//! x `columns`, the size is `[columns, rows]`. The kernel takes
//! `lanewise_std::tma::TensorMap<T, 2>`.
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
//! What the hardware cannot do is refused with the requirement that is not met. NVIDIA's driver
//! only says that something is wrong.
//! Source: CUDA driver API, `cuTensorMapEncodeTiled`, `cuTensorMapEncodeIm2col`; PTX ISA,
//! "Tensors".
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

use lanewise_driver::abi::CUtensorMap;
use lanewise_driver::tensor::Access;
use lanewise_std::tma;

pub use element::TensorElement;
pub use error::TensorMapError;
pub use lanewise_driver::tensor::{Element, Promotion, Swizzle, TensorMapError as Requirement};
pub use shape::{Columns, Tiles};

use crate::launch::argument::{Argument, ArgumentList};
use crate::stream::order;
use crate::{DeviceBuffer, DriverError};

/// Dimensions of the longest arrays.
const MOST: usize = 5;

/// A tensor that kernels read in boxes: passed for a `lanewise_std::tma::TensorMap`.
#[derive(Debug)]
pub struct TensorMap<'a, T: TensorElement, const RANK: usize> {
    encoded: CUtensorMap,
    buffer: &'a DeviceBuffer<T>,
}

impl<'a, T: TensorElement, const RANK: usize> TensorMap<'a, T, RANK> {
    /// A map of a tensor in this buffer.
    ///
    /// # Errors
    /// [`TensorMapError`], with the requirement that is not met.
    #[track_caller]
    pub fn new(buffer: &'a DeviceBuffer<T>, tiles: Tiles<RANK>) -> Result<Self, TensorMapError> {
        let encoded = tiles.encode(buffer, Location::caller())?;
        Ok(Self { encoded, buffer })
    }
}

/// A tensor that kernels write in boxes: passed as `&mut` for a `lanewise_std::tma::TensorMapMut`.
#[derive(Debug)]
pub struct TensorMapMut<'a, T: TensorElement, const RANK: usize> {
    encoded: CUtensorMap,
    buffer: &'a mut DeviceBuffer<T>,
}

impl<'a, T: TensorElement, const RANK: usize> TensorMapMut<'a, T, RANK> {
    /// A map of a tensor in this buffer. Its rows are multiples of 16 bytes, because a store writes
    /// 16 bytes at once.
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
        Ok(Self { encoded, buffer })
    }
}

/// Images that kernels read in columns of pixels: passed for a `lanewise_std::tma::Im2colMap`.
#[derive(Debug)]
pub struct Im2colMap<'a, T: TensorElement, const RANK: usize> {
    encoded: CUtensorMap,
    buffer: &'a DeviceBuffer<T>,
}

impl<'a, T: TensorElement, const RANK: usize> Im2colMap<'a, T, RANK> {
    /// A map of images in this buffer.
    ///
    /// # Errors
    /// [`TensorMapError`], with the requirement that is not met.
    #[track_caller]
    pub fn new(
        buffer: &'a DeviceBuffer<T>,
        columns: Columns<RANK>,
    ) -> Result<Self, TensorMapError> {
        const { assert!(RANK >= 3 && RANK <= MOST, "images have 3 to 5 dimensions") };
        let access = Access::Im2col(columns.columns);
        let encoded = columns.layout.encode(buffer, access, Location::caller())?;
        Ok(Self { encoded, buffer })
    }
}

/// Images that kernels write in columns of pixels: passed as `&mut` for a
/// `lanewise_std::tma::Im2colMapMut`.
#[derive(Debug)]
pub struct Im2colMapMut<'a, T: TensorElement, const RANK: usize> {
    encoded: CUtensorMap,
    buffer: &'a mut DeviceBuffer<T>,
}

impl<'a, T: TensorElement, const RANK: usize> Im2colMapMut<'a, T, RANK> {
    /// A map of images in this buffer. Their pixels are multiples of 16 bytes, because a store
    /// writes 16 bytes at once, and their box is inside of the image: no lower corner is negative,
    /// no upper one positive. An H200 (driver 580.159, 2026-11-22) ends a kernel that stores by
    /// another map, wherever, with an illegal instruction.
    ///
    /// # Errors
    /// [`TensorMapError`], with the requirement that is not met.
    #[track_caller]
    pub fn new(
        buffer: &'a mut DeviceBuffer<T>,
        columns: Columns<RANK>,
    ) -> Result<Self, TensorMapError> {
        const { assert!(RANK >= 3 && RANK <= MOST, "images have 3 to 5 dimensions") };
        let access = Access::Im2col(columns.columns);
        let encoded = columns.layout.encode(buffer, access, Location::caller())?;
        columns.layout.check_stored::<T>()?;
        columns.check_stored_corners()?;
        Ok(Self { encoded, buffer })
    }
}

macro_rules! stored {
    ($($name:ident)*) => {$(
        impl<T: TensorElement, const RANK: usize> $name<'_, T, RANK> {
            /// Returns the map's 128 bytes, for a buffer of maps that kernels take by address.
            /// Nothing ties them to the tensor any more: it has to be there, and waited for, as
            /// long as a kernel uses them.
            pub fn storage(&self) -> tma::MapStorage {
                tma::MapStorage::from_words(self.encoded.opaque)
            }
        }
    )*};
}
stored! { TensorMap TensorMapMut Im2colMap Im2colMapMut }

macro_rules! arguments {
    ($($on_host:ty => $on_device:ident, $access:ident;)*) => {$(
        // SAFETY: one parameter, the map's bytes; the tensor lies in the buffer, which the launch
        // is ordered with and whose freeing waits for the kernels that use it. A buffer that is
        // written is borrowed by nothing else.
        unsafe impl<T: TensorElement, const RANK: usize> Argument<tma::$on_device<'static, T, RANK>> for $on_host {
            fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
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

/// Returns the values, and nothing behind them: what the driver takes for every rank.
fn padded<T: Copy + Default, const RANK: usize>(values: [T; RANK]) -> [T; MOST] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or_default())
}
