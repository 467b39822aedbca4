//! The set of words of a block's shared memory that were touched. It has one bit for each word,
//! which is smaller than a cell and faster to test.

use super::lanes;
use crate::counters::even::{Even, LANES};
use crate::memory::words;

/// The addresses of the lanes of an access.
#[derive(Debug, Clone, Copy)]
pub(super) enum LanePlaces<'a> {
    /// Addresses with a fixed stride.
    Evenly(Even),
    /// An address for each lane.
    Anywhere(&'a [u64; LANES]),
}

/// A set of words. It contains a word if at least one of the word's bytes was touched.
#[derive(Debug, Default)]
pub(super) struct TouchedWords {
    bits: Vec<u64>,
    /// Whether the set contains any word.
    some: bool,
}

impl TouchedWords {
    /// Returns whether the set contains a word that lanes of `mask` access, `size` bytes each.
    #[inline(always)]
    pub(super) fn meets(&self, places: LanePlaces<'_>, mask: u32, size: u64) -> bool {
        let has = |first: u64, count: u64| {
            words(first, count).any(|(at, of)| self.bits.get(at).is_some_and(|bits| bits & of != 0))
        };
        self.some && each(places, mask, size, has)
    }

    /// Adds the words that lanes of `mask` access, `size` bytes each.
    #[inline(always)]
    pub(super) fn add(&mut self, places: LanePlaces<'_>, mask: u32, size: u64) {
        self.some = true;
        each(places, mask, size, |first, count| {
            for (at, of) in words(first, count) {
                if at >= self.bits.len() {
                    self.bits.resize(at + 1, 0);
                }
                self.bits[at] |= of;
            }
            false
        });
    }

    /// Removes all words.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        if self.some {
            self.bits.clear();
            self.some = false;
        }
    }
}

/// Calls `f` with the words that lanes access, until `f` returns true. Its arguments are the first
/// of some adjacent words and their number. Returns whether `f` returned true.
#[inline(always)]
fn each(places: LanePlaces<'_>, mask: u32, size: u64, mut f: impl FnMut(u64, u64) -> bool) -> bool {
    let mut stretch = |from: u64, to: u64| f(from / 4, to.div_ceil(4) - from / 4);
    match places {
        LanePlaces::Evenly(even) if even.step <= size.max(4) => {
            stretch(even.start, even.last() + size)
        }
        LanePlaces::Evenly(even) => (0..even.lanes).any(|lane| {
            let at = even.start + lane * even.step;
            stretch(at, at + size)
        }),
        LanePlaces::Anywhere(addresses) => {
            lanes(mask).any(|lane| stretch(addresses[lane], addresses[lane] + size))
        }
    }
}
