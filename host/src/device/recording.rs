//! A gate that keeps recordings of graphs and waits for the whole device from overlapping.
//!
//! The driver refuses `cuCtxSynchronize` while any thread captures a stream of the context, and
//! that also ends the capture. Threads that share a device don't know of each other's calls. So a
//! wait for the device begins only when no recording is under way, and a recording only when no
//! such wait is. Several recordings, or several waits, may overlap.
//! Source: CUDA C++ Programming Guide, "Prohibited and Unhandled Operations" of stream capture;
//! seen on an H200 (driver 580.159.04).

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

thread_local! {
    /// The gates through which this thread records, by address, once for each recording. It
    /// has no destructor: other variables of the thread may be dropped after it, and their
    /// values ask [`is_recording`].
    static RECORDING: RefCell<ManuallyDrop<Vec<usize>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// The gate of one device.
#[derive(Debug, Default)]
pub(crate) struct RecordingGate {
    inside: Mutex<GateState>,
    left: Condvar,
}

/// How many recordings and waits are under way. One of the two is always 0.
#[derive(Debug, Default)]
struct GateState {
    recordings: usize,
    waits: usize,
}

/// A recording under way. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Recording<'a>(&'a RecordingGate);

/// A wait for the whole device under way. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Waiting<'a>(&'a RecordingGate);

/// Whether this thread records, on any device.
pub(crate) fn is_recording() -> bool {
    RECORDING.with_borrow(|gates| !gates.is_empty())
}

impl RecordingGate {
    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Waits until no wait for the device is under way, and begins a recording. Inside of another
    /// recording of the same thread it begins at once.
    pub(crate) fn record(&self) -> Recording<'_> {
        let mut inside = self.lock();
        while inside.waits > 0 {
            inside = self
                .left
                .wait(inside)
                .unwrap_or_else(PoisonError::into_inner);
        }
        inside.recordings += 1;
        RECORDING.with_borrow_mut(|gates| gates.push(self.key()));
        Recording(self)
    }

    /// Waits until no recording is under way, and begins a wait for the device. `None` if this
    /// thread itself records: it would wait for ever, and the driver's refusal would end the
    /// recordings of all threads.
    pub(crate) fn wait(&self) -> Option<Waiting<'_>> {
        if RECORDING.with_borrow(|gates| gates.contains(&self.key())) {
            return None;
        }
        let mut inside = self.lock();
        while inside.recordings > 0 {
            inside = self
                .left
                .wait(inside)
                .unwrap_or_else(PoisonError::into_inner);
        }
        inside.waits += 1;
        Some(Waiting(self))
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        RECORDING.with_borrow_mut(|gates| {
            if let Some(at) = gates.iter().position(|gate| *gate == self.0.key()) {
                gates.swap_remove(at);
            }
            if gates.is_empty() {
                **gates = Vec::new(); // gives its memory back
            }
        });
        self.0.lock().recordings -= 1;
        self.0.left.notify_all();
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.lock().waits -= 1;
        self.0.left.notify_all();
    }
}
