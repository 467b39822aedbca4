//! Combines all elements into one.
//!
//! Two launches: the blocks of the first combine parts of the input, and the one block of the
//! second combines the blocks' results. Which elements a thread has depends on the number of blocks
//! alone, so the result for floats is the same in each run on a device.
//!
//! If the operator commutes, neighbouring threads have neighbouring vectors, and each thread
//! combines its own until the end. If it does not, each warp has a part of the input to itself, and
//! combines 32 vectors at a time in their order.

use core::array::from_fn;

use lanewise_std::PerBlock;
use lanewise_std::collective::{block_reduce, warp_reduce};
#[cfg(not(target_arch = "nvptx64"))]
use lanewise_std::kernel::SafeKernel;
use lanewise_std::thread::{block_idx_x, global_idx_x, grid_dim_x, grid_stride, thread_idx_x};
use lanewise_std::warp::{WARP_SIZE, lane_id, warp_id};

use crate::sixteen::{Number, sixteens};
use crate::{Monoid, combined};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The number of vectors of sixteen bytes that a thread loads at once.
pub const ROUNDS: usize = 4;

/// Combines the block's part of the elements: the kernel that [`reductions!`](crate::reductions)
/// makes. A block has [`BLOCK`] threads.
#[inline(always)]
pub fn reduce<T: Number, O: Monoid<T>>(input: &[T], mut results: PerBlock<T>) {
    let operator = O::default();
    let parts = sixteens::<T, T>(input);
    let sum = if O::COMMUTATIVE {
        in_any_order(parts, operator)
    } else {
        in_order(parts, operator)
    };
    let sum = block_reduce(sum, operator);
    if let Some(result) = results.get_mut() {
        *result = sum;
    }
}

/// Returns the thread's part of the elements combined.
#[inline(always)]
fn in_any_order<T: Number, O: Monoid<T>>(
    (before, middle, after): (&[T], &[T::Neighbours], &[T]),
    operator: O,
) -> T {
    let (tiles, rest) = middle.as_chunks::<{ ROUNDS * BLOCK as usize }>();
    let mut sums = O::NEUTRAL.splat();
    let mut add = |values: &[T]| {
        for (sum, value) in sums.as_mut().iter_mut().zip(values) {
            *sum = operator.combine(*sum, *value);
        }
    };
    let thread = thread_idx_x() as usize;
    let mut tile = block_idx_x() as usize;
    while tile < tiles.len() {
        // All loads are on their way before the first sum.
        let values: [_; ROUNDS] = from_fn(|round| tiles[tile][round * BLOCK as usize + thread]);
        values.iter().for_each(|values| add(values.as_ref()));
        tile += grid_dim_x() as usize;
    }
    for i in grid_stride(rest.len()) {
        add(rest[i].as_ref());
    }
    let mut sum = O::NEUTRAL;
    for value in sums.as_ref() {
        sum = operator.combine(sum, *value);
    }
    // Each end has fewer than sixteen bytes.
    let thread = global_idx_x() as usize;
    if let Some(value) = before.get(thread) {
        sum = operator.combine(sum, *value);
    }
    if let Some(value) = after.get(thread) {
        sum = operator.combine(sum, *value);
    }
    sum
}

/// Returns the warp's part of the elements combined in their order, to the first lane. The others
/// have the neutral element.
#[inline(always)]
fn in_order<T: Number, O: Monoid<T>>(
    (before, middle, after): (&[T], &[T::Neighbours], &[T]),
    operator: O,
) -> T {
    const WARPS: usize = (BLOCK / WARP_SIZE) as usize;
    const ROW: usize = WARP_SIZE as usize;
    let warps = grid_dim_x() as usize * WARPS;
    let warp = block_idx_x() as usize * WARPS + warp_id() as usize;
    let of_warp = middle.len().div_ceil(ROW).div_ceil(warps) * ROW;
    let end = middle.len().min((warp + 1) * of_warp);
    let own = &middle[end.min(warp * of_warp)..end];
    let lane = lane_id() as usize;
    let mut sum = O::NEUTRAL;
    for first in (0..own.len()).step_by(ROUNDS * ROW) {
        // All loads are on their way before the first is used.
        let values: [_; ROUNDS] = from_fn(|round| {
            let vector = own.get(first + round * ROW + lane);
            vector.copied().unwrap_or(O::NEUTRAL.splat())
        });
        for values in values {
            let of_row = warp_reduce(combined(values.as_ref(), operator), operator);
            sum = operator.combine(sum, of_row);
        }
    }
    if warp == 0 {
        sum = operator.combine(combined(before, operator), sum);
    }
    if warp + 1 == warps {
        sum = operator.combine(sum, combined(after, operator));
    }
    if lane == 0 { sum } else { O::NEUTRAL }
}

/// An operator that has a kernel for elements `T`. [`reductions!`](crate::reductions) makes it.
///
/// `Kernels` is inferred: it tells apart the kernels of several crates, so that each may make those
/// of `Sum`.
#[cfg(not(target_arch = "nvptx64"))]
#[diagnostic::on_unimplemented(
    message = "no kernel combines `{T}` by `{Self}`",
    note = "a crate of kernels makes it: `lanewise_algorithms_generic::reductions!(own: {Self} for {T});`"
)]
pub trait ReduceKernel<T: 'static, Kernels>: Monoid<T> {
    /// The type of the kernel's handle.
    #[doc(hidden)]
    type Kernel: SafeKernel<Params = (&'static [T], PerBlock<'static, T>)>;
    /// The kernel's handle.
    #[doc(hidden)]
    const KERNEL: Self::Kernel;
}

/// Makes the kernels of reductions by these operators, for these types of elements, in a module of
/// this name. `lanewise_algorithms::Reduction` launches them. An operator is a [`Monoid`]; if it
/// does not commute, the elements are combined in their order.
///
/// ```
/// use lanewise_algorithms_generic::Monoid;
/// use lanewise_std::collective::Operator;
///
/// /// The sum modulo a prime number.
/// #[derive(Clone, Copy, Default)]
/// pub struct SumModulo;
///
/// impl Operator<u32> for SumModulo {
///     const COMMUTATIVE: bool = true;
///
///     fn combine(&self, a: u32, b: u32) -> u32 {
///         (a + b) % 65_537
///     }
/// }
///
/// impl Monoid<u32> for SumModulo {
///     const NEUTRAL: u32 = 0;
/// }
///
/// lanewise_algorithms_generic::reductions!(own: SumModulo for u32);
/// # type Ptx = lanewise_std::kernel::NoPtx;
/// # fn main() {}
/// ```
///
/// An operator with fields does not compile, for the kernels would not know them:
///
/// ```compile_fail,E0080
/// # use lanewise_algorithms_generic::Monoid;
/// # use lanewise_std::collective::Operator;
/// #[derive(Clone, Copy, Default)]
/// pub struct SumModulo(u32);
/// # impl Operator<u32> for SumModulo {
/// #     fn combine(&self, a: u32, b: u32) -> u32 {
/// #         (a + b) % self.0
/// #     }
/// # }
/// # impl Monoid<u32> for SumModulo {
/// #     const NEUTRAL: u32 = 0;
/// # }
///
/// lanewise_algorithms_generic::reductions!(own: SumModulo for u32);
/// # type Ptx = lanewise_std::kernel::NoPtx;
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! reductions {
    ($module:ident: $($operator:ident for $($ty:ident)+),+ $(,)?) => {
        /// The kernels of reductions.
        pub mod $module {
            use super::*;
            use $crate::reduce::BLOCK;

            /// Stands for the kernels of this module.
            #[derive(Clone, Copy, Debug)]
            pub struct Kernels;

            /// Combines the block's part of the elements.
            #[::lanewise_macros::kernel(instances($($(($ty, $operator),)+)+))]
            #[launch_contract(dims = 1, block = (BLOCK))]
            pub fn reduce<T: $crate::Number, O: $crate::Monoid<T>>(
                input: &[T],
                results: ::lanewise_std::PerBlock<T>,
            ) {
                $crate::reduce::reduce::<T, O>(input, results);
            }

            $(const _: () = $crate::assert_no_fields::<$operator>();)+
            $($(
                #[cfg(not(target_arch = "nvptx64"))]
                impl $crate::reduce::ReduceKernel<$ty, Kernels> for $operator {
                    type Kernel = reduce<$ty, $operator>;
                    const KERNEL: Self::Kernel = reduce::<$ty, $operator>;
                }
            )+)+
        }
    };
}
