//! Combines each element with all before it.
//!
//! A block has a tile of the input, and reads and writes it once; `look_back` has what
//! comes from the tiles before.

use lanewise_std::DisjointSlice;
use lanewise_std::atomic::DeviceAtomicU64;
use lanewise_std::collective::{warp_inclusive_scan, warp_reduce};
#[cfg(not(target_arch = "nvptx64"))]
use lanewise_std::kernel::SafeKernel;
use lanewise_std::warp::{FULL_MASK, lane_id, shuffle_sync, shuffle_up_sync};

use crate::look_back::{Packed, Tiles, before_warp, prefetch_tile};
use crate::sixteen::{Number, Places, are_whole};
use crate::{Monoid, combined};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The number of vectors of sixteen bytes that a thread has of a tile.
const ROUNDS: usize = 8;
/// The number of bytes of a tile.
pub const TILE: usize = BLOCK as usize * ROUNDS * 16;

/// Returns the number of words that a scan of so many elements takes: the statuses of its tiles,
/// and the tickets.
#[must_use]
pub const fn words<T: Number>(len: usize) -> usize {
    len.div_ceil(TILE / size_of::<T>()) * T::WORDS + 1
}

/// Writes each element combined with all before it: the kernel that [`scans!`](crate::scans) makes.
/// If `is_exclusive`, the element itself is left out, and the first result is the neutral element.
/// A block has [`BLOCK`] threads.
#[inline(always)]
pub fn scan<T: Number, O: Monoid<T>>(
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

/// Returns all values of the warp combined.
#[inline(always)]
fn of_warp<T: Number, O: Monoid<T>>(values: &[T::Neighbours; ROUNDS], operator: O) -> T {
    if O::COMMUTATIVE {
        return warp_reduce(
            combined(values.iter().flat_map(|four| four.as_ref()), operator),
            operator,
        );
    }
    values.iter().fold(O::NEUTRAL, |before, four| {
        operator.combine(
            before,
            warp_reduce(combined(four.as_ref(), operator), operator),
        )
    })
}

/// Scans one tile.
///
/// # Safety
/// If `WHOLE`, the tile is in both slices, and both are aligned to sixteen bytes.
#[inline(always)]
unsafe fn scan_tile<const WHOLE: bool, T: Number, O: Monoid<T>>(
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
    let (before_warp, own) = before_warp(of_warp(&values, operator), operator);
    tiles.announce(tile, own);
    let mut before = operator.combine(tiles.before(tile, own, operator), before_warp);
    for four in &mut values {
        let scanned = warp_inclusive_scan(combined(four.as_ref(), operator), operator);
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

/// What the kernel takes: input, output, tiles, and whether the scan is exclusive.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub type Params<T> = (
    &'static [T],
    DisjointSlice<'static, T>,
    &'static [DeviceAtomicU64],
    bool,
);

/// An operator that has a kernel for elements `T`. [`scans!`](crate::scans) makes it. `Kernels` is
/// inferred, as for [`ReduceKernel`](crate::reduce::ReduceKernel).
#[cfg(not(target_arch = "nvptx64"))]
#[diagnostic::on_unimplemented(
    message = "no kernel scans `{T}` by `{Self}`",
    note = "a crate of kernels makes it: `lanewise_algorithms_generic::scans!(own: {Self} for {T});`"
)]
pub trait ScanKernel<T: 'static, Kernels>: Monoid<T> {
    /// The type of the kernel's handle.
    #[doc(hidden)]
    type Kernel: SafeKernel<Params = Params<T>>;
    /// The kernel's handle.
    #[doc(hidden)]
    const KERNEL: Self::Kernel;
}

/// Makes the kernels of scans by these operators, for these types of elements, in a module of this
/// name. `lanewise_algorithms::Scan` launches them. An operator is a [`Monoid`], and need not
/// commute.
///
/// ```
/// use lanewise_algorithms_generic::Monoid;
/// use lanewise_std::collective::Operator;
///
/// /// The last element that is not zero.
/// #[derive(Clone, Copy, Default)]
/// pub struct Last;
///
/// impl Operator<u32> for Last {
///     fn combine(&self, a: u32, b: u32) -> u32 {
///         if b == 0 { a } else { b }
///     }
/// }
///
/// impl Monoid<u32> for Last {
///     const NEUTRAL: u32 = 0;
/// }
///
/// lanewise_algorithms_generic::scans!(own: Last for u32);
/// # type Ptx = lanewise_std::kernel::NoPtx;
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! scans {
    ($module:ident: $($operator:ident for $($ty:ident)+),+ $(,)?) => {
        /// The kernels of scans.
        pub mod $module {
            use super::*;
            use $crate::scan::BLOCK;

            /// Stands for the kernels of this module.
            #[derive(Clone, Copy, Debug)]
            pub struct Kernels;

            /// Writes each element combined with all before it. If `is_exclusive`, the element
            /// itself is left out, and the first result is the neutral element.
            #[::lanewise_macros::kernel(instances($($(($ty, $operator),)+)+))]
            #[launch_bounds(256, 4)]
            #[launch_contract(dims = 1, block = (BLOCK))]
            pub fn scan<T: $crate::Number, O: $crate::Monoid<T>>(
                input: &[T],
                output: ::lanewise_std::DisjointSlice<T>,
                tiles: &[::lanewise_std::atomic::DeviceAtomicU64],
                is_exclusive: bool,
            ) {
                $crate::scan::scan::<T, O>(input, output, tiles, is_exclusive);
            }

            $(const _: () = $crate::assert_no_fields::<$operator>();)+
            $($(
                #[cfg(not(target_arch = "nvptx64"))]
                impl $crate::scan::ScanKernel<$ty, Kernels> for $operator {
                    type Kernel = scan<$ty, $operator>;
                    const KERNEL: Self::Kernel = scan::<$ty, $operator>;
                }
            )+)+
        }
    };
}
