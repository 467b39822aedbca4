//! Tensor maps: what the tensor memory accelerator is told of a tensor, checked before the driver encodes it.
//!
//! A map says where a tensor of 1 to 5 dimensions lies in a buffer, how large it is, and how large a box (or a column of an image's pixels) is that
//! one instruction moves. It borrows its buffer, so that a launch with it keeps order like a launch with the buffer, and it
//! covers nothing outside of it. Dimensions begin with the one that is contiguous in memory: of a matrix of `rows` x `columns`, the size
//! is `[columns, rows]`. The kernel takes `lanewise_std::tma::TensorMap<T, 2>`.
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
//! What the hardware cannot do is refused with the requirement that is not met. NVIDIA's driver only says that something is wrong.
//! Source: CUDA driver API, `cuTensorMapEncodeTiled`, `cuTensorMapEncodeIm2col`; PTX ISA, "Tensors".

use std::ffi::c_void;
use std::panic::Location;

use cust::memory::DeviceCopy;
use lanewise_driver::abi::CUtensorMap;
use lanewise_driver::api;
use lanewise_driver::tensor::{self, Access, Fill, Im2col, Interleave};
use lanewise_std::half::{Bf16, F16};
use lanewise_std::tma;

pub use lanewise_driver::tensor::{Element, Promotion, Swizzle, TensorMapError as Requirement};

use crate::error::in_words;
use crate::launch::argument::{Argument, ArgumentList};
use crate::stream::order;
use crate::{ComputeCapability, DeviceBuffer, DriverError};

/// Dimensions of the longest arrays.
const MOST: usize = 5;
/// Bytes that a store writes at once.
const STORED: u64 = 16;

/// Why there can be no such tensor map.
#[derive(thiserror::Error)]
pub enum TensorMapError {
    /// The device has no tensor memory accelerator.
    #[error("tensor maps need compute capability 9.0, and this device has {0}")]
    OldDevice(ComputeCapability),
    /// The tensor reaches past the end of its buffer.
    #[error(
        "the tensor reaches to byte {needed} of a buffer of {has}: look at its size, its strides and its offset"
    )]
    OutsideBuffer {
        /// Bytes that the tensor covers, from the buffer's start; the most that there are, if it is more.
        needed: u64,
        /// Bytes of the buffer.
        has: u64,
    },
    /// There is a stride for each dimension but the first.
    #[error(
        "{given} strides for a tensor of {rank} dimensions; there is one for each but the first"
    )]
    Strides {
        /// How many strides were given.
        given: usize,
        /// How many dimensions the tensor has.
        rank: usize,
    },
    /// Stores would write past the ends of the tensor's rows.
    #[error(
        "rows of {bytes} bytes are not to be stored to: the hardware writes whole pieces of 16 bytes, and past the end of such a row; make its size a \
         multiple, with room for that in the buffer"
    )]
    StoredRow {
        /// Bytes of a row.
        bytes: u64,
    },
    /// Stores would reach out of the image.
    #[error(
        "pixels are not to be stored by a map whose box reaches out of the image, by corners {lower} and {upper} in spatial dimension {dimension}: the \
         hardware ends such a kernel; give a lower one from 0 on and an upper one up to 0, and load by an `Im2colMap`"
    )]
    StoredCorners {
        /// Which spatial dimension, from the width.
        dimension: usize,
        /// The lower corner, from the first pixel.
        lower: i16,
        /// The upper corner, from the last pixel.
        upper: i16,
    },
    /// The hardware cannot do it.
    #[error("the tensor map cannot be: {0}")]
    Requirement(#[from] Requirement),
    /// The driver refused, for a reason that no other variant has.
    #[error("the driver does not encode the tensor map")]
    Driver(#[from] DriverError),
}

in_words! { TensorMapError }

/// A type of elements that tensor maps know.
///
/// # Safety
/// `ELEMENT` has the type's size, and any bits are a valid value.
pub unsafe trait TensorElement: DeviceCopy {
    /// What the driver calls the type.
    const ELEMENT: Element;
}

macro_rules! elements {
    ($($ty:ty: $element:ident;)*) => {$(
        // SAFETY: a number of so many bits.
        unsafe impl TensorElement for $ty {
            const ELEMENT: Element = Element::$element;
        }
    )*};
}
elements! {
    u8: U8;
    u16: U16;
    u32: U32;
    i32: S32;
    u64: U64;
    i64: S64;
    F16: F16;
    Bf16: Bf16;
    f32: F32;
    f64: F64;
}

/// Where a tensor lies in its buffer, and how it looks in shared memory: what both kinds of map are told.
#[derive(Debug, Clone)]
struct Layout<const RANK: usize> {
    size: [usize; RANK],
    strides: Option<Vec<usize>>,
    offset: usize,
    steps: [u32; RANK],
    swizzle: Swizzle,
    promotion: Promotion,
    fill: Fill,
}

impl<const RANK: usize> Layout<RANK> {
    fn new(size: [usize; RANK]) -> Self {
        Self {
            size,
            strides: None,
            offset: 0,
            steps: [1; RANK],
            swizzle: Swizzle::None,
            promotion: Promotion::None,
            fill: Fill::Zero,
        }
    }

    /// The map, if there can be one.
    fn encode<T: TensorElement>(
        &self,
        buffer: &DeviceBuffer<T>,
        access: Access,
        at: &'static Location<'static>,
    ) -> Result<CUtensorMap, TensorMapError> {
        let capability = buffer.device().properties().compute_capability;
        if capability.major < 9 {
            return Err(TensorMapError::OldDevice(capability));
        }
        let bytes = size_of::<T>() as u64;
        let strides = self.strides(bytes)?;
        self.check_inside(&strides, bytes, buffer.len() as u64 * bytes)?;
        let map = tensor::TensorMap {
            element: T::ELEMENT,
            rank: RANK as u32,
            address: buffer.address() + self.offset as u64 * bytes,
            size: padded(self.size.map(|size| size as u64)),
            strides,
            steps: padded(self.steps),
            access,
            interleave: Interleave::None,
            swizzle: self.swizzle,
            promotion: self.promotion,
            fill: self.fill,
        };
        map.check(10 * capability.major + capability.minor)?;
        buffer.device().make_current(at)?;
        Ok(encode(&map, at)?)
    }

    /// Whether stores end where the tensor's rows do. The map was encoded, so the tensor is in its buffer.
    fn check_stored<T: TensorElement>(&self) -> Result<(), TensorMapError> {
        let bytes = (self.size[0] * size_of::<T>()) as u64;
        match bytes % STORED {
            0 => Ok(()),
            _ => Err(TensorMapError::StoredRow { bytes }),
        }
    }

    /// Bytes from an element to the next in each dimension but the first: as given, or of a tensor without gaps.
    fn strides(&self, bytes: u64) -> Result<[u64; MOST - 1], TensorMapError> {
        let mut strides = [0; MOST - 1];
        match &self.strides {
            Some(given) if given.len() + 1 != RANK => Err(TensorMapError::Strides {
                given: given.len(),
                rank: RANK,
            }),
            Some(given) => {
                for (to, &stride) in strides.iter_mut().zip(given) {
                    *to = stride as u64;
                }
                Ok(strides)
            }
            None => {
                let mut all = bytes;
                for (to, &size) in strides.iter_mut().zip(&self.size[..RANK.max(1) - 1]) {
                    all = all.saturating_mul(size as u64);
                    *to = all;
                }
                Ok(strides)
            }
        }
    }

    /// Whether every element is in the buffer.
    fn check_inside(&self, strides: &[u64], bytes: u64, has: u64) -> Result<(), TensorMapError> {
        let wide = u128::from;
        let steps = std::iter::once(bytes).chain(strides.iter().copied());
        let mut needed = wide(bytes) * (self.offset as u128 + 1); // below 2^68
        for (&size, step) in self.size.iter().zip(steps) {
            // An empty dimension is refused elsewhere, with the requirement.
            needed = needed.saturating_add((size as u128).saturating_sub(1) * wide(step));
        }
        if needed > wide(has) {
            let needed = u64::try_from(needed).unwrap_or(u64::MAX);
            return Err(TensorMapError::OutsideBuffer { needed, has });
        }
        Ok(())
    }
}

fn padded<T: Copy + Default, const RANK: usize>(values: [T; RANK]) -> [T; MOST] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or_default())
}

/// Has the driver encode a map that was checked.
fn encode(
    map: &tensor::TensorMap,
    at: &'static Location<'static>,
) -> Result<CUtensorMap, DriverError> {
    let mut encoded = CUtensorMap { opaque: [0; 16] };
    let address = std::ptr::with_exposed_provenance_mut::<c_void>(map.address as usize);
    let kinds = (
        map.interleave as u32,
        map.swizzle as u32,
        map.promotion as u32,
        map.fill as u32,
    );
    let (interleave, swizzle, promotion, fill) = kinds;
    let (call, result) = match &map.access {
        // SAFETY: the arrays have as many elements as any rank; the result has a place, aligned as its type says.
        Access::Tiled(sizes) => ("cuTensorMapEncodeTiled", unsafe {
            api::cuTensorMapEncodeTiled(
                &mut encoded,
                map.element.number(),
                map.rank,
                address,
                map.size.as_ptr(),
                map.strides.as_ptr(),
                sizes.as_ptr(),
                map.steps.as_ptr(),
                interleave,
                swizzle,
                promotion,
                fill,
            )
        }),
        Access::Im2col(columns) => {
            let corner = |corner: [i16; 3]| corner.map(i32::from);
            let (lower, upper) = (corner(columns.lower), corner(columns.upper));
            // SAFETY: as above.
            ("cuTensorMapEncodeIm2col", unsafe {
                api::cuTensorMapEncodeIm2col(
                    &mut encoded,
                    map.element.number(),
                    map.rank,
                    address,
                    map.size.as_ptr(),
                    map.strides.as_ptr(),
                    lower.as_ptr(),
                    upper.as_ptr(),
                    columns.channels,
                    columns.pixels,
                    map.steps.as_ptr(),
                    interleave,
                    swizzle,
                    promotion,
                    fill,
                )
            })
        }
    };
    DriverError::check_code(call, result, at)?;
    Ok(encoded)
}

macro_rules! settings {
    ($name:ident) => {
        impl<const RANK: usize> $name<RANK> {
            /// Bytes from one element to the next in each dimension but the first, where there are gaps, overlaps or another order than by size: for
            /// a matrix, the one distance between its rows. They are multiples of 16.
            pub fn strides(mut self, bytes: &[usize]) -> Self {
                self.layout.strides = Some(bytes.to_vec());
                self
            }

            /// The tensor begins at this element of the buffer; its address has to be a multiple of 16 bytes.
            pub fn offset(mut self, elements: usize) -> Self {
                self.layout.offset = elements;
                self
            }

            /// Takes only every so-many-th element of each dimension but the first.
            pub fn steps(mut self, steps: [u32; RANK]) -> Self {
                self.layout.steps = steps;
                self
            }

            /// How chunks of 16 bytes change places in shared memory, so that columns too are read without bank conflicts.
            pub fn swizzle(mut self, swizzle: Swizzle) -> Self {
                self.layout.swizzle = swizzle;
                self
            }

            /// How much the second-level cache fetches at once.
            pub fn promotion(mut self, promotion: Promotion) -> Self {
                self.layout.promotion = promotion;
                self
            }

            /// What lies outside of the tensor is read as a NaN that `fma.oob` takes for zero, not as zeros. Of floats only.
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
    layout: Layout<RANK>,
    tile: [u32; RANK],
}

impl<const RANK: usize> Tiles<RANK> {
    /// A tensor of this size without gaps, in boxes of this size: 1 to 256 elements in each dimension, and a multiple of 16 bytes in the first.
    pub fn new(size: [usize; RANK], tile: [u32; RANK]) -> Self {
        Self {
            layout: Layout::new(size),
            tile,
        }
    }

    fn encode<T: TensorElement>(
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
    layout: Layout<RANK>,
    columns: Im2col,
}

impl<const RANK: usize> Columns<RANK> {
    /// Images of this size: channels, then 1 to 3 spatial dimensions with the width first, then how many images. One instruction moves `pixels` pixels (1
    /// to 1024) of `channels` elements (1 to 256, a multiple of 16 bytes).
    ///
    /// The filter's corner is at first at `lower`, and at last at `upper`, counted from the last pixel; both with the width first. Of a map for stores
    /// `lower` is not negative, and `upper` not positive.
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

    /// Whether the box of the pixels is inside of the image, as stores want it.
    fn check_stored_corners(&self) -> Result<(), TensorMapError> {
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
    /// A map of a tensor in this buffer. Its rows are multiples of 16 bytes, because stores write so many at once.
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

/// Images that kernels write in columns of pixels: passed as `&mut` for a `lanewise_std::tma::Im2colMapMut`.
#[derive(Debug)]
pub struct Im2colMapMut<'a, T: TensorElement, const RANK: usize> {
    encoded: CUtensorMap,
    buffer: &'a mut DeviceBuffer<T>,
}

impl<'a, T: TensorElement, const RANK: usize> Im2colMapMut<'a, T, RANK> {
    /// A map of images in this buffer. Their pixels are multiples of 16 bytes, because stores write so many at once, and their box is
    /// inside of the image: no lower corner is negative, no upper one positive. An H200 (driver 580.159, 2026-11-22) ends a kernel that stores by another
    /// map, wherever, with an illegal instruction.
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
            /// The map's 128 bytes, for a buffer of maps that kernels take by address. Nothing ties them to the tensor any more: it has to be there, and waited for, as long as a kernel uses them.
            pub fn storage(&self) -> tma::MapStorage {
                tma::MapStorage::from_words(self.encoded.opaque)
            }
        }
    )*};
}
stored! { TensorMap TensorMapMut Im2colMap Im2colMapMut }

macro_rules! arguments {
    ($($on_host:ty => $on_device:ident, $access:ident;)*) => {$(
        // SAFETY: one parameter, the map's bytes; the tensor lies in the buffer, which the launch is ordered with and whose freeing waits for
        // the kernels that use it. A buffer that is written is borrowed by nothing else.
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
