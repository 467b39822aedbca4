//! The structs of arrays, textures and surfaces. Field order and types are those of `cuda.h`; field
//! names follow Rust's conventions.

#![allow(
    missing_docs,
    reason = "the fields are those of cuda.h, described in the driver API reference"
)]

use super::*;

/// The parameters of `cuArrayCreate`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CUDA_ARRAY_DESCRIPTOR {
    pub width: usize,
    pub height: usize,
    pub format: c_uint,
    pub channels: c_uint,
}

/// The parameters of `cuArray3DCreate`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CUDA_ARRAY3D_DESCRIPTOR {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: c_uint,
    pub channels: c_uint,
    pub flags: c_uint,
}

/// Linear memory that a texture reads.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct LinearResource {
    pub device: CUdeviceptr,
    pub format: c_uint,
    pub channels: c_uint,
    pub bytes: usize,
}

/// Memory with a pitch that a texture reads.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PitchedResource {
    pub device: CUdeviceptr,
    pub format: c_uint,
    pub channels: c_uint,
    pub width: usize,
    pub height: usize,
    pub pitch: usize,
}

/// The memory of a texture or surface object. The descriptor's `kind` selects the member.
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUresource {
    pub array: CUarray,
    pub mipmap: CUmipmappedArray,
    pub linear: LinearResource,
    pub pitched: PitchedResource,
    pub reserved: [c_int; 32],
}

/// The memory of a texture or surface object, with its kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_RESOURCE_DESC {
    pub kind: c_uint,
    pub resource: CUresource,
    pub flags: c_uint,
}

/// How a texture is read: addressing, filtering and format.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CUDA_TEXTURE_DESC {
    pub address_mode: [c_uint; 3],
    pub filter_mode: c_uint,
    pub flags: c_uint,
    pub max_anisotropy: c_uint,
    pub mipmap_filter_mode: c_uint,
    pub mipmap_level_bias: f32,
    pub min_mipmap_level_clamp: f32,
    pub max_mipmap_level_clamp: f32,
    pub border_color: [f32; 4],
    pub reserved: [c_int; 12],
}

/// The part of an array that a texture reads, and the format that it reads it as.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CUDA_RESOURCE_VIEW_DESC {
    pub format: c_uint,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub first_mipmap_level: c_uint,
    pub last_mipmap_level: c_uint,
    pub first_layer: c_uint,
    pub last_layer: c_uint,
    pub reserved: [c_uint; 16],
}

const _: () = {
    assert!(size_of::<CUDA_ARRAY_DESCRIPTOR>() == 24);
    assert!(size_of::<CUDA_ARRAY3D_DESCRIPTOR>() == 40);
    assert!(size_of::<CUDA_RESOURCE_DESC>() == 144);
    assert!(size_of::<CUDA_TEXTURE_DESC>() == 104);
    assert!(size_of::<CUDA_RESOURCE_VIEW_DESC>() == 112);
};
