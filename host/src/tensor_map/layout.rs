//! The layout of a tensor in its buffer: it is checked here, and the driver encodes it.

use std::ffi::c_void;
use std::panic::Location;

use lanewise_driver::abi::CUtensorMap;
use lanewise_driver::api;
use lanewise_driver::tensor::{self, Access, Fill, Interleave, Promotion, Swizzle};

use super::{MOST, TensorElement, TensorMapError, padded};
use crate::{DeviceBuffer, DriverError};

/// The number of bytes that a store writes at once.
const STORED: u64 = 16;

/// The layout of a tensor in its buffer and in shared memory, for both kinds of map.
#[derive(Debug, Clone)]
pub(super) struct Layout<const RANK: usize> {
    pub(super) size: [usize; RANK],
    pub(super) strides: Option<Vec<usize>>,
    pub(super) offset: usize,
    pub(super) steps: [u32; RANK],
    pub(super) swizzle: Swizzle,
    pub(super) promotion: Promotion,
    pub(super) fill: Fill,
}

impl<const RANK: usize> Layout<RANK> {
    pub(super) fn new(size: [usize; RANK]) -> Self {
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

    /// Checks the layout and encodes the map.
    pub(super) fn encode<T: TensorElement>(
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

    /// Checks that stores end at the ends of the tensor's rows, and that no two of its elements
    /// have the same place: kernels store boxes side by side. The map was encoded, so the tensor is
    /// inside of its buffer.
    pub(super) fn check_stored<T: TensorElement>(&self) -> Result<(), TensorMapError> {
        let bytes = (self.size[0] * size_of::<T>()) as u64;
        if !bytes.is_multiple_of(STORED) {
            return Err(TensorMapError::StoredRow { bytes });
        }
        let strides = self.strides(size_of::<T>() as u64)?;
        let mut by_stride: Vec<_> = (1..RANK)
            .filter(|&dimension| self.size[dimension] > 1)
            .map(|dimension| (strides[dimension - 1], dimension))
            .collect();
        by_stride.sort_unstable();
        // The bytes from the first element to the last one of the dimensions so far.
        let mut covered = bytes;
        for (stride, dimension) in by_stride {
            if stride < covered {
                return Err(TensorMapError::StoredOverlap {
                    dimension,
                    stride,
                    covered,
                });
            }
            covered += stride * (self.size[dimension] as u64 - 1);
        }
        Ok(())
    }

    /// Returns the strides in bytes of each dimension but the first: the given ones, or those of a
    /// tensor without gaps.
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

    /// Checks that every element is inside of the buffer.
    fn check_inside(&self, strides: &[u64], bytes: u64, has: u64) -> Result<(), TensorMapError> {
        let wide = u128::from;
        let steps = std::iter::once(bytes).chain(strides.iter().copied());
        let mut needed = wide(bytes) * (self.offset as u128 + 1); // below 2^68
        for (&size, step) in self.size.iter().zip(steps) {
            // Another check refuses an empty dimension, and names the requirement.
            needed = needed.saturating_add((size as u128).saturating_sub(1) * wide(step));
        }
        if needed > wide(has) {
            let needed = u64::try_from(needed).unwrap_or(u64::MAX);
            return Err(TensorMapError::OutsideBuffer { needed, has });
        }
        Ok(())
    }
}

/// Makes the driver encode a map that was checked.
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
        // SAFETY: the arrays have as many elements as the highest rank, and the result has the
        // alignment of its type.
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
    DriverError::check(call, result, at)?;
    Ok(encoded)
}
