//! The one place that writes to standard error.
//!
//! `eprintln!` panics if the stream cannot be written, for example if a pipe has no reader or a
//! disk is full. Here the panic would leave a C function, which aborts the program. So a message
//! that cannot be written is lost instead.

use std::fmt;

/// Text whose formatting succeeds, whether or not the stream takes it.
struct Written(String);

impl fmt::Display for Written {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `eprint!` reports the failure of the stream only if a value could not be formatted.
        let _ = out.write_str(&self.0);
        Ok(())
    }
}

/// Prints lines on standard error, in one piece. The lines are lost if it cannot be written.
///
/// A test's harness captures them, as it does with `eprintln!`.
#[expect(
    clippy::print_stderr,
    reason = "only `eprint!` writes to the captured output of a test"
)]
pub fn print(lines: fmt::Arguments<'_>) {
    eprint!("{}", Written(format!("{lines}\n")));
}
