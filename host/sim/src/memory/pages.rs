//! Pages that can be shown at several addresses, and in several processes: a file that has no name.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags};

use super::{MemoryError, PAGE};

/// Bytes of a file in memory.
#[derive(Debug)]
pub(super) struct Pages {
    file: File,
    size: u64,
}

impl Pages {
    /// `size` zeroed bytes.
    pub(super) fn new(size: u64) -> Result<Self, MemoryError> {
        let file = memfd_create("lanewise device memory", MemfdFlags::CLOEXEC)
            .and_then(|file| ftruncate(&file, size).map(|()| file))
            .map_err(|error| refused(size, &error))?;
        Ok(Self {
            file: File::from(file),
            size,
        })
    }

    /// Those of a file that another process has made.
    pub(super) fn of(file: OwnedFd) -> Result<Self, MemoryError> {
        let file = File::from(file);
        let size = file.metadata().map_err(|error| refused(0, &error))?.len();
        Ok(Self { file, size })
    }

    /// How many bytes there are.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The file's number in this process, and its number among files.
    pub(super) fn numbers(&self) -> Result<(i32, u64), MemoryError> {
        let metadata = self.file.metadata();
        let metadata = metadata.map_err(|error| refused(self.size, &error))?;
        Ok((self.file.as_raw_fd(), metadata.ino()))
    }

    /// Copies what is at `base` into the file. Pages of zeros need no room.
    ///
    /// # Safety
    /// The whole of it can be read there.
    pub(super) unsafe fn fill(&self, base: u64) -> Result<(), MemoryError> {
        let mut page = [0; PAGE as usize];
        for at in (0..self.size).step_by(PAGE as usize) {
            // SAFETY: the caller's word; sizes are whole pages. The bytes may be written meanwhile
            // by a kernel that races: they are copied by pointer.
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

    /// Shows them at `base`, in place of what was there.
    ///
    /// # Safety
    /// `self.size()` bytes at `base` are whole pages of the arena, and what was there may go.
    pub(super) unsafe fn map(&self, base: u64) -> Result<(), MemoryError> {
        // SAFETY: the caller's word: only what may go is replaced.
        unsafe { self.shown(base, MapFlags::FIXED) }.map(|_| ())
    }

    /// Shows them somewhere: the first address, from which on somebody has to take them away.
    pub(super) fn show(&self) -> Result<u64, MemoryError> {
        // SAFETY: the host chooses addresses at which nothing is.
        unsafe { self.shown(0, MapFlags::empty()) }
    }

    /// # Safety
    /// With `FIXED`, what is at `base` may go.
    unsafe fn shown(&self, base: u64, place: MapFlags) -> Result<u64, MemoryError> {
        // SAFETY: the caller's word.
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
