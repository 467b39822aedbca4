//! Windows: `VirtualAlloc`, the monotonic clock, and a right `fma`. No pages are mapped twice.

use std::ffi::c_void;
use std::io;
use std::ptr;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, MEMORY_BASIC_INFORMATION, PAGE_NOACCESS, PAGE_READWRITE,
    VirtualAlloc, VirtualFree, VirtualQuery,
};

use super::{Host, Platform};

fn place(address: u64) -> *mut c_void {
    ptr::with_exposed_provenance_mut(address as usize)
}

impl Platform for Host {
    const LEAST: u64 = 1 << 30;

    fn reserve(at: Option<u64>, size: u64) -> io::Result<u64> {
        let wanted = at.map_or(ptr::null_mut(), place);
        // SAFETY: a reservation replaces none that is there.
        let start = unsafe { VirtualAlloc(wanted, size as usize, MEM_RESERVE, PAGE_NOACCESS) };
        match start.is_null() {
            true => Err(io::Error::last_os_error()),
            false => Ok(start.expose_provenance() as u64),
        }
    }

    unsafe fn unmap(start: u64, _: u64) {
        // SAFETY: the caller guarantees that nothing uses the range, which `reserve` returned. If
        // the call fails, the pages stay.
        unsafe { VirtualFree(place(start), 0, MEM_RELEASE) };
    }

    unsafe fn prefer_large_pages(_: u64, _: u64) {}

    unsafe fn open(start: u64, size: u64) -> io::Result<()> {
        // SAFETY: the range is reserved. Pages that are open already keep their contents.
        let opened =
            unsafe { VirtualAlloc(place(start), size as usize, MEM_COMMIT, PAGE_READWRITE) };
        match opened.is_null() {
            true => Err(io::Error::last_os_error()),
            false => Ok(()),
        }
    }

    /// A page that is given back is closed for a moment, in which another thread may touch it.
    unsafe fn discard(_: u64, _: u64) -> bool {
        false
    }

    unsafe fn renew(start: u64, size: u64) -> io::Result<()> {
        // SAFETY: the caller guarantees that the range is open and that nothing needs its contents.
        unsafe { place(start).cast::<u8>().write_bytes(0, size as usize) };
        Ok(())
    }

    fn is_mapped(address: u64) -> bool {
        let mut found = MEMORY_BASIC_INFORMATION::default();
        let size = size_of_val(&found);
        // SAFETY: the call writes what it knows of the address into `found`.
        let known = unsafe { VirtualQuery(place(address), &mut found, size) };
        known != 0 && found.State == MEM_COMMIT
    }

    fn now() -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }

    fn pause(time: Duration) {
        thread::sleep(time);
    }
}

/// `f64::mul_add` calls this function where the processor's instruction is not known to be there.
/// That of mingw rounds twice.
#[cfg(target_env = "gnu")]
#[unsafe(no_mangle)]
extern "C" fn fma(a: f64, b: f64, c: f64) -> f64 {
    libm::fma(a, b, c)
}

/// The same for `f32::mul_add`.
#[cfg(target_env = "gnu")]
#[unsafe(no_mangle)]
extern "C" fn fmaf(a: f32, b: f32, c: f32) -> f32 {
    libm::fmaf(a, b, c)
}
