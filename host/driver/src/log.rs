//! What the driver says on stderr, and the message of the last failing call.
//!
//! `LANEWISE_LOG` chooses: `off`, nothing; `faults` (the default), what ended a kernel, what a
//! check found, code that does not load and settings that cannot be met; `errors`, every failing
//! call; `calls`, every call. Anything else is refused by `cuInit`.

use crate::abi::CUresult;
use crate::error::Error;
use lanewise_variables::LOG;
use std::cell::RefCell;
use std::sync::OnceLock;

/// How much is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Off,
    Faults,
    Errors,
    Calls,
}

/// The level that `LANEWISE_LOG` asked for when it was first needed.
pub(crate) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| asked().unwrap_or(Level::Faults))
}

/// What the variable says, or that it says nothing that is known.
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

/// What the last failing call of this thread had to say.
pub fn last_message() -> Option<String> {
    LAST.try_with(|last| last.borrow().clone()).ok().flatten()
}

/// Says what did not fail and may still surprise.
pub(crate) fn warn(message: &str) {
    if level() >= Level::Faults {
        eprintln!("lanewise: warning: {message}");
    }
}

/// Keeps the message of a failed call, and prints it if it is to be printed.
pub(crate) fn failed(call: &str, error: &Error) {
    let message = format!("{call}: {}", error.message);
    let wanted = if error.loud {
        Level::Faults
    } else {
        Level::Errors
    };
    if level() >= wanted {
        eprintln!("lanewise: {:?}: {message}", error.code);
    }
    // Nobody asks a thread whose variables are destroyed.
    let _ = LAST.try_with(|last| last.replace(Some(message)));
}

/// Notes a call's outcome when every call is to be printed.
pub(crate) fn called(call: &str, code: CUresult) {
    if level() == Level::Calls {
        eprintln!("lanewise: {call} -> {code:?}");
    }
}

/// Shows what a check found in a kernel that ran to its end.
pub(crate) fn found(finding: &lanewise_sim::Finding) {
    if level() >= Level::Faults {
        eprintln!("lanewise: {finding}");
    }
}

/// Shows the steps of a launch's schedule.
pub(crate) fn steps(kernel: &str, steps: &[String]) {
    if !steps.is_empty() {
        eprintln!("lanewise: the schedule of `{kernel}`:");
    }
    for step in steps {
        eprintln!("  {step}");
    }
}

/// Says which variables of the environment are none of Lanewise's, once a process.
pub(crate) fn unknown_variables() {
    if level() >= Level::Faults {
        for unknown in lanewise_variables::unknown() {
            eprintln!("lanewise: {unknown}");
        }
    }
}
