//! Scans and reductions of the values of each run of equal keys, and the runs' lengths.
//!
//! A block has a tile of keys and values. What it knows of them is a `Part`: how many runs begin
//! there, and the last run's values combined. Two parts are combined by `ByKey`, so tiles learn
//! what comes before by `look_back`, as in a scan. Each element is scanned once, within its warp.
//! What comes before the warp is added only to the elements of the run that the warp is in the
//! middle of when it begins. A reduction keeps what it found in shared memory while it looks back,
//! so only the tile's first run waits for what comes before. The lengths of runs need no scan of
//! values: they are the differences of the places where runs begin.

use lanewise_macros::{kernel, shared};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU64};
use lanewise_std::collective::{Max, Min, Operator, Sum, warp_inclusive_scan, warp_reduce};
use lanewise_std::thread::{block_stride, thread_rank};
use lanewise_std::warp::{FULL_MASK, lane_id, shuffle_sync, shuffle_up_sync};

use super::Monoid;
use super::look_back::{Packed, Tiles, before_warp, prefetch_tile};
use super::ranks::{Flags, Ranks};
use super::sixteen::{Number, Places, Sixteen, are_whole, is_whole};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The same of a scan: with fewer threads, each has registers for more elements.
pub const BLOCK_SCAN: u32 = 192;
/// The number of vectors of four elements that a thread has of a tile.
const ROUNDS: usize = 4;
/// The same in a scan.
const ROUNDS_SCAN: usize = 6;
/// The same for lengths of runs, whose keys have no values.
const ROUNDS_LENGTHS: usize = 7;
/// The same for keys of 64 bits that are kept in shared memory.
const ROUNDS_WIDE: usize = 3;
/// The number of elements in a tile of a scan.
pub const TILE: usize = BLOCK_SCAN as usize * ROUNDS_SCAN * 4;
/// The most elements in a tile of a reduction.
const MOST_REDUCED: usize = tile_len(ROUNDS);
/// The least number of elements in a tile.
pub const LEAST_TILE: usize = tile_len(ROUNDS_WIDE);
/// The greatest number of elements: a status has 30 bits for the number of runs.
pub const MOST: usize = (1 << 30) - 1;

/// Returns the number of elements in a tile of so many vectors for each thread.
const fn tile_len(rounds: usize) -> usize {
    BLOCK as usize * rounds * 4
}

/// Returns the number of elements in a tile of a reduction.
#[must_use]
pub const fn tile_of_reduction<K>() -> usize {
    tile_len(if size_of::<K>() == 4 {
        ROUNDS
    } else {
        ROUNDS_WIDE
    })
}

// What tiles find has room in shared memory.
const _: () = assert!(ROUNDS <= 2 * ROUNDS_WIDE && ROUNDS_WIDE <= ROUNDS);
const _: () = assert!(2 * ROUNDS_WIDE <= ROUNDS_LENGTHS);

/// Returns the number of elements in a tile whose runs are measured.
#[must_use]
pub const fn tile_of_lengths<K>() -> usize {
    tile_len(if size_of::<K>() == 4 {
        ROUNDS_LENGTHS
    } else {
        ROUNDS_WIDE
    })
}

/// What is known of some elements: how many runs begin among them, and the values of the last run,
/// or of all if none begins, combined.
type Part<V> = (u32, V);

/// Combines parts: a run that begins leaves out what was before.
#[derive(Clone, Copy, Default)]
struct ByKey<O>(O);

impl<V: Copy, O: Operator<V>> Operator<Part<V>> for ByKey<O> {
    #[inline(always)]
    fn combine(&self, a: Part<V>, b: Part<V>) -> Part<V> {
        let value = if b.0 > 0 {
            b.1
        } else {
            self.0.combine(a.1, b.1)
        };
        (a.0 + b.0, value)
    }
}

impl<V: Copy, O: Monoid<V>> Monoid<Part<V>> for ByKey<O> {
    const NEUTRAL: Part<V> = (0, O::NEUTRAL);
}

/// The number of runs is in the upper 30 of 62 bits.
impl<V: Number> Packed for Part<V> {
    #[inline(always)]
    fn to_word(self) -> u64 {
        const { assert!(size_of::<V>() == 4) };
        u64::from(self.0) << 32 | self.1.to_bits()
    }

    #[inline(always)]
    fn from_word(word: u64) -> Self {
        (
            (word >> 32) as u32 & MOST as u32,
            V::from_bits(word & u64::from(u32::MAX)),
        )
    }
}

/// What a scan writes for an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The values of its run up to and including its own.
    Inclusive,
    /// The values of its run before its own.
    Exclusive,
    /// The values before its own; those of the run before if a run begins with it.
    Before,
}

/// Writes each value combined with all before it of the same run of equal keys. If `is_exclusive`,
/// the value itself is left out, and the first result of a run is the neutral element.
///
/// # Safety
/// All `tiles` are 0. There are fewer than 2^30 keys.
#[kernel(instances(
    (u32, i32, Sum), (u32, u32, Sum), (u32, f32, Sum),
    (u32, i32, Min), (u32, f32, Min), (u32, i32, Max), (u32, f32, Max),
    (u64, i32, Sum), (u64, u32, Sum), (u64, f32, Sum),
    (u64, i32, Min), (u64, f32, Min), (u64, i32, Max), (u64, f32, Max)
))]
#[launch_bounds(192, 4)]
#[launch_contract(dims = 1, block = 192)]
pub unsafe fn scan_by_key<K: Number, V: Number, O: Monoid<V>>(
    keys: &[K],
    values: &[V],
    mut output: DisjointSlice<V>,
    tiles: &[DeviceAtomicU64],
    is_exclusive: bool,
) {
    let tiles = Tiles::new(tiles);
    let tile = tiles.take(|tile| {
        prefetch_tile(keys, tile, TILE);
        prefetch_tile(values, tile, TILE);
    });
    let kind = if is_exclusive {
        Kind::Exclusive
    } else {
        Kind::Inclusive
    };
    let end = (tile + 1) * TILE;
    if is_whole(keys, end) && are_whole(values, &mut output, end) {
        // SAFETY: the tile is whole.
        unsafe { scan_tile::<true, K, V, O>(keys, values, output, tiles, tile, kind) };
    } else {
        // SAFETY: nothing is asked of other tiles.
        unsafe { scan_tile::<false, K, V, O>(keys, values, output, tiles, tile, kind) };
    }
}

/// Scans one tile.
///
/// # Safety
/// If `WHOLE`, the tile is in the three slices, and they are aligned to sixteen bytes.
#[inline(always)]
unsafe fn scan_tile<const WHOLE: bool, K: Number, V: Number, O: Monoid<V>>(
    keys: &[K],
    values: &[V],
    mut output: DisjointSlice<V>,
    tiles: Tiles,
    tile: usize,
    kind: Kind,
) {
    let operator = ByKey(O::default());
    let places = Places::in_tile::<V, ROUNDS_SCAN>(tile);
    // SAFETY: the caller promises that a whole tile is in the slices.
    let (mut items, firsts) = unsafe {
        let keys_here = places.load::<WHOLE, K, _, ROUNDS_SCAN>(keys, Sixteen([K::LEAST; 4]));
        let items = places.load::<WHOLE, V, _, ROUNDS_SCAN>(values, O::NEUTRAL.splat());
        (
            items,
            Flags::of_first::<WHOLE, K, _>(&keys_here, places, keys),
        )
    };
    let (of_warp, open) = scan_warp(&mut items, firsts, kind, operator);
    let (before_warp, own) = before_warp(of_warp, operator);
    // It matters only whether a run begins: a sum of these has 30 bits.
    let own = (own.0.min(1), own.1);
    tiles.announce(tile, own);
    let before = operator.combine(tiles.before(tile, own, operator), before_warp);
    for (round, four) in items.iter_mut().enumerate() {
        for (k, value) in four.as_mut().iter_mut().enumerate() {
            if open.has(V::LANES, round, k) {
                *value = operator.0.combine(before.1, *value);
            }
        }
    }
    // SAFETY: a tile has one block, and the places of a block's threads are apart.
    unsafe { places.store::<WHOLE, V, ROUNDS_SCAN>(&mut output, keys.len(), items) };
}

/// Scans the elements of the warp, each run by itself. Returns what is known of all of them, and
/// which results belong to the run that the warp begins in the middle of.
#[inline(always)]
fn scan_warp<const ROUNDS: usize, V: Number, O: Monoid<V>>(
    items: &mut [V::Neighbours; ROUNDS],
    firsts: Flags,
    kind: Kind,
    operator: ByKey<O>,
) -> (Part<V>, Flags) {
    let mut through = ByKey::<O>::NEUTRAL;
    let mut open = [0; ROUNDS];
    for (round, four) in items.iter_mut().enumerate() {
        let firsts = firsts.of_round(V::LANES, round);
        let is_first = |k: usize| firsts >> k & 1 != 0;
        let mut own = O::NEUTRAL;
        for (k, value) in four.as_ref().iter().enumerate() {
            own = if is_first(k) {
                *value
            } else {
                operator.0.combine(own, *value)
            };
        }
        let scanned = warp_inclusive_scan((firsts.count_ones(), own), operator);
        let before_lane = shuffle_up_sync(FULL_MASK, scanned, 1);
        let before_lane = if lane_id() == 0 {
            ByKey::<O>::NEUTRAL
        } else {
            before_lane
        };
        let (runs, mut last) = operator.combine(through, before_lane);
        if runs == 0 {
            // The bits below the first one; all four if there is none.
            let end = firsts | 1 << V::LANES;
            open[round] = !end & (end - 1);
            if kind == Kind::Before {
                open[round] |= end & end.wrapping_neg() & firsts;
            }
        }
        for (k, value) in four.as_mut().iter_mut().enumerate() {
            let before = last;
            last = if is_first(k) {
                *value
            } else {
                operator.0.combine(before, *value)
            };
            *value = match kind {
                Kind::Inclusive => last,
                Kind::Exclusive if is_first(k) => O::NEUTRAL,
                Kind::Exclusive | Kind::Before => before,
            };
        }
        through = operator.combine(through, shuffle_sync(FULL_MASK, scanned, 31));
    }
    (through, Flags::of_rounds(V::LANES, open))
}

/// Writes the key of each run of equal keys to `found`, the run's values combined to `output`, and
/// how many runs there are to the first of `count`.
///
/// # Safety
/// All `tiles` are 0. There are fewer than 2^30 keys, and the outputs are at least as long.
#[kernel(instances(
    (u32, i32, Sum), (u32, u32, Sum), (u32, f32, Sum),
    (u32, i32, Min), (u32, f32, Min), (u32, i32, Max), (u32, f32, Max),
    (u64, i32, Sum), (u64, u32, Sum), (u64, f32, Sum),
    (u64, i32, Min), (u64, f32, Min), (u64, i32, Max), (u64, f32, Max)
))]
#[launch_bounds(256, 4)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn reduce_by_key<K: Number, V: Number, O: Monoid<V>>(
    keys: &[K],
    values: &[V],
    found: DisjointSlice<K>,
    output: DisjointSlice<V>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    // SAFETY: the caller promises the same.
    unsafe {
        if size_of::<K>() == 4 {
            reduce_tile_of::<ROUNDS, K, V, O>(keys, values, found, output, count, tiles);
        } else {
            reduce_tile_of::<ROUNDS_WIDE, K, V, O>(keys, values, found, output, count, tiles);
        }
    }
}

/// Reduces the block's tile, with code of its own for a whole one.
///
/// # Safety
/// As for [`reduce_by_key`].
#[inline(always)]
unsafe fn reduce_tile_of<const ROUNDS: usize, K: Number, V: Number, O: Monoid<V>>(
    keys: &[K],
    values: &[V],
    found: DisjointSlice<K>,
    output: DisjointSlice<V>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    let (tiles, len) = (Tiles::new(tiles), const { tile_len(ROUNDS) });
    let tile = tiles.take(|tile| {
        prefetch_tile(keys, tile, len);
        prefetch_tile(values, tile, len);
    });
    let output = (found, output);
    if is_whole(keys, (tile + 1) * len) && is_whole(values, (tile + 1) * len) {
        // SAFETY: the tile is whole.
        unsafe { reduce_tile::<true, ROUNDS, K, V, O>(keys, values, output, count, tiles, tile) };
    } else {
        // SAFETY: nothing is asked of other tiles.
        unsafe { reduce_tile::<false, ROUNDS, K, V, O>(keys, values, output, count, tiles, tile) };
    }
}

/// Reduces the runs of one tile. Where a run begins, the one before it is complete.
///
/// # Safety
/// If `WHOLE`, the tile is in the keys and the values, and they are aligned to sixteen bytes. The
/// outputs are at least as long as the keys. The rounds are those of [`tile_of_reduction`].
#[inline(always)]
unsafe fn reduce_tile<
    const WHOLE: bool,
    const ROUNDS: usize,
    K: Number,
    V: Number,
    O: Monoid<V>,
>(
    keys: &[K],
    values: &[V],
    (mut found, mut output): (DisjointSlice<K>, DisjointSlice<V>),
    count: &[DeviceAtomicU64],
    tiles: Tiles,
    tile: usize,
) {
    shared! {
        static KEYS: [u64; LEAST_TILE];
        static VALUES: [V; MOST_REDUCED];
    }
    let found_here = KEYS.as_ptr().cast::<K>();
    let operator = ByKey(O::default());
    let places = Places::in_tile::<V, ROUNDS>(tile);
    // SAFETY: the caller promises that a whole tile is in the slices.
    let (keys_here, mut items, firsts) = unsafe {
        let keys_here = places.load::<WHOLE, K, _, ROUNDS>(keys, Sixteen([K::LEAST; 4]));
        let items = places.load::<WHOLE, V, _, ROUNDS>(values, O::NEUTRAL.splat());
        let firsts = Flags::of_first::<WHOLE, K, _>(&keys_here, places, keys);
        (keys_here, items, firsts)
    };
    let ranks = Ranks::<{ ROUNDS_LENGTHS.div_ceil(4) }>::of(firsts, V::LANES, ROUNDS);
    let (of_warp, open) = scan_warp(&mut items, firsts, Kind::Before, operator);
    let (before_warp, own) = before_warp(of_warp, operator);
    tiles.announce(tile, own);
    ranks.for_each_chosen(firsts, V::LANES, ROUNDS, before_warp.0, |to, round, k| {
        let value = items[round].as_ref()[k];
        // Only the warp's first run may end one that began before the warp.
        let value = if open.has(V::LANES, round, k) {
            operator.0.combine(before_warp.1, value)
        } else {
            value
        };
        // SAFETY: the places of all firsts are apart and in the tile. The barrier of `before` comes
        // before the reads.
        unsafe {
            found_here.add(to).write(keys_here[round].0[k]);
            VALUES.set_unchecked(to, value);
        }
    });
    let before = tiles.before(tile, own, operator);
    let (runs_before, runs) = (before.0 as usize, own.0 as usize);
    for i in block_stride(runs) {
        // SAFETY: set before the barrier. What tiles find is apart in the output, and no more than
        // there are keys.
        unsafe {
            *found.get_unchecked_mut(runs_before + i) = found_here.add(i).read();
            // The first of all runs ends none, and the tile's first may end one from before.
            if let Some(run) = (runs_before + i).checked_sub(1) {
                let value = VALUES.get_unchecked(i);
                *output.get_unchecked_mut(run) = if i == 0 {
                    operator.0.combine(before.1, value)
                } else {
                    value
                };
            }
        }
    }
    if thread_rank() == 0 && (tile + 1) * tile_len(ROUNDS) >= keys.len() {
        let all = operator.combine(before, own);
        count[0].store(u64::from(all.0), AtomicOrdering::Relaxed);
        // SAFETY: the first key begins a run. No tile ends the last one.
        unsafe { *output.get_unchecked_mut(all.0 as usize - 1) = all.1 };
    }
}

/// How many runs begin, and where the last one does.
#[derive(Clone, Copy, Default)]
struct Firsts;

impl Operator<(u32, u32)> for Firsts {
    #[inline(always)]
    fn combine(&self, a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
        (a.0 + b.0, a.1.max(b.1))
    }
}

impl Monoid<(u32, u32)> for Firsts {
    const NEUTRAL: (u32, u32) = (0, 0);
}

/// Writes the first element of each run of equal elements to `found`, how many there are in the run
/// to `lengths`, and how many runs there are to the first of `count`.
///
/// # Safety
/// As for [`reduce_by_key`].
#[kernel(instances(u32, u64))]
#[launch_bounds(256, 4)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn run_lengths<K: Number>(
    input: &[K],
    found: DisjointSlice<K>,
    lengths: DisjointSlice<u32>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    let tiles = Tiles::new(tiles);
    // SAFETY: the caller promises the same.
    unsafe {
        if size_of::<K>() == 4 {
            lengths_of::<ROUNDS_LENGTHS, K>(input, found, lengths, count, tiles);
        } else {
            lengths_of::<ROUNDS_WIDE, K>(input, found, lengths, count, tiles);
        }
    }
}

/// Measures the runs of the block's tile, with code of its own for a whole one.
///
/// # Safety
/// As for [`reduce_by_key`].
#[inline(always)]
unsafe fn lengths_of<const ROUNDS: usize, K: Number>(
    input: &[K],
    found: DisjointSlice<K>,
    lengths: DisjointSlice<u32>,
    count: &[DeviceAtomicU64],
    tiles: Tiles,
) {
    let len = const { tile_len(ROUNDS) };
    let tile = tiles.take(|tile| prefetch_tile(input, tile, len));
    if is_whole(input, (tile + 1) * len) {
        // SAFETY: the tile is whole.
        unsafe { lengths_of_tile::<true, ROUNDS, K>(input, found, lengths, count, tiles, tile) };
    } else {
        // SAFETY: nothing is asked of other tiles.
        unsafe { lengths_of_tile::<false, ROUNDS, K>(input, found, lengths, count, tiles, tile) };
    }
}

/// Measures the runs of one tile: each from its place to that of the next.
///
/// # Safety
/// As for [`reduce_tile`], with the rounds of [`tile_of_lengths`].
#[inline(always)]
unsafe fn lengths_of_tile<const WHOLE: bool, const ROUNDS: usize, K: Number>(
    input: &[K],
    mut found: DisjointSlice<K>,
    mut lengths: DisjointSlice<u32>,
    count: &[DeviceAtomicU64],
    tiles: Tiles,
    tile: usize,
) {
    const LANES: usize = 4;
    const MOST_TILE: usize = tile_len(ROUNDS_LENGTHS);
    shared! {
        static KEYS: [u64; MOST_TILE / 2];
        // Places in the tile.
        static STARTS: [u16; MOST_TILE];
    }
    let found_here = KEYS.as_ptr().cast::<K>();
    let first = tile * tile_len(ROUNDS);
    let places = Places::in_tile::<u32, ROUNDS>(tile);
    // SAFETY: the caller promises that a whole tile is in the slice.
    let (keys, firsts) = unsafe {
        let keys = places.load::<WHOLE, K, _, ROUNDS>(input, Sixteen([K::LEAST; LANES]));
        let firsts = Flags::of_first::<WHOLE, K, _>(&keys, places, input);
        (keys, firsts)
    };
    let place = |round: usize, k: usize| places.first + round * places.step + k;
    let ranks = Ranks::<{ ROUNDS_LENGTHS.div_ceil(4) }>::of(firsts, LANES, ROUNDS);
    let last = firsts
        .last()
        .map_or(0, |bit| place(bit / LANES, bit % LANES));
    let of_warp = (ranks.of_warp(), warp_reduce(last as u32, Max));
    let (before_warp, own) = before_warp(of_warp, Firsts);
    tiles.announce(tile, own);
    ranks.for_each_chosen(firsts, LANES, ROUNDS, before_warp.0, |to, round, k| {
        // SAFETY: the places of all firsts are apart and in the tile. The barrier of `before` comes
        // before the reads.
        unsafe {
            found_here.add(to).write(keys[round].0[k]);
            STARTS.set_unchecked(to, (place(round, k) - first) as u16);
        }
    });
    let before = tiles.before(tile, own, Firsts);
    let (runs_before, runs) = (before.0 as usize, own.0 as usize);
    // SAFETY: set before the barrier.
    let start = |i: usize| first as u32 + u32::from(unsafe { STARTS.get_unchecked(i) });
    for i in block_stride(runs) {
        // SAFETY: set before the barrier. What tiles find is apart in the output, and no more than
        // there are keys.
        unsafe {
            *found.get_unchecked_mut(runs_before + i) = found_here.add(i).read();
            let previous = if i > 0 { start(i - 1) } else { before.1 };
            // The first of all runs ends none.
            if let Some(run) = (runs_before + i).checked_sub(1) {
                *lengths.get_unchecked_mut(run) = start(i) - previous;
            }
        }
    }
    if thread_rank() == 0 && first + tile_len(ROUNDS) >= input.len() {
        let all = Firsts.combine(before, own);
        count[0].store(u64::from(all.0), AtomicOrdering::Relaxed);
        // SAFETY: the first key begins a run. No tile ends the last one.
        unsafe { *lengths.get_unchecked_mut(all.0 as usize - 1) = input.len() as u32 - all.1 };
    }
}
