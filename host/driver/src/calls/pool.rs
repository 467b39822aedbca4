//! "Stream Ordered Memory Allocator": allocations that belong to a stream's order.
//!
//! The memory is taken when the call is made and given back when the stream comes to the free; a use by another stream that
//! is not ordered after the allocation is not found. There is the default pool of each device and no other yet.

use super::{present, put, stream};
use crate::abi::{CUdevice, CUdeviceptr, CUmemoryPool, CUstream};
use crate::error::{Result, ensure};
use crate::objects::stream::Run;
use crate::objects::{device, memory};
use crate::time::timeline::Cost;
use sim::Kind;

pub(crate) unsafe fn allocate(address: *mut CUdeviceptr, bytes: usize, handle: CUstream) -> Result {
    let (context, stream) = stream(handle)?;
    present(address, "dptr")?;
    ensure!(
        bytes > 0,
        ERROR_INVALID_VALUE,
        "an allocation of 0 bytes; ask for at least one byte"
    );
    let found = memory::allocate(&context, bytes, Kind::Device, 0)?;
    context.submit(
        &stream,
        Vec::new(),
        Run::Light(Box::new(|_| Ok(Cost::NOTHING))),
    );
    // SAFETY: the caller's contract.
    unsafe { put(address, found, "dptr") }
}

pub(crate) unsafe fn free(address: CUdeviceptr, handle: CUstream) -> Result {
    let (context, stream) = stream(handle)?;
    memory::check_free(address, |kind| *kind == Kind::Device, "device memory")?;
    memory::promise_free(address);
    let job = move |_: Option<&crate::error::Error>| {
        memory::release(address);
        Ok(Cost::NOTHING)
    };
    context.submit(&stream, Vec::new(), Run::ByWorker(Box::new(job)));
    Ok(())
}

/// The handle of a device's default pool.
fn pool_of(device: CUdevice) -> Result<CUmemoryPool> {
    // Far from the registry's handles, and never dereferenced.
    device::get(device).map(|device| CUmemoryPool::of_device(device.ordinal))
}

pub(crate) unsafe fn default(pool: *mut CUmemoryPool, device: CUdevice) -> Result {
    let found = pool_of(device)?;
    // SAFETY: the caller's contract.
    unsafe { put(pool, found, "pool") }
}

pub(crate) unsafe fn set(device: CUdevice, pool: CUmemoryPool) -> Result {
    ensure!(
        pool == pool_of(device)?,
        ERROR_INVALID_VALUE,
        "{:#x} is not the default pool of device {device}; other pools are not simulated yet",
        pool.0
    );
    Ok(())
}
