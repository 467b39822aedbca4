//! Combines each element with all before it.
//!
//! A block has a tile of the input, and reads and writes it once; `look_back` has what
//! comes from the tiles before.

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::DeviceAtomicU64;
use lanewise_std::collective::{Max, Min, Sum, warp_inclusive_scan, warp_reduce};
use lanewise_std::warp::{FULL_MASK, lane_id, shuffle_sync, shuffle_up_sync};

use super::Monoid;
use super::look_back::{Packed, Tiles, before_warp, prefetch_tile};
use super::sixteen::{Number, Places, are_whole};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The number of vectors of sixteen bytes that a thread has of a tile.
const ROUNDS: usize = 8;
/// The number of bytes of a tile.
pub const TILE: usize = BLOCK as usize * ROUNDS * 16;

/// Writes each element combined with all before it. If `is_exclusive`, the element itself is left
/// out, and the first result is the neutral element.
#[kernel(instances(
    (i32, Sum), (u32, Sum), (f32, Sum),
    (i32, Min), (u32, Min), (f32, Min),
    (i32, Max), (u32, Max), (f32, Max)
))]
#[launch_bounds(256, 4)]
#[launch_contract(dims = 1, block = 256)]
pub fn scan<T: Number + Packed, O: Monoid<T>>(
    input: &[T],
    mut output: DisjointSlice<T>,
    tiles: &[DeviceAtomicU64],
    is_exclusive: bool,
) {
    let tiles = Tiles::new(tiles);
    let len = TILE / size_of::<T>();
    let tile = tiles.take(|tile| prefetch_tile(input, tile, len));
    let end = (tile + 1) * len;
    if are_whole(input, &mut output, end) {
        // SAFETY: the tile is whole.
        unsafe { scan_tile::<true, T, O>(input, output, tiles, tile, is_exclusive) };
    } else {
        // SAFETY: nothing is asked of other tiles.
        unsafe { scan_tile::<false, T, O>(input, output, tiles, tile, is_exclusive) };
    }
}

#[inline(always)]
fn fold<'a, T: Number + 'a, O: Monoid<T>>(
    values: impl IntoIterator<Item = &'a T>,
    operator: O,
) -> T {
    let values = values.into_iter();
    values.fold(O::NEUTRAL, |before, value| operator.combine(before, *value))
}

/// Returns all values of the warp combined.
#[inline(always)]
fn combined<T: Number, O: Monoid<T>>(values: &[T::Neighbours; ROUNDS], operator: O) -> T {
    if O::COMMUTATIVE {
        return warp_reduce(
            fold(values.iter().flat_map(|four| four.as_ref()), operator),
            operator,
        );
    }
    values.iter().fold(O::NEUTRAL, |before, four| {
        operator.combine(before, warp_reduce(fold(four.as_ref(), operator), operator))
    })
}

/// Scans one tile.
///
/// # Safety
/// If `WHOLE`, the tile is in both slices, and both are aligned to sixteen bytes.
#[inline(always)]
unsafe fn scan_tile<const WHOLE: bool, T: Number + Packed, O: Monoid<T>>(
    input: &[T],
    mut output: DisjointSlice<T>,
    tiles: Tiles,
    tile: usize,
    is_exclusive: bool,
) {
    let operator = O::default();
    let places = Places::in_tile::<T, ROUNDS>(tile);
    // SAFETY: the caller promises that a whole tile is in the slice.
    let mut values = unsafe { places.load::<WHOLE, T, _, ROUNDS>(input, O::NEUTRAL.splat()) };
    // What later tiles wait for comes first.
    let (before_warp, own) = before_warp(combined(&values, operator), operator);
    tiles.announce(tile, own);
    let mut before = operator.combine(tiles.before(tile, own, operator), before_warp);
    for four in &mut values {
        let scanned = warp_inclusive_scan(fold(four.as_ref(), operator), operator);
        let before_lane = shuffle_up_sync(FULL_MASK, scanned, 1);
        let before_lane = if lane_id() == 0 {
            O::NEUTRAL
        } else {
            before_lane
        };
        let mut through = operator.combine(before, before_lane);
        for value in four.as_mut() {
            let before = through;
            through = operator.combine(before, *value);
            *value = if is_exclusive { before } else { through };
        }
        before = operator.combine(before, shuffle_sync(FULL_MASK, scanned, 31));
    }
    // SAFETY: a tile has one block, and the places of a block's threads are apart.
    unsafe { places.store::<WHOLE, T, ROUNDS>(&mut output, input.len(), values) };
}
