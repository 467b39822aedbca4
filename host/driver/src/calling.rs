//! The state of the calling thread: the call that it makes, whether it runs a host function of a
//! stream, and what the null stream means in its call.

use crate::entry_point::row::DefaultStream;
use crate::quiescence;
use std::cell::Cell;
use std::panic::Location;
use std::thread::LocalKey;

thread_local! {
    /// The call that this thread is making, or made last.
    static CALL: Cell<&'static str> = const { Cell::new("") };
    /// Whether the thread is inside the call.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The line of the program that was set for the calls.
    static CALL_SITE: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
    /// Whether this thread is running a host function of a stream.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
    /// What the null stream means in the call that this thread is making.
    static DEFAULT_STREAM: Cell<DefaultStream> = const { Cell::new(DefaultStream::Legacy) };
}

/// Gives a variable of this thread its earlier value again when it is dropped, also by a panic.
#[must_use]
struct Restored<T: Copy + 'static> {
    variable: &'static LocalKey<Cell<T>>,
    before: T,
}

impl<T: Copy> Restored<T> {
    fn set(variable: &'static LocalKey<Cell<T>>, value: T) -> Self {
        let before = variable.replace(value);
        Self { variable, before }
    }
}

impl<T: Copy> Drop for Restored<T> {
    fn drop(&mut self) {
        self.variable.set(self.before);
    }
}

/// Sets the line of the program that reports name for the next allocations and launches
/// of this thread.
pub fn set_call_site(place: Option<&'static Location<'static>>) {
    CALL_SITE.set(place);
}

/// Returns the line that the calling thread has set.
pub(crate) fn call_site() -> Option<&'static Location<'static>> {
    CALL_SITE.get()
}

/// Runs a call of the driver.
pub(crate) fn inside<T>(call: &'static str, run: impl FnOnce() -> T) -> T {
    CALL.set(call);
    quiescence::calls();
    let _inside = Restored::set(&INSIDE, true);
    run()
}

/// Returns whether this thread is inside a call of the driver.
pub(crate) fn is_inside() -> bool {
    INSIDE.get()
}

/// Returns the call that this thread is making, or made last.
pub(crate) fn call() -> &'static str {
    CALL.get()
}

/// Runs a stream's host function. The driver calls that it makes are refused, as the
/// driver API requires.
// Reports look for it in the stack.
#[inline(never)]
pub(crate) fn in_callback(function: impl FnOnce()) {
    let _in_callback = Restored::set(&IN_CALLBACK, true);
    function();
}

/// Returns whether this thread is running a host function of a stream.
pub(crate) fn is_in_callback() -> bool {
    IN_CALLBACK.get()
}

/// Runs a call in which the null stream means `stream`.
pub(crate) fn with_default_stream<T>(stream: DefaultStream, call: impl FnOnce() -> T) -> T {
    let _means = Restored::set(&DEFAULT_STREAM, stream);
    call()
}

/// Returns what the null stream means in the call that this thread is making.
pub(crate) fn default_stream() -> DefaultStream {
    DEFAULT_STREAM.get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_panic_leaves_the_thread_as_it_was() {
        let everything = || {
            inside("cuLaunchHostFunc", || {
                with_default_stream(DefaultStream::PerThread, || {
                    in_callback(|| panic!("within"))
                })
            })
        };
        assert!(catch_unwind(AssertUnwindSafe(everything)).is_err());
        assert!(!is_inside());
        assert!(!is_in_callback());
        assert!(matches!(default_stream(), DefaultStream::Legacy));
    }
}
