//! Which parts of the arena are taken.
//!
//! Fresh addresses come first: as long as the range lasts, a freed address is not handed out again, so that a stale
//! pointer points at nothing and a report can say whose it was. When the range is used up, the lowest freed piece that
//! fits is taken.

use std::collections::BTreeMap;

/// No allocation starts closer than this to the end of the one before, so that an overrun meets unowned addresses.
const GAP: u64 = 4096;
/// Gaps grow with what they follow (an overrun by a row of a matrix should not land in the next allocation) up to this.
const MAX_GAP: u64 = 1 << 20;

/// Free and taken addresses.
#[derive(Debug)]
pub(super) struct AddressSpace {
    next: u64,
    end: u64,
    /// Pieces given back, by start: length with the gap that followed.
    freed: BTreeMap<u64, u64>,
}

fn with_gap(size: u64) -> u64 {
    (size + GAP.max(size / 8).min(MAX_GAP)).next_multiple_of(GAP)
}

impl AddressSpace {
    /// All of `size` bytes from `base`, free. The first gap precedes the first allocation.
    pub(super) fn new(base: u64, size: u64) -> Self {
        Self {
            next: base + MAX_GAP,
            end: base + size,
            freed: BTreeMap::new(),
        }
    }

    /// A place for `size` bytes, and whether it was used before.
    pub(super) fn take(&mut self, size: u64, align: u64) -> Option<(u64, bool)> {
        if size > self.end {
            return None;
        }
        let len = with_gap(size);
        let start = self.next.checked_next_multiple_of(align)?;
        if start.checked_add(len)? <= self.end {
            self.next = start + len;
            return Some((start, false));
        }
        let (piece, start, whole) = self.freed.iter().find_map(|(&piece, &whole)| {
            let start = piece.checked_next_multiple_of(align)?;
            (start + len <= piece + whole).then_some((piece, start, whole))
        })?;
        self.freed.remove(&piece);
        self.keep(piece, start - piece);
        self.keep(start + len, piece + whole - start - len);
        Some((start, true))
    }

    /// Takes back what `take` gave.
    pub(super) fn give(&mut self, base: u64, size: u64) {
        self.keep(base, with_gap(size));
    }

    /// Remembers a free piece, joined with its neighbours.
    fn keep(&mut self, mut start: u64, mut len: u64) {
        if len == 0 {
            return;
        }
        if let Some((&before, &before_len)) = self.freed.range(..start).next_back()
            && before + before_len == start
        {
            self.freed.remove(&before);
            start = before;
            len += before_len;
        }
        if let Some(after_len) = self.freed.remove(&(start + len)) {
            len += after_len;
        }
        self.freed.insert(start, len);
    }
}
