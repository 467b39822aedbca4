//! Copies the elements that are to be kept, one after another, in their order: those that a
//! predicate keeps, or the first of each run of equal ones. A partition copies the others, too.
//!
//! A block has a tile of the input. It counts what it keeps, learns from `look_back` how
//! much all tiles before it keep, collects its own in shared memory and writes them there.

use lanewise_macros::{kernel, shared};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU64};
use lanewise_std::collective::Sum;
use lanewise_std::thread::{block_stride, thread_rank};
use lanewise_std::warp::{FULL_MASK, ballot_sync, lane_id, lanemask_lt, shuffle_up_sync};

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

/// Whether an element is kept, given the one before it.
trait Rule<T>: Copy {
    /// Whether it looks at the element before. The first element of all is kept then.
    const LOOKS_BEFORE: bool;
    /// Returns whether the element is kept.
    fn keeps(&self, before: T, element: T) -> bool;
}

/// By a predicate of the element itself.
#[derive(Clone, Copy)]
struct Itself<P>(P);

impl<T, P: Predicate<T>> Rule<T> for Itself<P> {
    const LOOKS_BEFORE: bool = false;

    #[inline(always)]
    fn keeps(&self, _before: T, element: T) -> bool {
        self.0.keeps(element)
    }
}

/// The first element of each run of equal ones.
#[derive(Clone, Copy)]
struct Differs;

impl<T: PartialEq> Rule<T> for Differs {
    const LOOKS_BEFORE: bool = true;

    #[inline(always)]
    fn keeps(&self, before: T, element: T) -> bool {
        element != before
    }
}

/// Writes the first element of each run of equal elements to `output`, and how many they are to the
/// first of `count`.
///
/// # Safety
/// As for [`select`].
#[kernel(instances(i32, u32, f32))]
#[launch_bounds(256, 3)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn unique<T: Number>(
    input: &[T],
    output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    // SAFETY: the caller promises the same.
    unsafe { of_tile::<false, T, _>(Differs, input, output, count, tiles) };
}

/// Writes the kept elements to `output`, after them the others, the last of these first, and how
/// many are kept to the first of `count`.
///
/// # Safety
/// As for [`select`]; the output is at least as long as the input.
#[kernel(instances((i32, NotZero), (u32, NotZero), (f32, NotZero)))]
#[launch_bounds(256, 3)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn partition<T: Number, P: Predicate<T>>(
    input: &[T],
    output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    let rule = Itself(P::default());
    // SAFETY: the caller promises the same.
    unsafe { of_tile::<true, T, _>(rule, input, output, count, tiles) };
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
    output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    let rule = Itself(P::default());
    // SAFETY: the caller promises the same.
    unsafe { of_tile::<false, T, _>(rule, input, output, count, tiles) };
}

/// Selects from the block's tile, with code of its own for a whole one. If `ALL`, the others are
/// written, too.
///
/// # Safety
/// As for [`select`], and for [`partition`] if `ALL`.
#[inline(always)]
unsafe fn of_tile<const ALL: bool, T: Number, R: Rule<T>>(
    rule: R,
    input: &[T],
    mut output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    let tiles = Tiles::new(tiles);
    let tile = tiles.take(input, TILE);
    if are_whole(input, &mut output, (tile + 1) * TILE) {
        // SAFETY: the tile is whole.
        unsafe { select_tile::<true, ALL, T, R>(rule, input, output, count, tiles, tile) };
    } else {
        // SAFETY: nothing is asked of other tiles.
        unsafe { select_tile::<false, ALL, T, R>(rule, input, output, count, tiles, tile) };
    }
}

/// Selects from one tile.
///
/// # Safety
/// If `WHOLE`, the tile is in the input, which is aligned to sixteen bytes. If `ALL`, the output is
/// at least as long as the input.
#[inline(always)]
unsafe fn select_tile<const WHOLE: bool, const ALL: bool, T: Number, R: Rule<T>>(
    rule: R,
    input: &[T],
    mut output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: Tiles,
    tile: usize,
) {
    shared! { static KEPT: [T; TILE]; }
    let places = Places::in_tile::<T, ROUNDS>(tile);
    // SAFETY: the caller promises that a whole tile is in the slice.
    let values = unsafe { places.load::<WHOLE, T, ROUNDS>(input, input[0]) };
    let mut kept = [0u32; ROUNDS];
    for round in 0..ROUNDS {
        let first = places.first + round * places.step;
        let mut before = input[0];
        if R::LOOKS_BEFORE {
            // The last element of the lane before; lane 0 reads it.
            before = shuffle_up_sync(FULL_MASK, values[round].as_ref()[T::LANES - 1], 1);
            if lane_id() == 0 {
                before = match first.checked_sub(1) {
                    Some(i) => input.get(i).copied().unwrap_or(before),
                    None => before,
                };
            }
        }
        for (k, value) in values[round].as_ref().iter().enumerate() {
            let is_there = WHOLE || first + k < input.len();
            let is_first = R::LOOKS_BEFORE && first + k == 0;
            let is_kept = is_there && (is_first || rule.keeps(before, *value));
            kept[round] |= u32::from(is_kept) << k;
            before = *value;
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
    let first_in_tile = (places.first - tile * TILE) as u32;
    let len = TILE.min(input.len() - tile * TILE) as u32;
    for round in 0..ROUNDS {
        let mut to = before_warp + to[round];
        for (k, value) in values[round].as_ref().iter().enumerate() {
            let is_kept = kept[round] >> k & 1;
            // Those that are not kept follow the kept ones.
            let at = first_in_tile + (round * places.step + k) as u32;
            let place = if is_kept != 0 { to } else { own + at - to };
            if is_kept != 0 || ALL && (WHOLE || at < len) {
                // SAFETY: the places of all kept elements are apart, and so are those of the
                // others. The barrier of `before` comes before the reads.
                unsafe { KEPT.set(place as usize, *value) };
            }
            to += is_kept;
        }
    }
    let before = tiles.before(tile, own, Sum);
    if thread_rank() == 0 && (tile + 1) * TILE >= input.len() {
        count[0].store(u64::from(before + own), AtomicOrdering::Relaxed);
    }
    let (before, own) = (before as usize, own as usize);
    for i in block_stride(own) {
        // SAFETY: set before the barrier, and not again. What tiles keep is apart in the output.
        unsafe { output.write_unique(before + i, KEPT.get(i)) };
    }
    if ALL {
        let others = len as usize - own;
        let last = input.len() - 1 - (tile * TILE - before);
        for i in block_stride(others) {
            // SAFETY: as above; the last places are of what tiles do not keep.
            unsafe { output.write_unique(last - i, KEPT.get(own + i)) };
        }
    }
}
