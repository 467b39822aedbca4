//! Which bytes of a block's shared memory were written since the block began, a bit each.

use crate::memory::words;

/// The bits, and the number of unwritten bytes.
#[derive(Debug, Default)]
pub(in crate::machine) struct SharedBytes {
    bits: Vec<u64>,
    size: u64,
    /// The number of unwritten bytes. If it is 0, the bits need not be read.
    lacking: u64,
}

impl SharedBytes {
    /// Starts a block: none of this many bytes is written.
    pub(in crate::machine) fn begin(&mut self, size: u64) {
        self.bits.clear();
        self.bits.resize(size.div_ceil(64) as usize, 0);
        (self.size, self.lacking) = (size, size);
    }

    /// Returns whether all bytes were written.
    #[inline(always)]
    pub(super) fn is_whole(&self) -> bool {
        self.lacking == 0
    }

    /// Returns whether `len` bytes from the byte `at` are in range.
    #[inline(always)]
    pub(super) fn holds(&self, at: u64, len: u64) -> bool {
        at < self.size && len <= self.size - at
    }

    /// Returns whether any of `len` bytes from the byte `at` is unwritten. The bytes must
    /// be in range.
    #[inline]
    pub(super) fn lacks(&self, at: u64, len: u64) -> bool {
        words(at, len).any(|(word, mask)| self.bits[word] & mask != mask)
    }

    /// Returns which of `len` (at most 32) bytes from the byte `at` are unwritten, a bit each. The
    /// bytes must be in range.
    #[inline]
    pub(super) fn unwritten(&self, at: u64, len: u64) -> u32 {
        let (word, shift) = ((at / 64) as usize, at % 64);
        let mut found = self.bits[word] >> shift;
        if shift + len > 64 {
            found |= self.bits[word + 1] << (64 - shift);
        }
        !(found as u32) & ((1u64 << len) - 1) as u32
    }

    /// Returns whether all of `len` (at most 32) bytes from the byte `at` were written. The bytes
    /// must be in range.
    #[inline(always)]
    pub(super) fn has(&self, at: u64, len: u64) -> bool {
        let (shift, asked) = (at % 64, (1u64 << len) - 1);
        match shift + len <= 64 {
            true => self.bits[(at / 64) as usize] >> shift & asked == asked,
            false => self.unwritten(at, len) == 0,
        }
    }

    /// Does the same for `len` bytes from each of these, if none begins in one word of bits and
    /// ends in the next. Then one load is enough for each.
    #[inline(always)]
    pub(super) fn have_all(&self, each: impl Iterator<Item = u64>, len: u64) -> bool {
        let asked = (1u64 << len) - 1;
        let set = each.fold(u64::MAX, |set, at| {
            set & (self.bits[(at / 64) as usize] >> (at % 64))
        });
        set & asked == asked
    }

    /// Marks `len` bytes from the byte `at` as written. The bytes must be in range.
    #[inline]
    pub(super) fn write(&mut self, at: u64, len: u64) {
        if self.is_whole() {
            return;
        }
        for (word, mask) in words(at, len) {
            let new = mask & !self.bits[word];
            self.bits[word] |= mask;
            self.lacking -= u64::from(new.count_ones());
        }
    }

    /// Marks the byte `at` as uninitialised.
    pub(super) fn forget(&mut self, at: u64) {
        if at < self.size {
            let bit = 1 << (at % 64);
            let word = &mut self.bits[(at / 64) as usize];
            self.lacking += u64::from(*word & bit != 0);
            *word &= !bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_those_of_a_list_of_bytes(steps in proptest::collection::vec((any::<bool>(), 0u64..300, 1u64..300), 1..20)) {
            let (mut shared, mut bytes) = (SharedBytes::default(), [false; 300]);
            shared.begin(300);
            for (writes, at, len) in steps {
                let len = len.min(300 - at);
                prop_assert!(shared.holds(at, len) && !shared.holds(at, 301 - at));
                match writes {
                    true => shared.write(at, len),
                    false => (at..at + len).for_each(|at| shared.forget(at)),
                }
                bytes[at as usize..(at + len) as usize].fill(writes);
                for from in 0..300 - 32 {
                    let expected = (0..32).fold(0u32, |set, i| set | u32::from(!bytes[from + i]) << i);
                    prop_assert_eq!(shared.unwritten(from as u64, 32), expected);
                    prop_assert_eq!(shared.unwritten(from as u64, 1), expected & 1);
                    prop_assert_eq!(shared.has(from as u64, 32), expected == 0);
                    prop_assert_eq!(shared.has(from as u64, 4), expected & 15 == 0);
                }
                prop_assert_eq!(shared.lacks(at, len), !writes);
                prop_assert_eq!(shared.is_whole(), !bytes.contains(&false));
            }
        }
    }
}
