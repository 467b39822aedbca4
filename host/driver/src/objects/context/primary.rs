//! Primary contexts: each device has one, which libraries share.

use super::Context;
use crate::objects::device::Device;
use crate::settings::MOST_DEVICES;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

/// The primary context of a device, which libraries share.
#[derive(Debug, Default)]
pub(crate) struct Primary {
    /// The context, while it is retained.
    pub(crate) context: Option<Arc<Context>>,
    /// How often it was retained and not yet released.
    pub(crate) holders: u32,
    /// The flags it has, or will have when it is made.
    pub(crate) flags: u32,
}

static PRIMARIES: [Mutex<Primary>; MOST_DEVICES] = [const {
    Mutex::new(Primary {
        context: None,
        holders: 0,
        flags: 0,
    })
}; MOST_DEVICES];

/// Locks and returns the state of the device's primary context.
pub(crate) fn of(device: &Device) -> MutexGuard<'static, Primary> {
    PRIMARIES[device.ordinal as usize].lock()
}
