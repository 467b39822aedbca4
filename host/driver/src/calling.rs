//! What the calling thread is in the middle of: a call, a function that a stream runs on the host,
//! or a call whose null stream is the thread's own.

use crate::entry_point::row::DefaultStream;
use std::cell::Cell;
use std::panic::Location;

thread_local! {
    /// The call that this thread is in, or made last.
    static CALL: Cell<&'static str> = const { Cell::new("") };
    /// Whether it is in it.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The line of the program that has told it.
    static CALL_SITE: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
    /// Whether this thread is running a host function of a stream.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
    /// What the null stream means in the call that this thread is in.
    static DEFAULT_STREAM: Cell<DefaultStream> = const { Cell::new(DefaultStream::Legacy) };
}

/// Says which line of the program the next allocations and launches of this thread are for; reports
/// name it.
pub fn set_call_site(place: Option<&'static Location<'static>>) {
    CALL_SITE.set(place);
}

/// The line that the calling thread has told.
pub(crate) fn call_site() -> Option<&'static Location<'static>> {
    CALL_SITE.get()
}

/// Says that this thread makes a call of the driver.
pub(crate) fn begin(call: &'static str) {
    CALL.set(call);
    INSIDE.set(true);
}

/// Says that the call returns.
pub(crate) fn end() {
    INSIDE.set(false);
}

/// Whether this thread is in a call of the driver.
pub(crate) fn is_inside() -> bool {
    INSIDE.get()
}

/// The call that this thread is in, or made last.
pub(crate) fn call() -> &'static str {
    CALL.get()
}

/// Runs a stream's host function: the calls it makes are refused, as the driver API says.
// Reports look for it in the stack.
#[inline(never)]
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
