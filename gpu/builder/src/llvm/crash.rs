//! LLVM's crashes as values.
//!
//! A signal can also end LLVM. Causes are a null pointer in a code generator that gets unexpected
//! input, and a full stack. The signal would end the whole process, which may be a build script,
//! without a message. The handler in this file recognises the threads that run LLVM. It stores the
//! signal where the thread's owner reads it, and lets the thread sleep forever, as for a fatal
//! error. What such a thread owns is leaked. Signals of all other threads go to the handlers that
//! were installed before.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The stage of a thread that runs LLVM, and the signal that ended it.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The signal's number, or 0 if there was none.
    signal: AtomicI32,
    /// The stage that it is in.
    stage: Mutex<&'static str>,
}

thread_local! {
    /// The state of this thread, if it runs LLVM. It has no destructor, so a signal handler
    /// may read it.
    static STATE: Cell<*const State> = const { Cell::new(ptr::null()) };
}

/// Runs `work` on this thread, which counts as a thread that runs LLVM from now on.
pub(super) fn watched<T>(state: &Arc<State>, work: impl FnOnce() -> T) -> T {
    STATE.set(Arc::as_ptr(state));
    let value = work();
    STATE.set(ptr::null());
    value
}

/// Stores the stage that this thread is in, for the message about a crash.
pub(crate) fn at_stage(stage: &'static str) {
    let state = STATE.get();
    if !state.is_null() {
        // SAFETY: `watched` borrows the state while the pointer is set.
        let state = unsafe { &*state };
        *state.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }
}

impl State {
    /// Returns the name of the signal that ended the thread, and the stage that the thread was in.
    pub(super) fn crash(&self) -> Option<(&'static str, &'static str)> {
        let name = match self.signal.load(Ordering::Acquire) {
            0 => return None,
            signal => signals::name(signal),
        };
        let stage = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        Some((name, stage))
    }
}

pub(super) use signals::install;

#[cfg(unix)]
mod signals {
    use std::ffi::c_int;
    use std::mem::zeroed;
    use std::sync::OnceLock;

    use super::{Ordering, STATE};

    /// The signals that a crash raises, and their names.
    const SIGNALS: [(c_int, &str); 6] = [
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGABRT, "SIGABRT"),
        (libc::SIGTRAP, "SIGTRAP"),
    ];

    /// The actions that were installed for these signals before.
    static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

    pub(super) fn name(signal: c_int) -> &'static str {
        let known = SIGNALS.iter().find(|(number, _)| *number == signal);
        known.map_or("a signal", |(_, name)| name)
    }

    /// Installs the handler, once per process.
    pub(in super::super) fn install() {
        BEFORE.get_or_init(|| {
            SIGNALS.map(|(signal, _)| {
                // SAFETY: all zeroes are a valid `sigaction`. The handler has the type that
                // `SA_SIGINFO` requires and does only what a handler may do. It runs on the
                // alternate stack that Rust gives each thread, so it also works when the
                // stack is full.
                unsafe {
                    let mut action: libc::sigaction = zeroed();
                    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                        on_signal;
                    action.sa_sigaction = handler as usize;
                    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                    let mut before: libc::sigaction = zeroed();
                    libc::sigaction(signal, &action, &mut before);
                    before
                }
            })
        });
    }

    extern "C" fn on_signal(signal: c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
        let state = STATE.get();
        if !state.is_null() {
            // SAFETY: `watched` borrows the state while the pointer is set, and this thread
            // never leaves it.
            unsafe { &*state }.signal.store(signal, Ordering::Release);
            loop {
                // SAFETY: the call only waits for a signal.
                unsafe { libc::pause() };
            }
        }
        // For any other thread, the earlier action is restored. The instruction runs again and
        // raises the signal for that action.
        let index = SIGNALS.iter().position(|(number, _)| *number == signal);
        if let (Some(before), Some(index)) = (BEFORE.get(), index) {
            // SAFETY: the action is one that the system returned.
            unsafe { libc::sigaction(signal, &before[index], std::ptr::null_mut()) };
        }
    }
}

#[cfg(not(unix))]
mod signals {
    pub(super) fn name(_: i32) -> &'static str {
        "an exception"
    }

    /// On other systems a crash ends the process.
    pub(in super::super) fn install() {}
}
