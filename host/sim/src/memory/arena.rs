//! The reserved range of host addresses that device memory lives in.
//!
//! The range is reserved without access and without swap space. As allocations are made, it is
//! opened from its start, the gaps between allocations included. Gaps are opened too because a host
//! keeps a list of the pieces with different access, and that list has a limit (on Linux 65,530
//! pieces). The host backs a page when it is first touched. The range starts at the same address in
//! every run if that address is free, so that pointers in reports can be compared between runs.
//!
//! Pages stay readable and writable after a free. A launch of another host thread may still use the
//! address; that is an error of the program and must not end the process. The contents are dropped
//! in whole blocks.

use std::sync::{Mutex, PoisonError};

use super::MemoryError;
use crate::platform::{Host, PAGE, Platform};

/// The start of the first device's memory. Further devices follow at multiples of [`STRIDE`]. On
/// Linux (x86-64 and aarch64), executables, heaps, stacks and `mmap` without a hint do not use the
/// middle of the 47-bit range.
const FIRST: u64 = 0x2000_0000_0000;
const STRIDE: u64 = 1 << 40;
const SLOTS: u64 = 16;

/// The unit in which the range is opened and given back: a large page of a host whose pages have
/// 4 KiB. Addresses are fresh, so every allocation begins with pages that were never touched.
/// With a page fault for each 4 KiB, programs of many small buffers spent a tenth of their time
/// on page faults.
pub(super) const BLOCK: u64 = 2 << 20;

/// This many bytes at the start keep small pages. For a device that needs no more memory than this,
/// clearing one large page would take longer than all the rest of its work.
const SMALL: u64 = 4 * BLOCK;

/// The base and the size of the range of each device.
static RESERVED: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

/// Returns whether an address is in the range of some device.
pub(super) fn is_reserved(address: u64) -> bool {
    let reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
    reserved
        .iter()
        .any(|(base, size)| address.wrapping_sub(*base) < *size)
}

/// A range of addresses that this object owns until it is dropped.
#[derive(Debug)]
pub(super) struct Arena {
    base: u64,
    size: u64,
    /// The end of the part that can be accessed.
    open: u64,
}

impl Arena {
    /// Reserves a range for `total` bytes of device memory, and as many bytes again for gaps,
    /// pinned and managed memory.
    pub(super) fn reserve(total: u64) -> Result<Self, MemoryError> {
        let size = total
            .saturating_mul(2)
            .max(Host::LEAST)
            .checked_next_power_of_two()
            .unwrap_or(STRIDE)
            .min(STRIDE);
        let arena = Self::find(size)?;
        // SAFETY: the range was just reserved.
        unsafe { Host::prefer_large_pages(arena.base + SMALL, arena.size - SMALL) };
        RESERVED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((arena.base, arena.size));
        Ok(arena)
    }

    /// Maps a range of this many bytes, or of fewer if the host does not give that many.
    fn find(size: u64) -> Result<Self, MemoryError> {
        let fixed =
            (0..SLOTS).find_map(|slot| Host::reserve(Some(FIRST + slot * STRIDE), size).ok());
        if let Some(base) = fixed {
            return Ok(Self {
                base,
                size,
                open: base,
            });
        }
        // No slot is free. Try any address, and then smaller ranges, because a host may limit the
        // addresses of a process.
        let mut attempt = size;
        loop {
            match Host::reserve(None, attempt) {
                Ok(base) => {
                    return Ok(Self {
                        base,
                        size: attempt,
                        open: base,
                    });
                }
                Err(_) if attempt > Host::LEAST => attempt /= 2,
                Err(error) => return Err(MemoryError::refused(size)(error)),
            }
        }
    }

    /// Returns the first address.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Returns the size in bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Opens `size` bytes at `base` for use. They read as zero. `reused` is true if the range was
    /// in use before.
    pub(super) fn commit(&mut self, base: u64, size: u64, reused: bool) -> Result<(), MemoryError> {
        if base + size > self.open {
            let end = (base + size)
                .next_multiple_of(BLOCK)
                .min(self.base + self.size);
            let (start, len) = self.pages(self.open, end - self.open);
            // SAFETY: `pages` returns whole pages inside the range that `reserve` mapped and this
            // object owns. Opening them removes no access.
            unsafe { Host::open(start, len) }.map_err(MemoryError::refused(size))?;
            self.open = end;
        }
        if reused {
            self.zero(base, size);
        }
        Ok(())
    }

    /// Makes `size` bytes at `base` read as zero, without touching the pages that lie wholly
    /// inside. Pages that are shared with a neighbour keep the neighbour's contents, so `release`
    /// could not drop all of them.
    fn zero(&mut self, base: u64, size: u64) {
        let end = base + size;
        let whole = match self.release(base, size) {
            true => (base.next_multiple_of(PAGE), end / PAGE * PAGE),
            false => (end, end),
        };
        for (from, to) in [(base, whole.0), (whole.1, end)] {
            // SAFETY: the caller owns these bytes (they were taken from `Space`), and
            // they were committed.
            unsafe { std::ptr::write_bytes(from as *mut u8, 0, (to - from) as usize) };
        }
    }

    /// Gives back to the host the pages that lie wholly inside `size` bytes at `base`, which then
    /// read as zero. Returns false if there are none, or if the host does not take them.
    pub(super) fn release(&mut self, base: u64, size: u64) -> bool {
        let start = base.next_multiple_of(PAGE);
        let end = (base + size) / PAGE * PAGE;
        // SAFETY: these are whole pages inside the range that this object owns, and nothing uses
        // their contents: the caller has freed them, or has not used them yet. They stay mapped.
        start < end && unsafe { Host::discard(start, end - start) }
    }

    /// Maps fresh pages, which read as zero, over the pages at `base`.
    ///
    /// # Safety
    /// `size` bytes at `base` must be whole pages of this range, without a live allocation.
    pub(super) unsafe fn clear(&mut self, base: u64, size: u64) -> Result<(), MemoryError> {
        let (start, len) = self.pages(base, size);
        // SAFETY: this object owns the range, and the caller guarantees that nothing uses this
        // part of it.
        unsafe { Host::renew(start, len) }.map_err(MemoryError::refused(size))
    }

    fn pages(&self, base: u64, size: u64) -> (u64, u64) {
        debug_assert!(base >= self.base && base + size <= self.base + self.size);
        let start = base / PAGE * PAGE;
        let end = (base + size).next_multiple_of(PAGE);
        (start, end - start)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let mut reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
        reserved.retain(|(base, _)| *base != self.base);
        drop(reserved);
        // SAFETY: this object owns the range, and `Memory`, which owns this object, outlives every
        // launch that reads it.
        unsafe { Host::unmap(self.base, self.size) };
    }
}
