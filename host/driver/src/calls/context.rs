//! The calls of "Context Management": making contexts, the calling thread's stack of
//! them, and settings.

use super::{present, put};
use crate::abi::enums::{context_flags, func_cache, limit, shared_config};
use crate::abi::{CUcontext, CUdevice, CUevent, c_int, c_uint, c_ulonglong, c_void};
use crate::error::{Result, ensure, fail};
use crate::objects::context::{self, Context, stack};
use crate::objects::graph::capture;
use crate::objects::stream::event;
use crate::objects::{device, teardown};
use std::sync::atomic::Ordering;

/// The range of stream priorities: 0 is the least, -5 the greatest, as on data-centre GPUs.
pub(crate) const PRIORITIES: (c_int, c_int) = (0, -5);

/// Refuses unknown flags, and more than one way of waiting.
pub(crate) fn check_flags(flags: c_uint) -> Result {
    let schedule = flags & context_flags::SCHED_MASK;
    ensure!(
        flags & !context_flags::MASK == 0 && matches!(schedule, 0 | 1 | 2 | 4),
        ERROR_INVALID_VALUE,
        "{flags:#x} are no context flags; choose one of CU_CTX_SCHED_AUTO, _SPIN, _YIELD, _BLOCKING_SYNC"
    );
    Ok(())
}

pub(crate) unsafe fn create(handle: *mut CUcontext, flags: c_uint, device: CUdevice) -> Result {
    let device = device::get(device)?;
    present(handle, "pctx")?;
    check_flags(flags)?;
    let context = Context::make(device, flags, false);
    stack(|stack| stack.push(context.handle));
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, context.handle, "pctx") }
}

pub(crate) unsafe fn create_v3(
    handle: *mut CUcontext,
    _affinity: *mut c_void,
    affinities: c_int,
    flags: c_uint,
    device: CUdevice,
) -> Result {
    ensure!(
        affinities == 0,
        ERROR_UNSUPPORTED_EXEC_AFFINITY,
        "execution affinity needs MPS, which the simulator does not have; pass no affinity"
    );
    // SAFETY: the caller keeps the contract.
    unsafe { create(handle, flags, device) }
}

pub(crate) unsafe fn create_v4(
    handle: *mut CUcontext,
    params: *mut c_void,
    flags: c_uint,
    device: CUdevice,
) -> Result {
    ensure!(
        params.is_null(),
        ERROR_UNSUPPORTED_EXEC_AFFINITY,
        "context parameters (execution affinity, graphics) are not simulated; pass null"
    );
    // SAFETY: the caller keeps the contract.
    unsafe { create(handle, flags, device) }
}

pub(crate) unsafe fn destroy(handle: CUcontext) -> Result {
    named(handle)?;
    let context = context::get(handle)?;
    ensure!(
        !context.primary,
        ERROR_INVALID_CONTEXT,
        "{:#x} is a primary context; cuDevicePrimaryCtxRelease gives it back",
        handle.0
    );
    teardown::destroy(&context);
    // If it is current on this thread, it is popped. Other threads find that it was destroyed.
    stack(|stack| {
        if stack.last() == Some(&handle) {
            stack.pop();
        }
    });
    Ok(())
}

pub(crate) unsafe fn push(handle: CUcontext) -> Result {
    named(handle)?;
    let context = context::get(handle)?;
    stack(|stack| stack.push(context.handle));
    Ok(())
}

/// Refuses the null handle, which a GPU's driver distinguishes from the handle of
/// a destroyed context.
fn named(handle: CUcontext) -> Result {
    ensure!(
        handle.0 != 0,
        ERROR_INVALID_VALUE,
        "the context is null; pass one that cuCtxCreate gave"
    );
    Ok(())
}

pub(crate) unsafe fn pop(handle: *mut CUcontext) -> Result {
    let Some(popped) = stack(|stack| stack.pop()) else {
        fail!(
            ERROR_INVALID_CONTEXT,
            "no context is current on this thread, so none can be popped"
        )
    };
    if !handle.is_null() {
        // SAFETY: the caller keeps the contract. The reference permits the pointer to be null.
        unsafe { handle.write(popped) };
    }
    Ok(())
}

pub(crate) unsafe fn set_current(handle: CUcontext) -> Result {
    if handle.0 == 0 {
        stack(|stack| stack.pop());
        return Ok(());
    }
    let context = context::get(handle)?;
    stack(|stack| {
        stack.pop();
        stack.push(context.handle);
    });
    Ok(())
}

pub(crate) unsafe fn get_current(handle: *mut CUcontext) -> Result {
    let current = stack(|stack| stack.last().copied().unwrap_or_default());
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, current, "pctx") }
}

pub(crate) unsafe fn device(device: *mut CUdevice) -> Result {
    let context = context::current_even_faulted()?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(device, context.device.ordinal, "device") }
}

pub(crate) unsafe fn device_of(device: *mut CUdevice, handle: CUcontext) -> Result {
    let context = or_current(handle)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(device, context.device.ordinal, "device") }
}

/// Returns the context that `handle` names, or the current one if it is null.
fn or_current(handle: CUcontext) -> Result<std::sync::Arc<Context>> {
    if handle.0 == 0 {
        context::current_even_faulted()
    } else {
        context::get(handle)
    }
}

pub(crate) unsafe fn flags(flags: *mut c_uint) -> Result {
    let context = context::current()?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(flags, context.flags(), "flags") }
}

pub(crate) unsafe fn set_flags(flags: c_uint) -> Result {
    let context = context::current()?;
    check_flags(flags)?;
    context.flags.store(flags, Ordering::Relaxed);
    Ok(())
}

pub(crate) unsafe fn id(handle: CUcontext, id: *mut c_ulonglong) -> Result {
    let context = or_current(handle)?;
    // A handle is never used twice, so it can serve as the id.
    // SAFETY: the caller keeps the contract.
    unsafe { put(id, context.handle.0 as c_ulonglong, "ctxId") }
}

pub(crate) unsafe fn synchronize() -> Result {
    let context = context::current()?;
    capture::refuse_whole(context.handle)?;
    context.wait();
    context.check()
}

pub(crate) unsafe fn synchronize_of(handle: CUcontext) -> Result {
    let context = or_current(handle)?;
    context.check()?;
    capture::refuse_whole(context.handle)?;
    context.wait();
    context.check()
}

pub(crate) unsafe fn record_event(handle: CUcontext, event: CUevent) -> Result {
    // Unlike in the other calls, null names no context here. An H200's driver does the same.
    let context = context::get(handle)?;
    context.check()?;
    capture::refuse_whole(context.handle)?;
    let event = event::get(event)?;
    ensure!(
        event.context == context.handle,
        ERROR_INVALID_HANDLE,
        "the event belongs to context {:#x} and not to {:#x}; record an event in its own context",
        event.context.0,
        context.handle.0
    );
    event.record_all(context.under_way());
    Ok(())
}

pub(crate) unsafe fn wait_event(handle: CUcontext, event: CUevent) -> Result {
    let context = context::get(handle)?;
    context.check()?;
    capture::refuse_whole(context.handle)?;
    let event = event::get(event)?;
    ensure!(
        event.captured().is_none(),
        ERROR_STREAM_CAPTURE_UNSUPPORTED,
        "the event was recorded in a capture, and a context waits for no node of a graph; record it in a stream"
    );
    ensure!(
        event.points().is_none(),
        ERROR_NOT_SUPPORTED,
        "other processes may record the event; the simulated driver lets streams wait for such an event,          but no context"
    );
    if let Some(recorded) = event.recorded() {
        context.hold_back(recorded);
    }
    Ok(())
}

pub(crate) unsafe fn set_limit(which: c_uint, value: usize) -> Result {
    let context = context::current()?;
    let model = context.device.sim.model();
    let value = value as u64;
    let stored = match which {
        limit::STACK_SIZE => {
            let most = u64::from(model.limits.local_per_thread);
            ensure!(
                value <= most,
                ERROR_INVALID_VALUE,
                "a stack of {value} bytes; a thread has at most {most} bytes of local memory"
            );
            value.next_multiple_of(16)
        }
        limit::PRINTF_FIFO_SIZE | limit::MALLOC_HEAP_SIZE => value,
        // CUDA 12 removed synchronisation inside kernels for these devices, and this limit with it.
        limit::DEV_RUNTIME_SYNC_DEPTH => {
            fail!(
                ERROR_UNSUPPORTED_LIMIT,
                "CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH is not supported from CUDA 12 on"
            )
        }
        limit::DEV_RUNTIME_PENDING_LAUNCH_COUNT => value,
        limit::MAX_L2_FETCH_GRANULARITY => {
            ensure!(
                value <= 128,
                ERROR_INVALID_VALUE,
                "an L2 fetch granularity of {value} bytes; it is 0 to 128"
            );
            value
        }
        limit::PERSISTING_L2_CACHE_SIZE => {
            let most = u64::from(model.l2) / 8 * 5;
            ensure!(
                model.compute_capability[0] >= 8,
                ERROR_UNSUPPORTED_LIMIT,
                "the device cannot set L2 cache aside"
            );
            value.min(most)
        }
        _ => fail!(ERROR_INVALID_VALUE, "{which} is no CUlimit"),
    };
    context.settings.lock().limits[which as usize] = stored;
    Ok(())
}

pub(crate) unsafe fn limit(value: *mut usize, which: c_uint) -> Result {
    let context = context::current()?;
    ensure!(
        which < limit::COUNT,
        ERROR_INVALID_VALUE,
        "{which} is no CUlimit"
    );
    ensure!(
        which != limit::DEV_RUNTIME_SYNC_DEPTH,
        ERROR_UNSUPPORTED_LIMIT,
        "CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH is not supported from CUDA 12 on"
    );
    let found = context.settings.lock().limits[which as usize];
    // SAFETY: the caller keeps the contract.
    unsafe { put(value, found as usize, "pvalue") }
}

pub(crate) unsafe fn cache_config(config: *mut c_uint) -> Result {
    let context = context::current()?;
    let found = context.settings.lock().cache;
    // SAFETY: the caller keeps the contract.
    unsafe { put(config, found, "pconfig") }
}

/// Refuses a value that is no `CUfunc_cache`.
pub(crate) fn check_cache(config: c_uint) -> Result {
    ensure!(
        config <= func_cache::PREFER_EQUAL,
        ERROR_INVALID_VALUE,
        "{config} is no CUfunc_cache"
    );
    Ok(())
}

/// Refuses a value that is no `CUsharedconfig`.
pub(crate) fn check_shared_config(config: c_uint) -> Result {
    ensure!(
        config <= shared_config::EIGHT_BYTE_BANK_SIZE,
        ERROR_INVALID_VALUE,
        "{config} is no CUsharedconfig"
    );
    Ok(())
}

pub(crate) unsafe fn set_cache_config(config: c_uint) -> Result {
    let context = context::current()?;
    check_cache(config)?;
    context.settings.lock().cache = config;
    Ok(())
}

pub(crate) unsafe fn shared_config(config: *mut c_uint) -> Result {
    let context = context::current()?;
    let chosen = context.settings.lock().shared;
    let widths = &context.device.sim.model().multiprocessor.bank_widths;
    // Devices with only one width report that width, whatever was requested.
    let found = match chosen {
        shared_config::EIGHT_BYTE_BANK_SIZE if widths.contains(&8) => {
            shared_config::EIGHT_BYTE_BANK_SIZE
        }
        _ => shared_config::FOUR_BYTE_BANK_SIZE,
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(config, found, "pConfig") }
}

pub(crate) unsafe fn set_shared_config(config: c_uint) -> Result {
    let context = context::current()?;
    check_shared_config(config)?;
    context.settings.lock().shared = config;
    Ok(())
}

pub(crate) unsafe fn api_version(handle: CUcontext, version: *mut c_uint) -> Result {
    let context = or_current(handle)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(version, context.version, "version") }
}

pub(crate) unsafe fn priority_range(least: *mut c_int, greatest: *mut c_int) -> Result {
    context::current()?;
    for (pointer, value) in [(least, PRIORITIES.0), (greatest, PRIORITIES.1)] {
        if !pointer.is_null() {
            // SAFETY: the caller keeps the contract. The reference permits either pointer
            // to be null.
            unsafe { pointer.write(value) };
        }
    }
    Ok(())
}

pub(crate) unsafe fn reset_persisting_l2() -> Result {
    // There is no L2 cache to reset: the call changes no result and no modelled time.
    context::current().map(|_| ())
}

pub(crate) unsafe fn attach(handle: *mut CUcontext, flags: c_uint) -> Result {
    let context = context::current()?;
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "cuCtxAttach takes no flags; {flags:#x} was passed"
    );
    context.attached.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, context.handle, "pctx") }
}

pub(crate) unsafe fn detach(handle: CUcontext) -> Result {
    let context = context::get(handle)?;
    let left = context
        .attached
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |users| {
            users.checked_sub(1)
        });
    match left {
        Ok(_) => Ok(()),
        // The last user is the code that made it.
        // SAFETY: the caller keeps the contract.
        Err(_) => unsafe { destroy(handle) },
    }
}
