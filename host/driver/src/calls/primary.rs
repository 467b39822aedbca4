//! The calls of "Primary Context Management": the context of a device that all libraries of
//! a process share.

use super::put;
use crate::abi::enums::context_flags;
use crate::abi::{CUcontext, CUdevice, c_int, c_uint};
use crate::error::{Result, ensure};
use crate::objects::context::Context;
use crate::objects::context::primary;
use crate::objects::handle::ledger::{self, ObjectKind};
use crate::objects::handle::origin;
use crate::objects::{device, teardown};
use std::sync::atomic::Ordering;

pub(crate) unsafe fn retain(context: *mut CUcontext, device: CUdevice) -> Result {
    let device = device::get(device)?;
    super::present(context, "pctx")?;
    let mut primary = primary::of(device);
    let flags = primary.flags;
    let handle = primary
        .context
        .get_or_insert_with(|| origin::aside(|| Context::make(device, flags, true)))
        .handle;
    primary.holders += 1;
    ledger::made(ObjectKind::PrimaryContext, hold(device, primary.holders), 0);
    // SAFETY: the caller keeps the contract.
    unsafe { put(context, handle, "pctx") }
}

/// Returns a number that identifies one hold on a device's primary context.
fn hold(device: &device::Device, holder: u32) -> u64 {
    (device.ordinal as u64) << 32 | u64::from(holder)
}

pub(crate) unsafe fn release(device: CUdevice) -> Result {
    let device = device::get(device)?;
    let last = {
        let mut primary = primary::of(device);
        ensure!(
            primary.holders > 0,
            ERROR_INVALID_CONTEXT,
            "the primary context of device {} is not retained; release it once for each cuDevicePrimaryCtxRetain",
            device.ordinal
        );
        ledger::gone(ObjectKind::PrimaryContext, hold(device, primary.holders));
        primary.holders -= 1;
        if primary.holders == 0 {
            primary.context.take()
        } else {
            None
        }
    };
    if let Some(context) = last {
        teardown::destroy(&context);
    }
    Ok(())
}

pub(crate) unsafe fn set_flags(device: CUdevice, flags: c_uint) -> Result {
    let device = device::get(device)?;
    super::context::check_flags(flags)?;
    let mut primary = primary::of(device);
    primary.flags = flags;
    if let Some(context) = &primary.context {
        context.flags.store(flags, Ordering::Relaxed);
    }
    Ok(())
}

pub(crate) unsafe fn state(device: CUdevice, flags: *mut c_uint, active: *mut c_int) -> Result {
    let device = device::get(device)?;
    let (found, is_active) = {
        let primary = primary::of(device);
        (
            primary.flags & context_flags::MASK,
            primary.context.is_some(),
        )
    };
    // SAFETY: the caller keeps the contract.
    unsafe {
        put(flags, found, "flags").and_then(|()| put(active, c_int::from(is_active), "active"))
    }
}

pub(crate) unsafe fn reset(device: CUdevice) -> Result {
    let device = device::get(device)?;
    let context = {
        let mut primary = primary::of(device);
        primary.flags = 0;
        // A reset of a device releases all holds.
        for holder in 1..=primary.holders {
            ledger::gone(ObjectKind::PrimaryContext, hold(device, holder));
        }
        primary.holders = 0;
        primary.context.take()
    };
    if let Some(context) = context {
        teardown::destroy(&context);
    }
    Ok(())
}
