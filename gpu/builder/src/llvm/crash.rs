//! LLVM's crashes as values.
//!
//! LLVM can also end by a signal: a null pointer in a code generator that met what it did not
//! expect, a stack that is full. That would end the process, a build script above all, without a
//! word. The handler here knows the threads that run LLVM: it notes the signal where the thread's
//! owner looks for it, and lets the thread sleep for good, as for a fatal error. What such a thread
//! holds is lost. Signals of all other threads go where they went before.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What a thread that runs LLVM is at, and what ended it.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The signal's number; 0 while there was none.
    signal: AtomicI32,
    /// The stage that it is in.
    stage: Mutex<&'static str>,
}

thread_local! {
    /// The state of this thread, if it runs LLVM. Without a destructor, so that a signal's handler
    /// may read it.
    static STATE: Cell<*const State> = const { Cell::new(ptr::null()) };
}

/// Runs `work` on this thread, which from now on counts as one that runs LLVM.
pub(super) fn watched<T>(state: &Arc<State>, work: impl FnOnce() -> T) -> T {
    STATE.set(Arc::as_ptr(state));
    let value = work();
    STATE.set(ptr::null());
    value
}

/// Notes the stage that this thread is in, for the message of a crash.
pub(crate) fn at_stage(stage: &'static str) {
    let state = STATE.get();
    if !state.is_null() {
        // SAFETY: `watched` borrows the state for as long as the pointer is set.
        let state = unsafe { &*state };
        *state.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }
}

impl State {
    /// The signal that ended the thread, by its name, and the stage that it was in.
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

    /// What a crash raises, by its names.
    const SIGNALS: [(c_int, &str); 6] = [
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGABRT, "SIGABRT"),
        (libc::SIGTRAP, "SIGTRAP"),
    ];

    /// What was installed for each of them before.
    static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

    pub(super) fn name(signal: c_int) -> &'static str {
        let known = SIGNALS.iter().find(|(number, _)| *number == signal);
        known.map_or("a signal", |(_, name)| name)
    }

    /// Installs the handler; once a process.
    pub(in super::super) fn install() {
        BEFORE.get_or_init(|| {
            SIGNALS.map(|(signal, _)| {
                // SAFETY: all zeroes are a `sigaction`; the handler has the type that `SA_SIGINFO`
                // asks for, does only what a handler may, and runs on the alternate stack that Rust
                // gives each thread, so that a full stack is no hindrance.
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
            // SAFETY: `watched` borrows the state for as long as the pointer is set, and this
            // thread never leaves it.
            unsafe { &*state }.signal.store(signal, Ordering::Release);
            loop {
                // SAFETY: it only waits for a signal.
                unsafe { libc::pause() };
            }
        }
        // Another thread's: the instruction runs again, and meets what was installed before us.
        let index = SIGNALS.iter().position(|(number, _)| *number == signal);
        if let (Some(before), Some(index)) = (BEFORE.get(), index) {
            // SAFETY: the action is one that the system gave.
            unsafe { libc::sigaction(signal, &before[index], std::ptr::null_mut()) };
        }
    }
}

#[cfg(not(unix))]
mod signals {
    pub(super) fn name(_: i32) -> &'static str {
        "an exception"
    }

    /// Elsewhere a crash ends the process, as it would without us.
    pub(in super::super) fn install() {}
}
