//! The calls of "Stream Ordered Memory Allocator": allocations that are ordered in a stream, and
//! the pools that they come from.
//!
//! The memory is allocated during the call, and freed when the stream reaches the free. A use by
//! another stream that is not ordered after the allocation is not detected.

use crate::abi::{
    CUDA_MEM_ALLOC_NODE_PARAMS, CUdevice, CUdeviceptr, CUmemLocation, CUmemPoolProps, CUmemoryPool,
    CUstream, c_int, c_uint, c_void,
};
use crate::calls::{present, put, stream};
use crate::error::{Result, ensure, fail};
use crate::objects::device;
use crate::objects::graph::{Kind as Node, capture, memory as reserved_memory};
use crate::objects::memory::pool::{self, Pool};
use crate::objects::memory::{self, graph_memory};
use crate::objects::submission::Run;
use crate::time::operation::Cost;
use lanewise_sim::AllocationKind;
use std::sync::Arc;

/// The values of `CUmemPool_attribute`.
mod attribute {
    pub(super) const REUSE_FOLLOW_EVENT_DEPENDENCIES: u32 = 1;
    pub(super) const REUSE_ALLOW_INTERNAL_DEPENDENCIES: u32 = 3;
    pub(super) const RELEASE_THRESHOLD: u32 = 4;
    pub(super) const RESERVED_MEM_CURRENT: u32 = 5;
    pub(super) const RESERVED_MEM_HIGH: u32 = 6;
    pub(super) const USED_MEM_CURRENT: u32 = 7;
    pub(super) const USED_MEM_HIGH: u32 = 8;
}

/// The constant `CU_MEM_LOCATION_TYPE_DEVICE` of cuda.h.
const ON_DEVICE: u32 = 1;

/// The beginning of `CUmemPoolProps`. The other fields are for sharing with other processes and
/// for size limits.
#[repr(C)]
struct PoolProps {
    allocation_kind: c_uint,
    handle_types: c_uint,
    location: CUmemLocation,
}

/// The structure `CUmemAccessDesc` of cuda.h.
#[repr(C)]
struct AccessDesc {
    location: CUmemLocation,
    flags: c_uint,
}

pub(crate) unsafe fn allocate(address: *mut CUdeviceptr, bytes: usize, handle: CUstream) -> Result {
    let (context, _) = stream(handle)?;
    let pool = pool::current(context.device.ordinal)?;
    // SAFETY: the caller keeps the contract.
    unsafe { take(address, bytes, &pool, handle) }
}

pub(crate) unsafe fn allocate_from(
    address: *mut CUdeviceptr,
    bytes: usize,
    pool: CUmemoryPool,
    handle: CUstream,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { take(address, bytes, &*pool::get(pool)?, handle) }
}

/// # Safety
/// `address` is null or valid for a write.
unsafe fn take(address: *mut CUdeviceptr, bytes: usize, pool: &Pool, on: CUstream) -> Result {
    let (context, stream) = stream(on)?;
    present(address, "dptr")?;
    if bytes == 0 {
        // A GPU's driver does the same: it writes a null address and returns no error.
        // SAFETY: the caller keeps the contract.
        return unsafe { put(address, 0, "dptr") };
    }
    ensure!(
        pool.device == context.device.ordinal,
        ERROR_INVALID_VALUE,
        "the pool is of device {}, the stream of device {}",
        pool.device,
        context.device.ordinal
    );
    if capture::part(&stream).is_some() {
        let reserved = reserved_memory::reserve(&context, &alloc_params(pool.device, bytes))?;
        let found = reserved.address;
        context.enqueue(&stream, Node::Alloc(reserved))?;
        // SAFETY: the caller keeps the contract.
        return unsafe { put(address, found, "dptr") };
    }
    let found = memory::allocate(&context, bytes, AllocationKind::Device, 0)?;
    pool.took(found, bytes as u64);
    context.submit(
        &stream,
        Vec::new(),
        Run::Light(Box::new(|_| Ok(Cost::NOTHING))),
    )?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(address, found, "dptr") }
}

pub(crate) unsafe fn free(address: CUdeviceptr, handle: CUstream) -> Result {
    let (context, stream) = stream(handle)?;
    if address == 0 {
        return Ok(()); // as free(NULL)
    }
    memory::check_free(
        address,
        |kind| *kind == AllocationKind::Device,
        "device memory",
    )?;
    if capture::part(&stream).is_some() {
        return context.enqueue(&stream, Node::Free(address)).map(|_| ());
    }
    if graph_memory::is_known(address) {
        return graph_memory::set_allocated(address, false);
    }
    memory::promise_free(address);
    let by = memory::freeing_now();
    let job = move |_: Option<&crate::error::Error>| {
        memory::release(address, by);
        Ok(Cost::NOTHING)
    };
    context.submit(&stream, Vec::new(), Run::ByWorker(Box::new(job)))?;
    Ok(())
}

/// Returns the parameters of an allocation node for a stream's allocation that is captured.
fn alloc_params(device: CUdevice, bytes: usize) -> CUDA_MEM_ALLOC_NODE_PARAMS {
    CUDA_MEM_ALLOC_NODE_PARAMS {
        pool_props: CUmemPoolProps {
            allocation_kind: 1,
            handle_types: 0,
            location: CUmemLocation {
                kind: ON_DEVICE,
                id: device,
            },
            win32_security_attributes: std::ptr::null_mut(),
            max_size: 0,
            usage: 0,
            reserved: [0; 54],
        },
        access_descs: std::ptr::null(),
        access_desc_count: 0,
        bytesize: bytes,
        dptr: 0,
    }
}

pub(crate) unsafe fn default(handle: *mut CUmemoryPool, device: CUdevice) -> Result {
    let found = pool::default(device)?.handle;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, found, "pool") }
}

pub(crate) unsafe fn current(handle: *mut CUmemoryPool, device: CUdevice) -> Result {
    // Unlike elsewhere, a GPU's driver does not return INVALID_DEVICE here.
    ensure!(
        device::get(device).is_ok(),
        ERROR_INVALID_VALUE,
        "{device} is no device"
    );
    let found = pool::current(device)?.handle;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, found, "pool") }
}

pub(crate) unsafe fn set(device: CUdevice, handle: CUmemoryPool) -> Result {
    let device = device::get(device)?.ordinal;
    let pool = pool::get(handle)?;
    ensure!(
        pool.device == device,
        ERROR_INVALID_VALUE,
        "the pool is of device {}; device {device} cannot take from it by default",
        pool.device
    );
    pool::set_current(&pool);
    Ok(())
}

pub(crate) unsafe fn create(handle: *mut CUmemoryPool, props: *const c_void) -> Result {
    present(handle, "pool")?;
    present(props, "poolProps")?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to `CUmemPoolProps`,
    // which begins with this struct.
    let props = unsafe { props.cast::<PoolProps>().read() };
    ensure!(
        props.allocation_kind == 1 && props.location.kind == ON_DEVICE,
        ERROR_INVALID_VALUE,
        "a pool of pinned memory (CU_MEM_ALLOCATION_TYPE_PINNED, 1) on a device (CU_MEM_LOCATION_TYPE_DEVICE, 1) can be made"
    );
    ensure!(
        props.handle_types == 0,
        ERROR_NOT_SUPPORTED,
        "a pool that other processes can open; the simulated device is this process's own: ask for CU_MEM_HANDLE_TYPE_NONE"
    );
    let pool = pool::create(props.location.id)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, pool.handle, "pool") }
}

pub(crate) unsafe fn destroy(handle: CUmemoryPool) -> Result {
    pool::destroy(&pool::get(handle)?)
}

pub(crate) unsafe fn trim(handle: CUmemoryPool, keep: usize) -> Result {
    pool::get(handle)?.trim(keep as u64);
    Ok(())
}

pub(crate) unsafe fn attribute(handle: CUmemoryPool, which: c_uint, value: *mut c_void) -> Result {
    let pool = pool::get(handle)?;
    let found = match which {
        attribute::REUSE_FOLLOW_EVENT_DEPENDENCIES
            ..=attribute::REUSE_ALLOW_INTERNAL_DEPENDENCIES => {
            let rule = pool.settings.lock().reuse[which as usize - 1];
            // SAFETY: by the caller's contract the value is an int for these attributes.
            return unsafe { put(value.cast::<c_int>(), rule, "value") };
        }
        attribute::RELEASE_THRESHOLD => pool.settings.lock().release_threshold,
        attribute::RESERVED_MEM_CURRENT => pool.reserved().now,
        attribute::RESERVED_MEM_HIGH => pool.reserved().most,
        attribute::USED_MEM_CURRENT => pool.used().now,
        attribute::USED_MEM_HIGH => pool.used().most,
        other => return no_attribute(other),
    };
    // SAFETY: by the caller's contract the value has 64 bits for these attributes.
    unsafe { put(value.cast::<u64>(), found, "value") }
}

pub(crate) unsafe fn set_attribute(
    handle: CUmemoryPool,
    which: c_uint,
    value: *mut c_void,
) -> Result {
    let pool = pool::get(handle)?;
    present(value, "value")?;
    match which {
        attribute::REUSE_FOLLOW_EVENT_DEPENDENCIES
            ..=attribute::REUSE_ALLOW_INTERNAL_DEPENDENCIES => {
            // SAFETY: the pointer is not null, so by the caller's contract it points to an int.
            pool.settings.lock().reuse[which as usize - 1] =
                unsafe { value.cast::<c_int>().read() };
        }
        attribute::RELEASE_THRESHOLD => {
            // SAFETY: the pointer is not null, so by the caller's contract it points to 64 bits.
            pool.settings.lock().release_threshold = unsafe { value.cast::<u64>().read() };
        }
        attribute::RESERVED_MEM_HIGH | attribute::USED_MEM_HIGH => {
            // SAFETY: as above.
            let to = unsafe { value.cast::<u64>().read() };
            ensure!(
                to == 0,
                ERROR_INVALID_VALUE,
                "a high-water mark can be set to 0 only, which starts it anew; got {to}"
            );
            pool.reset_most(which == attribute::USED_MEM_HIGH);
        }
        other => return no_attribute(other),
    }
    Ok(())
}

fn no_attribute(which: c_uint) -> Result {
    fail!(
        ERROR_INVALID_VALUE,
        "{which} is no CUmemPool_attribute, or one that cannot be set"
    )
}

pub(crate) unsafe fn set_access(handle: CUmemoryPool, map: *const c_void, count: usize) -> Result {
    let pool = pool::get(handle)?;
    present(map, "map")?;
    for i in 0..count {
        // SAFETY: the pointer is not null, so by the caller's contract it points
        // to `count` elements.
        let wanted = unsafe { map.cast::<AccessDesc>().add(i).read() };
        check_location(&wanted.location)?;
        // A device always has access to its own pool, and peers have
        // it after `cuCtxEnablePeerAccess`.
        ensure!(
            wanted.location.id != pool.device || wanted.flags == READ_WRITE,
            ERROR_INVALID_VALUE,
            "a device's access to its own pool cannot be taken away"
        );
    }
    Ok(())
}

/// The constant `CU_MEM_ACCESS_FLAGS_PROT_READWRITE` of cuda.h.
const READ_WRITE: c_uint = 3;

pub(crate) unsafe fn access(
    flags: *mut c_uint,
    handle: CUmemoryPool,
    location: *mut CUmemLocation,
) -> Result {
    let pool: Arc<Pool> = pool::get(handle)?;
    present(location, "location")?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to a location.
    let location = unsafe { location.read() };
    check_location(&location)?;
    let found = if location.id == pool.device {
        READ_WRITE
    } else {
        0
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(flags, found, "flags") }
}

fn check_location(location: &CUmemLocation) -> Result {
    ensure!(
        location.kind == ON_DEVICE,
        ERROR_INVALID_VALUE,
        "location type {}; a pool is accessed by devices (CU_MEM_LOCATION_TYPE_DEVICE, 1)",
        location.kind
    );
    device::get(location.id).map(|_| ())
}
