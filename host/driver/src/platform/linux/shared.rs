//! Memory that processes share: files without a path, which others open through `/proc`.

use super::super::NotOpened;
use lanewise_sim::SharedFile;
use std::ffi::{CString, c_void};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::ptr::{NonNull, null_mut};

/// The bytes of such a file, as long as this lives.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    file: File,
    start: NonNull<c_void>,
    size: usize,
}

impl SharedMemory {
    /// Makes a file of zeros. Processes of this user see its name.
    pub(crate) fn new(name: &str, size: usize) -> io::Result<Self> {
        let name = CString::new(name)?;
        // SAFETY: the name ends with a zero byte.
        let file = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the file is new, and nothing else owns its descriptor.
        let file = unsafe { File::from_raw_fd(file) };
        file.set_len(size as u64)?;
        Self::map(file, size)
    }

    /// Maps a file of another process.
    pub(crate) fn of(file: SharedFile, size: usize) -> io::Result<Self> {
        let file = File::from(file);
        match file.metadata()?.len() >= size as u64 {
            true => Self::map(file, size),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn map(file: File, size: usize) -> io::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let descriptor = file.as_raw_fd();
        // SAFETY: this is a new mapping, and the file has this many bytes.
        let start =
            unsafe { libc::mmap(null_mut(), size, access, libc::MAP_SHARED, descriptor, 0) };
        match NonNull::new(start) {
            Some(start) if start.as_ptr() != libc::MAP_FAILED => Ok(Self { file, start, size }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Returns the first byte, which is the first of a page.
    pub(crate) fn start(&self) -> NonNull<c_void> {
        self.start
    }

    /// Returns the file's descriptor in this process, and its inode number.
    pub(crate) fn numbers(&self) -> (i32, u64) {
        let inode = self.file.metadata().map_or(0, |file| file.ino());
        (self.file.as_raw_fd(), inode)
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: the memory was mapped by this value and is not used any more.
        let _ = unsafe { libc::munmap(self.start.as_ptr(), self.size) };
    }
}

/// Opens the file that another process holds under these numbers and this name.
pub(crate) fn open(
    process: u32,
    (file, inode): (i32, u64),
    name: &str,
) -> Result<SharedFile, NotOpened> {
    let path = format!("/proc/{process}/fd/{file}");
    // The numbers are from any source. A link that cannot be read cannot be opened either.
    let name = format!("/memfd:{name}");
    let other = |found: PathBuf| !found.to_string_lossy().starts_with(&name);
    if std::fs::read_link(&path).is_ok_and(other) {
        return Err(NotOpened::Other);
    }
    let opened = OpenOptions::new().read(true).write(true).open(path);
    let found = opened.and_then(|file| Ok((file.metadata()?.ino(), file)));
    match found {
        Ok((found, file)) if found == inode => Ok(file.into()),
        Ok(_) => Err(NotOpened::GivenBack),
        Err(error) => Err(NotOpened::Refused(error)),
    }
}
