//! The same for macOS, which has less of it.

use std::ffi::c_void;
use std::fs::{self, File};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::mm::MapFlags;

/// An address is a hint; the caller looks whether it was taken.
pub(super) const EXACTLY: MapFlags = MapFlags::empty();

/// Swap space is never set aside.
pub(super) const WITHOUT_SWAP: MapFlags = MapFlags::empty();

/// # Safety
/// There is nothing to keep.
pub(super) unsafe fn prefer_large_pages(_: *mut c_void, _: usize) {}

/// Pages that were given back do not read as zero, so they are kept.
///
/// # Safety
/// There is nothing to keep.
pub(super) unsafe fn discard(_: *mut c_void, _: usize) -> bool {
    false
}

/// A temporary file whose name is removed at once.
pub(super) fn file_without_name() -> io::Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("lanewise-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut options = File::options();
    let file = options
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    fs::remove_file(path)?;
    Ok(file)
}

pub(super) fn is_mapped(_: u64) -> bool {
    false
}
