//! The calls of "Texture Object Management" and "Surface Object Management".

pub(crate) mod reference;
pub(crate) mod tensor_map;

use super::{present, put};
use crate::abi::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUsurfObject, CUtexObject,
};
use crate::error::{Result, fail};
use crate::objects::{context, texture};

pub(crate) unsafe fn create(
    handle: *mut CUtexObject,
    resource: *const CUDA_RESOURCE_DESC,
    how: *const CUDA_TEXTURE_DESC,
    view: *const CUDA_RESOURCE_VIEW_DESC,
) -> Result {
    let context = context::current()?;
    present(handle, "pTexObject")?;
    present(resource, "pResDesc")?;
    present(how, "pTexDesc")?;
    // SAFETY: the pointers are not null, so by the caller's contract they point to descriptors. The
    // last one may be null.
    let (resource, how, view) = unsafe {
        let view = (!view.is_null()).then(|| view.read());
        (resource.read(), how.read(), view)
    };
    let made = texture::create_texture(&context, resource, how, view)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, made, "pTexObject") }
}

pub(crate) unsafe fn destroy(handle: CUtexObject) -> Result {
    texture::destroy(&*context::current()?, handle, true)
}

pub(crate) unsafe fn resource(resource: *mut CUDA_RESOURCE_DESC, handle: CUtexObject) -> Result {
    let made = texture::get(&*context::current()?, handle, true)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(resource, made.resource, "pResDesc") }
}

pub(crate) unsafe fn how(how: *mut CUDA_TEXTURE_DESC, handle: CUtexObject) -> Result {
    let made = texture::get(&*context::current()?, handle, true)?;
    match made.texture {
        // SAFETY: the caller keeps the contract.
        Some(found) => unsafe { put(how, found, "pTexDesc") },
        None => fail!(ERROR_INVALID_VALUE, "{handle:#x} is a surface object"),
    }
}

pub(crate) unsafe fn view(view: *mut CUDA_RESOURCE_VIEW_DESC, handle: CUtexObject) -> Result {
    let made = texture::get(&*context::current()?, handle, true)?;
    // If no view was given, an H200 returns an empty view and no error.
    let found = made.view.unwrap_or(CUDA_RESOURCE_VIEW_DESC {
        format: 0,
        width: 0,
        height: 0,
        depth: 0,
        first_mipmap_level: 0,
        last_mipmap_level: 0,
        first_layer: 0,
        last_layer: 0,
        reserved: [0; 16],
    });
    // SAFETY: the caller keeps the contract.
    unsafe { put(view, found, "pResViewDesc") }
}

pub(crate) unsafe fn create_surface(
    handle: *mut CUsurfObject,
    resource: *const CUDA_RESOURCE_DESC,
) -> Result {
    let context = context::current()?;
    present(handle, "pSurfObject")?;
    present(resource, "pResDesc")?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to a descriptor.
    let made = texture::create_surface(&context, unsafe { resource.read() })?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, made, "pSurfObject") }
}

pub(crate) unsafe fn destroy_surface(handle: CUsurfObject) -> Result {
    texture::destroy(&*context::current()?, handle, false)
}

pub(crate) unsafe fn surface_resource(
    resource: *mut CUDA_RESOURCE_DESC,
    handle: CUsurfObject,
) -> Result {
    let made = texture::get(&*context::current()?, handle, false)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(resource, made.resource, "pResDesc") }
}
