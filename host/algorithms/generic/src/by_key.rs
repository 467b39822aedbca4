//! Scans and reductions of the values of each run of equal keys.
//!
//! A block has a tile of keys and values. What it knows of them is a `Part`: how many runs begin
//! there, and the last run's values combined. Two parts are combined by `ByKey`, so tiles learn
//! what comes before by `look_back`, as in a scan. A thread has neighbours, and goes through them
//! by itself. What comes before the thread is added only to the elements of the run that the thread
//! is in the middle of when it begins. A reduction keeps what it found in shared memory while it
//! looks back, so only the tile's first run waits for what comes before.

use core::mem::replace;

use lanewise_macros::shared;
use lanewise_std::DisjointSlice;
use lanewise_std::async_copy::wait_all;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU64};
use lanewise_std::collective::{Operator, Sum, warp_inclusive_scan};
#[cfg(not(target_arch = "nvptx64"))]
use lanewise_std::kernel::Kernel;
use lanewise_std::thread::{block_stride, thread_rank};
use lanewise_std::warp::{
    FULL_MASK, ballot_sync, lane_id, lanemask_le, shuffle_sync, shuffle_up_sync, sync_warp, warp_id,
};

use crate::Monoid;
use crate::blocked::OfWarp;
use crate::look_back::{MOST_COUNT, Tiles, before_warp, prefetch_tile};
use crate::sixteen::{Number, Places, Sixteen, are_whole, is_whole};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The number of vectors of four elements that a thread has of a tile.
const ROUNDS: usize = 5;
/// The same for keys of 64 bits.
#[doc(hidden)]
pub const ROUNDS_WIDE: usize = 3;
/// The neighbours of a vector.
#[doc(hidden)]
pub const LANES: usize = 4;
/// The least number of elements in a tile.
pub const LEAST_TILE: usize = tile_len(ROUNDS_WIDE);
/// The greatest number of elements: a status has 30 bits for the number of runs.
pub const MOST: usize = MOST_COUNT as usize;
/// How many tiles before its time a tile is fetched to the second-level cache.
const AHEAD: usize = 32;

/// Returns the number of elements in a tile of so many vectors for each thread.
#[doc(hidden)]
#[must_use]
pub const fn tile_len(rounds: usize) -> usize {
    BLOCK as usize * rounds * LANES
}

/// Returns the number of elements in a tile of keys and values.
#[must_use]
pub const fn tile_of_pairs<K>() -> usize {
    tile_len(if size_of::<K>() == 4 {
        ROUNDS
    } else {
        ROUNDS_WIDE
    })
}

/// Shared memory of a block with a tile of keys and values, in sixteen bytes.
const ROOM: usize = tile_len(ROUNDS) * 2 * size_of::<u32>() / 16;
// It has room for keys of 64 bits and their values, too.
const _: () = assert!(tile_len(ROUNDS_WIDE) * 12 <= ROOM * 16);
// Bits for all of a thread's elements, and one more.
const _: () = assert!(ROUNDS * LANES < 32 && ROUNDS % 2 == 1 && ROUNDS_WIDE % 2 == 1);

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

/// Writes each value combined with all before it of the same run of equal keys. If `is_exclusive`,
/// the value itself is left out, and the first result of a run is the neutral element. A block has
/// [`BLOCK`] threads.
///
/// # Safety
/// All `tiles` are 0. There are fewer than 2^30 keys.
#[inline(always)]
pub unsafe fn scan<K: Number, V: Number, O: Monoid<V>>(
    keys: &[K],
    values: &[V],
    output: DisjointSlice<V>,
    tiles: &[DeviceAtomicU64],
    is_exclusive: bool,
) {
    // SAFETY: the caller promises the same.
    unsafe {
        if size_of::<K>() == 4 {
            scan_tile_of::<ROUNDS, K, V, O>(keys, values, output, tiles, is_exclusive);
        } else {
            scan_tile_of::<ROUNDS_WIDE, K, V, O>(keys, values, output, tiles, is_exclusive);
        }
    }
}

/// Takes a tile of keys and values.
#[inline(always)]
fn take_pairs<K: Number, V: Number>(tiles: &Tiles, keys: &[K], values: &[V]) -> usize {
    tiles.take(|tile| {
        let len = const { tile_of_pairs::<K>() };
        prefetch_tile(keys, tile + AHEAD, len);
        prefetch_tile(values, tile + AHEAD, len);
    })
}

/// Scans the block's tile, with code of its own for a whole one.
///
/// # Safety
/// As for [`scan`]. The rounds are those of [`tile_of_pairs`].
#[inline(always)]
unsafe fn scan_tile_of<const ROUNDS: usize, K: Number, V: Number, O: Monoid<V>>(
    keys: &[K],
    values: &[V],
    mut output: DisjointSlice<V>,
    tiles: &[DeviceAtomicU64],
    is_exclusive: bool,
) {
    let tiles = Tiles::new(tiles);
    let tile = take_pairs(&tiles, keys, values);
    let end = (tile + 1) * const { tile_len(ROUNDS) };
    let is_whole = is_whole(keys, end) && are_whole(values, &mut output, end);
    // SAFETY: the tile is whole, or nothing is asked of it.
    unsafe {
        if is_whole {
            scan_tile::<true, ROUNDS, K, V, O>(keys, values, output, tiles, tile, is_exclusive);
        } else {
            scan_tile::<false, ROUNDS, K, V, O>(keys, values, output, tiles, tile, is_exclusive);
        }
    }
}

/// Scans one tile.
///
/// # Safety
/// If `WHOLE`, the tile is in the three slices, and they are aligned to sixteen bytes. The rounds
/// are those of [`tile_of_pairs`].
#[inline(always)]
unsafe fn scan_tile<const WHOLE: bool, const ROUNDS: usize, K: Number, V: Number, O: Monoid<V>>(
    keys: &[K],
    values: &[V],
    mut output: DisjointSlice<V>,
    tiles: Tiles,
    tile: usize,
    is_exclusive: bool,
) {
    shared! { static MEMORY: [Sixteen<u64, 2>; ROOM]; }
    let operator = ByKey(O::default());
    // SAFETY: the caller promises that a whole tile is in the slices. The memory has room for it.
    let mut of_thread = unsafe {
        Neighbours::<ROUNDS, K, V>::load::<WHOLE>(keys, values, tile, MEMORY.as_ptr(), O::NEUTRAL)
    };
    let part = of_thread.scan(operator.0);
    let (before_lane, of_warp) = scan_warp(part, operator);
    let (before_warp, own) = before_warp(of_warp, operator);
    // It matters only whether a run begins: a sum of these has 30 bits.
    let own = (own.0.min(1), own.1);
    tiles.announce(tile, own);
    let before = operator.combine(before_warp, before_lane);
    let before = operator
        .combine(tiles.before(tile, own, operator), before)
        .1;
    of_thread.continue_run(before, operator.0);
    if is_exclusive {
        of_thread.shift(before, O::NEUTRAL);
    }
    // SAFETY: a tile has one block, and the places of a block's threads are apart. The memory has
    // room for the values of a tile, and a warp's part is its own.
    unsafe {
        let room = OfWarp::<V::Neighbours, ROUNDS>::new(MEMORY.as_ptr().cast(), warp_id());
        let values = room.to_striped(of_thread.values);
        let places = Places::in_tile::<V, ROUNDS>(tile);
        places.store::<WHOLE, V, ROUNDS>(&mut output, keys.len(), values);
    }
}

/// The neighbours that a thread has of a tile.
struct Neighbours<const ROUNDS: usize, K, V: Number> {
    keys: [Sixteen<K, LANES>; ROUNDS],
    values: [V::Neighbours; ROUNDS],
    /// A bit for each one that begins a run.
    heads: u32,
}

impl<const ROUNDS: usize, K: Number, V: Number> Neighbours<ROUNDS, K, V> {
    /// Loads the thread's neighbours; `neutral` stands for values past the end. A key begins a run
    /// if it differs from the one before it in the input. The first one of all does, and what is
    /// past the end does not.
    ///
    /// # Safety
    /// If `WHOLE`, the tile is in both slices, and they are aligned to sixteen bytes. The memory is
    /// the block's, and has room for its keys.
    #[inline(always)]
    unsafe fn load<const WHOLE: bool>(
        keys: &[K],
        values: &[V],
        tile: usize,
        memory: *mut Sixteen<u64, 2>,
        neutral: V,
    ) -> Self {
        let places = Places::in_tile::<V, ROUNDS>(tile);
        let lane = lane_id();
        let first = places.first + lane as usize * (ROUNDS - 1) * LANES;
        let before = places.first.checked_sub(1).filter(|_| lane == 0);
        let before = before
            .and_then(|i| keys.get(i))
            .copied()
            .unwrap_or(K::LEAST);
        let left = keys.len().saturating_sub(first);
        // SAFETY: the memory has room for the keys and the values, and a warp's part is its own.
        // The caller promises what is said of a whole tile.
        let (keys, values) = unsafe {
            let of_values = memory.cast::<K>().wrapping_add(tile_len(ROUNDS)).cast();
            let keys_here = OfWarp::<Sixteen<K, LANES>, ROUNDS>::new(memory.cast(), warp_id());
            let values_here = OfWarp::<V::Neighbours, ROUNDS>::new(of_values, warp_id());
            if WHOLE {
                // All are under way at once, and take no registers.
                keys_here.start_copies(keys.as_ptr().wrapping_add(places.first).cast());
                values_here.start_copies(values.as_ptr().wrapping_add(places.first).cast());
                wait_all();
                sync_warp(FULL_MASK);
                (keys_here.neighbours(), values_here.neighbours())
            } else {
                let keys = places.load::<false, K, _, ROUNDS>(keys, Sixteen([K::LEAST; LANES]));
                let values = places.load::<false, V, _, ROUNDS>(values, neutral.splat());
                (keys_here.to_blocked(keys), values_here.to_blocked(values))
            }
        };
        let mut previous = shuffle_up_sync(FULL_MASK, keys[ROUNDS - 1].0[LANES - 1], 1);
        if lane == 0 {
            previous = before;
        }
        let mut heads = 0;
        unroll_items::<ROUNDS>(|i, round, k| {
            let key = keys[round].0[k];
            let is_head = key != previous || i == 0 && first == 0;
            heads |= u32::from(is_head && (WHOLE || i < left)) << i;
            previous = key;
        });
        Neighbours {
            keys,
            values,
            heads,
        }
    }

    #[inline(always)]
    fn is_head(&self, i: usize) -> bool {
        self.heads >> i & 1 != 0
    }

    /// Combines each value with those before it of its run, as far as they are this thread's.
    /// Returns what is known of all of them.
    #[inline(always)]
    fn scan<O: Monoid<V>>(&mut self, operator: O) -> Part<V> {
        let mut through = self.values[0].as_ref()[0];
        unroll_items::<ROUNDS>(|i, round, k| {
            let value = self.values[round].as_ref()[k];
            if i > 0 {
                through = if self.is_head(i) {
                    value
                } else {
                    operator.combine(through, value)
                };
                self.values[round].as_mut()[k] = through;
            }
        });
        (self.heads.count_ones(), through)
    }

    /// Combines what comes before the thread with the values before its first run.
    #[inline(always)]
    fn continue_run<O: Monoid<V>>(&mut self, before: V, operator: O) {
        let first_head = (self.heads | 1 << (ROUNDS * LANES)).trailing_zeros() as usize;
        unroll_items::<ROUNDS>(|i, round, k| {
            if i < first_head {
                let value = &mut self.values[round].as_mut()[k];
                *value = operator.combine(before, *value);
            }
        });
    }

    /// Moves each result to the next element. What begins a run gets the neutral element.
    #[inline(always)]
    fn shift(&mut self, mut before: V, neutral: V) {
        unroll_items::<ROUNDS>(|i, round, k| {
            let shifted = if self.is_head(i) { neutral } else { before };
            before = replace(&mut self.values[round].as_mut()[k], shifted);
        });
    }
}

/// Calls `body` with the number of each of a thread's elements, its round and its number in it.
#[inline(always)]
fn unroll_items<const ROUNDS: usize>(mut body: impl FnMut(usize, usize, usize)) {
    for round in 0..ROUNDS {
        for k in 0..LANES {
            body(round * LANES + k, round, k);
        }
    }
}

/// Returns what the lanes before this one have together, and what all lanes of the warp have.
#[inline(always)]
fn scan_warp<V: Number, O: Monoid<V>>(part: Part<V>, operator: ByKey<O>) -> (Part<V>, Part<V>) {
    let (lane, lanes) = (lane_id(), ballot_sync(FULL_MASK, part.0 > 0));
    let counts = warp_inclusive_scan(part.0, Sum);
    // The last lane up to this one in which a run begins: values before it are not combined.
    let start = (lanes & lanemask_le() | 1).ilog2();
    let mut through = part.1;
    for step in [1, 2, 4, 8, 16] {
        let before = shuffle_up_sync(FULL_MASK, through, step);
        if lane >= start + step {
            through = operator.0.combine(before, through);
        }
    }
    let all = (
        shuffle_sync(FULL_MASK, counts, 31),
        shuffle_sync(FULL_MASK, through, 31),
    );
    let before = shuffle_up_sync(FULL_MASK, through, 1);
    let before = if lane == 0 {
        ByKey::<O>::NEUTRAL
    } else {
        (counts - part.0, before)
    };
    (before, all)
}

/// Writes the key of each run of equal keys to `found`, the run's values combined to `output`, and
/// how many runs there are to the first of `count`. A block has [`BLOCK`] threads.
///
/// # Safety
/// All `tiles` are 0. There are fewer than 2^30 keys, and the outputs are at least as long.
#[inline(always)]
pub unsafe fn reduce<K: Number, V: Number, O: Monoid<V>>(
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
/// As for [`reduce`].
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
    let tile = take_pairs(&tiles, keys, values);
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
/// outputs are at least as long as the keys. The rounds are those of [`tile_of_pairs`].
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
    shared! { static MEMORY: [Sixteen<u64, 2>; ROOM]; }
    let operator = ByKey(O::default());
    // SAFETY: the caller promises that a whole tile is in the slices. The memory has room for it.
    let mut of_thread = unsafe {
        Neighbours::<ROUNDS, K, V>::load::<WHOLE>(keys, values, tile, MEMORY.as_ptr(), O::NEUTRAL)
    };
    let part = of_thread.scan(operator.0);
    let (before_lane, of_warp) = scan_warp(part, operator);
    let (before_warp, own) = before_warp(of_warp, operator);
    tiles.announce(tile, own);
    let (mut to, mut previous) = operator.combine(before_warp, before_lane);
    of_thread.continue_run(previous, operator.0);
    // The same memory: all threads have their neighbours.
    let found_here = MEMORY.as_ptr().cast::<K>();
    let values_here = found_here.wrapping_add(tile_len(ROUNDS)).cast::<V>();
    unroll_items::<ROUNDS>(|i, round, k| {
        if of_thread.is_head(i) {
            // SAFETY: the places of all heads are apart and in the tile. The barrier of `before`
            // comes before the reads.
            unsafe {
                found_here
                    .add(to as usize)
                    .write(of_thread.keys[round].0[k]);
                values_here.add(to as usize).write(previous);
            }
            to += 1;
        }
        previous = of_thread.values[round].as_ref()[k];
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
                let value = values_here.add(i).read();
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

/// What the kernel of a scan takes: keys, values, output, tiles, and whether it is exclusive.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub type ScanParams<K, V> = (
    &'static [K],
    &'static [V],
    DisjointSlice<'static, V>,
    &'static [DeviceAtomicU64],
    bool,
);

/// What the kernel of a reduction takes: keys, values, both outputs, count and tiles.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub type ReduceParams<K, V> = (
    &'static [K],
    &'static [V],
    DisjointSlice<'static, K>,
    DisjointSlice<'static, V>,
    &'static [DeviceAtomicU64],
    &'static [DeviceAtomicU64],
);

/// An operator that has kernels for values `V` by keys with the bits of `K`.
/// [`by_keys!`](crate::by_keys) makes them. `Kernels` is inferred, as for
/// [`ReduceKernel`](crate::reduce::ReduceKernel).
///
/// # Safety
/// The kernels are those of `by_keys!`: they have the contracts of `scan` and `reduce`.
#[cfg(not(target_arch = "nvptx64"))]
#[diagnostic::on_unimplemented(
    message = "no kernel combines `{V}` by `{Self}` for each key",
    note = "a crate of kernels makes it: `lanewise_algorithms_generic::by_keys!(own: {Self} for {V});`"
)]
pub unsafe trait ByKeyKernels<K: 'static, V: 'static, Kernels>: Monoid<V> {
    /// The type of the handle of the kernel that scans.
    #[doc(hidden)]
    type Scan: Kernel<Params = ScanParams<K, V>>;
    /// The same for the kernel that reduces.
    #[doc(hidden)]
    type Reduce: Kernel<Params = ReduceParams<K, V>>;
    /// The handles of both kernels.
    #[doc(hidden)]
    const KERNELS: (Self::Scan, Self::Reduce);
}

/// Makes the kernels that scan and reduce the values of each run of equal keys by these operators,
/// for these types of values, in a module of this name. `lanewise_algorithms::ByKey` launches them,
/// with keys of 32 and of 64 bits. An operator is a [`Monoid`], and need not commute; a value is a
/// [`Number`] of 32 bits.
///
/// ```
/// use lanewise_algorithms_generic::Monoid;
/// use lanewise_std::collective::Operator;
///
/// /// The bits that any value has.
/// #[derive(Clone, Copy, Default)]
/// pub struct Any;
///
/// impl Operator<u32> for Any {
///     fn combine(&self, a: u32, b: u32) -> u32 {
///         a | b
///     }
/// }
///
/// impl Monoid<u32> for Any {
///     const NEUTRAL: u32 = 0;
/// }
///
/// lanewise_algorithms_generic::by_keys!(own: Any for u32);
/// # type Ptx = lanewise_std::kernel::NoPtx;
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! by_keys {
    ($module:ident: $($operator:ident for $($ty:ident)+),+ $(,)?) => {
        /// The kernels of scans and reductions by key.
        pub mod $module {
            use super::*;
            use ::lanewise_macros::kernel;
            use ::lanewise_std::DisjointSlice;
            use ::lanewise_std::atomic::DeviceAtomicU64;
            use $crate::by_key::{self, BLOCK};

            /// Stands for the kernels of this module.
            #[derive(Clone, Copy, Debug)]
            pub struct Kernels;

            /// Writes each value combined with all before it of the same run of equal keys. If
            /// `is_exclusive`, the value itself is left out, and the first result of a run is the
            /// neutral element.
            ///
            /// # Safety
            /// As for `by_key::scan`.
            #[kernel(instances($($((u32, $ty, $operator), (u64, $ty, $operator),)+)+))]
            #[launch_bounds(256, 4)]
            #[launch_contract(dims = 1, block = (BLOCK))]
            pub unsafe fn scan_by_key<K: $crate::Number, V: $crate::Number, O: $crate::Monoid<V>>(
                keys: &[K],
                values: &[V],
                output: DisjointSlice<V>,
                tiles: &[DeviceAtomicU64],
                is_exclusive: bool,
            ) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe { by_key::scan::<K, V, O>(keys, values, output, tiles, is_exclusive) };
            }

            /// Writes the key of each run of equal keys to `found`, the run's values combined to
            /// `output`, and how many runs there are to the first of `count`.
            ///
            /// # Safety
            /// As for `by_key::reduce`.
            #[kernel(instances($($((u32, $ty, $operator), (u64, $ty, $operator),)+)+))]
            #[launch_bounds(256, 4)]
            #[launch_contract(dims = 1, block = (BLOCK))]
            pub unsafe fn reduce_by_key<K: $crate::Number, V: $crate::Number, O: $crate::Monoid<V>>(
                keys: &[K],
                values: &[V],
                found: DisjointSlice<K>,
                output: DisjointSlice<V>,
                count: &[DeviceAtomicU64],
                tiles: &[DeviceAtomicU64],
            ) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe { by_key::reduce::<K, V, O>(keys, values, found, output, count, tiles) };
            }

            $(const _: () = $crate::assert_no_fields::<$operator>();)+
            $crate::by_keys!(@of u32: $($operator for $($ty)+),+);
            $crate::by_keys!(@of u64: $($operator for $($ty)+),+);
        }
    };
    (@of $key:ident: $($operator:ident for $($ty:ident)+),+) => {
        $($(
            // SAFETY: the kernels are those of this module.
            #[cfg(not(target_arch = "nvptx64"))]
            unsafe impl $crate::by_key::ByKeyKernels<$key, $ty, Kernels> for $operator {
                type Scan = scan_by_key<$key, $ty, $operator>;
                type Reduce = reduce_by_key<$key, $ty, $operator>;
                const KERNELS: (Self::Scan, Self::Reduce) = (
                    scan_by_key::<$key, $ty, $operator>,
                    reduce_by_key::<$key, $ty, $operator>,
                );
            }
        )+)+
    };
}
