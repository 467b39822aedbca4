//! Physical memory that has no address until it is mapped, and may be mapped at several.
//!
//! CUDA's virtual memory management takes allocation apart: a reserved range of addresses, physical
//! memory, and the mapping of one to the other. Here physical memory is a file that has no name,
//! and mapping it is the host's own `mmap` over a part of the arena, so that two mappings of one
//! piece of memory show the same bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::MemoryError;
use super::pages::Pages;

/// Device memory without an address. It is the device's again when it is dropped.
#[derive(Debug)]
pub struct Physical {
    pages: Pages,
    /// Bytes in use of the device that it is of.
    used: Arc<AtomicU64>,
}

impl Physical {
    /// `size` zeroed bytes, already counted in `used`.
    pub(super) fn new(size: u64, used: Arc<AtomicU64>) -> Result<Self, MemoryError> {
        match Pages::new(size) {
            Ok(pages) => Ok(Self { pages, used }),
            Err(error) => {
                used.fetch_sub(size, Ordering::Relaxed);
                Err(error)
            }
        }
    }

    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        self.pages.size()
    }

    /// Shows it at `base`, in place of what was there.
    ///
    /// # Safety
    /// `self.size()` bytes at `base` are whole pages of the arena, taken from its space, that
    /// nothing live lies in.
    pub(super) unsafe fn map(&self, base: u64) -> Result<(), MemoryError> {
        // SAFETY: passed on.
        unsafe { self.pages.map(base) }
    }
}

impl Physical {
    /// Shows all of it somewhere on the host, for as long as the view lives.
    ///
    /// # Errors
    /// The operating system's error.
    pub fn view(&self) -> Result<View, MemoryError> {
        Ok(View {
            start: self.pages.show()?,
            size: self.size(),
        })
    }
}

/// Physical memory as the host sees it, at an address that no device knows.
#[derive(Debug)]
pub struct View {
    start: u64,
    size: u64,
}

impl View {
    /// The address of its first byte.
    pub fn start(&self) -> u64 {
        self.start
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: `Physical::view` mapped this many bytes there, for this object alone. A failure
        // leaves them mapped.
        let _ = unsafe { rustix::mm::munmap(self.start as *mut _, self.size as usize) };
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        self.used.fetch_sub(self.size(), Ordering::Relaxed);
    }
}
