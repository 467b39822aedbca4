//! The driver's messages on stderr, and the message of the last failed call.
//!
//! `LANEWISE_LOG` selects what is printed. `off` prints nothing. `faults` (the default) prints what
//! ended a kernel, what a check found, code that does not load, and settings that cannot be met.
//! `errors` prints every failed call, and `calls` every call. `cuInit` refuses any other value.

use crate::abi::CUresult;
use crate::error::Error;
use crate::stderr;
use lanewise_variables::LOG;
use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// How much is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Off,
    Faults,
    Errors,
    Calls,
}

/// Returns the level that `LANEWISE_LOG` had when it was first needed.
pub(crate) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| asked().unwrap_or(Level::Faults))
}

/// Returns the level that the variable names, or an error if it has no known value.
pub(crate) fn asked() -> Result<Level, String> {
    match LOG.get().as_deref() {
        None | Some("faults") => Ok(Level::Faults),
        Some("off" | "0") => Ok(Level::Off),
        Some("errors") => Ok(Level::Errors),
        Some("calls") => Ok(Level::Calls),
        Some(other) => Err(other.to_owned()),
    }
}

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Returns the message of this thread's last failed call.
pub fn last_message() -> Option<String> {
    LAST.try_with(|last| last.borrow().clone()).ok().flatten()
}

/// Prints a warning about something that has not failed and may still surprise.
pub(crate) fn warn(message: &str) {
    if level() >= Level::Faults {
        stderr::print(format_args!("lanewise: warning: {message}"));
    }
}

/// Keeps the message of a failed call, and prints it if the level asks for it.
pub(crate) fn failed(call: &str, error: &Error) {
    let message = format!("{call}: {}", error.message);
    let wanted = if error.loud {
        Level::Faults
    } else {
        Level::Errors
    };
    if level() >= wanted {
        stderr::print(format_args!("lanewise: {:?}: {message}", error.code));
    }
    keep(message);
}

/// Keeps the message of a call that NVIDIA's driver has executed. Nothing is printed.
pub(crate) fn remember(call: &str, message: &str) {
    keep(format!("{call}: {message}"));
}

fn keep(message: String) {
    // No caller reads the message of a thread whose variables are destroyed.
    let _ = LAST.try_with(|last| last.replace(Some(message)));
}

/// Prints a call's outcome if the level is `calls`.
pub(crate) fn called(call: &str, code: CUresult) {
    if level() == Level::Calls {
        stderr::print(format_args!("lanewise: {call} -> {code:?}"));
    }
}

/// Prints what a check found in a kernel that ran to its end.
pub(crate) fn found(finding: &lanewise_sim::Finding) {
    if level() >= Level::Faults {
        stderr::print(format_args!("lanewise: {finding}"));
    }
}

/// Prints a note, once in a process.
pub(crate) fn noted(note: &lanewise_sim::Finding) {
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if level() < Level::Faults {
        return;
    }
    let text = note.to_string();
    if PRINTED.lock().insert(text.clone()) {
        stderr::print(format_args!("lanewise: {text}"));
    }
}

/// Prints the steps of a launch's schedule.
pub(crate) fn steps(kernel: &str, steps: &[String]) {
    if !steps.is_empty() {
        stderr::print(format_args!("lanewise: the schedule of `{kernel}`:"));
    }
    for step in steps {
        stderr::print(format_args!("  {step}"));
    }
}

/// Prints, once in a process, the variables of the environment that look like Lanewise's
/// and are unknown.
pub(crate) fn unknown_variables() {
    if level() >= Level::Faults {
        for unknown in lanewise_variables::unknown() {
            stderr::print(format_args!("lanewise: {unknown}"));
        }
    }
}
