//! The calls of "Memory Management" for pinned host memory. The device can access it, and copies to
//! and from it run at full rate.

use crate::abi::enums::{host_alloc, host_register};
use crate::abi::{CUdeviceptr, c_uint, c_void};
use crate::calls::{present, put};
use crate::error::{Result, ensure, fail};
use crate::objects::{context, memory};
use lanewise_sim::AllocationKind;

pub(crate) unsafe fn allocate(pointer: *mut *mut c_void, size: usize) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { allocate_with(pointer, size, 0) }
}

/// `cuMemAllocHost` of CUDA 3.1, with a size of 32 bits.
pub(crate) unsafe fn allocate_v1(pointer: *mut *mut c_void, size: c_uint) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { allocate_with(pointer, size as usize, 0) }
}

pub(crate) unsafe fn allocate_with(
    pointer: *mut *mut c_void,
    size: usize,
    flags: c_uint,
) -> Result {
    let context = context::current()?;
    present(pointer, "pp")?;
    ensure!(
        flags & !host_alloc::ALL == 0,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CU_MEMHOSTALLOC_ flags"
    );
    let found = match size {
        0 => 0, // as a GPU's driver has it: nothing, and no error
        _ => memory::allocate(&context, size, AllocationKind::Pinned, flags)?,
    };
    // SAFETY: the caller keeps the contract.
    unsafe {
        put(
            pointer,
            std::ptr::with_exposed_provenance_mut(found as usize),
            "pp",
        )
    }
}

pub(crate) unsafe fn free(pointer: *mut c_void) -> Result {
    context::current()?;
    if pointer.is_null() {
        return Ok(()); // as free(NULL)
    }
    memory::free(
        pointer.addr() as u64,
        |kind| *kind == AllocationKind::Pinned,
        "pinned host memory",
    )
}

pub(crate) unsafe fn register(pointer: *mut c_void, size: usize, flags: c_uint) -> Result {
    let context = context::current()?;
    present(pointer, "p")?;
    ensure!(
        size > 0,
        ERROR_INVALID_VALUE,
        "0 bytes to register; pass the size of the memory"
    );
    ensure!(
        flags & !host_register::ALL == 0,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CU_MEMHOSTREGISTER_ flags"
    );
    // SAFETY: by the caller's contract the memory stays valid until it is unregistered.
    unsafe { memory::register(&context, pointer.expose_provenance() as u64, size, flags) }
}

pub(crate) unsafe fn unregister(pointer: *mut c_void) -> Result {
    context::current()?;
    present(pointer, "p")?;
    memory::unregister(pointer.addr() as u64)
}

/// Returns the pinned host memory that contains `pointer`.
fn pinned(pointer: *mut c_void) -> Result<memory::Located> {
    let address = pointer.addr() as u64;
    match memory::locate(address).filter(|found| {
        matches!(
            found.allocation.kind,
            AllocationKind::Pinned | AllocationKind::Registered
        )
    }) {
        Some(found) => Ok(found),
        None => fail!(
            ERROR_INVALID_VALUE,
            "{address:#x} is no pinned host memory; allocate it with cuMemHostAlloc or register it"
        ),
    }
}

pub(crate) unsafe fn device_pointer(
    address: *mut CUdeviceptr,
    pointer: *mut c_void,
    flags: c_uint,
) -> Result {
    context::current()?;
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "flags must be 0, not {flags:#x}"
    );
    pinned(pointer)?;
    // One address space: the device uses the host's address.
    // SAFETY: the caller keeps the contract.
    unsafe { put(address, pointer.addr() as u64, "pdptr") }
}

pub(crate) unsafe fn flags(flags: *mut c_uint, pointer: *mut c_void) -> Result {
    context::current()?;
    let found = pinned(pointer)?.owner.map_or(0, |owner| owner.flags);
    // With unified addressing all pinned memory is mapped.
    // SAFETY: the caller keeps the contract.
    unsafe { put(flags, found | host_alloc::DEVICEMAP, "pFlags") }
}
