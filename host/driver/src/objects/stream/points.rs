//! The records of an event that several processes share.
//!
//! Each record has a number. The shared file contains the number of the latest record that was
//! submitted, the number of the latest that has happened, and the process that submitted last. A
//! process waits for another process's work by polling, at intervals that are as long as possible.

use crate::abi::CUresult;
use crate::error::{Error, Result};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::MetadataExt;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The content of the file.
#[repr(C)]
struct Numbers {
    submitted: AtomicU64,
    happened: AtomicU64,
    /// The process that submitted last.
    process: AtomicU32,
}

const SIZE: usize = size_of::<Numbers>();

/// The records of an event that processes share.
#[derive(Debug)]
pub(crate) struct Points {
    file: File,
    numbers: NonNull<Numbers>,
}

// SAFETY: all accesses to the numbers are atomic.
unsafe impl Send for Points {}
// SAFETY: as above.
unsafe impl Sync for Points {}

fn failed(what: &str) -> Error {
    let error = std::io::Error::last_os_error();
    Error::new(
        CUresult::ERROR_OPERATING_SYSTEM,
        format_args!("{what}: {error}"),
    )
}

impl Points {
    /// Makes the records of an event that was not recorded yet.
    pub(crate) fn new() -> Result<Self> {
        // SAFETY: the name ends with a zero byte.
        let file = unsafe { libc::memfd_create(c"lanewise event".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(failed("an event to be shared cannot be made"));
        }
        // SAFETY: the file is new, and nothing else owns its descriptor.
        let file = unsafe { File::from_raw_fd(file) };
        file.set_len(SIZE as u64)
            .map_err(|error| Error::new(CUresult::ERROR_OPERATING_SYSTEM, error))?;
        Self::of(file)
    }

    /// Opens the records that are in a file.
    pub(crate) fn of(file: File) -> Result<Self> {
        let long = file.metadata().is_ok_and(|file| file.len() >= SIZE as u64);
        if !long {
            return Err(Error::new(
                CUresult::ERROR_INVALID_HANDLE,
                "the handle names no event",
            ));
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: this is a new mapping, and the file has this many bytes.
        let at = unsafe {
            libc::mmap(
                null_mut(),
                SIZE,
                access,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        match NonNull::new(at.cast()) {
            Some(numbers) if at != libc::MAP_FAILED => Ok(Self { file, numbers }),
            _ => Err(failed("an event that is shared cannot be mapped")),
        }
    }

    /// Returns the file's descriptor in this process, and its inode number.
    pub(crate) fn numbers(&self) -> (i32, u64) {
        let inode = self.file.metadata().map_or(0, |file| file.ino());
        (self.file.as_raw_fd(), inode)
    }

    fn shared(&self) -> &Numbers {
        // SAFETY: the memory is mapped until this is dropped, and any bits are valid numbers.
        unsafe { self.numbers.as_ref() }
    }

    /// Submits a record and returns its number.
    pub(crate) fn submit(&self) -> u64 {
        let numbers = self.shared();
        numbers.process.store(std::process::id(), Ordering::Relaxed);
        numbers.submitted.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Notes that the record has happened.
    pub(crate) fn happen(&self, number: u64) {
        self.shared().happened.fetch_max(number, Ordering::AcqRel);
    }

    /// Returns the number of the latest record.
    pub(crate) fn latest(&self) -> u64 {
        self.shared().submitted.load(Ordering::Acquire)
    }

    /// Returns whether that record has happened, or never will because its process and its
    /// work have ended.
    pub(crate) fn has_happened(&self, number: u64) -> bool {
        let numbers = self.shared();
        numbers.happened.load(Ordering::Acquire) >= number
            || is_gone(numbers.process.load(Ordering::Relaxed))
    }

    /// Waits until that record has happened.
    pub(crate) fn wait(&self, number: u64) {
        let mut pause = Duration::from_micros(20);
        while !self.has_happened(number) {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(2));
        }
    }
}

/// Returns whether a process has ended. A process whose parent has not waited for it
/// counts as ended.
fn is_gone(process: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        // The state follows the name, which is in brackets and may contain any character.
        Ok(stat) => stat
            .rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.starts_with(['Z', 'X'])),
        Err(_) => true,
    }
}

impl Drop for Points {
    fn drop(&mut self) {
        // SAFETY: the memory was mapped by this value and is not used any more.
        let _ = unsafe { libc::munmap(self.numbers.as_ptr().cast(), SIZE) };
    }
}
