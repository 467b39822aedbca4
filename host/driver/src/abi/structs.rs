//! The structs that the simulated calls read or write. Field order and types are those of `cuda.h`;
//! field names follow Rust's conventions.

#![allow(
    missing_docs,
    reason = "the fields are those of cuda.h, described in the driver API reference"
)]

use super::*;
use std::ptr::null_mut;

/// The 16 bytes that identify a device.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUuuid {
    pub bytes: [u8; 16],
}

/// The properties that `cuDeviceGetProperties` writes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUdevprop {
    pub max_threads_per_block: c_int,
    pub max_threads_dim: [c_int; 3],
    pub max_grid_size: [c_int; 3],
    pub shared_mem_per_block: c_int,
    pub total_constant_memory: c_int,
    pub simd_width: c_int,
    pub mem_pitch: c_int,
    pub regs_per_block: c_int,
    pub clock_rate: c_int,
    pub texture_align: c_int,
}

/// The place of memory: a device, or the host.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUmemLocation {
    pub kind: c_uint,
    pub id: c_int,
}

/// The properties of physical memory to be allocated.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUmemAllocationProp {
    pub kind: c_uint,
    pub handle_types: c_uint,
    pub location: CUmemLocation,
    pub win32: *mut c_void,
    pub flags: [u8; 8],
}

// SAFETY: the pointer is for another operating system. It is stored and returned,
// and never dereferenced.
unsafe impl Send for CUmemAllocationProp {}
// SAFETY: as above.
unsafe impl Sync for CUmemAllocationProp {}

/// The properties of a multicast object to be made.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUmulticastObjectProp {
    pub num_devices: c_uint,
    pub size: usize,
    pub handle_types: c_ulonglong,
    pub flags: c_ulonglong,
}

/// A device or the host, and the access that it has to memory.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUmemAccessDesc {
    pub location: CUmemLocation,
    pub flags: c_uint,
}

/// The window of memory whose accesses persist in the second-level cache.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUaccessPolicyWindow {
    pub base_ptr: *mut c_void,
    pub num_bytes: usize,
    pub hit_ratio: f32,
    pub hit_property: c_uint,
    pub miss_property: c_uint,
}

/// One end of a 2-D copy.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Side2D {
    pub x_in_bytes: usize,
    pub y: usize,
    pub memory_type: c_uint,
    pub host: *mut c_void,
    pub device: CUdeviceptr,
    pub array: CUarray,
    pub pitch: usize,
}

impl Side2D {
    /// An end without memory, for the fields that a kind of memory does not use.
    pub const NONE: Self = Self {
        x_in_bytes: 0,
        y: 0,
        memory_type: 0,
        host: null_mut(),
        device: 0,
        array: CUarray(0),
        pitch: 0,
    };
}

/// A 2-D copy.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUDA_MEMCPY2D {
    pub src: Side2D,
    pub dst: Side2D,
    pub width_in_bytes: usize,
    pub height: usize,
}

/// One end of a 3-D copy. `context` is a reserved field outside `cuMemcpy3DPeer`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Side3D {
    pub x_in_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub lod: usize,
    pub memory_type: c_uint,
    pub host: *mut c_void,
    pub device: CUdeviceptr,
    pub array: CUarray,
    pub context: CUcontext,
    pub pitch: usize,
    pub height: usize,
}

impl Side3D {
    /// An end without memory, for the fields that a kind of memory does not use.
    pub const NONE: Self = Self {
        x_in_bytes: 0,
        y: 0,
        z: 0,
        lod: 0,
        memory_type: 0,
        host: null_mut(),
        device: 0,
        array: CUarray(0),
        context: CUcontext(0),
        pitch: 0,
        height: 0,
    };
}

/// A 3-D copy (`CUDA_MEMCPY3D` and `CUDA_MEMCPY3D_PEER` share one layout).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUDA_MEMCPY3D {
    pub src: Side3D,
    pub dst: Side3D,
    pub width_in_bytes: usize,
    pub height: usize,
    pub depth: usize,
}

/// One launch of a multi-device cooperative launch.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUDA_LAUNCH_PARAMS {
    pub function: CUfunction,
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared_mem_bytes: c_uint,
    pub stream: CUstream,
    pub kernel_params: *mut *mut c_void,
}

/// The configuration of `cuLaunchKernelEx`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUlaunchConfig {
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared_mem_bytes: c_uint,
    pub stream: CUstream,
    pub attrs: *mut CUlaunchAttribute,
    pub num_attrs: c_uint,
}

/// One launch attribute: an id, and 64 bytes whose meaning depends on the id.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUlaunchAttribute {
    pub id: c_uint,
    pub pad: [u8; 4],
    pub value: CUlaunchAttributeValue,
}

/// The 64 bytes of a launch or stream attribute's value. Every member of C's union begins at
/// its first byte.
#[repr(C, align(8))]
#[derive(Debug, Clone, Copy)]
pub struct CUlaunchAttributeValue {
    pub bytes: [u8; 64],
}

impl CUlaunchAttributeValue {
    /// Returns the 32-bit word at `index`.
    pub fn word(&self, index: usize) -> u32 {
        let mut word = [0; 4];
        word.copy_from_slice(&self.bytes[4 * index..4 * index + 4]);
        u32::from_ne_bytes(word)
    }
}

/// A handle to another process's event. It is passed by value.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUipcEventHandle {
    pub reserved: [c_char; 64],
}

/// A handle to another process's memory. It is passed by value.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUipcMemHandle {
    pub reserved: [c_char; 64],
}

/// A tensor map. Its content is private to the driver. It must be at a multiple of 64 bytes
/// wherever it is used.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CUtensorMap {
    pub opaque: [u64; 16],
}

impl CUtensorMap {
    /// Makes a tensor map from bytes in the order of memory.
    pub fn from_bytes(bytes: [u8; 128]) -> CUtensorMap {
        let (words, _) = bytes.as_chunks::<8>();
        CUtensorMap {
            opaque: std::array::from_fn(|i| u64::from_ne_bytes(words[i])),
        }
    }

    /// Returns the bytes in the order of memory.
    pub fn into_bytes(self) -> [u8; 128] {
        let mut bytes = [0; 128];
        for (to, word) in bytes.chunks_exact_mut(8).zip(self.opaque) {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }
}
