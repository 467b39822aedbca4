//! "Unified Addressing": what is known of a pointer, and advice about managed memory.
//!
//! Managed memory needs no migration here, since device memory is memory of this process; prefetching and advice are
//! checked, and kept to be read back.

use super::{present, stream};
use crate::abi::enums::{advise, memory_type, pointer_attribute as attribute};
use crate::abi::{CUdevice, CUdeviceptr, CUmemLocation, CUstream, c_int, c_uint, c_void};
use crate::error::{Result, ensure, fail};
use crate::objects::memory::Located;
use crate::objects::{context, device, managed as objects, memory};
use lanewise_sim::Kind;

/// A pointer attribute's value, of the type that the attribute has in C.
enum Value {
    Int(c_int),
    UInt(c_uint),
    Long(u64),
    Bool(bool),
}

impl Value {
    /// # Safety
    /// `to` is valid for a write of this value.
    unsafe fn write(self, to: *mut c_void) {
        // SAFETY: the caller's contract; C does not promise more than the type's alignment, nor does this ask for any.
        unsafe {
            match self {
                Value::Int(value) => to.cast::<c_int>().write_unaligned(value),
                Value::UInt(value) => to.cast::<c_uint>().write_unaligned(value),
                Value::Long(value) => to.cast::<u64>().write_unaligned(value),
                Value::Bool(value) => to.cast::<u8>().write(u8::from(value)),
            }
        }
    }
}

/// The attribute of what `pointer` is in; none where the attribute has no meaning for it.
fn value(which: c_uint, pointer: CUdeviceptr, found: &Located) -> Option<Value> {
    let kind = &found.allocation.kind;
    let on_device = kind.on_device();
    Some(match which {
        attribute::CONTEXT => Value::Long(found.owner?.context.0 as u64),
        attribute::MEMORY_TYPE => Value::UInt(if on_device {
            memory_type::DEVICE
        } else {
            memory_type::HOST
        }),
        attribute::DEVICE_POINTER => Value::Long(pointer),
        attribute::HOST_POINTER if kind.on_host() => Value::Long(pointer),
        attribute::SYNC_MEMOPS => Value::Bool(false),
        attribute::BUFFER_ID => Value::Long(
            found
                .owner
                .map_or(found.allocation.number, |owner| owner.id),
        ),
        attribute::IS_MANAGED => Value::Bool(*kind == Kind::Managed),
        attribute::DEVICE_ORDINAL => Value::Int(found.device.ordinal),
        attribute::IS_LEGACY_CUDA_IPC_CAPABLE | attribute::IS_GPU_DIRECT_RDMA_CAPABLE => {
            Value::Bool(false)
        }
        attribute::RANGE_START_ADDR => Value::Long(found.allocation.base),
        attribute::RANGE_SIZE => Value::Long(found.allocation.size),
        attribute::MAPPED => Value::Bool(true),
        attribute::ALLOWED_HANDLE_TYPES => Value::Long(0),
        attribute::ACCESS_FLAGS => Value::UInt(3), // read and write
        attribute::MEMPOOL_HANDLE => Value::Long(0),
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
    context::current()?;
    present(data, "data")?;
    check(which)?;
    let Some(found) = memory::locate(pointer) else {
        fail!(
            ERROR_INVALID_VALUE,
            "{pointer:#x} was not given out by the driver, nor registered with it"
        )
    };
    match value(which, pointer, &found) {
        // SAFETY: the caller's contract: room for the attribute's type.
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
        // SAFETY: the caller's contract: both lists have `count` elements.
        let (which, to) = unsafe { (which.add(i).read(), data.add(i).read()) };
        check(which)?;
        present(to, "data[..]")?;
        let value = match &found {
            Some(found) => value(which, pointer, found),
            // The reference: for a pointer that is not the driver's, the values say so and the call succeeds.
            None if which == attribute::DEVICE_ORDINAL => Some(Value::Int(-2)),
            None => None,
        };
        let nothing = match which {
            attribute::MEMORY_TYPE | attribute::ACCESS_FLAGS => Value::UInt(0),
            attribute::DEVICE_ORDINAL => Value::Int(-2),
            attribute::SYNC_MEMOPS
            | attribute::IS_MANAGED
            | attribute::IS_LEGACY_CUDA_IPC_CAPABLE
            | attribute::MAPPED
            | attribute::IS_GPU_DIRECT_RDMA_CAPABLE => Value::Bool(false),
            _ => Value::Long(0),
        };
        // SAFETY: the caller's contract: room for each attribute's type.
        unsafe { value.unwrap_or(nothing).write(to) };
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
    // Synchronous calls on the simulator are synchronous already.
    memory::range("ptr", pointer, 0).map(|_| ())
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
        found.allocation.kind == Kind::Managed,
        ERROR_INVALID_VALUE,
        "{address:#x} is {}, not managed memory; allocate it with cuMemAllocManaged",
        found.allocation.kind
    );
    Ok(())
}

/// Checks a device of an advice or a prefetch; -1 is the host.
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

/// Notes where a range was prefetched to; -1 is the host.
fn prefetched(address: CUdeviceptr, bytes: usize, to: CUdevice) {
    objects::change(address, bytes as u64, |advice| advice.prefetched = to);
}

/// The device of a location, or -1 for the host.
fn device_of(location: &CUmemLocation) -> CUdevice {
    match location.kind {
        1 => location.id,
        _ => -1,
    }
}

/// Keeps an advice.
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
        (advise::FIRST..=advise::LAST).contains(&advice),
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
