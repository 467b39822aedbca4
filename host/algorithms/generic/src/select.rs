//! Copies the elements that are to be kept, one after another, in their order. A partition copies
//! the others, too.
//!
//! A block has a tile of the input. It counts what it keeps, learns from `look_back` how
//! much all tiles before it keep, collects its own in shared memory and writes them there.

use lanewise_macros::{Value, shared};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU64};
use lanewise_std::collective::Sum;
#[cfg(not(target_arch = "nvptx64"))]
use lanewise_std::kernel::Kernel;
use lanewise_std::kernel::Value;
use lanewise_std::thread::{block_stride, thread_rank};

use crate::look_back::{Tiles, before_warp, prefetch_tile};
use crate::ranks::{Flags, Ranks};
use crate::sixteen::{Number, Places, are_whole};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The number of vectors of sixteen bytes that a thread has.
#[doc(hidden)]
pub const ROUNDS: usize = 10;

/// Returns the number of elements in a tile.
#[must_use]
pub const fn tile_len<T: Number>() -> usize {
    BLOCK as usize * ROUNDS * T::LANES
}

/// What to keep. A kernel takes it by value, so it may have fields.
pub trait Predicate<T>: Value {
    /// Returns whether an element is kept.
    fn keeps(&self, element: T) -> bool;
}

/// Keeps elements that are not zero.
#[derive(Clone, Copy, Debug, Default, Value)]
#[repr(C)]
pub struct NotZero;

impl<T: PartialEq + Default> Predicate<T> for NotZero {
    #[inline(always)]
    fn keeps(&self, element: T) -> bool {
        element != T::default()
    }
}

/// Which elements of a tile are kept.
#[doc(hidden)]
pub trait Rule<T: Number>: Copy {
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
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Kept<P>(pub P);

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

/// Writes the elements of the block's tile that are kept to `output`, and the number of all of them
/// to the first of `count`. If `ALL`, the others are written, too, from the end on. A whole tile
/// has code of its own. A block has [`BLOCK`] threads.
///
/// # Safety
/// All `tiles` are 0. The input has fewer than 2^32 elements, and the output is at least as long.
#[inline(always)]
pub unsafe fn of_tile<const ALL: bool, T: Number, R: Rule<T>>(
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

/// What the kernels of a predicate take: input, output, count, tiles and the predicate.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub type Params<T, P> = (
    &'static [T],
    DisjointSlice<'static, T>,
    &'static [DeviceAtomicU64],
    &'static [DeviceAtomicU64],
    P,
);

/// A predicate that has kernels for elements `T`. [`selections!`](crate::selections) makes them.
/// `Kernels` is inferred, as for [`ReduceKernel`](crate::reduce::ReduceKernel).
///
/// # Safety
/// The kernels are those of `selections!`: they have the contract of `of_tile`.
#[cfg(not(target_arch = "nvptx64"))]
#[diagnostic::on_unimplemented(
    message = "no kernel selects elements `{T}` by `{Self}`",
    note = "a crate of kernels makes it: `lanewise_algorithms_generic::selections!(own: {Self} for {T});`"
)]
pub unsafe trait SelectKernels<T: 'static, Kernels>: Predicate<T> {
    /// The type of the handle of the kernel that writes what is kept.
    #[doc(hidden)]
    type Select: Kernel<Params = Params<T, Self>>;
    /// The same for the kernel that writes the others, too.
    #[doc(hidden)]
    type Partition: Kernel<Params = Params<T, Self>>;
    /// The handles of both kernels.
    #[doc(hidden)]
    const KERNELS: (Self::Select, Self::Partition);
}

/// Makes the kernels of selections and partitions by these predicates, for these types of elements,
/// in a module of this name. `lanewise_algorithms::Select` launches them.
///
/// ```
/// use lanewise_algorithms_generic::Predicate;
/// use lanewise_macros::Value;
///
/// /// Keeps what is above a bound.
/// #[derive(Clone, Copy, Value)]
/// #[repr(C)]
/// pub struct Above(pub f32);
///
/// impl Predicate<f32> for Above {
///     fn keeps(&self, element: f32) -> bool {
///         element > self.0
///     }
/// }
///
/// lanewise_algorithms_generic::selections!(own: Above for f32);
/// # type Ptx = lanewise_std::kernel::NoPtx;
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! selections {
    ($module:ident: $($predicate:ident for $($ty:ident)+),+ $(,)?) => {
        /// The kernels of selections.
        pub mod $module {
            use super::*;
            use ::lanewise_macros::kernel;
            use ::lanewise_std::DisjointSlice;
            use ::lanewise_std::atomic::DeviceAtomicU64;
            use $crate::select::{BLOCK, Kept, of_tile};

            /// Stands for the kernels of this module.
            #[derive(Clone, Copy, Debug)]
            pub struct Kernels;

            /// Writes the kept elements to `output`, and how many they are to the first of `count`.
            ///
            /// # Safety
            /// As for `of_tile`.
            #[kernel(instances($($(($ty, $predicate),)+)+))]
            #[launch_bounds(256, 4)]
            #[launch_contract(dims = 1, block = (BLOCK))]
            pub unsafe fn select<T: $crate::Number, P: $crate::Predicate<T>>(
                input: &[T],
                output: DisjointSlice<T>,
                count: &[DeviceAtomicU64],
                tiles: &[DeviceAtomicU64],
                predicate: P,
            ) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe { of_tile::<false, T, _>(Kept(predicate), input, output, count, tiles) };
            }

            /// Writes the kept elements to `output`, after them the others, the last of these
            /// first, and how many are kept to the first of `count`.
            ///
            /// # Safety
            /// As for `of_tile`.
            #[kernel(instances($($(($ty, $predicate),)+)+))]
            #[launch_bounds(256, 4)]
            #[launch_contract(dims = 1, block = (BLOCK))]
            pub unsafe fn partition<T: $crate::Number, P: $crate::Predicate<T>>(
                input: &[T],
                output: DisjointSlice<T>,
                count: &[DeviceAtomicU64],
                tiles: &[DeviceAtomicU64],
                predicate: P,
            ) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe { of_tile::<true, T, _>(Kept(predicate), input, output, count, tiles) };
            }

            $($(
                // SAFETY: the kernels are those above.
                #[cfg(not(target_arch = "nvptx64"))]
                unsafe impl $crate::select::SelectKernels<$ty, Kernels> for $predicate {
                    type Select = select<$ty, $predicate>;
                    type Partition = partition<$ty, $predicate>;
                    const KERNELS: (Self::Select, Self::Partition) =
                        (select::<$ty, $predicate>, partition::<$ty, $predicate>);
                }
            )+)+
        }
    };
}
