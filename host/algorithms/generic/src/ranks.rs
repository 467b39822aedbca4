//! Which of a thread's elements are chosen, and how many chosen ones of its warp are before them.

use core::array::from_fn;

use lanewise_std::collective::warp_inclusive_scan;
use lanewise_std::kernel::Value;
use lanewise_std::unroll::computed_here;
use lanewise_std::warp::{FULL_MASK, Shuffle, lane_id, shuffle_sync};

use crate::sixteen::Places;

/// A bit for each of a thread's elements, at most 64. Those of a round follow each other.
#[derive(Clone, Copy)]
pub struct Flags([u32; 2]);

impl Flags {
    /// Returns which elements are chosen. `is_chosen` takes the round, the number of the element
    /// in it, and the element.
    #[inline(always)]
    pub fn of<T: Copy, N: AsRef<[T]>>(
        values: &[N],
        mut is_chosen: impl FnMut(usize, usize, T) -> bool,
    ) -> Self {
        let mut flags = [0; 2];
        for (round, values) in values.iter().enumerate() {
            let values = values.as_ref();
            for (k, value) in values.iter().enumerate() {
                let bit = round * values.len() + k;
                flags[bit / 32] |= u32::from(is_chosen(round, k, *value)) << (bit % 32);
            }
        }
        // As bits, not as a predicate for each element.
        Flags(computed_here(flags))
    }

    /// Returns which elements differ from the one before them in the input. The first one of all
    /// does, and what is past the end does not.
    ///
    /// # Safety
    /// As for [`Places::load`], from which the values come.
    #[inline(always)]
    pub unsafe fn of_first<const WHOLE: bool, T: Value + Shuffle + PartialEq, N>(
        values: &[N],
        places: Places,
        input: &[T],
    ) -> Self
    where
        N: AsRef<[T]>,
    {
        let last = |round: usize| {
            let values: &[T] = values[round].as_ref();
            values[values.len() - 1]
        };
        // What is before a round is in the lane before, and for the first lane in the last lane's
        // round before. Before the warp's first element is another warp's.
        let lane = lane_id();
        let mut before_warp = last(0);
        if lane == 0
            && let Some(element) = places.first.checked_sub(1).and_then(|i| input.get(i))
        {
            before_warp = *element;
        }
        let mut before = before_warp;
        Self::of(values, |round, k, value| {
            if k == 0 {
                let is_last = lane == 31 && round > 0;
                let given = last(if is_last { round - 1 } else { round });
                let taken = shuffle_sync(FULL_MASK, given, lane.wrapping_sub(1) % 32);
                before = if lane == 0 && round == 0 {
                    before_warp
                } else {
                    taken
                };
            }
            let place = places.first + round * places.step + k;
            let differs = value != before || place == 0;
            before = value;
            differs && (WHOLE || place < input.len())
        })
    }

    /// Returns whether the element is chosen that is number `k` of `lanes` in its round.
    #[inline(always)]
    pub fn has(self, lanes: usize, round: usize, k: usize) -> bool {
        self.of_round(lanes, round) >> k & 1 != 0
    }

    /// Returns the bit of the last element that is chosen.
    #[inline(always)]
    pub fn last(self) -> Option<usize> {
        let last =
            |word: usize| (self.0[word] != 0).then(|| word * 32 + self.0[word].ilog2() as usize);
        last(1).or(last(0))
    }

    /// Returns the bits of a round, the lowest first.
    #[inline(always)]
    pub fn of_round(self, lanes: usize, round: usize) -> u32 {
        let bit = round * lanes;
        self.0[bit / 32] >> (bit % 32) & ((1 << lanes) - 1)
    }
}

/// How many chosen elements each round has, in the lanes before this one and in all of the warp. A
/// word has a byte for each of four rounds: 32 lanes with four elements each have at most 128.
#[derive(Clone, Copy)]
pub struct Ranks<const WORDS: usize> {
    before: [u32; WORDS],
    all: [u32; WORDS],
}

impl<const WORDS: usize> Ranks<WORDS> {
    /// Counts the chosen elements of the warp's lanes, which have `rounds` rounds of `lanes`
    /// elements, at most four. All lanes of the warp call this.
    #[inline(always)]
    pub fn of(flags: Flags, lanes: usize, rounds: usize) -> Self {
        let mut own = [0; WORDS];
        for round in 0..rounds {
            own[round / 4] |= flags.of_round(lanes, round).count_ones() << (round % 4 * 8);
        }
        let sum = |a: [u32; WORDS], b: [u32; WORDS]| from_fn(|word| a[word] + b[word]);
        let through = warp_inclusive_scan(own, sum);
        Ranks {
            before: from_fn(|word| through[word] - own[word]),
            all: shuffle_sync(FULL_MASK, through, 31),
        }
    }

    /// Returns how many chosen elements of the round the lanes before this one have.
    #[inline(always)]
    pub fn before(&self, round: usize) -> u32 {
        self.before[round / 4] >> (round % 4 * 8) & 0xFF
    }

    /// Returns how many chosen elements of the round the warp has.
    #[inline(always)]
    pub fn all(&self, round: usize) -> u32 {
        self.all[round / 4] >> (round % 4 * 8) & 0xFF
    }

    /// Returns how many chosen elements the warp has.
    #[inline(always)]
    pub fn of_warp(&self) -> u32 {
        let bytes = self.all.iter().flat_map(|word| word.to_le_bytes());
        bytes.map(u32::from).sum()
    }

    /// Calls `body` with each chosen element of the thread: its number among all chosen ones, of
    /// which `start` come before the warp's, its round and its number in it.
    #[inline(always)]
    pub fn for_each_chosen(
        &self,
        flags: Flags,
        lanes: usize,
        rounds: usize,
        mut start: u32,
        mut body: impl FnMut(usize, usize, usize),
    ) {
        for round in 0..rounds {
            let mut to = start + self.before(round);
            for k in 0..lanes {
                if flags.has(lanes, round, k) {
                    body(to as usize, round, k);
                    to += 1;
                }
            }
            start += self.all(round);
        }
    }
}
