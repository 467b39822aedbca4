//! What a process that runs LLVM tells the one that waits for it: one [`Message`] per line of its
//! standard output.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

/// A line of a process's answer.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message<T> {
    /// The library cannot be opened, for this reason.
    NoLibrary(String),
    /// The kernels of the module: name and place.
    Kernels(Vec<(String, String)>),
    /// The stage that begins now.
    Stage(String),
    /// The error that LLVM does not return from.
    Fatal(Fatal),
    /// The result. It is the last message.
    Done(T),
}

/// An error that LLVM does not return from.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Fatal {
    /// LLVM's message about the error.
    pub(crate) reason: String,
    /// The intrinsic that could not be compiled and the place of a call of it, if this
    /// was the cause.
    pub(crate) intrinsic: Option<(String, String)>,
}

/// Adds a message to this process's answer.
pub(crate) fn say<T: Serialize>(message: &Message<T>) {
    if let Ok(mut line) = serde_json::to_string(message) {
        line.push('\n');
        let mut output = io::stdout().lock();
        // If nobody reads the answer, the process ends soon.
        let _ = output
            .write_all(line.as_bytes())
            .and_then(|()| output.flush());
    }
}

/// Says which stage begins, for the message about a crash.
pub(crate) fn at_stage(stage: &str) {
    say::<()>(&Message::Stage(stage.to_owned()));
}

/// Says which kernels the module has, with their places, for the message about a crash.
pub(crate) fn has_kernels(kernels: impl Iterator<Item = (String, String)>) {
    say::<()>(&Message::Kernels(kernels.collect()));
}

/// Answers with an error that LLVM does not return from, and ends the process.
pub(super) fn fail(fatal: Fatal) -> ! {
    say::<()>(&Message::Fatal(fatal));
    end(0)
}

/// Ends the process at once. Destructors of LLVM's globals would run beside the thread that
/// uses them.
pub(crate) fn end(code: i32) -> ! {
    #[cfg(unix)]
    // SAFETY: the function only ends the process.
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(unix))]
    std::process::exit(code)
}
