//! The description of an entry point, and the table of all entry points.
//!
//! The table is made in `api`, where the calls are named. That module is above all modules that
//! execute calls. Lower modules need the table to choose the driver or to find a call by its name.
//! They get it from [`know`] at the first call.

pub(crate) mod lookup;
pub(crate) mod row;

use row::Columns;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The description of one entry point.
#[derive(Debug, Clone, Copy)]
pub struct EntryPoint {
    /// The exported symbol, such as `cuMemAlloc_v2`.
    pub symbol: &'static str,
    /// The section of the driver API reference.
    pub section: &'static str,
    /// The CUDA version that introduced it: 1000 times the major plus 10 times the minor number.
    pub since: u32,
    /// Whether the simulator executes it; otherwise it returns `CUDA_ERROR_NOT_SUPPORTED`.
    pub simulated: bool,
    /// The variant of the call whose default stream is the thread's own.
    pub per_thread: Option<PerThread>,
    pub(crate) columns: Columns,
    /// The exported function.
    pub(crate) address: fn() -> *const (),
}

/// The variant of an entry point whose default stream is the calling thread's own.
#[derive(Debug, Clone, Copy)]
pub struct PerThread {
    /// The exported symbol, such as `cuLaunchKernel_ptsz`.
    pub symbol: &'static str,
    /// The CUDA version that introduced it.
    pub since: u32,
    /// The exported function.
    pub(crate) address: fn() -> *const (),
}

/// The place where the real driver's function of a symbol is stored.
pub(crate) struct Slot {
    pub(crate) symbol: &'static str,
    /// Null while the simulator executes the calls or a trace is made.
    pub(crate) real: &'static AtomicPtr<()>,
    /// Null unless a trace is made.
    pub(crate) traced: &'static AtomicPtr<()>,
    /// Returns the function for a driver that lacks the symbol.
    pub(crate) stand_in: fn() -> *mut (),
}

impl EntryPoint {
    /// Returns the name that `cuda.h` gives the newest version of this call:
    /// `cuMemAlloc_v2` without `_v2`.
    pub fn name(&self) -> &'static str {
        match self.symbol.rsplit_once("_v") {
            Some((name, version)) if version.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => self.symbol,
        }
    }

    /// Returns the CUDA version from which `name` means this call; `None` if it never does.
    pub(crate) fn means(&self, name: &str) -> Option<u32> {
        match self.columns.also_called {
            Some((other, since)) if other == name => Some(since),
            _ => (self.name() == name || self.symbol == name).then_some(self.since),
        }
    }
}

/// All entry points, and the slots for the real driver's functions.
pub(crate) struct Table {
    pub(crate) entry_points: &'static [EntryPoint],
    /// For each entry point, in the same order: its own slot, and that of its per-thread variant.
    pub(crate) slots: &'static [[Option<Slot>; 2]],
}

static TABLE: OnceLock<&'static Table> = OnceLock::new();

/// Makes the table available to the modules below `api`.
pub(crate) fn know(table: &'static Table) {
    TABLE.get_or_init(|| table);
}

/// Returns every entry point; none before the first call.
pub(crate) fn all() -> &'static [EntryPoint] {
    TABLE.get().map_or(&[], |table| table.entry_points)
}

fn slots() -> impl Iterator<Item = &'static Slot> {
    let slots = TABLE.get().map_or(&[][..], |table| table.slots);
    slots.iter().flatten().flatten()
}

/// Sends every call to the real driver from now on. `find` looks a symbol up in that driver. With
/// `traced`, calls go through the trace.
pub(crate) fn pass_through(find: &dyn Fn(&'static str) -> Option<*mut ()>, traced: bool) {
    for slot in slots() {
        let place = if traced { slot.traced } else { slot.real };
        let function = find(slot.symbol).unwrap_or_else(slot.stand_in);
        place.store(function, Ordering::Release);
    }
}

/// Returns the real driver's function of a symbol, or its stand-in; `None` while the simulator
/// executes the calls.
pub(crate) fn real(symbol: &str) -> Option<*mut ()> {
    let slot = slots().find(|slot| slot.symbol == symbol)?;
    let stored = [slot.real, slot.traced].map(|place| place.load(Ordering::Acquire));
    stored.into_iter().find(|function| !function.is_null())
}
