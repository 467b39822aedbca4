//! Sorts words by one digit of 8 bits after another, the lowest digit first: a radix sort.
//!
//! One kernel counts how often each value of each digit occurs, so the input is read once for all
//! digits. Then each digit has one pass, which reads and writes all words once. In a pass, a block
//! has a tile of the input. Its warps rank their words: lanes with the same digit find each other
//! by ballots, and a counter for each warp and digit has how many words of the warp were before.
//! The block publishes how often its tile has each digit. For each digit, one thread looks back at
//! the tiles before, as in `look_back`. The words go to shared memory in their new order first, so
//! that neighbours among them are neighbours in the output, too. Words with the same digit keep
//! their order.
//!
//! Source: Adinets, Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs",
//! 2022.

#![expect(
    clippy::too_many_arguments,
    reason = "a kernel's parameters are the arguments of its launch"
)]

use core::array::from_fn;
use core::ops::BitXor;
use core::ptr;

use lanewise_macros::{kernel, shared};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::{self, AtomicOrdering, BlockAtomicU32, DeviceAtomicU32};
use lanewise_std::collective::{Sum, block_exclusive_scan};
use lanewise_std::kernel::Value;
use lanewise_std::scope::Device;
use lanewise_std::thread::{block_stride, nanosleep, sync_threads, thread_rank};
use lanewise_std::unroll::{computed_here, unroll};
use lanewise_std::warp::{
    FULL_MASK, WARP_SIZE, ballot_sync, lane_id, lanemask_lt, sync_warp, warp_id,
};

use super::histogram::for_each;
use super::look_back::{prefetch_tile, take_tile};
use super::sixteen::Number;

/// The number of threads in a block of a pass.
pub const BLOCK: u32 = 384;
/// The number of threads in a block that counts.
pub const BLOCK_COUNT: u32 = 512;
/// The number of values of a digit.
pub const DIGITS: usize = 256;
/// The number of bits of a digit.
pub const DIGIT_BITS: u32 = 8;
/// The number of warps in a block of a pass.
pub(super) const WARPS: usize = (BLOCK / WARP_SIZE) as usize;
/// The number of words of 32 bits that a thread has of a tile.
pub(super) const ITEMS: usize = 23;
/// The number of 64-bit words of shared memory that the words of a tile take.
pub(super) const SPACE: usize = BLOCK as usize * ITEMS / 2;

/// Returns the number of words that a thread has of a tile, if each has a value of type `V`.
const fn items<W, V>() -> usize {
    if size_of::<W>() > 4 || size_of::<V>() > 4 {
        ITEMS / 2
    } else {
        ITEMS
    }
}

/// Calls `body` with the numbers of a thread's items. The loop is unrolled, so that arrays stay in
/// registers.
#[inline(always)]
pub(super) fn for_each_item(items: usize, mut body: impl FnMut(usize)) {
    unroll::<ITEMS>(|item| {
        if item < items {
            body(item);
        }
    });
}

/// Returns the number of words of a tile, if each has a value of type `V`.
#[must_use]
pub const fn tile_len<W, V>() -> usize {
    BLOCK as usize * items::<W, V>()
}

/// An unsigned number that is sorted digit by digit.
pub trait Word: Number + Ord + atomic::Word<Device> + BitXor<Output = Self> {
    /// The number of digits.
    const COUNT: usize;
    /// All bits are one. No word is greater.
    const ONES: Self;
    /// Returns the digit that begins at bit `shift`.
    fn digit(self, shift: u32) -> u32;
    /// Returns `mask` if the highest bit is one, else 0.
    fn if_negative(self, mask: Self) -> Self;
}

macro_rules! words {
    ($($word:ident, $signed:ident, $count:literal;)*) => {
        $(
            impl Word for $word {
                const COUNT: usize = $count;
                const ONES: Self = Self::MAX;

                #[inline(always)]
                fn digit(self, shift: u32) -> u32 {
                    self.wrapping_shr(shift) as u32 % DIGITS as u32
                }

                #[inline(always)]
                fn if_negative(self, mask: Self) -> Self {
                    (self.cast_signed() >> ($word::BITS - 1)).cast_unsigned() & mask
                }
            }
        )*
    };
}

words! {
    u32, i32, 4;
    u64, i64, 8;
}

/// Which bits of a key are turned over so that keys are in the order of unsigned numbers: those of
/// `all` in each key, and before that, those of `negative` in a key whose highest bit is one. It
/// leaves the highest bit out.
#[derive(Clone, Copy)]
pub(super) struct Bits<W> {
    pub(super) negative: W,
    pub(super) all: W,
}

impl<W: Word> Bits<W> {
    #[inline(always)]
    pub(super) fn to_word(self, key: W) -> W {
        key ^ key.if_negative(self.negative) ^ self.all
    }

    #[inline(always)]
    pub(super) fn to_key(self, word: W) -> W {
        let key = word ^ self.all;
        key ^ key.if_negative(self.negative)
    }
}

/// Adds to `counts` how often each digit has each value. The first 256 are of the lowest digit.
#[kernel(instances(u32, u64))]
#[launch_contract(dims = 1, block = 512)]
pub fn count_digits<W: Word>(input: &[W], counts: &[DeviceAtomicU32], negative: W, all: W) {
    shared! { static COUNTERS: [u32; 32 * DIGITS]; }
    let bits = Bits { negative, all };
    for i in block_stride(32 * DIGITS) {
        // SAFETY: each thread sets counters of its own, and a barrier comes before the others'.
        unsafe { COUNTERS.set(i, 0) };
    }
    sync_threads();
    // Some warps share counters.
    let copy = warp_id() as usize % (32 / W::COUNT) * W::COUNT;
    let count = |key: W| {
        let word = bits.to_word(key);
        for digit in 0..W::COUNT {
            let value = word.digit(digit as u32 * DIGIT_BITS) as usize;
            let counter = COUNTERS.address_of((copy + digit) * DIGITS + value);
            // SAFETY: between the two barriers all threads access the counters only by atomics.
            unsafe { BlockAtomicU32::from_ptr(counter) }.fetch_add(1, AtomicOrdering::Relaxed);
        }
    };
    for_each::<W, W>(
        input,
        |words| words.as_ref().iter().for_each(|word| count(*word)),
        count,
    );
    sync_threads();
    for i in block_stride((W::COUNT * DIGITS).min(counts.len())) {
        let copies = (0..32 / W::COUNT).map(|copy| copy * W::COUNT * DIGITS + i);
        // SAFETY: counted before the barrier.
        let sum = copies.map(|counter| unsafe { COUNTERS.get(counter) }).sum();
        counts[i].fetch_add(sum, AtomicOrdering::Relaxed);
    }
}

/// Which digit a pass sorts by, and the keys' bits. The first pass takes keys and the last one
/// returns them; between them are words.
#[derive(Clone, Copy)]
struct Pass<'a, W> {
    counts: &'a [u32],
    statuses: &'a [DeviceAtomicU32],
    shift: u32,
    bits: Bits<W>,
}

/// Sorts by the digit that begins at bit `shift`.
///
/// # Safety
/// `counts` has how often each digit has each value. All `statuses` are 0: 256 for each
/// tile, and the number of tickets taken. There is a block for each tile. The output is as long as
/// the input, which has fewer than 2^30 words.
#[kernel(instances(u32, u64))]
#[launch_bounds(384, 3)]
#[launch_contract(dims = 1, block = 384)]
pub unsafe fn sort_keys<W: Word>(
    input: &[W],
    output: DisjointSlice<W>,
    counts: &[u32],
    statuses: &[DeviceAtomicU32],
    shift: u32,
    negative: W,
    all: W,
) {
    let pass = Pass {
        counts,
        statuses,
        shift,
        bits: Bits { negative, all },
    };
    // SAFETY: the caller promises the same.
    unsafe { pass.sort(input, output, &[], ptr::dangling_mut::<()>()) };
}

/// As [`sort_keys`], and moves a value with each key.
///
/// # Safety
/// As for [`sort_keys`]. There are as many values as keys.
#[kernel(instances((u32, u32), (u32, u64), (u64, u32), (u64, u64)))]
#[launch_bounds(384, 2)]
#[launch_contract(dims = 1, block = 384)]
pub unsafe fn sort_pairs<W: Word, V: Value>(
    input: &[W],
    output: DisjointSlice<W>,
    values: &[V],
    mut sorted: DisjointSlice<V>,
    counts: &[u32],
    statuses: &[DeviceAtomicU32],
    shift: u32,
    negative: W,
    all: W,
) {
    let pass = Pass {
        counts,
        statuses,
        shift,
        bits: Bits { negative, all },
    };
    // SAFETY: the caller promises the same.
    unsafe { pass.sort(input, output, values, sorted.as_mut_ptr()) };
}

/// The number of tiles that a thread looks back at together.
const LOOK: usize = 4;
/// How long it waits before it asks again, in nanoseconds.
const PAUSE: u32 = 20;

/// The upper two bits of a status: nothing is known yet.
const NOTHING: u32 = 0;
/// The other bits have how often the tile itself has the digit.
const OWN: u32 = 1 << 30;
/// The other bits have where the first word of the next tile with this digit goes.
const THROUGH: u32 = 2 << 30;
/// The bits of the number.
const NUMBER: u32 = OWN - 1;

impl<W: Word> Pass<'_, W> {
    /// Takes a tile and sorts it, with code of its own for a whole one.
    ///
    /// # Safety
    /// As for [`sort_pairs`], but for `()`, which needs no memory.
    #[inline(always)]
    unsafe fn sort<V: Copy>(
        self,
        input: &[W],
        output: DisjointSlice<W>,
        values: &[V],
        sorted: *mut V,
    ) {
        let len = tile_len::<W, V>();
        let [.., tickets] = self.statuses else {
            return;
        };
        let ticket = || tickets.fetch_add(1, AtomicOrdering::Relaxed);
        let tile = take_tile(ticket, |tile| prefetch_tile(input, tile, len));
        if (tile + 1) * len <= input.len() {
            // SAFETY: the tile is whole.
            unsafe { self.sort_tile::<true, V>(tile, input, output, values, sorted) };
        } else {
            // SAFETY: the caller promises the same.
            unsafe { self.sort_tile::<false, V>(tile, input, output, values, sorted) };
        }
    }

    /// Sorts one tile.
    ///
    /// # Safety
    /// As for [`sort`](Self::sort). If `WHOLE`, the tile is in the input.
    #[inline(always)]
    unsafe fn sort_tile<const WHOLE: bool, V: Copy>(
        self,
        tile: usize,
        input: &[W],
        mut output: DisjointSlice<W>,
        values: &[V],
        sorted: *mut V,
    ) {
        shared! {
            // Each use of the space ends with a barrier: counters, words, values.
            static SPACE_OF_TILE: [u64; SPACE];
            static OFFSETS: [u32; DIGITS];
        }
        let items = const { items::<W, V>() };
        let first = tile * tile_len::<W, V>();
        let len = if WHOLE {
            tile_len::<W, V>()
        } else {
            input.len() - first
        };
        let (warp, lane) = (warp_id() as usize, lane_id() as usize);
        // The place of the thread's first item in the tile.
        let mine = warp * items * WARP_SIZE as usize + lane;
        let place = |item: usize| mine + item * WARP_SIZE as usize;

        let mut words = [W::ONES; ITEMS];
        for_each_item(items, |item| {
            // What stands for words past the end is the greatest, and after all others.
            if WHOLE || place(item) < len {
                // SAFETY: the place is in the input.
                words[item] = unsafe { *input.get_unchecked(first + place(item)) };
            }
        });
        if self.shift == 0 {
            for_each_item(items, |item| {
                if WHOLE || place(item) < len {
                    words[item] = self.bits.to_word(words[item]);
                }
            });
        }
        let space = SPACE_OF_TILE.as_ptr();
        let counters = space.cast::<u32>();
        // SAFETY: each warp has counters of its own until the barrier, and they are in the space.
        let mut ranks = unsafe {
            let counters = counters.add(warp * DIGITS);
            for i in 0..DIGITS / WARP_SIZE as usize {
                counters.add(i * WARP_SIZE as usize + lane).write(0);
            }
            sync_warp(FULL_MASK);
            ranks_in_warp(&words, items, self.shift, counters)
        };
        sync_threads();
        // The counter of each warp becomes the place of its first word with the digit.
        let digit = thread_rank() as usize;
        let mut own = 0;
        if digit < DIGITS {
            for warp in 0..WARPS {
                // SAFETY: counted before the barrier.
                own += unsafe { counters.add(warp * DIGITS + digit).read() };
            }
            if tile > 0 {
                self.publish(tile, digit, OWN | own);
            }
        }
        let start = block_exclusive_scan(own, 0, Sum);
        if tile == 0 {
            let count = if digit < DIGITS {
                self.counts[(self.shift / DIGIT_BITS) as usize * DIGITS + digit]
            } else {
                0
            };
            let offset = block_exclusive_scan(count, 0, Sum);
            if digit < DIGITS {
                self.publish(0, digit, THROUGH | (offset + own));
                // SAFETY: one thread sets it, and a barrier comes before the reads.
                unsafe { OFFSETS.set(digit, offset.wrapping_sub(start)) };
            }
        }
        if digit < DIGITS {
            let mut place = start;
            for warp in 0..WARPS {
                // SAFETY: this thread alone accesses the digit's counters between the barriers.
                unsafe {
                    let counter = counters.add(warp * DIGITS + digit);
                    let count = counter.read();
                    counter.write(place);
                    place += count;
                }
            }
        }
        sync_threads();
        for_each_item(items, |item| {
            let (digit, rank) = (ranks[item] >> 16, ranks[item] & 0xFFFF);
            // SAFETY: set before the barrier.
            let start = unsafe { counters.add(warp * DIGITS + digit as usize).read() };
            ranks[item] = start + rank;
        });
        sync_threads();
        for_each_item(items, |item| {
            // SAFETY: ranks are places in the tile, and all are different.
            unsafe {
                space
                    .cast::<W>()
                    .add(ranks[item] as usize)
                    .write(words[item])
            };
        });
        if tile > 0 && digit < DIGITS {
            let before = self.before(tile, digit);
            self.publish(tile, digit, THROUGH | (before + own));
            // SAFETY: one thread sets it, and a barrier comes before the reads.
            unsafe { OFFSETS.set(digit, before.wrapping_sub(start)) };
        }
        sync_threads();
        let is_last = self.shift + DIGIT_BITS == 8 * size_of::<W>() as u32;
        let mut targets = [0u32; ITEMS];
        for_each_item(items, |item| {
            let at = digit + item * BLOCK as usize;
            // SAFETY: set before the barrier.
            let word = unsafe { space.cast::<W>().add(at).read() };
            // SAFETY: as above.
            let offset = unsafe { OFFSETS.get(word.digit(self.shift) as usize) };
            targets[item] = offset.wrapping_add(at as u32);
            if WHOLE || at < len {
                let key = if is_last {
                    self.bits.to_key(word)
                } else {
                    word
                };
                // SAFETY: each word of the input has a place of its own in the output.
                unsafe { *output.get_unchecked_mut(targets[item] as usize) = key };
            }
        });
        if size_of::<V>() == 0 {
            return;
        }
        sync_threads();
        for_each_item(items, |item| {
            if WHOLE || place(item) < len {
                // SAFETY: the place is in the input, which has a value for each word.
                unsafe {
                    let value = *values.get_unchecked(first + place(item));
                    space.cast::<V>().add(ranks[item] as usize).write(value);
                }
            }
        });
        sync_threads();
        for_each_item(items, |item| {
            let at = digit + item * BLOCK as usize;
            if WHOLE || at < len {
                // SAFETY: set before the barrier; the place is that of the value's key.
                unsafe {
                    sorted
                        .add(targets[item] as usize)
                        .write(space.cast::<V>().add(at).read())
                };
            }
        });
    }

    #[inline(always)]
    fn publish(self, tile: usize, digit: usize, word: u32) {
        // One word has status and number, so no fence is needed.
        // SAFETY: the caller of the kernel promises that each tile has 256 statuses.
        let status = unsafe { self.statuses.get_unchecked(tile * DIGITS + digit) };
        status.store(word, AtomicOrdering::Relaxed);
    }

    /// Returns where the first word of this tile with the digit goes. All tiles before have
    /// published how often they have it.
    #[inline(always)]
    fn before(self, tile: usize, digit: usize) -> u32 {
        let mut before = 0;
        // The tiles that were not looked at yet, the first of all.
        let mut left = tile;
        loop {
            let words: [u32; LOOK] = from_fn(|back| match left.checked_sub(back + 1) {
                Some(tile) => self.status(tile, digit),
                // Before the first tile is nothing.
                None => THROUGH,
            });
            for mut word in words {
                left -= 1;
                while word & !NUMBER == NOTHING {
                    nanosleep(PAUSE);
                    word = self.status(left, digit);
                }
                before += word & NUMBER;
                if word & THROUGH != 0 {
                    return before;
                }
            }
        }
    }

    #[inline(always)]
    fn status(self, tile: usize, digit: usize) -> u32 {
        // SAFETY: as for `publish`.
        let status = unsafe { self.statuses.get_unchecked(tile * DIGITS + digit) };
        status.load(AtomicOrdering::Relaxed)
    }
}

/// Returns for each of the lane's words how many words of the warp with the same digit are
/// before it in the input, with the digit in the upper half, and counts the warp's words.
///
/// # Safety
/// The warp alone accesses its 256 counters, which are 0.
#[inline(always)]
pub(super) unsafe fn ranks_in_warp<W: Word>(
    words: &[W; ITEMS],
    items: usize,
    shift: u32,
    counters: *mut u32,
) -> [u32; ITEMS] {
    let mut ranks = [0; ITEMS];
    for_each_item(items, |item| {
        let digit = words[item].digit(shift);
        let peers = same_digit(digit);
        let earlier = (peers & lanemask_lt()).count_ones();
        // SAFETY: the digit is below 256, and the warp's lanes read before one of them writes.
        unsafe {
            let counter = counters.add(digit as usize);
            let before = counter.read();
            ranks[item] = computed_here((digit << 16) + before + earlier);
            sync_warp(FULL_MASK);
            if earlier == 0 {
                counter.write(before + peers.count_ones());
            }
            sync_warp(FULL_MASK);
        }
    });
    ranks
}

/// Returns the lanes of the warp that have the same digit.
#[inline(always)]
fn same_digit(digit: u32) -> u32 {
    let mut same = FULL_MASK;
    for bit in 0..DIGIT_BITS {
        let is_zero = digit & 1 << bit == 0;
        let zeros = ballot_sync(FULL_MASK, is_zero);
        same &= if is_zero { zeros } else { !zeros };
    }
    same
}
