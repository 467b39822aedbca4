//! The records of an event that several processes share.
//!
//! Each record has a number. The shared file contains the number of the latest record that was
//! submitted, the number of the latest that has happened, and the process that submitted last. A
//! process waits for another process's work by polling, at intervals that are as long as possible.

use crate::abi::CUresult;
use crate::error::{Error, Result};
use crate::platform::process::is_gone;
use crate::platform::shared::SharedMemory;
use lanewise_sim::SharedFile;
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

/// The name of the file.
pub(crate) const NAME: &str = "lanewise event";

/// The records of an event that processes share.
#[derive(Debug)]
pub(crate) struct Points(SharedMemory);

// SAFETY: all accesses to the numbers are atomic.
unsafe impl Send for Points {}
// SAFETY: as above.
unsafe impl Sync for Points {}

impl Points {
    /// Makes the records of an event that was not recorded yet.
    pub(crate) fn new() -> Result<Self> {
        SharedMemory::new(NAME, SIZE).map(Self).map_err(|error| {
            Error::new(
                CUresult::ERROR_OPERATING_SYSTEM,
                format_args!("an event to be shared cannot be made: {error}"),
            )
        })
    }

    /// Opens the records that are in a file.
    pub(crate) fn of(file: SharedFile) -> Result<Self> {
        SharedMemory::of(file, SIZE).map(Self).map_err(|error| {
            Error::new(
                CUresult::ERROR_INVALID_HANDLE,
                format_args!("the handle names no event: {error}"),
            )
        })
    }

    /// Returns the file's descriptor in this process, and its inode number.
    pub(crate) fn numbers(&self) -> (i32, u64) {
        self.0.numbers()
    }

    fn shared(&self) -> &Numbers {
        // SAFETY: the memory is as large and mapped until this is dropped, it begins with a page,
        // and any bits are valid numbers.
        unsafe { self.0.start().cast().as_ref() }
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
