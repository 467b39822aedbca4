//! The calls of "Multicast Object Management".

use crate::abi::{
    CUdevice, CUdeviceptr, CUmemGenericAllocationHandle, CUmulticastObjectProp, c_uint, c_ulonglong,
};
use crate::calls::{present, put};
use crate::error::{Result, ensure};
use crate::objects::memory::{multicast as objects, virtual_memory};

/// # Safety
/// `properties` is null or valid for a read.
unsafe fn read(properties: *const CUmulticastObjectProp) -> Result<CUmulticastObjectProp> {
    present(properties, "prop")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    Ok(unsafe { properties.read() })
}

fn no_flags(flags: c_ulonglong) -> Result {
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "flags must be 0, not {flags:#x}"
    );
    Ok(())
}

pub(crate) unsafe fn create(
    handle: *mut CUmemGenericAllocationHandle,
    properties: *const CUmulticastObjectProp,
) -> Result {
    present(handle, "mcHandle")?;
    // SAFETY: the caller keeps the contract.
    let made = objects::create(&unsafe { read(properties)? })?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, made, "mcHandle") }
}

pub(crate) unsafe fn add_device(handle: CUmemGenericAllocationHandle, device: CUdevice) -> Result {
    objects::add_device(handle, device)
}

pub(crate) unsafe fn bind_memory(
    handle: CUmemGenericAllocationHandle,
    offset: usize,
    memory: CUmemGenericAllocationHandle,
    memory_offset: usize,
    size: usize,
    flags: c_ulonglong,
) -> Result {
    no_flags(flags)?;
    let memory = virtual_memory::get(memory)?;
    objects::bind(
        handle,
        offset as u64,
        memory,
        memory_offset as u64,
        size as u64,
    )
}

pub(crate) unsafe fn bind_address(
    handle: CUmemGenericAllocationHandle,
    offset: usize,
    address: CUdeviceptr,
    size: usize,
    flags: c_ulonglong,
) -> Result {
    no_flags(flags)?;
    let (memory, memory_offset) = virtual_memory::mapped(address)?;
    objects::bind(handle, offset as u64, memory, memory_offset, size as u64)
}

pub(crate) unsafe fn unbind(
    handle: CUmemGenericAllocationHandle,
    device: CUdevice,
    offset: usize,
    size: usize,
) -> Result {
    objects::unbind(handle, device, offset as u64, size as u64)
}

pub(crate) unsafe fn granularity(
    granularity: *mut usize,
    properties: *const CUmulticastObjectProp,
    option: c_uint,
) -> Result {
    // SAFETY: the caller keeps the contract.
    let found = objects::granularity(&unsafe { read(properties)? })?;
    ensure!(
        option <= 1,
        ERROR_INVALID_VALUE,
        "{option} is no CUmulticastGranularity_flags"
    );
    // SAFETY: the caller keeps the contract.
    unsafe { put(granularity, found as usize, "granularity") }
}
