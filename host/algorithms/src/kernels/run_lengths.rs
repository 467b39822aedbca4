//! The lengths of runs of equal elements.
//!
//! They are the differences of the places where runs begin, so nothing is scanned but how many
//! begin in a tile, and where the last one does. Tiles learn what comes before by `look_back`.

use lanewise_algorithms_generic::by_key::{BLOCK, LANES, ROUNDS_WIDE, tile_len};
use lanewise_macros::{kernel, shared};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU64};
use lanewise_std::collective::{Max, Operator, warp_reduce};
use lanewise_std::thread::{block_stride, thread_rank};

use super::Monoid;
use super::look_back::{Tiles, before_warp, prefetch_tile};
use super::ranks::{Flags, Ranks};
use super::sixteen::{Number, Places, Sixteen, is_whole};

/// The number of vectors of four elements that a thread has of a tile.
const ROUNDS_LENGTHS: usize = 7;

/// Returns the number of elements in a tile whose runs are measured.
#[must_use]
pub const fn tile_of_lengths<K>() -> usize {
    tile_len(if size_of::<K>() == 4 {
        ROUNDS_LENGTHS
    } else {
        ROUNDS_WIDE
    })
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
/// All `tiles` are 0. There are fewer than 2^30 keys, and the outputs are at least as long.
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
/// As for [`run_lengths`].
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
/// If `WHOLE`, the tile is in the input, which is aligned to sixteen bytes. The outputs are at
/// least as long as the input. The rounds are those of [`tile_of_lengths`].
#[inline(always)]
unsafe fn lengths_of_tile<const WHOLE: bool, const ROUNDS: usize, K: Number>(
    input: &[K],
    mut found: DisjointSlice<K>,
    mut lengths: DisjointSlice<u32>,
    count: &[DeviceAtomicU64],
    tiles: Tiles,
    tile: usize,
) {
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
