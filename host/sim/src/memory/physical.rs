//! Physical memory that has no address until it is mapped, and may be mapped at several.
//!
//! CUDA's virtual memory management divides an allocation into three parts: a reserved range of
//! addresses, physical memory, and the mapping between the two. Here physical memory is an
//! anonymous file. To map it is the host's own `mmap` over a part of the arena, so two mappings of
//! the same memory show the same bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::MemoryError;
use crate::platform::{Host, Pages, Platform};

/// Device memory without an address. The device gets it back when it is dropped.
#[derive(Debug)]
pub struct Physical {
    pages: Pages,
    /// The count of bytes in use of its device.
    used: Arc<AtomicU64>,
}

impl Physical {
    /// Creates `size` zeroed bytes, which `used` already includes.
    pub(super) fn new(size: u64, used: Arc<AtomicU64>) -> Result<Self, MemoryError> {
        match Pages::new(size) {
            Ok(pages) => Ok(Self { pages, used }),
            Err(error) => {
                used.fetch_sub(size, Ordering::Relaxed);
                Err(MemoryError::refused(size)(error))
            }
        }
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.pages.size()
    }

    /// Maps the memory at `base`, in place of the old mapping.
    ///
    /// # Safety
    /// `self.size()` bytes at `base` must be whole pages of the arena that were taken from its
    /// address space and contain no live allocation.
    pub(super) unsafe fn map(&self, base: u64) -> Result<(), MemoryError> {
        // SAFETY: the caller guarantees the same for `Pages::map`.
        unsafe { self.pages.map(base) }.map_err(MemoryError::refused(self.size()))
    }
}

impl Physical {
    /// Maps all of it at a host address until the view is dropped.
    ///
    /// # Errors
    /// The operating system's error.
    pub fn view(&self) -> Result<View, MemoryError> {
        Ok(View {
            start: self
                .pages
                .show()
                .map_err(MemoryError::refused(self.size()))?,
            size: self.size(),
        })
    }
}

/// A mapping of physical memory on the host, at an address that is not part of any device's memory.
#[derive(Debug)]
pub struct View {
    start: u64,
    size: u64,
}

impl View {
    /// Returns the address of the first byte.
    pub fn start(&self) -> u64 {
        self.start
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: `Physical::view` mapped this many bytes there, for this object alone.
        unsafe { Host::unmap(self.start, self.size) };
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        self.used.fetch_sub(self.size(), Ordering::Relaxed);
    }
}
