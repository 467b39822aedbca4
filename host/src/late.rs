//! Deferred drops: values that give something back to the driver, dropped where the driver must
//! not be called.
//!
//! In a host function that a stream runs, CUDA's driver fails a call with
//! `CUDA_ERROR_NOT_PERMITTED`, or waits for itself; in a recording, a wait for the device ends the
//! recording. What a value there would give back would be lost. So a thread of this library drops
//! it a little later. The thread exists only while it has something to do.
//! Source: CUDA driver API, `cuLaunchHostFunc`.

use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    /// Whether this is a thread of the driver's that runs a function of the program's.
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Runs a host function for the driver. A panic ends here: the driver must not be unwound into, and
/// the panic hook has printed the message.
pub(crate) fn run_host_function(function: impl FnOnce()) {
    let outer = IN_HOST_FUNCTION.replace(true);
    without_unwinding(function);
    IN_HOST_FUNCTION.set(outer);
}

fn without_unwinding(function: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
        // The payload's own destructor may panic.
        std::mem::forget(payload);
    }
}

/// Any value that another thread can drop.
trait Droppable: Send {}
impl<T: Send> Droppable for T {}

/// The values to drop, first come first, and whether a thread is at it.
struct Deferred {
    values: VecDeque<Box<dyn Droppable>>,
    has_thread: bool,
}

static DEFERRED: Mutex<Deferred> = Mutex::new(Deferred {
    values: VecDeque::new(),
    has_thread: false,
});

fn deferred() -> MutexGuard<'static, Deferred> {
    DEFERRED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Drops a value whose destructor calls the driver: now, or from another thread if this one runs
/// a host function.
pub(crate) fn end(value: impl Send + 'static) {
    match IN_HOST_FUNCTION.get() {
        true => defer(value),
        false => drop(value),
    }
}

/// As [`end`], for a value whose destructor waits for the whole device: it is deferred in a thread
/// that `records` a graph, too.
pub(crate) fn end_behind_recordings(records: bool, value: impl Send + 'static) {
    match IN_HOST_FUNCTION.get() || records {
        true => defer(value),
        false => drop(value),
    }
}

fn defer(value: impl Send + 'static) {
    let mut deferred = deferred();
    deferred.values.push_back(Box::new(value));
    if !deferred.has_thread {
        let thread = std::thread::Builder::new().name("lanewise drops".to_owned());
        // If no thread can be made, the value waits until the next one is deferred.
        deferred.has_thread = thread.spawn(drop_deferred).is_ok();
    }
}

/// Drops all deferred values, and those that come meanwhile.
fn drop_deferred() {
    let next = || {
        let mut deferred = deferred();
        let next = deferred.values.pop_front();
        deferred.has_thread = next.is_some();
        next
    };
    while let Some(value) = next() {
        // A graph holds closures of the program's, whose destructors may panic.
        without_unwinding(|| drop(value));
    }
}
