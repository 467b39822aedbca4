//! What tiles before this one have together: decoupled look-back.
//!
//! A tile is one block's part of the input. Each block publishes its own tile's result at once, and
//! then looks back: it combines the results of the tiles before, until it comes to a tile that has
//! published its result with all before it. So the input is read once, and the blocks wait for
//! each other no longer than a result takes. Blocks take tiles by a ticket and not by their number.
//! A block that has a ticket runs, so all tiles before its own end.
//!
//! Source: Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.

use lanewise_macros::shared;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU64};
use lanewise_std::cache::prefetch_l2;
use lanewise_std::collective::block_broadcast;
use lanewise_std::kernel::Value;
use lanewise_std::thread::{block_idx_x, block_stride, nanosleep, sync_threads, thread_rank};
use lanewise_std::warp::{
    FULL_MASK, Shuffle, all_sync, ballot_sync, lane_id, shuffle_down_sync, warp_id, warps_per_block,
};

use crate::{Monoid, Number};

/// A value whose bits fit into status words, each of which has two bits of the status, too.
pub trait Packed: Shuffle + Copy {
    /// The number of words, 1 or 2.
    const WORDS: usize = 1;
    /// Returns the value's bits, at most 62 in each word.
    fn to_words(self) -> [u64; 2];
    /// Returns the value with these bits. The upper two of a word do not count.
    fn from_words(words: [u64; 2]) -> Self;
}

/// The lower half of a word.
const LOWER: u64 = u32::MAX as u64;

/// A number has a word for each 32 bits.
impl<T: Number> Packed for T {
    const WORDS: usize = size_of::<T>() / 4;

    #[inline(always)]
    fn to_words(self) -> [u64; 2] {
        let bits = Number::to_bits(self);
        [bits & LOWER, bits >> 32]
    }

    #[inline(always)]
    fn from_words([lower, upper]: [u64; 2]) -> Self {
        let upper = if Self::WORDS == 2 { upper << 32 } else { 0 };
        <Self as Number>::from_bits(lower & LOWER | upper)
    }
}

/// The greatest count of a pair that is [`Packed`].
pub const MOST_COUNT: u32 = (1 << 30) - 1;

/// A count, in the upper 30 of 62 bits, and a number of 32 bits.
impl<V: Number> Packed for (u32, V) {
    #[inline(always)]
    fn to_words(self) -> [u64; 2] {
        const { assert!(size_of::<V>() == 4) };
        [u64::from(self.0) << 32 | self.1.to_bits(), 0]
    }

    #[inline(always)]
    fn from_words([word, _]: [u64; 2]) -> Self {
        ((word >> 32) as u32 & MOST_COUNT, V::from_bits(word & LOWER))
    }
}

/// Returns what the warps of the block before this one have together, and what all of them have.
/// All threads of the block call this, once in a
/// kernel, with the result of their warp.
#[inline(always)]
pub fn before_warp<T: Shuffle, O: Monoid<T>>(of_warp: T, operator: O) -> (T, T) {
    shared! { static WARPS: [T; 32]; }
    let warp = warp_id() as usize;
    if lane_id() == 0 {
        // SAFETY: one thread sets the warp's element, and a barrier comes before the reads.
        unsafe { WARPS.set(warp, of_warp) };
    }
    sync_threads();
    let (mut before, mut all) = (O::NEUTRAL, O::NEUTRAL);
    for other in 0..warps_per_block() as usize {
        if other == warp {
            before = all;
        }
        // SAFETY: set before the barrier, and not again.
        all = operator.combine(all, unsafe { WARPS.get(other) });
    }
    (before, all)
}

/// The status is in the upper two bits of a word, from this one on.
const STATUS: u32 = 62;
/// Nothing is known yet.
const NOTHING: u32 = 0;
/// The other bits have the tile's own result.
const OWN: u32 = 1;
/// The other bits have the result of the tile and of all tiles before it.
const THROUGH: u32 = 2;

/// The number of bytes that the second-level cache fetches at once.
const CACHE_LINE: usize = 128;

/// How long a lane waits before it asks again, in nanoseconds.
const PAUSE: u32 = 100;

/// Returns the number of the block's tile to all threads of the block. One of them takes the
/// ticket.
///
/// A ticket takes as long as a load. In this time the second-level cache fetches the tile with the
/// block's own number: this block will have it, or another that started with this one. `prefetch`
/// asks for it with [`prefetch_tile`].
#[inline(always)]
pub fn take_tile(ticket: impl FnOnce() -> u32, prefetch: impl FnOnce(usize)) -> usize {
    let ticket = if thread_rank() == 0 { ticket() } else { 0 };
    prefetch(block_idx_x() as usize);
    block_broadcast(ticket, 0) as usize
}

/// Has the second-level cache fetch a tile of `len` elements.
#[inline(always)]
pub fn prefetch_tile<T: Value>(input: &[T], tile: usize, len: usize) {
    let line = CACHE_LINE / size_of::<T>();
    for i in block_stride(len / line) {
        if let Some(element) = input.get(tile * len + i * line) {
            prefetch_l2(element);
        }
    }
}

/// The status of all tiles and the number of tickets taken, all zero before the launch.
#[derive(Clone, Copy)]
pub struct Tiles<'a> {
    statuses: &'a [DeviceAtomicU64],
    tickets: &'a DeviceAtomicU64,
}

impl<'a> Tiles<'a> {
    /// The last word counts tickets. It is none of the statuses, so a launch with more blocks than
    /// these panics, and no ticket is given twice.
    ///
    /// # Panics
    /// If there are no words.
    #[inline(always)]
    pub fn new(words: &'a [DeviceAtomicU64]) -> Self {
        let [statuses @ .., tickets] = words else {
            panic!("no word counts the tickets");
        };
        Tiles { statuses, tickets }
    }

    /// Returns the number of the block's tile to all threads of the block, as [`take_tile`] does.
    #[inline(always)]
    pub fn take(&self, prefetch: impl FnOnce(usize)) -> usize {
        let ticket = || self.tickets.fetch_add(1, AtomicOrdering::Relaxed) as u32;
        take_tile(ticket, prefetch)
    }

    #[inline(always)]
    fn publish<T: Packed>(&self, tile: usize, status: u32, value: T) {
        // A word has the status and its part of the value, so no fence is needed. Two words with
        // the same status are parts of the same value: a tile publishes each status once.
        let words = value.to_words();
        for part in 0..T::WORDS {
            let word = u64::from(status) << STATUS | words[part];
            self.statuses[tile * T::WORDS + part].store(word, AtomicOrdering::Relaxed);
        }
    }

    /// Returns a tile's status, and the words of its value if it has one.
    #[inline(always)]
    fn published<T: Packed>(&self, tile: usize) -> (u32, [u64; 2]) {
        let mut words = [0; 2];
        for part in 0..T::WORDS {
            words[part] = self.statuses[tile * T::WORDS + part].load(AtomicOrdering::Relaxed);
        }
        let [first, last] = [0, T::WORDS - 1].map(|part| (words[part] >> STATUS) as u32);
        (if first == last { first } else { NOTHING }, words)
    }

    /// Tells the blocks of later tiles the result of this one, as early as there is one. All
    /// threads of the block call this, and then [`before`](Self::before).
    #[inline(always)]
    pub fn announce<T: Packed>(&self, tile: usize, own: T) {
        if thread_rank() == 0 {
            self.publish(tile, if tile == 0 { THROUGH } else { OWN }, own);
        }
    }

    /// Returns the result of all tiles before this one, whose own is announced, and passes a
    /// barrier of the block. All threads of the block call this, once in a kernel.
    ///
    /// The first warp looks back, at 32 tiles at once. What the other warps do before they call
    /// this takes none of its time.
    #[inline(always)]
    pub fn before<T: Packed, O: Monoid<T>>(&self, tile: usize, own: T, operator: O) -> T {
        shared! { static BEFORE: [T; 1]; }
        if warp_id() == 0 {
            let mut before = O::NEUTRAL;
            // The tiles that were not looked at yet, the first of all.
            let mut left = tile;
            while left > 0 {
                // Lane 0 has the nearest tile. Before the first tile is nothing.
                let (status, value) = self.wait(left.checked_sub(lane_id() as usize + 1));
                let ends = ballot_sync(FULL_MASK, status == THROUGH);
                let last = if ends == 0 { 31 } else { ends.trailing_zeros() };
                let mut value = if lane_id() <= last { value } else { O::NEUTRAL };
                for step in [1, 2, 4, 8, 16] {
                    let farther = shuffle_down_sync(FULL_MASK, value, step);
                    if lane_id() + step < 32 {
                        value = operator.combine(farther, value);
                    }
                }
                before = operator.combine(value, before);
                if ends != 0 {
                    break;
                }
                left -= 32;
            }
            if lane_id() == 0 {
                if tile > 0 {
                    self.publish(tile, THROUGH, operator.combine(before, own));
                }
                // SAFETY: one thread sets the element, and a barrier comes before the reads.
                unsafe { BEFORE.set(0, before) };
            }
        }
        sync_threads();
        // SAFETY: set before the barrier, and not again.
        unsafe { BEFORE.get(0) }
    }

    /// Waits until the tiles of all lanes have a result, and returns this lane's. A tile whose
    /// result is known is not asked for again: hundreds of warps wait for the same few words.
    #[inline(always)]
    fn wait<T: Packed>(&self, tile: Option<usize>) -> (u32, T) {
        let (mut status, mut words) = match tile {
            Some(tile) => self.published::<T>(tile),
            None => (THROUGH, [0; 2]),
        };
        loop {
            if all_sync(FULL_MASK, status != NOTHING) {
                return (status, T::from_words(words));
            }
            if let (NOTHING, Some(tile)) = (status, tile) {
                nanosleep(PAUSE);
                (status, words) = self.published::<T>(tile);
            }
        }
    }
}
