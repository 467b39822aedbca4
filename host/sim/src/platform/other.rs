//! A host without `mmap`, such as WebAssembly in a browser: memory of the program's own heap, and
//! no pages that are mapped twice. Time does not pass, for there is no clock and one thread.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io;
use std::time::Duration;

use super::{Host, PAGE, Platform};

/// The most bytes of device memory. They are taken from the heap at once.
const MOST: u64 = 256 << 20;

fn layout(size: u64) -> io::Result<Layout> {
    let size = usize::try_from(size.min(MOST + 1)).map_err(io::Error::other)?;
    Layout::from_size_align(size, PAGE as usize).map_err(io::Error::other)
}

impl Platform for Host {
    const LEAST: u64 = 16 << 20;

    fn reserve(at: Option<u64>, size: u64) -> io::Result<u64> {
        if at.is_some() || size == 0 || size > MOST {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(layout(size)?) };
        match start.is_null() {
            true => Err(io::ErrorKind::OutOfMemory.into()),
            false => Ok(start.expose_provenance() as u64),
        }
    }

    unsafe fn unmap(start: u64, size: u64) {
        if let Ok(layout) = layout(size) {
            // SAFETY: `reserve` allocated the range with this layout.
            unsafe { dealloc(start as *mut u8, layout) };
        }
    }

    unsafe fn prefer_large_pages(_: u64, _: u64) {}

    unsafe fn open(_: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    unsafe fn discard(_: u64, _: u64) -> bool {
        false
    }

    unsafe fn renew(start: u64, size: u64) -> io::Result<()> {
        // SAFETY: the caller guarantees that the range is open and that nothing needs its contents.
        unsafe { std::ptr::write_bytes(start as *mut u8, 0, size as usize) };
        Ok(())
    }

    fn is_mapped(_: u64) -> bool {
        false
    }

    fn now() -> Duration {
        Duration::ZERO
    }

    fn pause(_: Duration) {}
}
