//! The calls of "Virtual Memory Management".

use crate::abi::{
    CUdeviceptr, CUmemAccessDesc, CUmemAllocationProp, CUmemGenericAllocationHandle, CUmemLocation,
    c_uint, c_ulonglong, c_void,
};
use crate::calls::{present, put};
use crate::error::{Result, ensure};
use crate::objects::memory::mappings::GRANULARITY;
use crate::objects::memory::virtual_memory as objects;

fn no_flags(flags: c_ulonglong) -> Result {
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "flags must be 0, not {flags:#x}"
    );
    Ok(())
}

pub(crate) unsafe fn reserve(
    address: *mut CUdeviceptr,
    size: usize,
    alignment: usize,
    _hint: CUdeviceptr,
    flags: c_ulonglong,
) -> Result {
    present(address, "ptr")?;
    no_flags(flags)?;
    let found = objects::reserve(size as u64, alignment as u64)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(address, found, "ptr") }
}

pub(crate) unsafe fn unreserve(address: CUdeviceptr, size: usize) -> Result {
    objects::unreserve(address, size as u64)
}

/// # Safety
/// `properties` is null or valid for a read.
unsafe fn read(properties: *const CUmemAllocationProp) -> Result<CUmemAllocationProp> {
    present(properties, "prop")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    Ok(unsafe { properties.read() })
}

pub(crate) unsafe fn create(
    handle: *mut CUmemGenericAllocationHandle,
    size: usize,
    properties: *const CUmemAllocationProp,
    flags: c_ulonglong,
) -> Result {
    present(handle, "handle")?;
    no_flags(flags)?;
    // SAFETY: the caller keeps the contract.
    let made = objects::create(size as u64, unsafe { read(properties)? })?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, made, "handle") }
}

pub(crate) unsafe fn release(handle: CUmemGenericAllocationHandle) -> Result {
    objects::release(handle)
}

pub(crate) unsafe fn retain(
    handle: *mut CUmemGenericAllocationHandle,
    address: *mut c_void,
) -> Result {
    present(handle, "handle")?;
    let found = objects::retain(address.addr() as u64)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, found, "handle") }
}

pub(crate) unsafe fn map(
    address: CUdeviceptr,
    size: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: c_ulonglong,
) -> Result {
    no_flags(flags)?;
    ensure!(
        offset == 0,
        ERROR_NOT_SUPPORTED,
        "offset {offset}; it must be 0"
    );
    objects::map(address, size as u64, handle)
}

pub(crate) unsafe fn unmap(address: CUdeviceptr, size: usize) -> Result {
    objects::unmap(address, size as u64)
}

/// `CU_MEM_ACCESS_FLAGS_PROT_NONE`, `_READ` and `_READWRITE`.
const NONE: c_uint = 0;
const READ: c_uint = 1;
const READ_WRITE: c_uint = 3;

pub(crate) unsafe fn set_access(
    address: CUdeviceptr,
    size: usize,
    wanted: *const CUmemAccessDesc,
    count: usize,
) -> Result {
    present(wanted, "desc")?;
    for i in 0..count {
        // SAFETY: the pointer is not null, so by the caller's contract it points
        // to `count` elements.
        let wanted = unsafe { wanted.add(i).read() };
        ensure!(
            wanted.location.kind == 1,
            ERROR_INVALID_VALUE,
            "location type {}; devices (CU_MEM_LOCATION_TYPE_DEVICE, 1) access device memory",
            wanted.location.kind
        );
        ensure!(
            wanted.flags != READ,
            ERROR_NOT_SUPPORTED,
            "memory that can be read and not written; ask for CU_MEM_ACCESS_FLAGS_PROT_READWRITE (3)"
        );
        ensure!(
            matches!(wanted.flags, NONE | READ_WRITE),
            ERROR_INVALID_VALUE,
            "{:#x} are no CUmemAccess_flags",
            wanted.flags
        );
        let open = wanted.flags == READ_WRITE;
        objects::set_access(address, size as u64, wanted.location.id, open)?;
    }
    Ok(())
}

pub(crate) unsafe fn access(
    flags: *mut c_ulonglong,
    location: *const CUmemLocation,
    address: CUdeviceptr,
) -> Result {
    present(flags, "flags")?;
    present(location, "location")?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to a location.
    let location = unsafe { location.read() };
    ensure!(
        location.kind == 1,
        ERROR_INVALID_VALUE,
        "location type {}; devices (CU_MEM_LOCATION_TYPE_DEVICE, 1) access device memory",
        location.kind
    );
    let open = objects::access(address, location.id)?;
    let found = if open { READ_WRITE } else { NONE };
    // SAFETY: the caller keeps the contract.
    unsafe { put(flags, found.into(), "flags") }
}

pub(crate) unsafe fn granularity(
    granularity: *mut usize,
    properties: *const CUmemAllocationProp,
    option: c_uint,
) -> Result {
    // SAFETY: the caller keeps the contract.
    objects::check(&unsafe { read(properties)? })?;
    ensure!(
        option <= 1,
        ERROR_INVALID_VALUE,
        "{option} is no CUmemAllocationGranularity_flags"
    );
    // SAFETY: the caller keeps the contract.
    unsafe { put(granularity, GRANULARITY as usize, "granularity") }
}

pub(crate) unsafe fn properties(
    properties: *mut CUmemAllocationProp,
    handle: CUmemGenericAllocationHandle,
) -> Result {
    let found = objects::get(handle)?.properties;
    // SAFETY: the caller keeps the contract.
    unsafe { put(properties, found, "prop") }
}
