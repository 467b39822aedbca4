//! The reserved range of host addresses that device memory lives in.
//!
//! It is reserved without access and without swap space, and opened from its start as allocations
//! are made, the gaps between them too: a host keeps a list of pieces with different access, and it
//! may not grow long (on Linux 65,530 pieces). The host backs a page when something touches it. The
//! range starts at the same address in every run where that address is free, so that pointers in
//! reports and in bug hunts compare between runs.
//!
//! Pages stay readable and writable after a free: a launch that another host thread runs may still
//! hold the address, and that is an error of the program, not one that may take the process down.
//! Their content is dropped by whole blocks.

use std::sync::{Mutex, PoisonError};

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

use super::MemoryError;

/// Where the first device's memory goes; others follow at a distance of [`STRIDE`]. The middle of
/// the 47-bit range is where neither executables, heaps, stacks nor `mmap` without a hint go on
/// Linux (x86-64 and aarch64).
const FIRST: u64 = 0x2000_0000_0000;
const STRIDE: u64 = 1 << 40;
const SLOTS: u64 = 16;
const PAGE: u64 = 4096;

/// What is opened and given back at a time: a large page of the host, where pages have 4 KiB.
/// Addresses are fresh, so every allocation begins with pages that nobody has touched; with a fault
/// for each 4 KiB, programs of many small buffers spent a tenth of their time on these.
pub(super) const BLOCK: u64 = 2 << 20;

/// So much at the start stays with small pages: to clear a large one takes longer than all that a
/// device does for which this is enough.
const SMALL: u64 = 4 * BLOCK;

/// The ranges of all devices: base and size.
static RESERVED: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

/// Whether an address is in the range of some device.
pub(super) fn is_reserved(address: u64) -> bool {
    let reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
    reserved
        .iter()
        .any(|(base, size)| address.wrapping_sub(*base) < *size)
}

/// A range of addresses that is ours until it is dropped.
#[derive(Debug)]
pub(super) struct Arena {
    base: u64,
    size: u64,
    /// Up to here it can be accessed.
    open: u64,
}

impl Arena {
    /// Reserves room for `total` bytes of device memory and as much again for gaps, pinned and
    /// managed memory.
    pub(super) fn reserve(total: u64) -> Result<Self, MemoryError> {
        let size = total
            .saturating_mul(2)
            .max(1 << 30)
            .checked_next_power_of_two()
            .unwrap_or(STRIDE)
            .min(STRIDE);
        let arena = Self::find(size)?;
        let large = (arena.base + SMALL) as *mut _;
        // A host that has no large pages, or gives none, backs the range page by page.
        // SAFETY: the range was just mapped, and this advice changes nothing that is in it.
        let _ = unsafe {
            rustix::mm::madvise(large, (arena.size - SMALL) as usize, Advice::LinuxHugepage)
        };
        RESERVED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((arena.base, arena.size));
        Ok(arena)
    }

    /// A range of this many bytes, or of fewer where the host does not give that many.
    fn find(size: u64) -> Result<Self, MemoryError> {
        let fixed = (0..SLOTS)
            .find_map(|slot| map(FIRST + slot * STRIDE, size, MapFlags::FIXED_NOREPLACE).ok());
        if let Some(base) = fixed {
            return Ok(Self {
                base,
                size,
                open: base,
            });
        }
        // No slot is free: any address will do, then a smaller range (a host may limit a process'
        // addresses).
        let mut attempt = size;
        loop {
            match map(0, attempt, MapFlags::empty()) {
                Ok(base) => {
                    return Ok(Self {
                        base,
                        size: attempt,
                        open: base,
                    });
                }
                Err(_) if attempt > 1 << 30 => attempt /= 2,
                Err(error) => {
                    return Err(MemoryError::Reserve {
                        size,
                        reason: error.to_string(),
                    });
                }
            }
        }
    }

    /// The first address.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// How many bytes there are.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Opens `size` bytes at `base` for use; they read as zero. `reused` says that the range was in
    /// use before.
    pub(super) fn commit(&mut self, base: u64, size: u64, reused: bool) -> Result<(), MemoryError> {
        if base + size > self.open {
            let end = (base + size)
                .next_multiple_of(BLOCK)
                .min(self.base + self.size);
            let (start, len) = self.pages(self.open, end - self.open);
            // SAFETY: `pages` gives whole pages inside the range that `reserve` mapped and this
            // object owns; opening them takes access from nobody.
            unsafe { rustix::mm::mprotect(start, len, MprotectFlags::READ | MprotectFlags::WRITE) }
                .map_err(|error| MemoryError::Reserve {
                    size,
                    reason: error.to_string(),
                })?;
            self.open = end;
        }
        if reused {
            self.zero(base, size);
        }
        Ok(())
    }

    /// Makes `size` bytes at `base` read as zero, without touching the pages that lie wholly
    /// inside. Pages shared with a neighbour keep what the neighbour wrote, so `release` could not
    /// drop all of them.
    fn zero(&mut self, base: u64, size: u64) {
        let end = base + size;
        let whole = match self.release(base, size) {
            true => (base.next_multiple_of(PAGE), end / PAGE * PAGE),
            false => (end, end),
        };
        for (from, to) in [(base, whole.0), (whole.1, end)] {
            // SAFETY: the caller owns these bytes (they were taken from `Space`), and they were
            // committed.
            unsafe { std::ptr::write_bytes(from as *mut u8, 0, (to - from) as usize) };
        }
    }

    /// Gives the host back the pages that lie wholly inside `size` bytes at `base`, which then read
    /// as zero. False: there are none, or the host keeps them as they are.
    pub(super) fn release(&mut self, base: u64, size: u64) -> bool {
        let start = base.next_multiple_of(PAGE);
        let end = (base + size) / PAGE * PAGE;
        // SAFETY: whole pages inside the range that this object owns, and nobody uses what is in
        // them: the caller has freed them, or was given them and has not used them yet. They stay
        // mapped.
        start < end
            && unsafe {
                rustix::mm::madvise(
                    start as *mut _,
                    (end - start) as usize,
                    Advice::LinuxDontNeed,
                )
            }
            .is_ok()
    }

    /// Puts fresh pages, which read as zero, in place of what was mapped at `base`.
    ///
    /// # Safety
    /// `size` bytes at `base` are whole pages of this range, and nothing live lies there.
    pub(super) unsafe fn clear(&mut self, base: u64, size: u64) -> Result<(), MemoryError> {
        let (start, len) = self.pages(base, size);
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the range is this object's, and nobody uses this part of it, as the caller says.
        let mapped = unsafe { rustix::mm::mmap_anonymous(start, len, access, flags) };
        mapped.map(|_| ()).map_err(|error| MemoryError::Reserve {
            size,
            reason: error.to_string(),
        })
    }

    fn pages(&self, base: u64, size: u64) -> (*mut std::ffi::c_void, usize) {
        debug_assert!(base >= self.base && base + size <= self.base + self.size);
        let start = base / PAGE * PAGE;
        let end = (base + size).next_multiple_of(PAGE);
        (start as *mut _, (end - start) as usize)
    }
}

/// Maps `size` bytes without access, at `hint` or (with no flag that insists) where the host likes.
fn map(hint: u64, size: u64, flags: MapFlags) -> Result<u64, rustix::io::Errno> {
    let flags = flags | MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: a new anonymous mapping; `FIXED_NOREPLACE` refuses to take over one that exists.
    let at = unsafe {
        rustix::mm::mmap_anonymous(hint as *mut _, size as usize, ProtFlags::empty(), flags)
    }?;
    if flags.contains(MapFlags::FIXED_NOREPLACE) && at as u64 != hint {
        // Kernels before 4.17 read the flag as a mere hint.
        // SAFETY: the mapping made above, which nobody else has seen.
        unsafe { rustix::mm::munmap(at, size as usize) }?;
        return Err(rustix::io::Errno::EXIST);
    }
    Ok(at as u64)
}

impl Drop for Arena {
    fn drop(&mut self) {
        let mut reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
        reserved.retain(|(base, _)| *base != self.base);
        drop(reserved);
        // SAFETY: the range is ours, and `Memory`, which owns this object, outlives every launch
        // that reads it.
        let _ = unsafe { rustix::mm::munmap(self.base as *mut _, self.size as usize) };
    }
}
