//! Arrays and plain memory, and the objects that use them, made with the driver's calls. The calls
//! are the same on a GPU and on the simulator behind them.
//!
//! Source: CUDA driver API, `cuArray3DCreate`,
//! `cuMipmappedArrayCreate`, `cuTexObjectCreate`, `cuSurfObjectCreate`.

use std::ptr::{null, null_mut};

use cust::sys::{
    self, CUaddress_mode, CUarray, CUarray_format, CUfilter_mode, CUmemorytype, CUresourcetype,
};
use lanewise_sim::image::{AddressMode, Filter, Format, Shape};

use crate::image::Setup;

/// A call that the driver refused.
#[derive(Debug, thiserror::Error)]
#[error("{call} returned {code:?}, for {setup:?}")]
pub(super) struct Refused {
    call: &'static str,
    code: sys::CUresult,
    setup: Setup,
}

/// An array, and the object that uses it.
#[derive(Debug)]
pub(super) struct Array {
    setup: Setup,
    array: CUarray,
    mipmaps: sys::CUmipmappedArray,
    /// Plain memory, if the shape is linear.
    memory: sys::CUdeviceptr,
    object: u64,
}

impl Array {
    /// Makes the array with its texels, and its object, in the current context.
    pub(super) fn new(setup: &Setup, seed: u64) -> Result<Self, Refused> {
        let mut made = Self {
            setup: setup.clone(),
            array: null_mut(),
            mipmaps: null_mut(),
            memory: 0,
            object: 0,
        };
        let descriptor = made.descriptor();
        let contents = setup.contents(seed);
        if setup.shape == Shape::Linear {
            let bytes = setup.bytes(0);
            // SAFETY: the pointer is to a variable for the address.
            let code = unsafe { sys::cuMemAlloc_v2(&mut made.memory, bytes) };
            made.check("cuMemAlloc", code)?;
            for texels in contents {
                // SAFETY: the memory was just allocated with as many bytes.
                let code =
                    unsafe { sys::cuMemcpyHtoD_v2(made.memory, texels.as_ptr().cast(), bytes) };
                made.check("cuMemcpyHtoD", code)?;
            }
        } else if setup.levels > 1 {
            // SAFETY: the descriptor is complete, and the pointer is to a variable for the handle.
            let code = unsafe {
                sys::cuMipmappedArrayCreate(&mut made.mipmaps, &descriptor, setup.levels)
            };
            made.check("cuMipmappedArrayCreate", code)?;
            for (level, texels) in (0..).zip(contents) {
                let mut array = null_mut();
                // SAFETY: the array was just made with this many levels.
                let code =
                    unsafe { sys::cuMipmappedArrayGetLevel(&mut array, made.mipmaps, level) };
                made.check("cuMipmappedArrayGetLevel", code)?;
                made.fill(array, level, &texels)?;
            }
        } else {
            // SAFETY: the descriptor is complete, and the pointer is to a variable for the handle.
            let code = unsafe { sys::cuArray3DCreate_v2(&mut made.array, &descriptor) };
            made.check("cuArray3DCreate", code)?;
            for texels in contents {
                made.fill(made.array, 0, &texels)?;
            }
        }
        made.object = made.object()?;
        Ok(made)
    }

    /// Returns the handle that kernels use.
    pub(super) fn handle(&self) -> u64 {
        self.object
    }

    /// Returns the current contents of a surface; empty for a texture.
    pub(super) fn contents(&self) -> Result<Vec<u8>, Refused> {
        if !self.setup.surface {
            return Ok(Vec::new());
        }
        let mut texels = vec![0u8; self.setup.bytes(0)];
        let mut copy = self.copy(0);
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        copy.srcArray = self.array;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.dstHost = texels.as_mut_ptr().cast();
        // SAFETY: the vector is as large as the whole array.
        self.check("cuMemcpy3D", unsafe { sys::cuMemcpy3D_v2(&copy) })?;
        Ok(texels)
    }

    fn check(&self, call: &'static str, code: sys::CUresult) -> Result<(), Refused> {
        match code {
            sys::CUresult::CUDA_SUCCESS => Ok(()),
            code => Err(Refused {
                call,
                code,
                setup: self.setup.clone(),
            }),
        }
    }

    fn descriptor(&self) -> sys::CUDA_ARRAY3D_DESCRIPTOR {
        let Setup {
            shape,
            format,
            channels,
            size: [width, height, depth],
            ..
        } = self.setup;
        // An axis that the shape does not have has extent 0.
        let (height, depth) = match shape {
            Shape::Linear | Shape::D1 => (0, 0),
            Shape::D2 => (height, 0),
            Shape::Layered1 => (0, depth),
            _ => (height, depth),
        };
        let flags = match shape {
            Shape::Layered1 | Shape::Layered2 => sys::CUDA_ARRAY3D_LAYERED,
            Shape::Cube => sys::CUDA_ARRAY3D_CUBEMAP,
            Shape::LayeredCube => sys::CUDA_ARRAY3D_CUBEMAP | sys::CUDA_ARRAY3D_LAYERED,
            _ => 0,
        };
        let stores = if self.setup.surface {
            sys::CUDA_ARRAY3D_SURFACE_LDST
        } else {
            0
        };
        sys::CUDA_ARRAY3D_DESCRIPTOR {
            Width: width as usize,
            Height: height as usize,
            Depth: depth as usize,
            Format: match format {
                Format::U8 => CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8,
                Format::U16 => CUarray_format::CU_AD_FORMAT_UNSIGNED_INT16,
                Format::U32 => CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32,
                Format::I8 => CUarray_format::CU_AD_FORMAT_SIGNED_INT8,
                Format::I16 => CUarray_format::CU_AD_FORMAT_SIGNED_INT16,
                Format::I32 => CUarray_format::CU_AD_FORMAT_SIGNED_INT32,
                Format::F16 => CUarray_format::CU_AD_FORMAT_HALF,
                Format::F32 => CUarray_format::CU_AD_FORMAT_FLOAT,
            },
            NumChannels: channels,
            Flags: flags | stores,
        }
    }

    /// Returns a copy of a whole level, whose two ends are not set.
    fn copy(&self, level: u32) -> sys::CUDA_MEMCPY3D {
        let [width, height, depth] = self.setup.level(level).map(|size| size as usize);
        let row = width * self.setup.texel() as usize;
        sys::CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
            srcHost: null(),
            srcDevice: 0,
            srcArray: null_mut(),
            reserved0: null_mut(),
            srcPitch: row,
            srcHeight: height,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
            dstHost: null_mut(),
            dstDevice: 0,
            dstArray: null_mut(),
            reserved1: null_mut(),
            dstPitch: row,
            dstHeight: height,
            WidthInBytes: row,
            Height: height,
            Depth: depth,
        }
    }

    fn fill(&self, array: CUarray, level: u32, texels: &[u8]) -> Result<(), Refused> {
        let mut copy = self.copy(level);
        copy.srcHost = texels.as_ptr().cast();
        copy.dstArray = array;
        // SAFETY: there are as many texels as the level has.
        self.check("cuMemcpy3D", unsafe { sys::cuMemcpy3D_v2(&copy) })
    }

    fn object(&self) -> Result<u64, Refused> {
        // SAFETY: the struct contains only numbers and pointers, for which all zero bits are valid.
        let mut resource: sys::CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
        if self.memory != 0 {
            let array = self.descriptor();
            resource.resType = CUresourcetype::CU_RESOURCE_TYPE_LINEAR;
            resource.res.linear.devPtr = self.memory;
            resource.res.linear.format = array.Format;
            resource.res.linear.numChannels = array.NumChannels;
            resource.res.linear.sizeInBytes = self.setup.bytes(0);
        } else if self.mipmaps.is_null() {
            resource.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
            resource.res.array.hArray = self.array;
        } else {
            resource.resType = CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
            resource.res.mipmap.hMipmappedArray = self.mipmaps;
        }
        let mut object = 0;
        if self.setup.surface {
            // SAFETY: the descriptor is complete, and the pointer is to a variable for the handle.
            let code = unsafe { sys::cuSurfObjectCreate(&mut object, &resource) };
            self.check("cuSurfObjectCreate", code)?;
            return Ok(object);
        }
        let sampler = &self.setup.sampler;
        let filter = |filter| match filter {
            Filter::Point => CUfilter_mode::CU_TR_FILTER_MODE_POINT,
            Filter::Linear => CUfilter_mode::CU_TR_FILTER_MODE_LINEAR,
        };
        let mode = |mode| match mode {
            AddressMode::Wrap => CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP,
            AddressMode::Mirror => CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR,
            AddressMode::Clamp => CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP,
            AddressMode::Border => CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER,
        };
        let integers = if sampler.as_float {
            0
        } else {
            sys::CU_TRSF_READ_AS_INTEGER
        };
        let normalized = if sampler.normalized {
            sys::CU_TRSF_NORMALIZED_COORDINATES
        } else {
            0
        };
        let how = sys::CUDA_TEXTURE_DESC {
            addressMode: sampler.address.map(mode),
            filterMode: filter(sampler.filter),
            flags: integers | normalized,
            maxAnisotropy: 0,
            mipmapFilterMode: filter(sampler.level_filter),
            mipmapLevelBias: sampler.level_bias,
            minMipmapLevelClamp: sampler.levels[0],
            maxMipmapLevelClamp: sampler.levels[1],
            borderColor: sampler.border,
            reserved: [0; 12],
        };
        // SAFETY: the descriptors are complete, and the pointer is to a variable for the handle.
        let code = unsafe { sys::cuTexObjectCreate(&mut object, &resource, &how, null()) };
        self.check("cuTexObjectCreate", code)?;
        Ok(object)
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // SAFETY: all of these belong to this array, or were never made. The launch that read them
        // is over. After a fault nothing can be released, and no code reads them.
        unsafe {
            if self.object != 0 {
                let _ = match self.setup.surface {
                    true => sys::cuSurfObjectDestroy(self.object),
                    false => sys::cuTexObjectDestroy(self.object),
                };
            }
            if !self.array.is_null() {
                let _ = sys::cuArrayDestroy(self.array);
            }
            if self.memory != 0 {
                let _ = sys::cuMemFree_v2(self.memory);
            }
            if !self.mipmaps.is_null() {
                let _ = sys::cuMipmappedArrayDestroy(self.mipmaps);
            }
        }
    }
}
