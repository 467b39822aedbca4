//! What only Linux has.

use std::ffi::c_void;
use std::fs::File;
use std::io;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::mm::{Advice, MapFlags, madvise};

/// Maps at the given address, or not at all.
pub(super) const EXACTLY: MapFlags = MapFlags::FIXED_NOREPLACE;

/// No swap space is set aside for pages that may never be touched.
pub(super) const WITHOUT_SWAP: MapFlags = MapFlags::NORESERVE;

/// # Safety
/// The range must be mapped.
pub(super) unsafe fn prefer_large_pages(start: *mut c_void, size: usize) {
    // SAFETY: the range is mapped, and this advice does not change its contents.
    let _ = unsafe { madvise(start, size, Advice::LinuxHugepage) };
}

/// # Safety
/// The range must be mapped, and nothing may need its contents.
pub(super) unsafe fn discard(start: *mut c_void, size: usize) -> bool {
    // SAFETY: the caller guarantees that the contents are not needed. The pages stay mapped.
    unsafe { madvise(start, size, Advice::LinuxDontNeed) }.is_ok()
}

pub(super) fn file_without_name() -> io::Result<File> {
    Ok(memfd_create("lanewise device memory", MemfdFlags::CLOEXEC)?.into())
}

pub(super) fn is_mapped(address: u64) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().any(|line| {
        let range = line
            .split(' ')
            .next()
            .and_then(|range| range.split_once('-'));
        let Some((start, end)) = range else {
            return false;
        };
        let number = |text| u64::from_str_radix(text, 16).ok();
        number(start)
            .zip(number(end))
            .is_some_and(|(start, end)| (start..end).contains(&address))
    })
}
