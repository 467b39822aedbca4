//! Capture of the process's standard output, which is redirected to a file for a moment.
//!
//! The driver writes the output of kernels directly to file descriptor 1, so Rust's own means
//! cannot redirect it.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Runs `body`. Returns the text that any thread wrote to standard output meanwhile, and the
/// result of `body`.
///
/// # Errors
/// An error if the output cannot be redirected to a temporary file and back.
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

/// Standard output is redirected while this exists, also if `body` unwinds.
struct Redirected {
    original: OwnedFd,
}

impl Redirected {
    fn to(file: &File) -> io::Result<Self> {
        flush();
        // SAFETY: both calls take open descriptors, and nothing else owns the copy.
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
        // SAFETY: the copy of the original descriptor is open until this value is dropped.
        unsafe { libc::dup2(self.original.as_raw_fd(), libc::STDOUT_FILENO) };
    }
}

/// Flushes the output buffers of Rust and C. NVIDIA's driver prints through C's `stdout`.
pub fn flush() {
    let _ = io::stdout().flush();
    // SAFETY: a null stream means all streams.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}
