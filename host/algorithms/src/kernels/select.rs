//! Copies the elements that are to be kept, one after another, in their order.
//!
//! A block has a tile of the input. It counts what it keeps, learns from `look_back` how
//! much all tiles before it keep, collects its own in shared memory and writes them there.

use lanewise_macros::{kernel, shared};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU64};
use lanewise_std::collective::Sum;
use lanewise_std::thread::{block_stride, thread_rank};
use lanewise_std::warp::{FULL_MASK, ballot_sync, lanemask_lt};

use super::look_back::{Tiles, before_warp};
use super::sixteen::{Number, Places, are_whole};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The number of vectors of sixteen bytes that a thread has.
const ROUNDS: usize = 10;
/// The number of elements of 32 bits in a tile.
pub const TILE: usize = BLOCK as usize * ROUNDS * 4;

/// What to keep.
pub trait Predicate<T>: Copy + Default {
    /// Returns whether an element is kept.
    fn keeps(&self, element: T) -> bool;
}

/// Keeps elements that are not zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct NotZero;

impl<T: PartialEq + Default> Predicate<T> for NotZero {
    #[inline(always)]
    fn keeps(&self, element: T) -> bool {
        element != T::default()
    }
}

/// Writes the kept elements to `output`, and how many they are to the first of `count`.
///
/// # Safety
/// All `tiles` are 0, and the input has fewer than 2^32 elements.
#[kernel(instances((i32, NotZero), (u32, NotZero), (f32, NotZero)))]
#[launch_bounds(256, 3)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn select<T: Number, P: Predicate<T>>(
    input: &[T],
    mut output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    let tiles = Tiles::new(tiles);
    let tile = tiles.take(input, TILE);
    if are_whole(input, &mut output, (tile + 1) * TILE) {
        // SAFETY: the tile is whole.
        unsafe { select_tile::<true, T, P>(input, output, count, tiles, tile) };
    } else {
        // SAFETY: nothing is asked of other tiles.
        unsafe { select_tile::<false, T, P>(input, output, count, tiles, tile) };
    }
}

/// Selects from one tile.
///
/// # Safety
/// If `WHOLE`, the tile is in the input, which is aligned to sixteen bytes.
#[inline(always)]
unsafe fn select_tile<const WHOLE: bool, T: Number, P: Predicate<T>>(
    input: &[T],
    mut output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: Tiles,
    tile: usize,
) {
    shared! { static KEPT: [T; TILE]; }
    let predicate = P::default();
    let places = Places::in_tile::<T, ROUNDS>(tile);
    // SAFETY: the caller promises that a whole tile is in the slice.
    let values = unsafe { places.load::<WHOLE, T, ROUNDS>(input, input[0]) };
    let mut kept = [0u32; ROUNDS];
    for round in 0..ROUNDS {
        for (k, value) in values[round].as_ref().iter().enumerate() {
            let is_kept = (WHOLE || places.first + round * places.step + k < input.len())
                && predicate.keeps(*value);
            kept[round] |= u32::from(is_kept) << k;
        }
    }
    // Where the lane's first element of each round goes, within the warp.
    let mut to = [0u32; ROUNDS];
    let mut of_warp = 0;
    for round in 0..ROUNDS {
        let mut before = 0;
        let mut all = 0;
        for k in 0..T::LANES {
            let votes = ballot_sync(FULL_MASK, kept[round] >> k & 1 != 0);
            before += (votes & lanemask_lt()).count_ones();
            all += votes.count_ones();
        }
        to[round] = of_warp + before;
        of_warp += all;
    }
    let (before_warp, own) = before_warp(of_warp, Sum);
    tiles.announce(tile, own);
    for round in 0..ROUNDS {
        let mut to = before_warp + to[round];
        for (k, value) in values[round].as_ref().iter().enumerate() {
            if kept[round] >> k & 1 != 0 {
                // SAFETY: the places of all kept elements are apart, and the barrier of `before`
                // comes before the reads.
                unsafe { KEPT.set(to as usize, *value) };
                to += 1;
            }
        }
    }
    let before = tiles.before(tile, own, Sum);
    if thread_rank() == 0 && (tile + 1) * TILE >= input.len() {
        count[0].store(u64::from(before + own), AtomicOrdering::Relaxed);
    }
    let before = before as usize;
    for i in block_stride(own as usize) {
        // SAFETY: set before the barrier, and not again. What tiles keep is apart in the output.
        unsafe { output.write_unique(before + i, KEPT.get(i)) };
    }
}
