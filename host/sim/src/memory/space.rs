//! Which parts of the arena are in use.
//!
//! Fresh addresses are used first. A freed address is not used again while fresh ones are left. So
//! a stale pointer does not point into another allocation, and a report can name the freed
//! allocation. When the range is used up, the lowest freed piece that fits is used.

use std::collections::BTreeMap;
use std::ops::Range;

use super::arena::BLOCK;

/// The smallest distance between an allocation and the end of the one before it. An overrun then
/// reaches addresses that belong to no allocation.
const GAP: u64 = 4096;
/// The largest gap. A gap grows with the allocation before it, because an overrun by a row of a
/// matrix should not reach the next allocation.
const MAX_GAP: u64 = 1 << 20;

/// Free and used addresses.
#[derive(Debug)]
pub(super) struct AddressSpace {
    next: u64,
    end: u64,
    /// Freed pieces, by start, with their lengths. A length includes the gap after the piece.
    freed: BTreeMap<u64, u64>,
}

fn with_gap(size: u64) -> u64 {
    (size + GAP.max(size / 8).min(MAX_GAP)).next_multiple_of(GAP)
}

impl AddressSpace {
    /// Creates a space of `size` free bytes from `base`. The first gap precedes
    /// the first allocation.
    pub(super) fn new(base: u64, size: u64) -> Self {
        Self {
            next: base + MAX_GAP,
            end: base + size,
            freed: BTreeMap::new(),
        }
    }

    /// Takes a range of `size` bytes. Returns its address and whether it was used before.
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

    /// Takes back a range of `take`. Returns the range of whole blocks that became free by this
    /// call; it may be empty.
    pub(super) fn give(&mut self, base: u64, size: u64) -> Range<u64> {
        let len = with_gap(size);
        let piece = self.keep(base, len);
        let from = piece.start.max(base / BLOCK * BLOCK);
        let to = piece.end.min((base + len).next_multiple_of(BLOCK));
        let start = from.next_multiple_of(BLOCK);
        start..start.max(to / BLOCK * BLOCK)
    }

    /// Stores a free piece, joined with its free neighbours. Returns the joined range.
    fn keep(&mut self, mut start: u64, mut len: u64) -> Range<u64> {
        if len == 0 {
            return start..start;
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
        start..start + len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: u64 = 1 << 40;

    proptest! {
        /// A block that contains live allocations is never given back. A block that is free is
        /// given back once, when the last piece in it is freed.
        #[test]
        fn a_block_is_given_back_with_its_last_piece(
            steps in prop::collection::vec((1u64..3 * BLOCK, any::<bool>(), any::<Option<prop::sample::Index>>()), 1..60),
        ) {
            let mut space = AddressSpace::new(START, 1 << 40);
            let (mut live, mut used): (Vec<(u64, u64)>, Vec<u64>) = Default::default();
            let blocks = |base: u64, size: u64| base / BLOCK..(base + with_gap(size)).div_ceil(BLOCK);
            let mut give = |space: &mut AddressSpace, live: &[(u64, u64)], (base, size)| -> Result<(), TestCaseError> {
                let given = space.give(base, size);
                prop_assert!(given.start.is_multiple_of(BLOCK) && given.end.is_multiple_of(BLOCK));
                for block in given.start / BLOCK..given.end / BLOCK {
                    prop_assert!(blocks(base, size).contains(&block));
                    prop_assert!(!live.iter().any(|&(base, size)| blocks(base, size).contains(&block)));
                    used.push(block);
                }
                Ok(())
            };
            for (size, is_large, freed) in steps {
                let size = if is_large { size } else { size % 10_000 + 1 };
                let (base, reused) = space.take(size, GAP).expect("there is room");
                prop_assert!(!reused);
                live.push((base, size));
                if let Some(index) = freed {
                    let piece = live.swap_remove(index.index(live.len()));
                    give(&mut space, &live, piece)?;
                }
            }
            while let Some(piece) = live.pop() {
                give(&mut space, &live, piece)?;
            }
            // All blocks but the first and the last, which extend beyond the taken ranges.
            let whole = (START + MAX_GAP).div_ceil(BLOCK)..space.next / BLOCK;
            used.sort_unstable();
            prop_assert_eq!(used, whole.collect::<Vec<_>>());
        }
    }
}
