//! Memory pools: the sources of stream-ordered allocations.
//!
//! Source: CUDA driver API reference, "Stream Ordered Memory Allocator". Memory that was freed
//! belongs to the device again at once. What a pool would keep of it is counted as reserved, up to
//! the release threshold, as after the next synchronisation on a GPU. The reuse settings are stored
//! for the program but have no effect.

use crate::abi::{CUdevice, CUmemoryPool};
use crate::error::{Result, fail};
use crate::objects::device;
use crate::objects::handle::ledger::ObjectKind;
use crate::objects::handle::origin;
use crate::objects::handle::registry::Registry;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

static POOLS: Registry<CUmemoryPool, Pool> = Registry::to_give_back(ObjectKind::Pool);
/// The default pool of each device, made when it is first requested.
static DEFAULTS: Mutex<Vec<(CUdevice, Arc<Pool>)>> = Mutex::new(Vec::new());
/// The pool chosen for each device with `cuDeviceSetMemPool`. A device without an entry uses
/// its default pool.
static CURRENT: Mutex<Vec<(CUdevice, Arc<Pool>)>> = Mutex::new(Vec::new());

/// A pool of a device's memory.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) handle: CUmemoryPool,
    pub(crate) device: CUdevice,
    pub(crate) settings: Mutex<Settings>,
    usage: Mutex<PoolUsage>,
}

/// The attributes that `cuMemPoolSetAttribute` sets.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The three reuse settings, in the order of `CUmemPool_attribute`.
    pub(crate) reuse: [i32; 3],
    pub(crate) release_threshold: u64,
}

#[derive(Debug, Default)]
struct PoolUsage {
    live: HashMap<u64, u64>,
    used: Level,
    reserved: Level,
}

/// The bytes now, and their maximum since [`Pool::reset_most`].
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Level {
    pub(crate) now: u64,
    pub(crate) most: u64,
}

impl Level {
    fn set(&mut self, bytes: u64) {
        self.now = bytes;
        self.most = self.most.max(bytes);
    }
}

impl PoolUsage {
    /// Releases unused bytes, so that at most this many stay reserved. Bytes in use always stay.
    fn keep(&mut self, bytes: u64) {
        self.reserved.now = self.reserved.now.min(bytes).max(self.used.now);
    }
}

fn make(device: CUdevice) -> Arc<Pool> {
    POOLS.add(|handle| Pool {
        handle,
        device,
        settings: Mutex::new(Settings {
            reuse: [1; 3],
            release_threshold: 0,
        }),
        usage: Mutex::default(),
    })
}

/// Makes a new pool on `device`.
pub(crate) fn create(device: CUdevice) -> Result<Arc<Pool>> {
    Ok(make(device::get(device)?.ordinal))
}

/// Returns the default pool of `device`.
pub(crate) fn default(device: CUdevice) -> Result<Arc<Pool>> {
    let ordinal = device::get(device)?.ordinal;
    let mut defaults = DEFAULTS.lock();
    if let Some((_, pool)) = defaults.iter().find(|(of, _)| *of == ordinal) {
        return Ok(pool.clone());
    }
    let pool = origin::aside(|| make(ordinal));
    defaults.push((ordinal, pool.clone()));
    Ok(pool)
}

/// Returns the pool that `cuMemAllocAsync` uses on `device`.
pub(crate) fn current(device: CUdevice) -> Result<Arc<Pool>> {
    let ordinal = device::get(device)?.ordinal;
    let chosen = CURRENT.lock();
    match chosen.iter().find(|(of, _)| *of == ordinal) {
        Some((_, pool)) => Ok(pool.clone()),
        None => default(ordinal),
    }
}

/// Makes `pool` the one that `cuMemAllocAsync` uses on its device.
pub(crate) fn set_current(pool: &Arc<Pool>) {
    let mut chosen = CURRENT.lock();
    chosen.retain(|(of, _)| *of != pool.device);
    chosen.push((pool.device, pool.clone()));
}

/// Returns the pool that `handle` names.
pub(crate) fn get(handle: CUmemoryPool) -> Result<Arc<Pool>> {
    match POOLS.get(handle) {
        Some(pool) => Ok(pool),
        None => fail!(
            ERROR_INVALID_VALUE,
            "{:#x} is not a live memory pool: it was destroyed, or never was one",
            handle.0
        ),
    }
}

/// Removes `pool`. Allocations from it stay until they are freed.
pub(crate) fn destroy(pool: &Arc<Pool>) -> Result {
    if default(pool.device)?.handle == pool.handle {
        fail!(
            ERROR_INVALID_VALUE,
            "{:#x} is the default pool of device {}, which cannot be destroyed",
            pool.handle.0,
            pool.device
        );
    }
    CURRENT
        .lock()
        .retain(|(_, chosen)| !Arc::ptr_eq(chosen, pool));
    POOLS.remove(pool.handle);
    Ok(())
}

impl Pool {
    /// Counts an allocation from this pool.
    pub(crate) fn took(&self, address: u64, bytes: u64) {
        let mut count = self.usage.lock();
        count.live.insert(address, bytes);
        let used = count.used.now + bytes;
        count.used.set(used);
        let reserved = count.reserved.now.max(used);
        count.reserved.set(reserved);
    }

    /// Returns the bytes in use.
    pub(crate) fn used(&self) -> Level {
        self.usage.lock().used
    }

    /// Returns the bytes that it has reserved from the device.
    pub(crate) fn reserved(&self) -> Level {
        self.usage.lock().reserved
    }

    /// Resets the high-water mark of the used bytes, or else of the reserved bytes, to
    /// the current value.
    pub(crate) fn reset_most(&self, of_used: bool) {
        let mut count = self.usage.lock();
        let level = match of_used {
            true => &mut count.used,
            false => &mut count.reserved,
        };
        level.most = level.now;
    }

    /// Releases unused bytes, so that at most this many stay reserved. Bytes in use always stay.
    pub(crate) fn trim(&self, keep: u64) {
        self.usage.lock().keep(keep);
    }
}

/// Notes that the memory at `address` belongs to the device again, however it was freed.
pub(crate) fn freed(address: u64) {
    POOLS.for_each(|pool| {
        let threshold = pool.settings.lock().release_threshold;
        let mut count = pool.usage.lock();
        if let Some(bytes) = count.live.remove(&address) {
            count.used.now -= bytes;
            count.keep(threshold);
        }
    });
}
