//! Keeps the recording of a graph and waits for a whole device apart in time.
//!
//! A driver refuses `cuCtxSynchronize` while any stream of the context is being captured, whoever captures it, and the capture is lost
//! with it. A program whose threads share a device can't know of each other's calls, so a wait begins when no recording is under way and
//! a recording when no wait is. Several of a kind go on at once.
//! Source: CUDA C++ Programming Guide, "Prohibited and Unhandled Operations" of stream capture; seen on an H200 (driver 580.159.04).

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

thread_local! {
    /// The gates at which this thread records, by their addresses: once for each recording.
    /// Without a destructor: what other variables of the thread hold may be dropped later, and asks.
    static RECORDING: RefCell<ManuallyDrop<Vec<usize>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// A device's: how many record on it, and how many wait for all of it.
#[derive(Debug, Default)]
pub(crate) struct RecordingGate {
    inside: Mutex<GateState>,
    left: Condvar,
}

/// At most one of the two is above 0.
#[derive(Debug, Default)]
struct GateState {
    recordings: usize,
    waits: usize,
}

/// A recording under way, of the thread that holds this.
#[derive(Debug)]
pub(crate) struct Recording<'a>(&'a RecordingGate);

/// A wait for the whole device under way.
#[derive(Debug)]
pub(crate) struct Waiting<'a>(&'a RecordingGate);

/// Whether this thread records, on whichever device.
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

    /// Lets a recording begin once nobody waits for the whole device. One inside another of the same thread begins at once.
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

    /// Lets a wait for the whole device begin once nobody records. `None` if this thread itself records: it would wait for ever, and
    /// what the driver answers would end the recordings of all threads.
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
