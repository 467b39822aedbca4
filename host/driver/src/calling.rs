//! What the calling thread is in the middle of: a function that a stream runs on the host, or a call whose null stream is the
//! thread's own.

use crate::row::DefaultStream;
use std::cell::Cell;

thread_local! {
    /// Whether this thread is running a host function of a stream.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
    /// What the null stream means in the call that this thread is in.
    static DEFAULT_STREAM: Cell<DefaultStream> = const { Cell::new(DefaultStream::Legacy) };
}

/// Runs a stream's host function: the calls it makes are refused, as the driver API says.
pub(crate) fn in_callback(function: impl FnOnce()) {
    IN_CALLBACK.set(true);
    function();
    IN_CALLBACK.set(false);
}

/// Whether this thread is running a host function of a stream.
pub(crate) fn is_in_callback() -> bool {
    IN_CALLBACK.get()
}

/// Runs a call in which the null stream means `stream`.
pub(crate) fn with_default_stream<T>(stream: DefaultStream, call: impl FnOnce() -> T) -> T {
    let before = DEFAULT_STREAM.replace(stream);
    let outcome = call();
    DEFAULT_STREAM.set(before);
    outcome
}

/// What the null stream means in the call that this thread is in.
pub(crate) fn default_stream() -> DefaultStream {
    DEFAULT_STREAM.get()
}
