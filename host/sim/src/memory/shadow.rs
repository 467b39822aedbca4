//! Which bytes of an allocation were ever written: a bit for each byte, made when the first part is
//! written.
//!
//! Kept for memory that a program gets without contents: `cuMemAlloc` and its like, and the heap of
//! kernels. Host copies and memsets write here, and launches that are checked for reads of
//! unwritten memory. A launch that is not checked may have written anything, so after it all counts
//! as written. Cores of a launch write side by side: bits are changed by atomic operations.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

/// The bits of a count of words: more than there are of any allocation.
const FULL: u64 = (1 << 48) - 1;

/// The bits of one allocation.
#[derive(Debug)]
pub(crate) struct Shadow {
    base: u64,
    size: u64,
    /// How many words of bits, from the first on, are known to be set: where these are all, nobody
    /// needs to look at the bits. Above [`FULL`], how often bytes were forgotten.
    full: AtomicU64,
    /// Set where a byte was written.
    bits: OnceLock<Box<[AtomicU64]>>,
}

impl Shadow {
    /// Of `size` bytes at `base` that nobody has written.
    pub(super) fn new(base: u64, size: u64) -> Self {
        Self {
            base,
            size,
            full: AtomicU64::new(0),
            bits: OnceLock::new(),
        }
    }

    /// The address of the first byte.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Whether all of `len` bytes at `address` are in it.
    #[inline(always)]
    pub(crate) fn holds(&self, address: u64, len: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.size && len <= self.size - offset
    }

    /// Whether nothing is left to be written.
    #[inline(always)]
    pub(crate) fn is_whole(&self) -> bool {
        self.full.load(Relaxed) & FULL == self.words()
    }

    /// How many words the bits have.
    #[inline(always)]
    fn words(&self) -> u64 {
        self.size.div_ceil(64)
    }

    /// Looks for bits that are not set, from where some were when it was last done: where there are
    /// none nobody needs to look at the bits any more. To count them at each write would be dear.
    pub(crate) fn look_for_gaps(&self) {
        let Some(bits) = self.bits.get().filter(|_| !self.is_whole()) else {
            return;
        };
        let before = self.full.load(Acquire);
        let first = before & FULL;
        let mut rest = words(first * 64, self.size - first * 64);
        let gap = rest.find(|&(word, mask)| bits[word].load(Relaxed) != mask);
        let full = gap.map_or(self.words(), |(word, _)| word as u64);
        // If another core has made a gap meanwhile, who comes next will look again.
        let _ = self
            .full
            .compare_exchange(before, before & !FULL | full, Relaxed, Relaxed);
    }

    fn bits(&self) -> &[AtomicU64] {
        self.bits.get_or_init(|| {
            // Zeros that the host backs where they are touched, which a list of atomics would not
            // be.
            let words = vec![0u64; self.size.div_ceil(64) as usize].into_boxed_slice();
            let len = words.len();
            let start = Box::into_raw(words).cast::<AtomicU64>();
            // SAFETY: an `AtomicU64` has the size and the values of a `u64`, and its alignment, as
            // asserted below; the box was given up, so this is its only owner.
            unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, len)) }
        })
    }

    /// Of `len` (at most 32) bytes at `address`, which are in it, those that nobody has written, a
    /// bit each.
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

    /// Whether any of `len` bytes at `address`, which are in it, was never written.
    pub(crate) fn lacks(&self, address: u64, len: u64) -> bool {
        if self.is_whole() || len == 0 {
            return false;
        }
        let Some(bits) = self.bits.get() else {
            return true;
        };
        words(address - self.base, len).any(|(word, mask)| bits[word].load(Relaxed) & mask != mask)
    }

    /// `len` bytes at `address`, which are in it, are written.
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
            // What is written whole needs no exchange with others that write.
            if mask == u64::MAX {
                bits.store(mask, Relaxed);
            } else if bits.load(Relaxed) & mask != mask {
                bits.fetch_or(mask, Relaxed);
            }
        }
    }

    /// The same of `len` bytes at each of these addresses, by rising ones best: words of bits are
    /// changed once for lanes side by side.
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

    /// Whether all of `len` bytes at each of these addresses, which are in it, were written.
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

    /// Calls `f` with the words that hold the bits of `len` bytes at each address, and which bits
    /// of each, until it says false. Whether it never did.
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

    /// All of it may have been written.
    pub(super) fn write_all(&self) {
        self.change_full(Relaxed, |full| full & !FULL | self.words());
    }

    fn change_full(&self, order: Ordering, change: impl Fn(u64) -> u64) {
        // It is never given up, so there is nothing to be told.
        let _ = self
            .full
            .fetch_update(order, Relaxed, |full| Some(change(full)));
    }

    /// `len` bytes at `address`, which are in it, hold uninitialised data: memory that was given
    /// out anew, or a copy of such bytes.
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
        // Who sees that also sees the bits.
        self.change_full(Release, |full| {
            let times = (full & !FULL).wrapping_add(FULL + 1);
            times | (full & FULL).min(offset / 64)
        });
    }
}

const _: () = assert!(align_of::<AtomicU64>() == align_of::<u64>());

/// The words that hold the bits of `len` bytes from the byte `at`, and which bits of each.
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
