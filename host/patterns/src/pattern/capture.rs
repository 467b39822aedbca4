//! The process's standard output, for a moment led into a file.
//!
//! What kernels print is written by the driver to file descriptor 1, past everything that Rust
//! could redirect.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Runs `body` and returns what was written to standard output meanwhile, by any thread, and what
/// `body` returned.
///
/// # Errors
/// When the output cannot be led into a temporary file and back.
pub fn stdout_of<T>(body: impl FnOnce() -> T) -> io::Result<(String, T)> {
    let mut file = tempfile::tempfile()?;
    let redirected = Redirected::to(&file)?;
    let answer = body();
    drop(redirected);
    let mut text = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    Ok((String::from_utf8_lossy(&text).into_owned(), answer))
}

/// Standard output goes elsewhere while this lives, also when `body` unwinds.
struct Redirected {
    original: OwnedFd,
}

impl Redirected {
    fn to(file: &File) -> io::Result<Self> {
        flush();
        // SAFETY: both calls take descriptors that are open; the copy belongs to nobody else.
        unsafe {
            let original = libc::dup(libc::STDOUT_FILENO);
            if original < 0 {
                return Err(io::Error::last_os_error());
            }
            let original = OwnedFd::from_raw_fd(original);
            if libc::dup2(file.as_raw_fd(), libc::STDOUT_FILENO) < 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(Self { original })
        }
    }
}

impl Drop for Redirected {
    fn drop(&mut self) {
        flush();
        // SAFETY: the copy of the original is open until this value is gone.
        unsafe { libc::dup2(self.original.as_raw_fd(), libc::STDOUT_FILENO) };
    }
}

/// Writes out what Rust and C keep back: NVIDIA's driver prints through C's `stdout`.
pub fn flush() {
    let _ = io::stdout().flush();
    // SAFETY: a null stream means all of them.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}
