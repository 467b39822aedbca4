//! The calls of "Unified Addressing": attributes of a pointer, and advice about managed memory.
//!
//! Managed memory needs no migration here, since device memory is memory of this process.
//! Prefetches and advice are checked, and stored so that a program can read them back.

use crate::abi::enums::{advise, memory_type, pointer_attribute as attribute};
use crate::abi::{CUdevice, CUdeviceptr, CUmemLocation, CUstream, c_uint, c_void};
use crate::calls::{present, stream};
use crate::error::{Result, ensure, fail};
use crate::objects::memory::Located;
use crate::objects::memory::{self, managed as objects, owners};
use crate::objects::{context, device};
use lanewise_sim::AllocationKind;

/// The value of a pointer attribute, with the width that the driver writes.
enum Value {
    /// Also for a boolean. The reference specifies "a boolean", and an H200's driver writes
    /// four bytes (580.159.04).
    Word(u32),
    Long(u64),
}

impl Value {
    /// Returns the value in a list for an attribute that has no meaning for a pointer.
    fn nothing(which: c_uint) -> Self {
        match which {
            attribute::MEMORY_TYPE
            | attribute::SYNC_MEMOPS
            | attribute::IS_MANAGED
            | attribute::IS_LEGACY_CUDA_IPC_CAPABLE
            | attribute::MAPPED
            | attribute::IS_GPU_DIRECT_RDMA_CAPABLE
            | attribute::ACCESS_FLAGS
            | attribute::IS_HW_DECOMPRESS_CAPABLE => Value::Word(0),
            attribute::DEVICE_ORDINAL => Value::Word(-2i32 as u32),
            _ => Value::Long(0),
        }
    }

    /// # Safety
    /// `to` is valid for a write of this value.
    unsafe fn write(self, to: *mut c_void) {
        // SAFETY: the caller keeps the contract. C guarantees no more than the type's alignment,
        // and this write requires none.
        unsafe {
            match self {
                Value::Word(value) => to.cast::<u32>().write_unaligned(value),
                Value::Long(value) => to.cast::<u64>().write_unaligned(value),
            }
        }
    }
}

/// Returns the attribute of the allocation that contains `pointer`; `None` if the attribute has no
/// meaning for it.
fn value(which: c_uint, pointer: CUdeviceptr, found: &Located) -> Option<Value> {
    let kind = &found.allocation.kind;
    let on_device = kind.on_device();
    let yes = |is: bool| Value::Word(u32::from(is));
    let number = || {
        let owner = found.owner.map(|owner| owner.id);
        Value::Long(owner.unwrap_or(found.allocation.number))
    };
    Some(match which {
        attribute::CONTEXT => Value::Long(found.owner?.context.0 as u64),
        attribute::MEMORY_TYPE if on_device => Value::Word(memory_type::DEVICE),
        attribute::MEMORY_TYPE => Value::Word(memory_type::HOST),
        attribute::DEVICE_POINTER => Value::Long(pointer),
        attribute::HOST_POINTER if kind.on_host() => Value::Long(pointer),
        attribute::SYNC_MEMOPS => yes(found.owner.is_some_and(|owner| owner.sync_memops)),
        attribute::BUFFER_ID | attribute::MEMORY_BLOCK_ID => number(),
        attribute::IS_MANAGED => yes(*kind == AllocationKind::Managed),
        attribute::DEVICE_ORDINAL => Value::Word(found.device.ordinal as u32),
        attribute::IS_LEGACY_CUDA_IPC_CAPABLE
        | attribute::IS_GPU_DIRECT_RDMA_CAPABLE
        | attribute::IS_HW_DECOMPRESS_CAPABLE => yes(*kind == AllocationKind::Device),
        attribute::RANGE_START_ADDR | attribute::MAPPING_BASE_ADDR => {
            Value::Long(found.allocation.base)
        }
        attribute::RANGE_SIZE | attribute::MAPPING_SIZE => Value::Long(found.allocation.size),
        attribute::MAPPED => yes(true),
        attribute::ALLOWED_HANDLE_TYPES | attribute::MEMPOOL_HANDLE => Value::Long(0),
        attribute::ACCESS_FLAGS => Value::Word(3), // read and write
        _ => return None,
    })
}

fn check(which: c_uint) -> Result {
    ensure!(
        (1..=21).contains(&which),
        ERROR_INVALID_VALUE,
        "{which} is no CUpointer_attribute"
    );
    Ok(())
}

pub(crate) unsafe fn attribute(data: *mut c_void, which: c_uint, pointer: CUdeviceptr) -> Result {
    context::check_current()?;
    present(data, "data")?;
    check(which)?;
    let Some(found) = memory::locate(pointer) else {
        fail!(
            ERROR_INVALID_VALUE,
            "{pointer:#x} was not given out by the driver, nor registered with it"
        )
    };
    match value(which, pointer, &found) {
        // SAFETY: by the caller's contract there is room for the attribute's type.
        Some(value) => unsafe { value.write(data) },
        None => fail!(
            ERROR_INVALID_VALUE,
            "attribute {which} has no meaning for {}",
            found.allocation.kind
        ),
    }
    Ok(())
}

pub(crate) unsafe fn attributes(
    count: c_uint,
    which: *mut c_uint,
    data: *mut *mut c_void,
    pointer: CUdeviceptr,
) -> Result {
    context::current()?;
    present(which, "attributes")?;
    present(data, "data")?;
    ensure!(
        count > 0,
        ERROR_INVALID_VALUE,
        "no attributes are asked for"
    );
    let found = memory::locate(pointer);
    for i in 0..count as usize {
        // SAFETY: by the caller's contract both lists have `count` elements.
        let (which, to) = unsafe { (which.add(i).read(), data.add(i).read()) };
        check(which)?;
        present(to, "data[..]")?;
        ensure!(
            which != attribute::P2P_TOKENS,
            ERROR_INVALID_VALUE,
            "CU_POINTER_ATTRIBUTE_P2P_TOKENS (5) is not asked for in a list"
        );
        let value = match &found {
            Some(found) => value(which, pointer, found),
            // A pointer to other memory than the driver's has no range, so nothing is written.
            None if matches!(which, attribute::RANGE_START_ADDR | attribute::RANGE_SIZE) => {
                continue;
            }
            // An H200's driver returns the pointer, whether or not it is a host pointer.
            None if which == attribute::HOST_POINTER => Some(Value::Long(pointer)),
            None => None,
        };
        // SAFETY: by the caller's contract there is room for each attribute's type.
        unsafe { value.unwrap_or(Value::nothing(which)).write(to) };
    }
    Ok(())
}

pub(crate) unsafe fn set_attribute(
    value: *const c_void,
    which: c_uint,
    pointer: CUdeviceptr,
) -> Result {
    context::current()?;
    present(value, "value")?;
    ensure!(
        which == attribute::SYNC_MEMOPS,
        ERROR_INVALID_VALUE,
        "attribute {which} cannot be set; CU_POINTER_ATTRIBUTE_SYNC_MEMOPS (6) can"
    );
    // The simulator's synchronous calls are always synchronous. The attribute is stored so that it
    // can be read back.
    let found = memory::range("ptr", pointer, 0)?;
    // SAFETY: by the caller's contract the attribute is as wide as the type that is read.
    let value = unsafe { value.cast::<c_uint>().read_unaligned() };
    owners::set_sync_memops(found.allocation.base, value != 0);
    Ok(())
}

/// Checks that `bytes` from `address` are managed memory.
pub(super) fn managed(address: CUdeviceptr, bytes: usize) -> Result {
    ensure!(
        bytes > 0,
        ERROR_INVALID_VALUE,
        "0 bytes; pass the size of the range"
    );
    let found = memory::range("devPtr", address, bytes as u64)?;
    ensure!(
        found.allocation.kind == AllocationKind::Managed,
        ERROR_INVALID_VALUE,
        "{address:#x} is {}, not managed memory; allocate it with cuMemAllocManaged",
        found.allocation.kind
    );
    Ok(())
}

/// Checks the device of advice or of a prefetch; -1 is the host.
fn place(device: CUdevice) -> Result {
    if device == -1 {
        Ok(())
    } else {
        device::get(device).map(|_| ())
    }
}

/// Checks a location: a device (1), or the host or a part of it (2 to 4).
fn location(location: CUmemLocation) -> Result {
    match location.kind {
        1 => place(location.id),
        2..=4 => Ok(()),
        other => fail!(
            ERROR_INVALID_VALUE,
            "{other} is no CUmemLocationType of a place to move memory to"
        ),
    }
}

pub(crate) unsafe fn prefetch(
    address: CUdeviceptr,
    bytes: usize,
    device: CUdevice,
    handle: CUstream,
) -> Result {
    stream(handle)?;
    managed(address, bytes)?;
    place(device)?;
    prefetched(address, bytes, device);
    Ok(())
}

/// Stores where a range was prefetched to; -1 is the host.
fn prefetched(address: CUdeviceptr, bytes: usize, to: CUdevice) {
    objects::change(address, bytes as u64, |advice| advice.prefetched = to);
}

/// Returns the device of a location, or -1 for the host.
fn device_of(location: &CUmemLocation) -> CUdevice {
    match location.kind {
        1 => location.id,
        _ => -1,
    }
}

/// Stores advice about a range.
fn keep(address: CUdeviceptr, bytes: usize, advice: c_uint, device: CUdevice) {
    objects::change(address, bytes as u64, |known| match advice {
        1 => known.read_mostly = true,
        2 => known.read_mostly = false,
        3 => known.preferred = device,
        4 => known.preferred = objects::NOWHERE,
        5 => drop(known.accessed_by.insert(device)),
        _ => drop(known.accessed_by.remove(&device)),
    });
}

pub(crate) unsafe fn prefetch_v2(
    address: CUdeviceptr,
    bytes: usize,
    to: CUmemLocation,
    flags: c_uint,
    handle: CUstream,
) -> Result {
    stream(handle)?;
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "flags must be 0, not {flags:#x}"
    );
    managed(address, bytes)?;
    location(to)?;
    prefetched(address, bytes, device_of(&to));
    Ok(())
}

pub(crate) unsafe fn advise(
    address: CUdeviceptr,
    bytes: usize,
    advice: c_uint,
    device: CUdevice,
) -> Result {
    context::current()?;
    check_advice(advice)?;
    managed(address, bytes)?;
    place(device)?;
    keep(address, bytes, advice, device);
    Ok(())
}

pub(crate) unsafe fn advise_v2(
    address: CUdeviceptr,
    bytes: usize,
    advice: c_uint,
    at: CUmemLocation,
) -> Result {
    context::current()?;
    check_advice(advice)?;
    managed(address, bytes)?;
    location(at)?;
    keep(address, bytes, advice, device_of(&at));
    Ok(())
}

fn check_advice(advice: c_uint) -> Result {
    ensure!(
        (advise::SET_READ_MOSTLY..=advise::UNSET_ACCESSED_BY).contains(&advice),
        ERROR_INVALID_VALUE,
        "{advice} is no CUmem_advise"
    );
    Ok(())
}

pub(crate) unsafe fn attach(
    handle: CUstream,
    address: CUdeviceptr,
    _bytes: usize,
    flags: c_uint,
) -> Result {
    stream(handle)?;
    ensure!(
        matches!(flags, 1 | 2 | 4),
        ERROR_INVALID_VALUE,
        "{flags:#x} is no CUmemAttach_flags value"
    );
    managed(address, 1)
}
