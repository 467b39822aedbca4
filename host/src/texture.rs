//! Textures of floats: arrays that kernels read through a sampler.
//!
//! [`Texture`] makes the array, fills it, and makes the texture object over it; a kernel that takes a `Texture1d`,
//! `Texture2d` or `Texture3d` is passed a reference to one of as many dimensions.
//! Source: CUDA driver API, "Texture Object Management", `cuArray3DCreate`; CUDA C++ Programming Guide, "Texture Memory".

use std::panic::Location;
use std::ptr::{null, null_mut};

use cust::sys::{
    self, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1, CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    CUDA_TEXTURE_DESC, CUaddress_mode, CUarray, CUarray_format, CUfilter_mode, CUmemorytype,
    CUresourcetype,
};

use crate::launch::argument::{Argument, ArgumentList};
use crate::{Device, DriverError, MemoryError};
use lanewise_std::texture::{Texture1d, Texture2d, Texture3d};

/// What a fetch gives between texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// The nearest texel.
    #[default]
    Point,
    /// A blend of the texels around, with weights of 9 bits.
    Linear,
}

/// What a fetch gives outside of the texture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Outside {
    /// The nearest texel: the edge goes on.
    #[default]
    Clamp,
    /// The texture again. For normalised coordinates; else as [`Outside::Clamp`].
    Wrap,
    /// The texture again, every other time reversed. For normalised coordinates; else as [`Outside::Clamp`].
    Mirror,
    /// Reads outside give this value.
    Border(f32),
}

/// How a texture is read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sampling {
    /// What a read between texels gives.
    pub filter: Filter,
    /// What a read outside of the image gives.
    pub outside: Outside,
    /// Whether coordinates run from 0 to 1 over the texture; else they count texels.
    pub normalized: bool,
}

/// A texture of `DIMENSIONS` (1 to 3) dimensions, of one float a texel.
#[derive(Debug)]
pub struct Texture<const DIMENSIONS: usize> {
    array: CUarray,
    object: u64,
    size: [usize; DIMENSIONS],
    device: Device,
}

// SAFETY: the array's handle is used in calls of the driver only, which any thread may make.
unsafe impl<const DIMENSIONS: usize> Send for Texture<DIMENSIONS> {}
// SAFETY: as above; nothing changes through a shared reference.
unsafe impl<const DIMENSIONS: usize> Sync for Texture<DIMENSIONS> {}

impl<const DIMENSIONS: usize> Texture<DIMENSIONS> {
    /// A texture of `texels`, the first axis fastest, read as `sampling` says.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] when there are not as many texels as `size` says, or what the driver says: among others
    /// `CUDA_ERROR_INVALID_VALUE` for a size of 0 or more than the device's textures have.
    #[track_caller]
    pub fn from_slice(
        device: &Device,
        texels: &[f32],
        size: [usize; DIMENSIONS],
        sampling: Sampling,
    ) -> Result<Self, MemoryError> {
        const {
            assert!(
                DIMENSIONS >= 1 && DIMENSIONS <= 3,
                "a texture has 1, 2 or 3 dimensions"
            )
        }
        let at = Location::caller();
        let count = size.iter().try_fold(1usize, |n, &side| n.checked_mul(side));
        if count != Some(texels.len()) {
            return Err(MemoryError::LengthMismatch {
                buffer: count.unwrap_or(usize::MAX),
                host: texels.len(),
                at,
            });
        }
        device.make_current(at)?;
        let mut texture = Self {
            array: null_mut(),
            object: 0,
            size,
            device: device.clone(),
        };
        // An axis that is not there has extent 0 in the array and 1 in copies.
        let extent = |axis: usize| size.get(axis).copied();
        let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
            Width: size[0],
            Height: extent(1).unwrap_or(0),
            Depth: extent(2).unwrap_or(0),
            Format: CUarray_format::CU_AD_FORMAT_FLOAT,
            NumChannels: 1,
            Flags: 0,
        };
        // SAFETY: a whole descriptor, and a variable for the handle.
        let made = unsafe { sys::cuArray3DCreate_v2(&mut texture.array, &descriptor) };
        DriverError::check("cuArray3DCreate", made, at)?;
        texture.fill(texels, at)?;
        // The copy may still be under way when the call has taken the bytes, and a non-blocking stream does not wait for it.
        device.synchronize_at(at)?;
        texture.object = texture.sampler(sampling, at)?;
        Ok(texture)
    }

    /// Texels on each axis.
    pub fn size(&self) -> [usize; DIMENSIONS] {
        self.size
    }

    /// What kernels know it by.
    pub fn handle(&self) -> u64 {
        self.object
    }

    fn fill(&self, texels: &[f32], at: &'static Location<'static>) -> Result<(), DriverError> {
        let extent = |axis: usize| self.size.get(axis).copied().unwrap_or(1);
        let width = extent(0) * size_of::<f32>();
        let copy = CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
            srcHost: texels.as_ptr().cast(),
            srcDevice: 0,
            srcArray: null_mut(),
            reserved0: null_mut(),
            srcPitch: width,
            srcHeight: extent(1),
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
            dstHost: null_mut(),
            dstDevice: 0,
            dstArray: self.array,
            reserved1: null_mut(),
            dstPitch: 0,
            dstHeight: 0,
            WidthInBytes: width,
            Height: extent(1),
            Depth: extent(2),
        };
        // SAFETY: there are as many texels as the size says, and the array was made of that size.
        DriverError::check("cuMemcpy3D", unsafe { sys::cuMemcpy3D_v2(&copy) }, at)
    }

    fn sampler(
        &self,
        sampling: Sampling,
        at: &'static Location<'static>,
    ) -> Result<u64, DriverError> {
        let resource = CUDA_RESOURCE_DESC {
            resType: CUresourcetype::CU_RESOURCE_TYPE_ARRAY,
            res: CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
                array: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: self.array },
            },
            flags: 0,
        };
        let (mode, border) = match sampling.outside {
            Outside::Clamp => (CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP, 0.0),
            Outside::Wrap => (CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP, 0.0),
            Outside::Mirror => (CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR, 0.0),
            Outside::Border(value) => (CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER, value),
        };
        let filter = match sampling.filter {
            Filter::Point => CUfilter_mode::CU_TR_FILTER_MODE_POINT,
            Filter::Linear => CUfilter_mode::CU_TR_FILTER_MODE_LINEAR,
        };
        let normalized = u32::from(sampling.normalized) * sys::CU_TRSF_NORMALIZED_COORDINATES;
        let how = CUDA_TEXTURE_DESC {
            addressMode: [mode; 3],
            filterMode: filter,
            flags: normalized,
            maxAnisotropy: 0,
            mipmapFilterMode: CUfilter_mode::CU_TR_FILTER_MODE_POINT,
            mipmapLevelBias: 0.0,
            minMipmapLevelClamp: 0.0,
            maxMipmapLevelClamp: 0.0,
            borderColor: [border; 4],
            reserved: [0; 12],
        };
        let mut object = 0;
        // SAFETY: whole descriptors, and a variable for the handle.
        let made = unsafe { sys::cuTexObjectCreate(&mut object, &resource, &how, null()) };
        DriverError::check("cuTexObjectCreate", made, at)?;
        Ok(object)
    }
}

impl<const DIMENSIONS: usize> Drop for Texture<DIMENSIONS> {
    fn drop(&mut self) {
        let at = Location::caller();
        // Kernels that were passed the texture may still run. After a fault nothing can be given back, and nobody reads.
        if self.device.synchronize_at(at).is_err() {
            return;
        }
        // SAFETY: both are this texture's own, or were never made, and no kernel reads them.
        unsafe {
            if self.object != 0 {
                let _ = sys::cuTexObjectDestroy(self.object);
            }
            if !self.array.is_null() {
                let _ = sys::cuArrayDestroy(self.array);
            }
        }
    }
}

macro_rules! arguments {
    ($($kernel:ident $dimensions:literal;)*) => {$(
        // SAFETY: a texture object, which outlives the kernels that it is passed to: dropping one waits for them.
        unsafe impl Argument<$kernel> for &Texture<$dimensions> {
            fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                list.push(self.handle());
                Ok(())
            }
        }
    )*};
}

arguments! {
    Texture1d 1;
    Texture2d 2;
    Texture3d 3;
}
