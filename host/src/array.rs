//! Arrays of floats in the layout of textures. A texture reads such an array, and a
//! surface writes it.
//!
//! Source: CUDA driver API, `cuArray3DCreate`, `cuMemcpy3D`.

use std::panic::Location;

use lanewise_driver::abi::enums::{array_format, memory_type, resource_type};
use lanewise_driver::abi::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC, CUarray, CUresource, CUresult,
    Side3D,
};
use lanewise_driver::api;

use crate::stream::order::Order;
use crate::{Device, DriverError, MemoryError, Stream, late};

/// An array of `DIMENSIONS` (1 to 3) dimensions, with one float per texel. Dropping it waits for
/// the launches that use it, and frees it.
#[derive(Debug)]
pub(crate) struct Array<const DIMENSIONS: usize> {
    raw: CUarray,
    pub(crate) size: [usize; DIMENSIONS],
    pub(crate) device: Device,
    /// Which launches on which streams use the array.
    pub(crate) uses: Order<Stream>,
}

/// The number of zeros that are copied from the host at once, unless a row is longer.
const ZEROS: usize = 1 << 20;

/// A range of whole rows in a range of planes of an array.
#[derive(Debug, Clone, Copy)]
struct Place {
    y: usize,
    z: usize,
    /// The array's width in texels.
    width: usize,
    height: usize,
    depth: usize,
}

/// The direction of a copy, with the host's address.
enum Direction {
    In(*const f32),
    Out(*mut f32),
}

impl<const DIMENSIONS: usize> Array<DIMENSIONS> {
    /// Returns the number of texels of an array of this size, or `None` if it overflows.
    pub(crate) fn texels(size: [usize; DIMENSIONS]) -> Option<usize> {
        let mut sides = size.into_iter();
        sides.try_fold(1, usize::checked_mul)
    }

    /// Makes an array of these texels; the index along the first axis changes fastest. Surfaces may
    /// write the array if `flags` contains `CUDA_ARRAY3D_SURFACE_LDST`.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] if the number of texels differs from that of `size`, or
    /// the driver's error.
    pub(crate) fn new(
        device: &Device,
        texels: &[f32],
        size: [usize; DIMENSIONS],
        flags: u32,
        at: &'static Location<'static>,
    ) -> Result<Self, MemoryError> {
        let count = Self::texels(size);
        if count != Some(texels.len()) {
            return Err(MemoryError::LengthMismatch {
                buffer: count.unwrap_or(usize::MAX),
                host: texels.len(),
                at,
            });
        }
        let array = Self::allocate(device, size, flags, at)?;
        device.before_copy(at)?;
        // SAFETY: the number of texels is that of the size.
        unsafe { array.copy(Direction::In(texels.as_ptr()), array.all(), at) }?;
        // The call may return once it has read the bytes, while the copy still runs, and a
        // non-blocking stream does not wait for the copy.
        device.finish_default_stream(at)?;
        Ok(array)
    }

    /// Makes an array of zeros. The host needs memory for only a part of them.
    ///
    /// # Errors
    /// The driver's error.
    pub(crate) fn zeroed(
        device: &Device,
        size: [usize; DIMENSIONS],
        flags: u32,
        at: &'static Location<'static>,
    ) -> Result<Self, MemoryError> {
        let array = Self::allocate(device, size, flags, at)?;
        device.before_copy(at)?;
        let all = array.all();
        // Copies whole planes if one fits, else rows of a plane. The device has accepted the array,
        // so a row is short.
        let height = (ZEROS / all.width).clamp(1, all.height);
        let depth = match height == all.height {
            true => (ZEROS / (all.width * height)).clamp(1, all.depth),
            false => 1,
        };
        let zeros = vec![0.0; all.width * height * depth];
        for z in (0..all.depth).step_by(depth) {
            for y in (0..all.height).step_by(height) {
                let part = Place {
                    y,
                    z,
                    width: all.width,
                    height: height.min(all.height - y),
                    depth: depth.min(all.depth - z),
                };
                // SAFETY: there are at least as many zeros as texels in the part.
                unsafe { array.copy(Direction::In(zeros.as_ptr()), part, at) }?;
            }
        }
        device.finish_default_stream(at)?;
        Ok(array)
    }

    /// Makes an array with arbitrary contents. The caller fills it before it returns it.
    fn allocate(
        device: &Device,
        size: [usize; DIMENSIONS],
        flags: u32,
        at: &'static Location<'static>,
    ) -> Result<Self, DriverError> {
        const {
            assert!(
                DIMENSIONS >= 1 && DIMENSIONS <= 3,
                "a texture has 1, 2 or 3 dimensions"
            )
        }
        if size.contains(&0) {
            // For the driver, a height or depth of 0 means that the axis does not exist.
            let call = "cuArray3DCreate";
            let refused = DriverError::check(call, CUresult::ERROR_INVALID_VALUE, at);
            refused.map_err(|error| {
                error.with_report(format!(
                    "{size:?} is not a size of an image: each number must be at least 1"
                ))
            })?;
        }
        device.make_current(at)?;
        let mut array = Self {
            raw: CUarray::default(),
            size,
            device: device.clone(),
            uses: Order::default(),
        };
        // An axis that does not exist has extent 0 in the array and 1 in copies.
        let extent = |axis: usize| size.get(axis).copied();
        let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
            width: size[0],
            height: extent(1).unwrap_or(0),
            depth: extent(2).unwrap_or(0),
            format: array_format::FLOAT,
            channels: 1,
            flags,
        };
        // SAFETY: the descriptor is complete, and the handle is written to a variable.
        let made = unsafe { api::cuArray3DCreate_v2(&mut array.raw, &descriptor) };
        DriverError::check("cuArray3DCreate", made, at)?;
        Ok(array)
    }

    /// Returns the range of the whole array.
    fn all(&self) -> Place {
        let extent = |axis: usize| self.size.get(axis).copied().unwrap_or(1);
        Place {
            y: 0,
            z: 0,
            width: extent(0),
            height: extent(1),
            depth: extent(2),
        }
    }

    /// Returns the present texels; the index along the first axis changes fastest.
    ///
    /// # Errors
    /// The driver's error.
    pub(crate) fn to_vec(&self, at: &'static Location<'static>) -> Result<Vec<f32>, DriverError> {
        self.device.before_copy(at)?;
        let mut texels = vec![0.0; self.size.iter().product()];
        // SAFETY: the vector has the number of texels of the size.
        unsafe { self.copy(Direction::Out(texels.as_mut_ptr()), self.all(), at) }?;
        Ok(texels)
    }

    /// Returns the descriptor from which texture and surface objects are made.
    pub(crate) fn resource(&self) -> CUDA_RESOURCE_DESC {
        CUDA_RESOURCE_DESC {
            kind: resource_type::ARRAY,
            resource: CUresource { array: self.raw },
            flags: 0,
        }
    }

    /// Copies the texels of a range between the array and the host, where they are contiguous.
    ///
    /// # Safety
    /// The host's memory has as many texels as the range, and the range is inside of the array.
    unsafe fn copy(
        &self,
        way: Direction,
        place: Place,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        let Place {
            y,
            z,
            width,
            height,
            depth,
        } = place;
        let width = width * size_of::<f32>();
        let range = Side3D {
            y,
            z,
            memory_type: memory_type::ARRAY,
            array: self.raw,
            ..Side3D::NONE
        };
        let texels = |host| Side3D {
            memory_type: memory_type::HOST,
            host,
            pitch: width,
            height,
            ..Side3D::NONE
        };
        let (src, dst) = match way {
            Direction::In(from) => (texels(from.cast_mut().cast()), range),
            Direction::Out(to) => (range, texels(to.cast())),
        };
        let copy = CUDA_MEMCPY3D {
            src,
            dst,
            width_in_bytes: width,
            height,
            depth,
        };
        // SAFETY: the caller promises the same.
        DriverError::check("cuMemcpy3D", unsafe { api::cuMemcpy3D_v2(&copy) }, at)
    }
}

impl<const DIMENSIONS: usize> Drop for Array<DIMENSIONS> {
    fn drop(&mut self) {
        if self.raw != CUarray::default() {
            late::end(Ending {
                raw: self.raw,
                device: self.device.clone(),
                uses: self.uses.clone(),
            });
        }
    }
}

/// The handle of an array that was dropped.
struct Ending {
    raw: CUarray,
    device: Device,
    uses: Order<Stream>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // Kernels that use the array may still run. After a fault the array cannot be freed, and
        // nothing uses it.
        if self.uses.synchronize().is_ok() && self.device.make_current(Location::caller()).is_ok() {
            // SAFETY: the array owned the handle, and no kernel uses it any more.
            let _ = unsafe { api::cuArrayDestroy(self.raw) };
        }
    }
}
