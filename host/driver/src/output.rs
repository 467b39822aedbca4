//! The output of kernels. It goes to the process's standard output, or to a function that a test or
//! a tool sets.

use parking_lot::RwLock;
use std::io::Write;

/// A function that gets the output of kernels, one call for each `printf` of a thread.
pub type Sink = Box<dyn Fn(&[u8]) + Send + Sync>;

static SINK: RwLock<Option<Sink>> = RwLock::new(None);

/// Sends the output of kernels to `sink` from now on, or to standard output again with `None`.
/// Returns the earlier sink.
///
/// This works on the simulator only: a GPU's driver writes to standard output itself.
pub fn set_output(sink: Option<Sink>) -> Option<Sink> {
    std::mem::replace(&mut *SINK.write(), sink)
}

/// Writes what a kernel printed.
pub(crate) fn write(text: &[u8]) {
    match &*SINK.read() {
        Some(sink) => sink(text),
        // A closed standard output is no reason to end a kernel.
        None => drop(std::io::stdout().lock().write_all(text)),
    }
}

/// Flushes what was printed so far, as the driver does when a kernel has ended.
pub(crate) fn flush() {
    if SINK.read().is_none() {
        drop(std::io::stdout().lock().flush());
    }
}
