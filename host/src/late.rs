//! What is dropped in a function of the host, or in a recording. What has to be called for that
//! must not be called there, so a thread of this library's gives it back.
//!
//! CUDA's driver fails a call in such a function with `CUDA_ERROR_NOT_PERMITTED` or waits for
//! itself, and what was to be given back would be lost. The thread is there while it has something
//! to do.
//! Source: CUDA driver API, `cuLaunchHostFunc`.

use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    /// Whether this thread is the driver's, in a function of the program's.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function for the driver, into which nothing must unwind. A panic's hook has said what it
/// was.
pub(crate) fn to_its_end(function: impl FnOnce()) {
    let outside = INSIDE.replace(true);
    caught(function);
    INSIDE.set(outside);
}

fn caught(function: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
        // What was panicked with may panic itself when it is dropped.
        std::mem::forget(payload);
    }
}

/// Something to be dropped.
trait Thing: Send {}
impl<T: Send> Thing for T {}

/// What is to be dropped, in this order, and whether there is a thread for it.
struct Waiting {
    things: VecDeque<Box<dyn Thing>>,
    attended: bool,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    things: VecDeque::new(),
    attended: false,
});

fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Drops what gives something back to the driver: at once, or in a function of the host a little
/// later and in another thread.
pub(crate) fn end(thing: impl Send + 'static) {
    match INSIDE.get() {
        true => later(thing),
        false => drop(thing),
    }
}

/// The same of what waits for a whole device before it gives something back, which a thread that
/// `records` can't.
pub(crate) fn end_behind_recordings(records: bool, thing: impl Send + 'static) {
    match INSIDE.get() || records {
        true => later(thing),
        false => drop(thing),
    }
}

fn later(thing: impl Send + 'static) {
    let mut waiting = waiting();
    waiting.things.push_back(Box::new(thing));
    if !waiting.attended {
        let thread = std::thread::Builder::new().name("lanewise drops".to_owned());
        // Without a thread it waits for the next thing.
        waiting.attended = thread.spawn(attend).is_ok();
    }
}

/// Drops all that waits, and what comes meanwhile.
fn attend() {
    let next = || {
        let mut waiting = waiting();
        let next = waiting.things.pop_front();
        waiting.attended = next.is_some();
        next
    };
    while let Some(thing) = next() {
        // With a graph goes a function of the program's.
        caught(|| drop(thing));
    }
}
