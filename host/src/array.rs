//! Arrays of floats in the layout of textures: what a texture reads and a surface writes.
//!
//! Source: CUDA driver API, `cuArray3DCreate`, `cuMemcpy3D`.

use std::panic::Location;
use std::ptr::null_mut;

use cust::sys::{
    self, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1, CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    CUarray, CUarray_format, CUmemorytype, CUresourcetype,
};

use lanewise_driver::abi::CUresult;

use crate::stream::order::Order;
use crate::{Device, DriverError, MemoryError, Stream, late};

/// An array of `DIMENSIONS` (1 to 3) dimensions, of one float a texel. Freed when dropped, which
/// waits for the launches that were passed it.
#[derive(Debug)]
pub(crate) struct Array<const DIMENSIONS: usize> {
    raw: CUarray,
    pub(crate) size: [usize; DIMENSIONS],
    pub(crate) device: Device,
    /// Which launches on which streams use the array.
    pub(crate) uses: Order<Stream>,
}

// SAFETY: the handle is used in calls of the driver only, which any thread may make.
unsafe impl<const DIMENSIONS: usize> Send for Array<DIMENSIONS> {}
// SAFETY: as above; nothing changes through a shared reference but what the driver orders.
unsafe impl<const DIMENSIONS: usize> Sync for Array<DIMENSIONS> {}

/// Texels of zeros that the host has room for at once, where a row is not longer.
const ZEROS: usize = 1 << 20;

/// Whole rows of an array: of some planes, some in each.
#[derive(Debug, Clone, Copy)]
struct Place {
    y: usize,
    z: usize,
    /// The array's width in texels.
    width: usize,
    height: usize,
    depth: usize,
}

/// Which way texels go.
enum Direction {
    In(*const f32),
    Out(*mut f32),
}

impl<const DIMENSIONS: usize> Array<DIMENSIONS> {
    /// Returns how many texels an array of this size has; none where the number is too large.
    pub(crate) fn texels(size: [usize; DIMENSIONS]) -> Option<usize> {
        let mut sides = size.into_iter();
        sides.try_fold(1, usize::checked_mul)
    }

    /// An array of these texels, the first axis fastest, which surfaces may write where `flags` has
    /// `CUDA_ARRAY3D_SURFACE_LDST`.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] when there are not as many texels as `size` says, or the
    /// driver's error.
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
        // SAFETY: there are as many texels as the size says.
        unsafe { array.copy(Direction::In(texels.as_ptr()), array.all(), at) }?;
        // The copy may still be under way when the call has taken the bytes, and a non-blocking
        // stream does not wait for it.
        device.finish_default_stream(at)?;
        Ok(array)
    }

    /// The same of zeros. The host need not have room for all of them.
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
        // Whole planes where there is room for one, else rows of it. The device has such an array,
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
                // SAFETY: there are at least as many zeros as the part has texels.
                unsafe { array.copy(Direction::In(zeros.as_ptr()), part, at) }?;
            }
        }
        device.finish_default_stream(at)?;
        Ok(array)
    }

    /// An array of any contents, which the caller fills before it hands it out.
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
            // To the driver a height or a depth of 0 is an axis that is not there.
            let call = "cuArray3DCreate";
            let refused = DriverError::check_code(call, CUresult::ERROR_INVALID_VALUE, at);
            refused.map_err(|error| error.with_report(format!("{size:?} are no texels")))?;
        }
        device.make_current(at)?;
        let mut array = Self {
            raw: null_mut(),
            size,
            device: device.clone(),
            uses: Order::default(),
        };
        // An axis that is not there has extent 0 in the array and 1 in copies.
        let extent = |axis: usize| size.get(axis).copied();
        let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
            Width: size[0],
            Height: extent(1).unwrap_or(0),
            Depth: extent(2).unwrap_or(0),
            Format: CUarray_format::CU_AD_FORMAT_FLOAT,
            NumChannels: 1,
            Flags: flags,
        };
        // SAFETY: a whole descriptor, and a variable for the handle.
        let made = unsafe { sys::cuArray3DCreate_v2(&mut array.raw, &descriptor) };
        DriverError::check("cuArray3DCreate", made, at)?;
        Ok(array)
    }

    /// All of it.
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

    /// Returns the texels as they are now, the first axis fastest.
    ///
    /// # Errors
    /// The driver's error.
    pub(crate) fn to_vec(&self, at: &'static Location<'static>) -> Result<Vec<f32>, DriverError> {
        self.device.before_copy(at)?;
        let mut texels = vec![0.0; self.size.iter().product()];
        // SAFETY: there is room for as many texels as the size says.
        unsafe { self.copy(Direction::Out(texels.as_mut_ptr()), self.all(), at) }?;
        Ok(texels)
    }

    /// What texture and surface objects are made over.
    pub(crate) fn resource(&self) -> CUDA_RESOURCE_DESC {
        CUDA_RESOURCE_DESC {
            resType: CUresourcetype::CU_RESOURCE_TYPE_ARRAY,
            res: CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
                array: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: self.raw },
            },
            flags: 0,
        }
    }

    /// Copies these texels between the host, where they lie without gaps, and the array.
    ///
    /// # Safety
    /// The host's memory has as many, and the array has them.
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
        let host = CUmemorytype::CU_MEMORYTYPE_HOST;
        let array = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        let mut copy = CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: host,
            srcHost: std::ptr::null(),
            srcDevice: 0,
            srcArray: null_mut(),
            reserved0: null_mut(),
            srcPitch: 0,
            srcHeight: 0,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: array,
            dstHost: null_mut(),
            dstDevice: 0,
            dstArray: null_mut(),
            reserved1: null_mut(),
            dstPitch: 0,
            dstHeight: 0,
            WidthInBytes: width,
            Height: height,
            Depth: depth,
        };
        match way {
            Direction::In(from) => {
                (copy.srcHost, copy.dstArray) = (from.cast(), self.raw);
                (copy.srcPitch, copy.srcHeight) = (width, height);
                (copy.dstY, copy.dstZ) = (y, z);
            }
            Direction::Out(to) => {
                (copy.srcMemoryType, copy.dstMemoryType) = (array, host);
                (copy.dstHost, copy.srcArray) = (to.cast(), self.raw);
                (copy.dstPitch, copy.dstHeight) = (width, height);
                (copy.srcY, copy.srcZ) = (y, z);
            }
        }
        // SAFETY: the caller's promise.
        DriverError::check("cuMemcpy3D", unsafe { sys::cuMemcpy3D_v2(&copy) }, at)
    }
}

impl<const DIMENSIONS: usize> Drop for Array<DIMENSIONS> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            late::end(Ending {
                raw: self.raw,
                device: self.device.clone(),
                uses: self.uses.clone(),
            });
        }
    }
}

/// An array that nobody has any more.
struct Ending {
    raw: CUarray,
    device: Device,
    uses: Order<Stream>,
}

// SAFETY: as for `Array`.
unsafe impl Send for Ending {}

impl Drop for Ending {
    fn drop(&mut self) {
        // Kernels that were passed it may still run. After a fault nothing can be given back, and
        // nobody reads.
        if self.uses.synchronize().is_ok() && self.device.make_current(Location::caller()).is_ok() {
            // SAFETY: the array's own, which no kernel uses any more.
            let _ = unsafe { sys::cuArrayDestroy(self.raw) };
        }
    }
}
