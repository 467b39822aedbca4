//! The driver API's types as C sees them: handles, scalars, structs, result codes, enumerators.
//!
//! Names are `cuda.h`'s, so that a signature here reads like its page in the CUDA driver API
//! reference. Two things differ from the C declarations, and neither is visible to a caller:
//!
//! - A handle is an opaque number, not a pointer: nothing here dereferences
//!   one (see `objects::handle::registry`).
//! - An enumeration is a plain integer, because C may pass any value and a Rust enum must not hold
//!   an unknown one.

#![allow(non_camel_case_types, reason = "the names are those of cuda.h")]

pub mod enums;
mod graph;
mod handles;
mod images;
mod result;
mod structs;

pub use graph::*;
pub use handles::*;
pub use images::*;
pub use result::CUresult;
pub use structs::*;

pub use std::ffi::{
    c_char, c_float, c_int, c_longlong, c_uchar, c_uint, c_ulonglong, c_ushort, c_void,
};

/// A device ordinal.
pub type CUdevice = c_int;
/// An address on the device. In the simulator it is an address of this process too.
pub type CUdeviceptr = u64;

/// The function that `cuStreamAddCallback` adds to a stream.
pub type CUstreamCallback = Option<unsafe extern "C" fn(CUstream, CUresult, *mut c_void)>;
/// The function that `cuLaunchHostFunc` adds to a stream.
pub type CUhostFn = Option<unsafe extern "C" fn(*mut c_void)>;
/// Returns the dynamic shared memory for a block size; `cuOccupancyMaxPotentialBlockSize` calls it.
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(c_int) -> usize>;
