//! Which bytes of an allocation were ever written: a bit for each byte, made when the first part is written.
//!
//! Kept for memory that a program gets without contents: `cuMemAlloc` and its like, and the heap of kernels. Host copies and memsets
//! write here, and launches that are checked for reads of unwritten memory. A launch that is not checked may have written
//! anything, so after it all counts as written. Cores of a launch write side by side: bits are changed by atomic operations.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

/// The bits of one allocation.
#[derive(Debug)]
pub(crate) struct Shadow {
    base: u64,
    size: u64,
    /// All of it was written: nobody needs to look at the bits.
    whole: AtomicBool,
    /// Bytes that nobody has written, as far as the bits say: when there are none left, all of it was.
    left: AtomicI64,
    /// Set where a byte was written.
    bits: OnceLock<Box<[AtomicU64]>>,
}

impl Shadow {
    /// Of `size` bytes at `base` that nobody has written.
    pub(super) fn new(base: u64, size: u64) -> Self {
        Self {
            base,
            size,
            whole: AtomicBool::new(false),
            left: AtomicI64::new(size as i64),
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
        self.whole.load(Relaxed)
    }

    fn bits(&self) -> &[AtomicU64] {
        self.bits.get_or_init(|| {
            // Zeros that the host backs where they are touched, which a list of atomics would not be.
            let words = vec![0u64; self.size.div_ceil(64) as usize].into_boxed_slice();
            let len = words.len();
            let start = Box::into_raw(words).cast::<AtomicU64>();
            // SAFETY: an `AtomicU64` has the size and the values of a `u64`, and its alignment, as asserted below; the box was
            // given up, so this is its only owner.
            unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, len)) }
        })
    }

    /// Of `len` (at most 32) bytes at `address`, which are in it, those that nobody has written, a bit each.
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
            self.whole.store(true, Relaxed);
            return;
        }
        let bits = self.bits();
        let mut new = 0;
        for (word, mask) in words(address - self.base, len) {
            if bits[word].load(Relaxed) & mask != mask {
                new += (mask & !bits[word].fetch_or(mask, Relaxed)).count_ones();
            }
        }
        if new > 0 && self.left.fetch_sub(new.into(), Relaxed) == i64::from(new) {
            self.whole.store(true, Relaxed);
        }
    }

    /// All of it may have been written.
    pub(super) fn write_all(&self) {
        self.whole.store(true, Relaxed);
    }

    /// `len` bytes at `address`, which are in it, hold what nobody wrote: memory that was given out anew, or a copy of such bytes.
    pub(crate) fn forget(&self, address: u64, len: u64) {
        let bits = self.bits();
        if self.is_whole() {
            bits.iter().for_each(|word| word.store(u64::MAX, Relaxed));
            self.left.store(0, Relaxed);
            self.whole.store(false, Relaxed);
        }
        let mut lost = 0;
        for (word, mask) in words(address - self.base, len) {
            lost += (mask & bits[word].fetch_and(!mask, Relaxed)).count_ones();
        }
        self.left.fetch_add(lost.into(), Relaxed);
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
        fn bits_are_those_of_a_list_of_bytes(steps in proptest::collection::vec((any::<bool>(), 0u64..300, 1u64..300), 1..20)) {
            let (shadow, mut bytes) = (Shadow::new(0x1000, 300), [false; 300]);
            for (writes, at, len) in steps {
                let len = len.min(300 - at);
                if len == 0 {
                    continue;
                }
                match writes {
                    true => shadow.write(0x1000 + at, len),
                    false => shadow.forget(0x1000 + at, len),
                }
                bytes[at as usize..(at + len) as usize].fill(writes);
                for from in 0..300 - 32 {
                    let expected = (0..32).fold(0u32, |set, i| set | u32::from(!bytes[from + i]) << i);
                    prop_assert_eq!(shadow.unwritten(0x1000 + from as u64, 32), expected);
                    prop_assert_eq!(shadow.unwritten(0x1000 + from as u64, 1), expected & 1);
                }
                prop_assert_eq!(shadow.lacks(0x1000 + at, len), !writes);
                prop_assert_eq!(shadow.lacks(0x1000, 300), bytes.contains(&false));
                prop_assert_eq!(shadow.is_whole(), !bytes.contains(&false));
            }
        }
    }
}
