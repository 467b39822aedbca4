//! Pages that can be mapped at several addresses and in several processes: an anonymous file.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags};

use super::{MemoryError, PAGE};

/// The bytes of an anonymous file.
#[derive(Debug)]
pub(super) struct Pages {
    file: File,
    size: u64,
}

impl Pages {
    /// Creates a file of `size` zeroed bytes.
    pub(super) fn new(size: u64) -> Result<Self, MemoryError> {
        let file = memfd_create("lanewise device memory", MemfdFlags::CLOEXEC)
            .and_then(|file| ftruncate(&file, size).map(|()| file))
            .map_err(|error| refused(size, &error))?;
        Ok(Self {
            file: File::from(file),
            size,
        })
    }

    /// Returns the pages of a file that another process has created.
    pub(super) fn of(file: OwnedFd) -> Result<Self, MemoryError> {
        let file = File::from(file);
        let size = file.metadata().map_err(|error| refused(0, &error))?.len();
        Ok(Self { file, size })
    }

    /// Returns the size in bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the file descriptor in this process, and the inode number.
    pub(super) fn numbers(&self) -> Result<(i32, u64), MemoryError> {
        let metadata = self.file.metadata();
        let metadata = metadata.map_err(|error| refused(self.size, &error))?;
        Ok((self.file.as_raw_fd(), metadata.ino()))
    }

    /// Copies the bytes at `base` into the file. Pages of zeros take no space.
    ///
    /// # Safety
    /// `self.size()` bytes at `base` must be readable.
    pub(super) unsafe fn fill(&self, base: u64) -> Result<(), MemoryError> {
        let mut page = [0; PAGE as usize];
        for at in (0..self.size).step_by(PAGE as usize) {
            // SAFETY: the caller guarantees that the bytes are readable, and sizes are whole
            // pages. A kernel with a race may write the bytes at the same time, so they are
            // copied through pointers.
            unsafe {
                let from = (base + at) as *const u8;
                page.as_mut_ptr().copy_from_nonoverlapping(from, page.len());
            }
            if page.iter().any(|&byte| byte != 0) {
                let written = self.file.write_all_at(&page, at);
                written.map_err(|error| refused(self.size, &error))?;
            }
        }
        Ok(())
    }

    /// Maps the pages at `base`, in place of the old mapping.
    ///
    /// # Safety
    /// `self.size()` bytes at `base` must be whole pages of the arena whose contents are
    /// no longer needed.
    pub(super) unsafe fn map(&self, base: u64) -> Result<(), MemoryError> {
        // SAFETY: the caller guarantees that the mapping at `base` may be replaced.
        unsafe { self.shown(base, MapFlags::FIXED) }.map(|_| ())
    }

    /// Maps the pages at an address that the host chooses, and returns it. The caller
    /// must unmap them.
    pub(super) fn show(&self) -> Result<u64, MemoryError> {
        // SAFETY: the host chooses addresses that are not mapped.
        unsafe { self.shown(0, MapFlags::empty()) }
    }

    /// # Safety
    /// With `FIXED`, the mapping at `base` may be replaced.
    unsafe fn shown(&self, base: u64, place: MapFlags) -> Result<u64, MemoryError> {
        // SAFETY: the caller guarantees that the mapping at `base` may be replaced.
        let mapped = unsafe {
            rustix::mm::mmap(
                base as *mut _,
                self.size as usize,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED | place,
                &self.file,
                0,
            )
        };
        mapped
            .map(|start| start.expose_provenance() as u64)
            .map_err(|error| refused(self.size, &error))
    }
}

fn refused(size: u64, error: &dyn std::error::Error) -> MemoryError {
    MemoryError::Reserve {
        size,
        reason: error.to_string(),
    }
}
