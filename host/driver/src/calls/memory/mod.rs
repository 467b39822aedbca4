//! The calls of "Memory Management" for device and managed memory.

pub(crate) mod array;
pub(crate) mod copy;
pub(crate) mod copy_array;
pub(crate) mod copy_shaped;
pub(crate) mod host;
pub(crate) mod ipc;
pub(crate) mod memset;
pub(crate) mod multicast;
pub(crate) mod pointer;
pub(crate) mod pool;
pub(crate) mod range_attribute;
pub(crate) mod virtual_memory;

use super::{present, put};
use crate::abi::enums::attach;
use crate::abi::{CUdeviceptr, c_uint};
use crate::error::{Result, ensure};
use crate::objects::{context, memory};
use lanewise_sim::AllocationKind;

pub(crate) unsafe fn info(free: *mut usize, total: *mut usize) -> Result {
    let context = context::current()?;
    let memory = context.device.sim.memory();
    let (left, all) = (memory.total() - memory.used(), memory.total());
    // SAFETY: the caller keeps the contract.
    unsafe { put(free, left as usize, "free").and_then(|()| put(total, all as usize, "total")) }
}

pub(crate) unsafe fn allocate(address: *mut CUdeviceptr, size: usize) -> Result {
    let context = context::current()?;
    present(address, "dptr")?;
    let found = memory::allocate(&context, size, AllocationKind::Device, 0)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(address, found, "dptr") }
}

pub(crate) unsafe fn allocate_pitched(
    address: *mut CUdeviceptr,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element: c_uint,
) -> Result {
    let context = context::current()?;
    present(address, "dptr")?;
    present(pitch, "pPitch")?;
    ensure!(
        matches!(element, 4 | 8 | 16),
        ERROR_INVALID_VALUE,
        "elements of {element} bytes; coalesced access is for elements of 4, 8 or 16 bytes"
    );
    let alignment = &context.device.sim.model().alignment;
    let found_pitch = width
        .checked_next_multiple_of(alignment.pitch as usize)
        .filter(|&pitch| pitch <= alignment.max_pitch as usize);
    let size = found_pitch
        .and_then(|pitch| pitch.checked_mul(height))
        .filter(|&size| size > 0);
    let (Some(found_pitch), Some(size)) = (found_pitch, size) else {
        crate::error::fail!(
            ERROR_INVALID_VALUE,
            "{height} rows of {width} bytes; there must be at least one byte, and rows of at most {} bytes",
            alignment.max_pitch
        )
    };
    let found = memory::allocate(&context, size, AllocationKind::Device, 0)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(address, found, "dptr").and_then(|()| put(pitch, found_pitch, "pPitch")) }
}

pub(crate) unsafe fn free(address: CUdeviceptr) -> Result {
    context::check_current()?;
    if address == 0 {
        return Ok(()); // as free(NULL)
    }
    memory::free(
        address,
        |kind| matches!(kind, AllocationKind::Device | AllocationKind::Managed),
        "device or managed memory",
    )
}

pub(crate) unsafe fn address_range(
    base: *mut CUdeviceptr,
    size: *mut usize,
    address: CUdeviceptr,
) -> Result {
    context::current()?;
    let found = match memory::locate(address) {
        Some(found) => found.allocation,
        None => crate::error::fail!(ERROR_NOT_FOUND, "{address:#x} is in no live allocation"),
    };
    // SAFETY: the caller keeps the contract. The reference permits either pointer to be null.
    unsafe {
        if !base.is_null() {
            base.write(found.base);
        }
        if !size.is_null() {
            size.write(found.size as usize);
        }
    }
    Ok(())
}

pub(crate) unsafe fn allocate_managed(
    address: *mut CUdeviceptr,
    size: usize,
    flags: c_uint,
) -> Result {
    let context = context::current()?;
    present(address, "dptr")?;
    ensure!(
        matches!(flags, attach::GLOBAL | attach::HOST),
        ERROR_INVALID_VALUE,
        "flags are {flags:#x}; pass CU_MEM_ATTACH_GLOBAL (1) or CU_MEM_ATTACH_HOST (2)"
    );
    let found = memory::allocate(&context, size, AllocationKind::Managed, flags)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(address, found, "dptr") }
}
