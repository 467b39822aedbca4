//! Which bytes of an allocation were ever written. Each byte has one bit; the bits are allocated at
//! the first write.
//!
//! Only memory without initial contents has these bits: `cuMemAlloc` and similar calls, and the
//! heap of kernels. Host copies and memsets set them, and so do launches with the check for
//! reads of unwritten memory. A launch without that check may have written anything, so
//! afterwards all bytes count as written. The cores of a launch write in parallel, so the bits
//! change by atomic operations.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

/// The bits of `full` that count words. No allocation has that many words.
const FULL: u64 = (1 << 48) - 1;

/// The bits of one allocation.
#[derive(Debug)]
pub(crate) struct Shadow {
    base: u64,
    size: u64,
    /// The number of words, from the first on, whose bits are known to be set. If it is the number
    /// of all words, no bit needs to be read. Above [`FULL`] is a count of the calls of `forget`.
    full: AtomicU64,
    /// One bit for each byte, set if the byte was written.
    bits: OnceLock<Box<[AtomicU64]>>,
}

impl Shadow {
    /// Creates the bits of `size` bytes at `base` that were never written.
    pub(super) fn new(base: u64, size: u64) -> Self {
        Self {
            base,
            size,
            full: AtomicU64::new(0),
            bits: OnceLock::new(),
        }
    }

    /// Returns the address of the first byte.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Returns whether all of `len` bytes at `address` belong to the allocation.
    #[inline(always)]
    pub(crate) fn holds(&self, address: u64, len: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.size && len <= self.size - offset
    }

    /// Returns whether every byte is known to be written.
    #[inline(always)]
    pub(crate) fn is_whole(&self) -> bool {
        self.full.load(Relaxed) & FULL == self.words()
    }

    /// Returns the number of words of bits.
    #[inline(always)]
    fn words(&self) -> u64 {
        self.size.div_ceil(64)
    }

    /// Searches for bits that are not set, from the place where the last search found one. If there
    /// are none, the bits need not be read any more. Counting them at each write would be slow.
    pub(crate) fn look_for_gaps(&self) {
        let Some(bits) = self.bits.get().filter(|_| !self.is_whole()) else {
            return;
        };
        let before = self.full.load(Acquire);
        let first = before & FULL;
        let mut rest = words(first * 64, self.size - first * 64);
        let gap = rest.find(|&(word, mask)| bits[word].load(Relaxed) != mask);
        let full = gap.map_or(self.words(), |(word, _)| word as u64);
        // If another core has cleared bits in the meantime, the next call searches again.
        let _ = self
            .full
            .compare_exchange(before, before & !FULL | full, Relaxed, Relaxed);
    }

    fn bits(&self) -> &[AtomicU64] {
        self.bits.get_or_init(|| {
            // The host backs these zeros when they are touched. It would not do so for a
            // list of atomics.
            let words = vec![0u64; self.size.div_ceil(64) as usize].into_boxed_slice();
            let len = words.len();
            let start = Box::into_raw(words).cast::<AtomicU64>();
            // SAFETY: an `AtomicU64` has the size and the values of a `u64`, and its alignment, as
            // asserted below. `into_raw` gave up the box, so this is its only owner.
            unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, len)) }
        })
    }

    /// Returns which of `len` (at most 32) bytes at `address` were never written, one bit each. The
    /// bytes must belong to the allocation.
    #[inline]
    pub(crate) fn unwritten(&self, address: u64, len: u32) -> u32 {
        let asked = ((1u64 << len) - 1) as u32;
        if self.is_whole() {
            return 0;
        }
        let Some(bits) = self.bits.get() else {
            return asked;
        };
        let at = address - self.base;
        let (word, shift) = ((at / 64) as usize, at % 64);
        let mut found = bits[word].load(Relaxed) >> shift;
        if shift + u64::from(len) > 64 {
            found |= bits[word + 1].load(Relaxed) << (64 - shift);
        }
        !(found as u32) & asked
    }

    /// Returns whether any of `len` bytes at `address` was never written. The bytes must belong
    /// to the allocation.
    pub(crate) fn lacks(&self, address: u64, len: u64) -> bool {
        if self.is_whole() || len == 0 {
            return false;
        }
        let Some(bits) = self.bits.get() else {
            return true;
        };
        words(address - self.base, len).any(|(word, mask)| bits[word].load(Relaxed) & mask != mask)
    }

    /// Marks `len` bytes at `address` as written. The bytes must belong to the allocation.
    #[inline]
    pub(crate) fn write(&self, address: u64, len: u64) {
        if self.is_whole() {
            return;
        }
        if len == self.size {
            self.write_all();
            return;
        }
        let bits = self.bits();
        for (word, mask) in words(address - self.base, len) {
            let bits = &bits[word];
            // If all bits of a word are set, no exchange with other writers is necessary.
            if mask == u64::MAX {
                bits.store(mask, Relaxed);
            } else if bits.load(Relaxed) & mask != mask {
                bits.fetch_or(mask, Relaxed);
            }
        }
    }

    /// Marks `len` bytes at each of these addresses as written. Ascending addresses are fastest,
    /// because a word of bits then changes only once for adjacent lanes.
    #[inline(always)]
    pub(crate) fn write_each(&self, addresses: impl Iterator<Item = u64>, len: u64) {
        if self.is_whole() {
            return;
        }
        let bits = self.bits();
        self.by_words(addresses, len, |word, mask| {
            if bits[word].load(Relaxed) & mask != mask {
                bits[word].fetch_or(mask, Relaxed);
            }
            true
        });
    }

    /// Returns whether all of `len` bytes at each of these addresses were written. The bytes must
    /// belong to the allocation.
    #[inline(always)]
    pub(crate) fn has_each(&self, addresses: impl Iterator<Item = u64>, len: u64) -> bool {
        if self.is_whole() {
            return true;
        }
        let Some(bits) = self.bits.get() else {
            return false;
        };
        self.by_words(addresses, len, |word, mask| {
            bits[word].load(Relaxed) & mask == mask
        })
    }

    /// Calls `f` with each word that holds bits of `len` bytes at each address, and a mask of these
    /// bits, until `f` returns false. Returns whether it never did.
    #[inline(always)]
    fn by_words(
        &self,
        addresses: impl Iterator<Item = u64>,
        len: u64,
        mut f: impl FnMut(usize, u64) -> bool,
    ) -> bool {
        let mut last = (0, 0);
        for address in addresses {
            for (word, mask) in words(address - self.base, len) {
                if word == last.0 {
                    last.1 |= mask;
                    continue;
                }
                if !f(last.0, last.1) {
                    return false;
                }
                last = (word, mask);
            }
        }
        f(last.0, last.1)
    }

    /// Marks all bytes as written.
    pub(super) fn write_all(&self) {
        self.change_full(Relaxed, |full| full & !FULL | self.words());
    }

    fn change_full(&self, order: Ordering, change: impl Fn(u64) -> u64) {
        // The closure never returns `None`, so there is no error.
        let _ = self
            .full
            .fetch_update(order, Relaxed, |full| Some(change(full)));
    }

    /// Marks `len` bytes at `address` as uninitialised: newly allocated memory, or a copy of such
    /// bytes. The bytes must belong to the allocation.
    pub(crate) fn forget(&self, address: u64, len: u64) {
        let bits = self.bits();
        let offset = address - self.base;
        if self.is_whole() {
            let all = words(0, self.size);
            all.for_each(|(word, mask)| bits[word].store(mask, Relaxed));
        }
        for (word, mask) in words(offset, len) {
            bits[word].fetch_and(!mask, Relaxed);
        }
        // A thread that reads this count also sees the bits.
        self.change_full(Release, |full| {
            let times = (full & !FULL).wrapping_add(FULL + 1);
            times | (full & FULL).min(offset / 64)
        });
    }
}

const _: () = assert!(align_of::<AtomicU64>() == align_of::<u64>());

/// Returns the words that hold the bits of `len` bytes from the byte `at`, with a mask
/// of these bits.
pub(crate) fn words(at: u64, len: u64) -> impl Iterator<Item = (usize, u64)> {
    let end = at + len;
    (at / 64..end.div_ceil(64)).map(move |word| {
        let (first, last) = (word * 64, word * 64 + 64);
        let low = u64::MAX << (at.max(first) - first);
        let high = u64::MAX >> (last - end.min(last));
        (word as usize, low & high)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_those_of_a_list_of_bytes(steps in proptest::collection::vec((any::<bool>(), 0u64..300, 1u64..300, 0u64..300), 1..20)) {
            let (shadow, mut bytes) = (Shadow::new(0x1000, 300), [false; 300]);
            for (writes, at, len, from) in steps {
                let len = len.min(300 - at);
                if len == 0 {
                    continue;
                }
                match writes {
                    true => shadow.write(0x1000 + at, len),
                    false => shadow.forget(0x1000 + at, len),
                }
                bytes[at as usize..(at + len) as usize].fill(writes);
                for from in 0..300 - 32usize {
                    let expected = (0..32).fold(0u32, |set, i| set | u32::from(!bytes[from + i]) << i);
                    prop_assert_eq!(shadow.unwritten(0x1000 + from as u64, 32), expected);
                    prop_assert_eq!(shadow.unwritten(0x1000 + from as u64, 1), expected & 1);
                }
                prop_assert_eq!(shadow.lacks(0x1000 + at, len), !writes);
                prop_assert_eq!(shadow.lacks(0x1000, 300), bytes.contains(&false));
                let each = || [0u64, 4, 8, 40, 80, 200].into_iter().map(|at| 0x1000 + (at + from) % 292);
                let all = each().all(|at| shadow.unwritten(at, 8) == 0);
                prop_assert_eq!(shadow.has_each(each(), 8), all);
                if writes {
                    shadow.write_each(each(), 8);
                    each().for_each(|at| bytes[at as usize - 0x1000..][..8].fill(true));
                    prop_assert!(shadow.has_each(each(), 8));
                }
                for at in 0..300 {
                    prop_assert_eq!(shadow.unwritten(0x1000 + at, 1) != 0, !bytes[at as usize]);
                }
                shadow.look_for_gaps();
                prop_assert_eq!(shadow.is_whole(), !bytes.contains(&false));
            }
        }
    }
}
