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

use crate::stream::order::Order;
use crate::{Device, DriverError, MemoryError, Stream};

/// An array of `DIMENSIONS` (1 to 3) dimensions, of one float a texel. Freed when dropped, which waits for the launches that were passed it.
#[derive(Debug)]
pub(crate) struct Array<const DIMENSIONS: usize> {
    raw: CUarray,
    pub(crate) size: [usize; DIMENSIONS],
    pub(crate) device: Device,
    /// By launches.
    pub(crate) uses: Order<Stream>,
}

// SAFETY: the handle is used in calls of the driver only, which any thread may make.
unsafe impl<const DIMENSIONS: usize> Send for Array<DIMENSIONS> {}
// SAFETY: as above; nothing changes through a shared reference but what the driver orders.
unsafe impl<const DIMENSIONS: usize> Sync for Array<DIMENSIONS> {}

/// Which way texels go.
enum Direction {
    In(*const f32),
    Out(*mut f32),
}

impl<const DIMENSIONS: usize> Array<DIMENSIONS> {
    /// How many texels an array of this size has; none where the number is too large.
    pub(crate) fn texels(size: [usize; DIMENSIONS]) -> Option<usize> {
        let mut sides = size.into_iter();
        sides.try_fold(1, usize::checked_mul)
    }

    /// An array of these texels, the first axis fastest, which surfaces may write where `flags` has `CUDA_ARRAY3D_SURFACE_LDST`.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] when there are not as many texels as `size` says, or what the driver says.
    pub(crate) fn new(
        device: &Device,
        texels: &[f32],
        size: [usize; DIMENSIONS],
        flags: u32,
        at: &'static Location<'static>,
    ) -> Result<Self, MemoryError> {
        const {
            assert!(
                DIMENSIONS >= 1 && DIMENSIONS <= 3,
                "a texture has 1, 2 or 3 dimensions"
            )
        }
        let count = Self::texels(size);
        if count != Some(texels.len()) {
            return Err(MemoryError::LengthMismatch {
                buffer: count.unwrap_or(usize::MAX),
                host: texels.len(),
                at,
            });
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
        device.before_copy(at)?;
        // SAFETY: there are as many texels as the size says.
        unsafe { array.copy(Direction::In(texels.as_ptr()), at) }?;
        // The copy may still be under way when the call has taken the bytes, and a non-blocking stream does not wait for it.
        device.finish_default_stream(at)?;
        Ok(array)
    }

    /// The texels as they are now, the first axis fastest.
    ///
    /// # Errors
    /// The driver's answer.
    pub(crate) fn to_vec(&self, at: &'static Location<'static>) -> Result<Vec<f32>, DriverError> {
        self.device.before_copy(at)?;
        let mut texels = vec![0.0; self.size.iter().product()];
        // SAFETY: there is room for as many texels as the size says.
        unsafe { self.copy(Direction::Out(texels.as_mut_ptr()), at) }?;
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

    /// Copies all texels between the host and the array.
    ///
    /// # Safety
    /// The host's memory has as many.
    unsafe fn copy(
        &self,
        way: Direction,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        let extent = |axis: usize| self.size.get(axis).copied().unwrap_or(1);
        let width = extent(0) * size_of::<f32>();
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
            Height: extent(1),
            Depth: extent(2),
        };
        match way {
            Direction::In(from) => {
                (copy.srcHost, copy.dstArray) = (from.cast(), self.raw);
                (copy.srcPitch, copy.srcHeight) = (width, extent(1));
            }
            Direction::Out(to) => {
                (copy.srcMemoryType, copy.dstMemoryType) = (array, host);
                (copy.dstHost, copy.srcArray) = (to.cast(), self.raw);
                (copy.dstPitch, copy.dstHeight) = (width, extent(1));
            }
        }
        // SAFETY: the caller's promise, and the array was made of that size.
        DriverError::check("cuMemcpy3D", unsafe { sys::cuMemcpy3D_v2(&copy) }, at)
    }
}

impl<const DIMENSIONS: usize> Drop for Array<DIMENSIONS> {
    fn drop(&mut self) {
        // Kernels that were passed it may still run. After a fault nothing can be given back, and nobody reads.
        let ended =
            self.uses.synchronize().is_ok() && self.device.make_current(Location::caller()).is_ok();
        if ended && !self.raw.is_null() {
            // SAFETY: the array's own, which no kernel uses any more.
            let _ = unsafe { sys::cuArrayDestroy(self.raw) };
        }
    }
}
