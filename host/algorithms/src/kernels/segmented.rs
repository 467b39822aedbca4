//! Sorts each segment of the input by itself.
//!
//! A warp sorts a short segment in its registers by a bitonic network, and four at once if none of
//! them has more than 64 elements. A lane has neighbours, so most exchanges are within a lane, and
//! the others are shuffles. A block sorts a longer one digit by digit, as `sort` does with the
//! whole input. If the segment fits into shared memory, it is read and written once. If it does
//! not, the block goes over it once for each digit, one tile after another, so it waits for no
//! other block. One kernel looks at all segments first, and lists those for blocks.
//!
//! Source: Batcher, "Sorting networks and their applications", 1968.

#![expect(
    clippy::too_many_arguments,
    reason = "a kernel's parameters are the arguments of its launch"
)]

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::{AtomicOrdering, BlockAtomicU32, DeviceAtomicU32};
use lanewise_std::collective::{Sum, block_broadcast, block_exclusive_scan};
use lanewise_std::thread::{
    block_idx_x, block_stride, global_idx_x, grid_dim_x, sync_threads, thread_rank,
};
use lanewise_std::unroll::unroll;
use lanewise_std::warp::{
    FULL_MASK, WARP_SIZE, all_sync, ballot_sync, lane_id, lanemask_lt, shuffle_sync,
    shuffle_xor_sync, sync_warp, warp_id, warps_per_block,
};

use super::sort::{
    BLOCK, Bits, DIGIT_BITS, DIGITS, ITEMS, SPACE, WARPS, Word, for_each_item, ranks_in_warp,
    tile_len,
};

/// The number of threads in a block that lists segments, and in one that sorts short ones.
pub const BLOCK_SHORT: u32 = 256;
/// The most elements of a short segment.
pub const SHORT: usize = LANE_ITEMS * WARP_SIZE as usize;
/// The most elements that a lane has of a short segment.
const LANE_ITEMS: usize = 16;
/// How many segments a warp takes together, if none has more than eight elements for each of its
/// lanes.
const TOGETHER: usize = 4;
/// The lanes of one of them.
const GROUP: usize = 8;
/// Places in shared memory for the words of a warp.
const OF_WARP: usize = (LANE_ITEMS + 1) * WARP_SIZE as usize;
/// The most digits of a word.
const MOST_DIGITS: usize = 8;

/// The words of `counts`: how many segments are listed from the front and from the back, and how
/// many of both blocks have taken.
pub const COUNTS: usize = 4;

/// Lists the segments that blocks sort: those that fit into shared memory from the front, the
/// others from the back. Segment `i` has the elements from `starts[i]` to `starts[i + 1]`; `tile`
/// of them fit.
///
/// # Panics
/// If a segment ends before it begins, or past `len`.
///
/// # Safety
/// All `counts` are 0. The list is at least as long as there are segments.
#[kernel]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn list_segments(
    starts: &[u32],
    len: u32,
    tile: u32,
    mut list: DisjointSlice<u32>,
    counts: &[DeviceAtomicU32],
) {
    let segment = global_idx_x() as usize;
    let length = match (starts.get(segment), starts.get(segment + 1)) {
        (Some(&start), Some(&end)) => {
            assert!(
                start <= end && end <= len,
                "a segment ends before it begins, or past the input"
            );
            end - start
        }
        _ => 0,
    };
    let is_long = length > tile;
    for (kind, is_listed) in [length > SHORT as u32 && !is_long, is_long]
        .into_iter()
        .enumerate()
    {
        let lanes = ballot_sync(FULL_MASK, is_listed);
        if lanes == 0 {
            continue;
        }
        // One lane counts for its warp.
        let first = if lane_id() == 0 {
            counts[kind].fetch_add(lanes.count_ones(), AtomicOrdering::Relaxed)
        } else {
            0
        };
        let first = shuffle_sync(FULL_MASK, first, 0);
        let number = (first + (lanes & lanemask_lt()).count_ones()) as usize;
        let place = if kind == 0 {
            number
        } else {
            list.len().wrapping_sub(number + 1)
        };
        if is_listed {
            // SAFETY: a number is given once, and there are no more of them than segments, so no
            // place of one kind is one of the other.
            if let Some(place) = unsafe { list.get_unique_mut(place) } {
                *place = segment as u32;
            }
        }
    }
}

/// Sorts the short segments, four by a warp, and leaves the others.
///
/// # Safety
/// [`list_segments`] has found no wrong segment for an input of this length, and the output is as
/// long.
#[kernel(instances(u32, u64))]
#[launch_bounds(256, 4)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn sort_short<W: Word>(
    input: &[W],
    mut output: DisjointSlice<W>,
    starts: &[u32],
    negative: W,
    all: W,
) {
    let bits = Bits { negative, all };
    let step = (grid_dim_x() * warps_per_block()) as usize * TOGETHER;
    let mut first = (block_idx_x() * warps_per_block() + warp_id()) as usize * TOGETHER;
    while first + 1 < starts.len() {
        let of = |i: usize| {
            // One that is past the last has no elements.
            let start = |segment: usize| starts[segment.min(starts.len() - 1)] as usize;
            let (start, end) = (start(first + i), start(first + i + 1));
            Short {
                input,
                start,
                len: end - start,
                bits,
            }
        };
        const { assert!(TOGETHER * GROUP == WARP_SIZE as usize) };
        let own = of(lane_id() as usize / GROUP);
        // SAFETY: the segments are in the input and the output, and this warp's alone.
        unsafe {
            if all_sync(FULL_MASK, own.len <= GROUP * 8) {
                own.sort::<GROUP, 8>(&mut output);
            } else {
                for i in 0..TOGETHER {
                    let segment = of(i);
                    // A network of as few words as there may be.
                    match segment.len.div_ceil(WARP_SIZE as usize) {
                        0 => {}
                        1..=4 => segment.sort::<32, 4>(&mut output),
                        5..=8 => segment.sort::<32, 8>(&mut output),
                        9..=LANE_ITEMS => segment.sort::<32, LANE_ITEMS>(&mut output),
                        _ => {}
                    }
                }
            }
        }
        first += step;
    }
}

/// A segment of a warp, or of some lanes of it.
#[derive(Clone, Copy)]
struct Short<'a, W> {
    input: &'a [W],
    start: usize,
    len: usize,
    bits: Bits<W>,
}

impl<W: Word> Short<'_, W> {
    /// Sorts the segment, which `LANES` neighbouring lanes have. A lane has at most `N` elements.
    ///
    /// # Safety
    /// All lanes of the warp call it. The segment is in the input and the output, and no other
    /// lanes have it.
    #[inline(always)]
    unsafe fn sort<const LANES: usize, const N: usize>(self, output: &mut DisjointSlice<W>) {
        let (lane, group) = (lane_id() as usize % LANES, lane_id() as usize / LANES);
        // What stands for elements past the end is the greatest, and after all others.
        let mut words: [W; N] = from_fn(|item| {
            let place = item * LANES + lane;
            if place < self.len {
                // SAFETY: the segment is in the input.
                self.bits
                    .to_word(unsafe { *self.input.get_unchecked(self.start + place) })
            } else {
                W::ONES
            }
        });
        sort_in_lanes::<W, LANES, N>(&mut words, lane);
        // Neighbouring lanes are to store neighbours. A lane's words are an odd number of places
        // from the next one's, so they are in different banks.
        shared! { static WORDS: [u64; OF_WARP * (BLOCK_SHORT / WARP_SIZE) as usize]; }
        let of_warp = WORDS.as_ptr().cast::<W>();
        let of_warp = of_warp.wrapping_add(warp_id() as usize * OF_WARP);
        for (item, word) in words.into_iter().enumerate() {
            // SAFETY: the place is the lane's, in what the warp alone has.
            unsafe { of_warp.add(lane_id() as usize * (N + 1) + item).write(word) };
        }
        sync_warp(FULL_MASK);
        for item in 0..N {
            let place = item * LANES + lane;
            if place < self.len {
                let from = (group * LANES + place / N) * (N + 1) + place % N;
                // SAFETY: the warp has written it. The segment is in the output, and these lanes'
                // alone.
                unsafe {
                    *output.get_unchecked_mut(self.start + place) =
                        self.bits.to_key(of_warp.add(from).read());
                }
            }
        }
        sync_warp(FULL_MASK);
    }
}

/// Sorts the words of `LANES` neighbouring lanes, of which word `i` is number `i % N` of lane
/// `i / N`.
#[inline(always)]
fn sort_in_lanes<W: Word, const LANES: usize, const N: usize>(words: &mut [W; N], lane: usize) {
    let pass = |word: &mut W, other: W, is_lower: bool| {
        if (other < *word) == is_lower {
            *word = other;
        }
    };
    // Joins sorted pieces to pieces of `size` words. All are in ascending order, so the first step
    // compares a word with the one at the mirrored place.
    unroll::<9>(|log| {
        let size = 2 << log;
        if size <= N {
            unroll::<N>(|item| {
                let other = item ^ (size - 1);
                if item < other {
                    order_two(words, item, other);
                }
            });
        } else if size <= LANES * N {
            let lanes = size / N;
            let is_lower = lane & (lanes / 2) == 0;
            let other = |word: W| shuffle_xor_sync(FULL_MASK, word, lanes as u32 - 1);
            for item in 0..N / 2 {
                let mirrored = N - 1 - item;
                let others = (other(words[mirrored]), other(words[item]));
                pass(&mut words[item], others.0, is_lower);
                pass(&mut words[mirrored], others.1, is_lower);
            }
        }
        if size <= LANES * N {
            unroll::<8>(|step| {
                let apart = (size / 4) >> step;
                if apart >= N {
                    let lanes = apart / N;
                    let is_lower = lane & lanes == 0;
                    unroll::<N>(|item| {
                        let other = shuffle_xor_sync(FULL_MASK, words[item], lanes as u32);
                        pass(&mut words[item], other, is_lower);
                    });
                } else if apart > 0 {
                    unroll::<N>(|item| {
                        if item & apart == 0 {
                            order_two(words, item, item + apart);
                        }
                    });
                }
            });
        }
    });
}

/// Brings two words into their order.
#[inline(always)]
fn order_two<W: Word, const N: usize>(words: &mut [W; N], lower: usize, upper: usize) {
    let (a, b) = (words[lower], words[upper]);
    (words[lower], words[upper]) = (a.min(b), a.max(b));
}

macro_rules! by_blocks {
    ($($(#[$doc:meta])* $name:ident($sort:ident, $kind:literal, $blocks:literal);)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// [`list_segments`] has made the list of these starts, for an input of this length. The
        /// output and `other` are as long.
        #[kernel(instances(u32, u64))]
        #[launch_bounds(384, $blocks)]
        #[launch_contract(dims = 1, block = 384)]
        pub unsafe fn $name<W: Word>(
            input: &[W],
            mut output: DisjointSlice<W>,
            mut other: DisjointSlice<W>,
            starts: &[u32],
            list: &[u32],
            counts: &[DeviceAtomicU32],
            negative: W,
            all: W,
        ) {
            let bits = Bits { negative, all };
            loop {
                let ticket = if thread_rank() == 0 {
                    counts[2 + $kind].fetch_add(1, AtomicOrdering::Relaxed)
                } else {
                    0
                };
                let ticket = block_broadcast(ticket, 0);
                if ticket >= counts[$kind].load(AtomicOrdering::Relaxed) {
                    return;
                }
                let place = if $kind == 0 { ticket as usize } else { list.len() - 1 - ticket as usize };
                let segment = list[place] as usize;
                let (start, end) = (starts[segment] as usize, starts[segment + 1] as usize);
                let segment = Segment {
                    input: input.as_ptr().wrapping_add(start),
                    output: output.as_mut_ptr().wrapping_add(start),
                    other: other.as_mut_ptr().wrapping_add(start),
                    len: end - start,
                    bits,
                };
                // SAFETY: the segment is in the three buffers, and no other block has it.
                unsafe { segment.$sort() };
            }
        }
    )*};
}

by_blocks! {
    /// Sorts the listed segments that are at most a tile, each by a block.
    sort_medium(sort_tile, 0, 3);
    /// Sorts the listed segments that are longer than a tile, each by a block. `other` is written
    /// in between.
    sort_long(sort_tiles, 1, 3);
}

/// The memory of a block.
struct Space;

impl Space {
    /// Words of a tile, or counters of each warp: each use ends with a barrier.
    #[inline(always)]
    fn words<T>() -> *mut T {
        shared! { static WORDS: [u64; SPACE]; }
        WORDS.as_ptr().cast()
    }

    /// Where the next word with each value of each digit goes in the segment.
    #[inline(always)]
    fn offsets() -> *mut u32 {
        shared! { static OFFSETS: [u32; MOST_DIGITS * DIGITS]; }
        OFFSETS.as_ptr()
    }
}

/// A segment of a block.
#[derive(Clone, Copy)]
struct Segment<W> {
    input: *const W,
    output: *mut W,
    other: *mut W,
    len: usize,
    bits: Bits<W>,
}

/// Returns how many items a thread has of so many words. The compiler unrolls no more than a tile
/// has.
#[inline(always)]
fn items_of<W>(len: usize) -> usize {
    let most = const { tile_len::<W, ()>() / BLOCK as usize };
    len.div_ceil(BLOCK as usize).min(most)
}

/// Returns the thread's place in the tile if it has so many items: those of a warp follow each
/// other.
#[inline(always)]
fn place(items: usize, item: usize) -> usize {
    (warp_id() as usize * items + item) * WARP_SIZE as usize + lane_id() as usize
}

impl<W: Word> Segment<W> {
    /// Sorts a segment that is at most a tile, in shared memory.
    ///
    /// # Safety
    /// The block alone accesses the segment.
    #[inline(always)]
    unsafe fn sort_tile(self) {
        let items = items_of::<W>(self.len);
        let mut words = [W::ONES; ITEMS];
        for_each_item(items, |item| {
            if place(items, item) < self.len {
                // SAFETY: below the length.
                words[item] = self
                    .bits
                    .to_word(unsafe { self.input.add(place(items, item)).read() });
            }
        });
        for digit in 0..W::COUNT as u32 {
            // SAFETY: the words are those of a tile.
            unsafe { order(&words, items, digit * DIGIT_BITS) };
            for_each_item(items, |item| {
                // SAFETY: set before the barrier of `order`.
                words[item] = unsafe { Space::words::<W>().add(place(items, item)).read() };
            });
            sync_threads();
        }
        for_each_item(items, |item| {
            if place(items, item) < self.len {
                // SAFETY: below the length, and the place is this thread's.
                unsafe {
                    self.output
                        .add(place(items, item))
                        .write(self.bits.to_key(words[item]));
                }
            }
        });
    }

    /// Sorts a segment of several tiles: it is read once to count its digits, and once for each.
    ///
    /// # Safety
    /// The block alone accesses the segment.
    #[inline(always)]
    unsafe fn sort_tiles(self) {
        let offsets = Space::offsets();
        for i in block_stride(W::COUNT * DIGITS) {
            // SAFETY: each thread sets counters of its own, and a barrier comes before the others'.
            unsafe { offsets.add(i).write(0) };
        }
        sync_threads();
        let count = |key: W| {
            let word = self.bits.to_word(key);
            for digit in 0..W::COUNT {
                let value = word.digit(digit as u32 * DIGIT_BITS) as usize;
                // SAFETY: between the two barriers all access the counters only by atomics.
                unsafe { BlockAtomicU32::from_ptr(offsets.add(digit * DIGITS + value)) }
                    .fetch_add(1, AtomicOrdering::Relaxed);
            }
        };
        let mut i = thread_rank() as usize;
        while i + 3 * (BLOCK as usize) < self.len {
            // SAFETY: below the length.
            let keys: [W; 4] =
                from_fn(|k| unsafe { self.input.add(i + k * BLOCK as usize).read() });
            keys.into_iter().for_each(count);
            i += 4 * BLOCK as usize;
        }
        while i < self.len {
            // SAFETY: below the length.
            count(unsafe { self.input.add(i).read() });
            i += BLOCK as usize;
        }
        sync_threads();
        for digit in 0..W::COUNT {
            // SAFETY: the digits are counted; the passes before have written what this one reads.
            unsafe { self.pass(digit, offsets.add(digit * DIGITS)) };
        }
    }

    /// Orders the segment by one digit, of which `offsets` has how often it has each value.
    ///
    /// # Safety
    /// As for [`Self::sort_tiles`].
    #[inline(always)]
    unsafe fn pass(self, digit: usize, offsets: *mut u32) {
        let thread = thread_rank() as usize;
        let (is_first, is_last) = (digit == 0, digit + 1 == W::COUNT);
        // Words have an even number of digits, so the last pass writes the output.
        let (from, to) = match digit {
            0 => (self.input, self.other),
            digit if digit % 2 == 1 => (self.other.cast_const(), self.output),
            _ => (self.output.cast_const(), self.other),
        };
        let shift = digit as u32 * DIGIT_BITS;
        let count = if thread < DIGITS {
            // SAFETY: counted, and a barrier came after that.
            unsafe { offsets.add(thread).read() }
        } else {
            0
        };
        // Where the thread's digit goes next.
        let mut next = block_exclusive_scan(count, 0, Sum);
        let mut first = 0;
        while first < self.len {
            let len = (self.len - first).min(tile_len::<W, ()>());
            let items = items_of::<W>(len);
            let mut words = [W::ONES; ITEMS];
            for_each_item(items, |item| {
                if place(items, item) < len {
                    // SAFETY: below the length.
                    let word = unsafe { from.add(first + place(items, item)).read() };
                    words[item] = if is_first {
                        self.bits.to_word(word)
                    } else {
                        word
                    };
                }
            });
            // SAFETY: the words are those of a tile.
            let (start, own) = unsafe { order(&words, items, shift) };
            if thread < DIGITS {
                // SAFETY: the digit is this thread's, and a barrier comes before the reads.
                unsafe { offsets.add(thread).write(next.wrapping_sub(start)) };
                next += own;
            }
            sync_threads();
            for_each_item(items, |item| {
                let at = thread + item * BLOCK as usize;
                if at < len {
                    // SAFETY: set before the barrier; each word has a place of its own.
                    unsafe {
                        let word = Space::words::<W>().add(at).read();
                        let offset = offsets.add(word.digit(shift) as usize).read();
                        let word = if is_last {
                            self.bits.to_key(word)
                        } else {
                            word
                        };
                        to.add(offset.wrapping_add(at as u32) as usize).write(word);
                    }
                }
            });
            sync_threads();
            first += len;
        }
    }
}

/// Writes the words of a tile to shared memory in the order of their digit at bit `shift`, and
/// passes a barrier after that. Returns where the words whose digit is the thread's number begin,
/// and how many there are. Those past the end of the tile, which are [`Word::ONES`], come last.
///
/// # Safety
/// All threads of the block call this; before that, they have passed a barrier after the last use
/// of the space.
#[inline(always)]
unsafe fn order<W: Word>(words: &[W; ITEMS], items: usize, shift: u32) -> (u32, u32) {
    let (warp, lane) = (warp_id() as usize, lane_id() as usize);
    let counters = Space::words::<u32>();
    // SAFETY: each warp has counters of its own until the barrier, and they are in the space.
    let mut ranks = unsafe {
        let counters = counters.add(warp * DIGITS);
        for i in 0..DIGITS / WARP_SIZE as usize {
            counters.add(i * WARP_SIZE as usize + lane).write(0);
        }
        sync_warp(FULL_MASK);
        ranks_in_warp(words, items, shift, counters)
    };
    sync_threads();
    let digit = thread_rank() as usize;
    let mut own = 0;
    if digit < DIGITS {
        for warp in 0..WARPS {
            // SAFETY: counted before the barrier.
            own += unsafe { counters.add(warp * DIGITS + digit).read() };
        }
    }
    let start = block_exclusive_scan(own, 0, Sum);
    // The counter of each warp becomes the place of its first word with the digit.
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
        ranks[item] = rank + unsafe { counters.add(warp * DIGITS + digit as usize).read() };
    });
    sync_threads();
    for_each_item(items, |item| {
        // SAFETY: ranks are places in the tile, and all are different.
        unsafe {
            Space::words::<W>()
                .add(ranks[item] as usize)
                .write(words[item]);
        }
    });
    sync_threads();
    (start, own)
}
