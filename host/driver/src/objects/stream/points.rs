//! What an event has recorded, as several processes see it.
//!
//! Each record has a number; the file that they share holds the latest that was submitted, the
//! latest that has happened, and who submitted it. Waiting for another process' work is asking
//! again and again, as rarely as does no harm.

use crate::abi::CUresult;
use crate::error::{Error, Result};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::MetadataExt;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// What is in the file.
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

// SAFETY: all that is done with the numbers is atomic.
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
    /// Those of an event that was recorded nowhere.
    pub(crate) fn new() -> Result<Self> {
        // SAFETY: the name ends with a zero.
        let file = unsafe { libc::memfd_create(c"lanewise event".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(failed("an event to be shared cannot be made"));
        }
        // SAFETY: a new file, which nobody else has.
        let file = unsafe { File::from_raw_fd(file) };
        file.set_len(SIZE as u64)
            .map_err(|error| Error::new(CUresult::ERROR_OPERATING_SYSTEM, error))?;
        Self::of(file)
    }

    /// Those that are in a file.
    pub(crate) fn of(file: File) -> Result<Self> {
        let long = file.metadata().is_ok_and(|file| file.len() >= SIZE as u64);
        if !long {
            return Err(Error::new(
                CUresult::ERROR_INVALID_HANDLE,
                "the handle names no event",
            ));
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of this many bytes, which the file has.
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

    /// The file's number in this process, and its number among all files.
    pub(crate) fn numbers(&self) -> (i32, u64) {
        let inode = self.file.metadata().map_or(0, |file| file.ino());
        (self.file.as_raw_fd(), inode)
    }

    fn shared(&self) -> &Numbers {
        // SAFETY: mapped until this is dropped; any bits are valid numbers.
        unsafe { self.numbers.as_ref() }
    }

    /// Submits a record: its number.
    pub(crate) fn submit(&self) -> u64 {
        let numbers = self.shared();
        numbers.process.store(std::process::id(), Ordering::Relaxed);
        numbers.submitted.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// It has happened.
    pub(crate) fn happen(&self, number: u64) {
        self.shared().happened.fetch_max(number, Ordering::AcqRel);
    }

    /// The latest record.
    pub(crate) fn latest(&self) -> u64 {
        self.shared().submitted.load(Ordering::Acquire)
    }

    /// Whether that record has happened, or never will: its process is gone, and its work with it.
    pub(crate) fn has_happened(&self, number: u64) -> bool {
        let numbers = self.shared();
        numbers.happened.load(Ordering::Acquire) >= number
            || is_gone(numbers.process.load(Ordering::Relaxed))
    }

    /// Waits for it.
    pub(crate) fn wait(&self, number: u64) {
        let mut pause = Duration::from_micros(20);
        while !self.has_happened(number) {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(2));
        }
    }
}

/// Whether a process has ended, with somebody who has yet to hear of it or not.
fn is_gone(process: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        // The state stands behind the name, which is in brackets and may have any character.
        Ok(stat) => stat
            .rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.starts_with(['Z', 'X'])),
        Err(_) => true,
    }
}

impl Drop for Points {
    fn drop(&mut self) {
        // SAFETY: mapped by this value, and not used any more.
        let _ = unsafe { libc::munmap(self.numbers.as_ptr().cast(), SIZE) };
    }
}
