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

use super::look_back::{Tiles, before_warp, prefetch_tile};
use super::ranks::{Flags, Ranks};
use super::sixteen::{Number, Places, are_whole};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The number of vectors of sixteen bytes that a thread has.
const ROUNDS: usize = 10;

/// Returns the number of elements in a tile.
#[must_use]
pub const fn tile_len<T: Number>() -> usize {
    BLOCK as usize * ROUNDS * T::LANES
}

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

/// Which elements of a tile are kept.
trait Rule<T: Number>: Copy {
    /// Returns which of the thread's elements are kept; none that is past the end.
    ///
    /// # Safety
    /// As for [`Places::load`], from which the values come.
    unsafe fn flags<const WHOLE: bool>(
        self,
        values: &[T::Neighbours; ROUNDS],
        places: Places,
        input: &[T],
    ) -> Flags;
}

/// Those that a predicate keeps.
#[derive(Clone, Copy)]
struct Kept<P>(P);

impl<T: Number, P: Predicate<T>> Rule<T> for Kept<P> {
    #[inline(always)]
    unsafe fn flags<const WHOLE: bool>(
        self,
        values: &[T::Neighbours; ROUNDS],
        places: Places,
        input: &[T],
    ) -> Flags {
        Flags::of(values, |round, k, value| {
            (WHOLE || places.first + round * places.step + k < input.len()) && self.0.keeps(value)
        })
    }
}

/// The first element of each run of equal ones.
#[derive(Clone, Copy)]
struct First;

impl<T: Number> Rule<T> for First {
    #[inline(always)]
    unsafe fn flags<const WHOLE: bool>(
        self,
        values: &[T::Neighbours; ROUNDS],
        places: Places,
        input: &[T],
    ) -> Flags {
        // SAFETY: the caller promises the same.
        unsafe { Flags::of_first::<WHOLE, T, _>(values, places, input) }
    }
}

/// Writes the first element of each run of equal elements to `output`, and how many they are to the
/// first of `count`.
///
/// # Safety
/// As for [`select`].
#[kernel(instances(i32, u32, f32, i64, u64, f64))]
#[launch_bounds(256, 4)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn unique<T: Number>(
    input: &[T],
    output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    // SAFETY: the caller promises the same.
    unsafe { of_tile::<false, T, _>(First, input, output, count, tiles) };
}

/// Writes the kept elements to `output`, after them the others, the last of these first, and how
/// many are kept to the first of `count`.
///
/// # Safety
/// As for [`select`].
#[kernel(instances(
    (i32, NotZero), (u32, NotZero), (f32, NotZero),
    (i64, NotZero), (u64, NotZero), (f64, NotZero)
))]
#[launch_bounds(256, 4)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn partition<T: Number, P: Predicate<T>>(
    input: &[T],
    output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    let rule = Kept(P::default());
    // SAFETY: the caller promises the same.
    unsafe { of_tile::<true, T, _>(rule, input, output, count, tiles) };
}

/// Writes the kept elements to `output`, and how many they are to the first of `count`.
///
/// # Safety
/// All `tiles` are 0. The input has fewer than 2^32 elements, and the output is at least as long.
#[kernel(instances(
    (i32, NotZero), (u32, NotZero), (f32, NotZero),
    (i64, NotZero), (u64, NotZero), (f64, NotZero)
))]
#[launch_bounds(256, 4)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn select<T: Number, P: Predicate<T>>(
    input: &[T],
    output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    let rule = Kept(P::default());
    // SAFETY: the caller promises the same.
    unsafe { of_tile::<false, T, _>(rule, input, output, count, tiles) };
}

/// Selects from the block's tile, with code of its own for a whole one. If `ALL`, the others are
/// written, too.
///
/// # Safety
/// As for [`select`].
#[inline(always)]
unsafe fn of_tile<const ALL: bool, T: Number, R: Rule<T>>(
    rule: R,
    input: &[T],
    mut output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
) {
    let tiles = Tiles::new(tiles);
    let tile = tiles.take(|tile| prefetch_tile(input, tile, tile_len::<T>()));
    if are_whole(input, &mut output, (tile + 1) * tile_len::<T>()) {
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
/// If `WHOLE`, the tile is in the input, which is aligned to sixteen bytes. The output is at least
/// as long as the input.
#[inline(always)]
unsafe fn select_tile<const WHOLE: bool, const ALL: bool, T: Number, R: Rule<T>>(
    rule: R,
    input: &[T],
    mut output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: Tiles,
    tile: usize,
) {
    shared! { static KEPT: [u64; BLOCK as usize * ROUNDS * 2]; }
    let places = Places::in_tile::<T, ROUNDS>(tile);
    // SAFETY: the caller promises that a whole tile is in the slice.
    let (values, flags) = unsafe {
        let values = places.load::<WHOLE, T, _, ROUNDS>(input, T::LEAST.splat());
        (values, rule.flags::<WHOLE>(&values, places, input))
    };
    let ranks = Ranks::<{ ROUNDS.div_ceil(4) }>::of(flags, T::LANES, ROUNDS);
    let (before_warp, own) = before_warp(ranks.of_warp(), Sum);
    tiles.announce(tile, own);
    // Sixteen bytes of it for each of the tile's neighbours.
    let kept = KEPT.as_ptr().cast::<T>();
    let first = tile * tile_len::<T>();
    let first_in_tile = (places.first - first) as u32;
    let len = tile_len::<T>().min(input.len() - first) as u32;
    let mut start = before_warp;
    for round in 0..ROUNDS {
        let mut to = start + ranks.before(round);
        for (k, value) in values[round].as_ref().iter().enumerate() {
            let is_kept = flags.has(T::LANES, round, k);
            // Those that are not kept follow the kept ones.
            let at = first_in_tile + (round * places.step + k) as u32;
            let place = if is_kept { to } else { own + at - to };
            if is_kept || ALL && (WHOLE || at < len) {
                // SAFETY: the places of all kept elements are apart, and so are those of the
                // others, and all are in the tile. The barrier of `before` comes before the reads.
                unsafe { kept.add(place as usize).write(*value) };
            }
            to += u32::from(is_kept);
        }
        start += ranks.all(round);
    }
    let before = tiles.before(tile, own, Sum);
    if thread_rank() == 0 && first + tile_len::<T>() >= input.len() {
        count[0].store(u64::from(before + own), AtomicOrdering::Relaxed);
    }
    let (before, own) = (before as usize, own as usize);
    for i in block_stride(own) {
        // SAFETY: set before the barrier, and not again. What tiles keep is apart in the output,
        // and no more than the input has.
        unsafe { *output.get_unchecked_mut(before + i) = kept.add(i).read() };
    }
    if ALL {
        let others = len as usize - own;
        let last = input.len() - 1 - (first - before);
        for i in block_stride(others) {
            // SAFETY: as above; the last places are of what tiles do not keep.
            unsafe { *output.get_unchecked_mut(last - i) = kept.add(own + i).read() };
        }
    }
}
