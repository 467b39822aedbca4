//! Linux and macOS: `mmap`, files without a name, and the monotonic clock. What differs between
//! them is in `linux` and `macos`.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "macos.rs"]
mod system;

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous};

use super::{Host, PAGE, Platform};

pub use std::os::fd::OwnedFd as SharedFile;

impl Platform for Host {
    const LEAST: u64 = 1 << 30;

    fn reserve(at: Option<u64>, size: u64) -> io::Result<u64> {
        let place = match at {
            Some(_) => system::EXACTLY,
            None => MapFlags::empty(),
        };
        let flags = MapFlags::PRIVATE | system::WITHOUT_SWAP | place;
        let wanted = at.unwrap_or(0);
        // SAFETY: this is a new anonymous mapping, and `EXACTLY` does not replace an existing one.
        let start =
            unsafe { mmap_anonymous(wanted as *mut _, size as usize, ProtFlags::empty(), flags)? }
                as u64;
        if at.is_some_and(|at| at != start) {
            // Linux before 4.17, and macOS, take the address as a hint only.
            // SAFETY: this is the mapping from above, which nothing else uses yet.
            unsafe { Self::unmap(start, size) };
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(start)
    }

    unsafe fn unmap(start: u64, size: u64) {
        // SAFETY: the caller guarantees that nothing uses the range. If the call fails, the pages
        // stay mapped.
        let _ = unsafe { rustix::mm::munmap(start as *mut _, size as usize) };
    }

    unsafe fn prefer_large_pages(start: u64, size: u64) {
        // SAFETY: passed on to the caller.
        unsafe { system::prefer_large_pages(start as *mut _, size as usize) };
    }

    unsafe fn open(start: u64, size: u64) -> io::Result<()> {
        let access = MprotectFlags::READ | MprotectFlags::WRITE;
        // SAFETY: the range is reserved. Opening it removes no access.
        Ok(unsafe { rustix::mm::mprotect(start as *mut _, size as usize, access) }?)
    }

    unsafe fn discard(start: u64, size: u64) -> bool {
        // SAFETY: passed on to the caller.
        unsafe { system::discard(start as *mut _, size as usize) }
    }

    unsafe fn renew(start: u64, size: u64) -> io::Result<()> {
        let flags = MapFlags::PRIVATE | system::WITHOUT_SWAP | MapFlags::FIXED;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the caller guarantees that the mapping may be replaced.
        unsafe { mmap_anonymous(start as *mut _, size as usize, access, flags) }?;
        Ok(())
    }

    fn is_mapped(address: u64) -> bool {
        system::is_mapped(address)
    }

    fn now() -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }

    fn pause(time: Duration) {
        thread::sleep(time);
    }
}

/// The bytes of an anonymous file.
#[derive(Debug)]
pub(crate) struct Pages {
    file: File,
    size: u64,
}

impl Pages {
    /// Creates a file of `size` zeroed bytes.
    pub(crate) fn new(size: u64) -> io::Result<Self> {
        let file = system::file_without_name()?;
        file.set_len(size)?;
        Ok(Self { file, size })
    }

    /// Returns the pages of a file that another process has created.
    pub(crate) fn of(file: SharedFile) -> io::Result<Self> {
        let file = File::from(file);
        let size = file.metadata()?.len();
        Ok(Self { file, size })
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the file descriptor in this process, and the inode number.
    pub(crate) fn numbers(&self) -> io::Result<(i32, u64)> {
        Ok((self.file.as_raw_fd(), self.file.metadata()?.ino()))
    }

    /// Copies the bytes at `base` into the file. Pages of zeros take no space.
    ///
    /// # Safety
    /// `self.size()` bytes at `base` must be readable.
    pub(crate) unsafe fn fill(&self, base: u64) -> io::Result<()> {
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
                self.file.write_all_at(&page, at)?;
            }
        }
        Ok(())
    }

    /// Maps the pages at `base`, in place of the old mapping.
    ///
    /// # Safety
    /// `self.size()` bytes at `base` must be whole pages whose contents are no longer needed.
    pub(crate) unsafe fn map(&self, base: u64) -> io::Result<()> {
        // SAFETY: the caller guarantees that the mapping at `base` may be replaced.
        unsafe { self.shown(base, MapFlags::FIXED) }.map(|_| ())
    }

    /// Maps the pages at an address that the host chooses, and returns it. The caller
    /// must unmap them.
    pub(crate) fn show(&self) -> io::Result<u64> {
        // SAFETY: the host chooses addresses that are not mapped.
        unsafe { self.shown(0, MapFlags::empty()) }
    }

    /// # Safety
    /// With `FIXED`, the mapping at `base` may be replaced.
    unsafe fn shown(&self, base: u64, place: MapFlags) -> io::Result<u64> {
        // SAFETY: the caller guarantees that the mapping at `base` may be replaced.
        let mapped = unsafe {
            mmap(
                base as *mut _,
                self.size as usize,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED | place,
                &self.file,
                0,
            )
        };
        Ok(mapped?.expose_provenance() as u64)
    }
}
