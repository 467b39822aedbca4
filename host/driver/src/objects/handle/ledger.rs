//! The objects that the program has made and not released, and where it made them. The check `leak`
//! is based on this.
//!
//! An object is added when it is made, if the check is on then, and removed when the program
//! releases it. Objects that are freed by the end of a context were not released by the program, so
//! they stay here as left over.

use super::origin::{self, Origin};
use crate::observe;
use parking_lot::Mutex;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// A kind of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ObjectKind {
    DeviceMemory,
    ManagedMemory,
    PinnedMemory,
    Registration,
    PhysicalMemory,
    MulticastObject,
    Range,
    Array,
    Mipmap,
    Stream,
    Event,
    Module,
    Library,
    Link,
    Graph,
    Exec,
    Texture,
    Surface,
    Pool,
    UserObject,
    Context,
    PrimaryContext,
}

impl ObjectKind {
    /// Returns the singular, the plural, and the call that releases the object.
    pub(crate) fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            ObjectKind::DeviceMemory => (
                "allocation of device memory",
                "allocations of device memory",
                "cuMemFree",
            ),
            ObjectKind::ManagedMemory => (
                "allocation of managed memory",
                "allocations of managed memory",
                "cuMemFree",
            ),
            ObjectKind::PinnedMemory => (
                "allocation of pinned memory",
                "allocations of pinned memory",
                "cuMemFreeHost",
            ),
            ObjectKind::Registration => (
                "registration of host memory",
                "registrations of host memory",
                "cuMemHostUnregister",
            ),
            ObjectKind::PhysicalMemory => (
                "handle of physical memory",
                "handles of physical memory",
                "cuMemRelease",
            ),
            ObjectKind::MulticastObject => {
                ("multicast object", "multicast objects", "cuMemRelease")
            }
            ObjectKind::Range => (
                "range of addresses",
                "ranges of addresses",
                "cuMemAddressFree",
            ),
            ObjectKind::Array => ("array", "arrays", "cuArrayDestroy"),
            ObjectKind::Mipmap => (
                "mipmapped array",
                "mipmapped arrays",
                "cuMipmappedArrayDestroy",
            ),
            ObjectKind::Stream => ("stream", "streams", "cuStreamDestroy"),
            ObjectKind::Event => ("event", "events", "cuEventDestroy"),
            ObjectKind::Module => ("module", "modules", "cuModuleUnload"),
            ObjectKind::Library => ("library", "libraries", "cuLibraryUnload"),
            ObjectKind::Link => ("link", "links", "cuLinkDestroy"),
            ObjectKind::Graph => ("graph", "graphs", "cuGraphDestroy"),
            ObjectKind::Exec => (
                "executable graph",
                "executable graphs",
                "cuGraphExecDestroy",
            ),
            ObjectKind::Texture => ("texture object", "texture objects", "cuTexObjectDestroy"),
            ObjectKind::Surface => ("surface object", "surface objects", "cuSurfObjectDestroy"),
            ObjectKind::Pool => ("memory pool", "memory pools", "cuMemPoolDestroy"),
            ObjectKind::UserObject => ("user object", "user objects", "cuUserObjectRelease"),
            ObjectKind::Context => ("context", "contexts", "cuCtxDestroy"),
            ObjectKind::PrimaryContext => (
                "hold on a primary context",
                "holds on a primary context",
                "cuDevicePrimaryCtxRelease",
            ),
        }
    }
}

/// An object that was not released.
#[derive(Debug, Clone)]
pub(crate) struct LiveObject {
    pub(crate) what: ObjectKind,
    /// Its size in bytes; 0 for an object without a size.
    pub(crate) bytes: u64,
    pub(crate) origin: Origin,
}

static ENTRIES: Mutex<BTreeMap<(ObjectKind, u64), LiveObject>> = Mutex::new(BTreeMap::new());

/// The objects that were freed by the end of their contexts.
static LEFT: Mutex<Vec<LiveObject>> = Mutex::new(Vec::new());

/// Whether there ever was an entry.
static USED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether the calling thread is ending a context.
    static ENDING: Cell<bool> = const { Cell::new(false) };
}

/// Adds an object, if the check is on. Two live objects of the same kind never have
/// the same number.
pub(crate) fn made(what: ObjectKind, number: u64, bytes: u64) {
    if !observe::checks().leak {
        return;
    }
    if let Some(origin) = origin::here() {
        USED.store(true, Ordering::Relaxed);
        let entry = LiveObject {
            what,
            bytes,
            origin,
        };
        ENTRIES.lock().insert((what, number), entry);
    }
}

/// Sets the size of an object.
pub(crate) fn weigh(what: ObjectKind, number: u64, bytes: u64) {
    if USED.load(Ordering::Relaxed)
        && let Some(entry) = ENTRIES.lock().get_mut(&(what, number))
    {
        entry.bytes = bytes;
    }
}

/// Removes an object.
pub(crate) fn gone(what: ObjectKind, number: u64) {
    if !USED.load(Ordering::Relaxed) {
        return;
    }
    let entry = ENTRIES.lock().remove(&(what, number));
    if ENDING.get() {
        LEFT.lock().extend(entry);
    }
}

/// Calls `end`, which ends a context. Objects that are removed during the call count as left over.
pub(crate) fn end_of_context<T>(end: impl FnOnce() -> T) -> T {
    let before = ENDING.replace(true);
    let done = end();
    ENDING.set(before);
    done
}

/// Returns all objects that were left over or still exist, by kind and in the order in which
/// they were made.
pub(crate) fn entries() -> Vec<LiveObject> {
    let mut all = LEFT.lock().clone();
    all.extend(ENTRIES.lock().values().cloned());
    all.sort_by_key(|entry| (entry.what, entry.origin.number()));
    all
}
