//! The calls of "Memory Management" for arrays and mipmapped arrays.

use crate::abi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUarray, CUdevice, CUmipmappedArray, c_uint,
    c_void,
};
use crate::calls::{present, put};
use crate::error::{Result, ensure, fail};
use crate::objects::texture::array;
use crate::objects::{context, device};

pub(crate) unsafe fn create(handle: *mut CUarray, asked: *const CUDA_ARRAY_DESCRIPTOR) -> Result {
    let context = context::current()?;
    present(handle, "pHandle")?;
    present(asked, "pAllocateArray")?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to a descriptor.
    let asked = unsafe { asked.read() };
    let asked = CUDA_ARRAY3D_DESCRIPTOR {
        width: asked.width,
        height: asked.height,
        depth: 0,
        format: asked.format,
        channels: asked.channels,
        flags: 0,
    };
    let made = array::create(&context, &asked)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, made.handle, "pHandle") }
}

pub(crate) unsafe fn create_3d(
    handle: *mut CUarray,
    asked: *const CUDA_ARRAY3D_DESCRIPTOR,
) -> Result {
    let context = context::current()?;
    present(handle, "pHandle")?;
    present(asked, "pAllocateArray")?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to a descriptor.
    let made = array::create(&context, &unsafe { asked.read() })?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, made.handle, "pHandle") }
}

pub(crate) unsafe fn descriptor(descriptor: *mut CUDA_ARRAY_DESCRIPTOR, handle: CUarray) -> Result {
    context::current()?;
    let found = array::get(handle)?.descriptor;
    let found = CUDA_ARRAY_DESCRIPTOR {
        width: found.width,
        height: found.height,
        format: found.format,
        channels: found.channels,
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(descriptor, found, "pArrayDescriptor") }
}

pub(crate) unsafe fn descriptor_3d(
    descriptor: *mut CUDA_ARRAY3D_DESCRIPTOR,
    handle: CUarray,
) -> Result {
    context::current()?;
    let found = array::get(handle)?.descriptor;
    // SAFETY: the caller keeps the contract.
    unsafe { put(descriptor, found, "pArrayDescriptor") }
}

pub(crate) unsafe fn destroy(handle: CUarray) -> Result {
    context::current()?;
    array::destroy(handle)
}

pub(crate) unsafe fn create_mipmap(
    handle: *mut CUmipmappedArray,
    asked: *const CUDA_ARRAY3D_DESCRIPTOR,
    levels: c_uint,
) -> Result {
    let context = context::current()?;
    present(handle, "pHandle")?;
    present(asked, "pMipmappedArrayDesc")?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to a descriptor.
    let made = array::create_mipmap(&context, &unsafe { asked.read() }, levels)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, made.handle, "pHandle") }
}

pub(crate) unsafe fn level(
    level_array: *mut CUarray,
    handle: CUmipmappedArray,
    level: c_uint,
) -> Result {
    context::current()?;
    let mipmap = array::mipmap(handle)?;
    let Some(found) = mipmap.levels.get(level as usize) else {
        fail!(
            ERROR_INVALID_VALUE,
            "level {level} of a mipmapped array that has {}",
            mipmap.levels.len()
        )
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(level_array, found.handle, "pLevelArray") }
}

pub(crate) unsafe fn destroy_mipmap(handle: CUmipmappedArray) -> Result {
    context::current()?;
    array::destroy_mipmap(handle)
}

pub(crate) unsafe fn plane(plane: *mut CUarray, handle: CUarray, index: c_uint) -> Result {
    context::current()?;
    array::get(handle)?;
    present(plane, "pPlaneArray")?;
    fail!(
        ERROR_INVALID_VALUE,
        "plane {index} of an array without planes; only planar formats such as NV12 have them"
    )
}

pub(crate) unsafe fn sparse(properties: *mut c_void, handle: CUarray) -> Result {
    context::current()?;
    array::get(handle)?;
    present(properties, "sparseProperties")?;
    not_sparse()
}

pub(crate) unsafe fn mipmap_sparse(properties: *mut c_void, handle: CUmipmappedArray) -> Result {
    context::current()?;
    array::mipmap(handle)?;
    present(properties, "sparseProperties")?;
    not_sparse()
}

fn not_sparse() -> Result {
    fail!(
        ERROR_INVALID_VALUE,
        "the array was made without CUDA_ARRAY3D_SPARSE"
    )
}

pub(crate) unsafe fn requirements(
    requirements: *mut c_void,
    handle: CUarray,
    device: CUdevice,
) -> Result {
    array::get(handle)?;
    not_deferred(requirements, device)
}

pub(crate) unsafe fn mipmap_requirements(
    requirements: *mut c_void,
    handle: CUmipmappedArray,
    device: CUdevice,
) -> Result {
    array::mipmap(handle)?;
    not_deferred(requirements, device)
}

fn not_deferred(requirements: *mut c_void, device: CUdevice) -> Result {
    present(requirements, "memoryRequirements")?;
    device::get(device)?;
    ensure!(
        false,
        ERROR_INVALID_VALUE,
        "the array was made without CUDA_ARRAY3D_DEFERRED_MAPPING, so it has its memory"
    );
    Ok(())
}
