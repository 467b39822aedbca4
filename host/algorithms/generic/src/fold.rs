//! Combines all elements into something else than an element: the place of the least, or mean and
//! variance.
//!
//! Two launches as in [`reduce`](super::reduce): the blocks of the first fold parts of the input,
//! and the one block of the second joins the blocks' results.
//!
//! Source: Chan, Golub, LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
//! Variances", 1979.

use core::array::from_fn;

use lanewise_macros::Value;
use lanewise_std::PerBlock;
use lanewise_std::collective::block_reduce;
#[cfg(not(target_arch = "nvptx64"))]
use lanewise_std::kernel::SafeKernel;
use lanewise_std::kernel::Value;
use lanewise_std::thread::{block_idx_x, global_idx_x, grid_dim_x, grid_stride, thread_idx_x};
use lanewise_std::warp::Shuffle;

use crate::reduce::{BLOCK, ROUNDS};
use crate::sixteen::{Number, sixteens};

/// How elements are folded. Threads have elements from all over the input, and parts are joined in
/// any order.
pub trait Folding<T>: Copy + Default {
    /// What is known of some elements, in registers.
    type Part: Shuffle;
    /// The same in memory.
    type Result: Value;
    /// What is known of no elements.
    const NOTHING: Self::Part;
    /// Adds elements to a part. `values` are runs of neighbours, the first of which is at `first`,
    /// and each other one `step` after the one before it.
    fn add<V: AsRef<[T]>>(part: &mut Self::Part, values: &[V], first: u64, step: u64);
    /// Joins two parts. It is the same in the other order.
    fn join(a: Self::Part, b: Self::Part) -> Self::Part;
    /// Returns the part as it is in memory.
    fn result(part: Self::Part) -> Self::Result;
    /// Returns the part of a result.
    fn part(result: Self::Result) -> Self::Part;
}

/// Folds the block's part of the elements: the first kernel that [`folds!`](crate::folds) makes. A
/// block has [`BLOCK`] threads.
#[inline(always)]
pub fn fold<T: Number, R: Value, F: Folding<T, Result = R>>(input: &[T], mut results: PerBlock<R>) {
    let (before, middle, after) = sixteens::<T, T>(input);
    let (tiles, rest) = middle.as_chunks::<{ ROUNDS * BLOCK as usize }>();
    let (thread, lanes) = (thread_idx_x() as usize, T::LANES);
    let mut part = F::NOTHING;
    let mut tile = block_idx_x() as usize;
    while tile < tiles.len() {
        // All loads are on their way before the first is used.
        let values: [_; ROUNDS] = from_fn(|round| tiles[tile][round * BLOCK as usize + thread]);
        let first = before.len() + (tile * ROUNDS * BLOCK as usize + thread) * lanes;
        F::add(
            &mut part,
            &values,
            first as u64,
            (BLOCK as usize * lanes) as u64,
        );
        tile += grid_dim_x() as usize;
    }
    let start = before.len() + tiles.len() * ROUNDS * BLOCK as usize * lanes;
    for i in grid_stride(rest.len()) {
        F::add(&mut part, &[rest[i]], (start + i * lanes) as u64, 0);
    }
    // Each end has fewer than sixteen bytes.
    let thread = global_idx_x() as usize;
    if let Some(value) = before.get(thread) {
        F::add(&mut part, &[[*value]], thread as u64, 0);
    }
    if let Some(value) = after.get(thread) {
        let start = input.len() - after.len();
        F::add(&mut part, &[[*value]], (start + thread) as u64, 0);
    }
    let part = block_reduce(part, F::join);
    if let Some(result) = results.get_mut() {
        *result = F::result(part);
    }
}

/// Joins the results of the blocks of [`fold`]: the second kernel.
#[inline(always)]
pub fn join<T: Number, R: Value, F: Folding<T, Result = R>>(input: &[R], mut results: PerBlock<R>) {
    let mut part = F::NOTHING;
    for i in grid_stride(input.len()) {
        part = F::join(part, F::part(input[i]));
    }
    let part = block_reduce(part, F::join);
    if let Some(result) = results.get_mut() {
        *result = F::result(part);
    }
}

/// An element and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(C)]
pub struct Place {
    /// The element's index; [`Place::NOWHERE`] if there is none.
    pub index: u64,
    bits: u64,
}

impl Place {
    /// The index if there are no elements, or only some that are not a number.
    pub const NOWHERE: u64 = u64::MAX;

    /// Returns the element, of the type that it has in the input.
    #[inline(always)]
    pub fn value<T: Number>(self) -> T {
        T::from_bits(self.bits)
    }
}

/// The least element, and the first place where it is. What is not a number is left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMin;

/// The greatest element, and the first place where it is. What is not a number is left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMax;

macro_rules! places {
    ($($operator:ident: $end:ident, $better:tt;)*) => {
        $(
            impl<T: Number> Folding<T> for $operator {
                type Part = (T, u64);
                type Result = Place;
                const NOTHING: (T, u64) = (T::$end, Place::NOWHERE);

                #[inline(always)]
                fn add<V: AsRef<[T]>>(part: &mut (T, u64), values: &[V], first: u64, step: u64) {
                    // The best of these by its distance from the first one, which has 32 bits.
                    let (mut best, mut distance) = (T::$end, u32::MAX);
                    for (run, values) in values.iter().enumerate() {
                        for (i, value) in values.as_ref().iter().enumerate() {
                            if *value $better best {
                                (best, distance) = (*value, run as u32 * step as u32 + i as u32);
                            }
                        }
                    }
                    if distance < u32::MAX {
                        *part = <Self as Folding<T>>::join(*part, (best, first + u64::from(distance)));
                        return;
                    }
                    // None is better than the worst: it may be there, or they are no numbers.
                    for (run, values) in values.iter().enumerate() {
                        for (i, value) in values.as_ref().iter().enumerate() {
                            let index = first + run as u64 * step + i as u64;
                            *part = <Self as Folding<T>>::join(*part, (*value, index));
                        }
                    }
                }

                #[inline(always)]
                fn join(a: (T, u64), b: (T, u64)) -> (T, u64) {
                    // False for what is not a number.
                    let is_better = b.0 $better a.0 || (b.0 == a.0 && b.1 < a.1);
                    if is_better { b } else { a }
                }

                #[inline(always)]
                fn result((value, index): (T, u64)) -> Place {
                    let bits = value.to_bits();
                    Place { index, bits }
                }

                #[inline(always)]
                fn part(place: Place) -> (T, u64) {
                    (place.value(), place.index)
                }
            }
        )*
    };
}

places! {
    ArgMin: MOST, <;
    ArgMax: LEAST, >;
}

/// How many elements there are, their mean and how far they lie from it. All in `f64`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeanVariance;

/// What [`MeanVariance`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Moments {
    /// The number of elements.
    pub count: u64,
    /// Their mean; 0 if there are none.
    pub mean: f64,
    /// The sum of the squares of their distances from the mean.
    pub squares: f64,
}

impl Moments {
    /// Returns the variance of these elements; not a number if there are none.
    pub fn variance(self) -> f64 {
        self.squares / self.count as f64
    }

    /// Returns the variance of what these elements are a sample of; not a number if there are fewer
    /// than two.
    pub fn sample_variance(self) -> f64 {
        match self.count {
            0 => f64::NAN,
            count => self.squares / (count - 1) as f64,
        }
    }
}

impl<T: Number> Folding<T> for MeanVariance {
    type Part = (u64, f64, f64);
    type Result = Moments;
    const NOTHING: (u64, f64, f64) = (0, 0.0, 0.0);

    /// The mean of what is added comes first and the squares of the distances from it second, so
    /// that a mean far from 0 costs no digits.
    #[inline(always)]
    fn add<V: AsRef<[T]>>(part: &mut Self::Part, values: &[V], _first: u64, _step: u64) {
        let (mut count, mut sum, mut squares) = (0u32, 0.0, 0.0);
        for values in values {
            for value in values.as_ref() {
                count += 1;
                sum += value.to_f64();
            }
        }
        let mean = sum / f64::from(count);
        for values in values {
            for value in values.as_ref() {
                let distance = value.to_f64() - mean;
                squares += distance * distance;
            }
        }
        *part = <Self as Folding<T>>::join(*part, (u64::from(count), mean, squares));
    }

    #[inline(always)]
    fn join(a: Self::Part, b: Self::Part) -> Self::Part {
        let count = a.0 + b.0;
        if count == 0 {
            return a;
        }
        let distance = b.1 - a.1;
        let share = b.0 as f64 / count as f64;
        let between = distance * distance * a.0 as f64 * share;
        (count, a.1 + distance * share, a.2 + b.2 + between)
    }

    #[inline(always)]
    fn result((count, mean, squares): Self::Part) -> Moments {
        Moments {
            count,
            mean,
            squares,
        }
    }

    #[inline(always)]
    fn part(moments: Moments) -> Self::Part {
        (moments.count, moments.mean, moments.squares)
    }
}

/// A folding that has kernels for elements `T`. [`folds!`](crate::folds) makes them. `Kernels` is
/// inferred, as for [`ReduceKernel`](crate::reduce::ReduceKernel).
#[cfg(not(target_arch = "nvptx64"))]
#[diagnostic::on_unimplemented(
    message = "no kernel folds elements `{T}` by `{Self}`",
    note = "a crate of kernels makes it: `lanewise_algorithms_generic::folds!(own: {Self} -> TheResult for {T});`"
)]
pub trait FoldKernels<T: 'static, Kernels>: Folding<T> {
    /// The type of the first kernel's handle.
    #[doc(hidden)]
    type Fold: SafeKernel<Params = (&'static [T], PerBlock<'static, Self::Result>)>;
    /// The type of the second kernel's handle.
    #[doc(hidden)]
    type Join: SafeKernel<Params = (&'static [Self::Result], PerBlock<'static, Self::Result>)>;
    /// The handles of both kernels.
    #[doc(hidden)]
    const KERNELS: (Self::Fold, Self::Join);
}

/// Makes the kernels of these foldings, with the type of each one's result, for these types of
/// elements, in a module of this name. `lanewise_algorithms::Fold` launches them.
///
/// ```
/// use lanewise_algorithms_generic::Folding;
/// use lanewise_macros::Value;
///
/// /// The least and the greatest element.
/// #[derive(Clone, Copy, Debug, PartialEq, Value)]
/// #[repr(C)]
/// pub struct Ends {
///     pub least: i32,
///     pub greatest: i32,
/// }
///
/// /// Finds them.
/// #[derive(Clone, Copy, Default)]
/// pub struct FindEnds;
///
/// impl Folding<i32> for FindEnds {
///     type Part = (i32, i32);
///     type Result = Ends;
///     const NOTHING: (i32, i32) = (i32::MAX, i32::MIN);
///
///     fn add<V: AsRef<[i32]>>(part: &mut (i32, i32), values: &[V], _first: u64, _step: u64) {
///         for value in values.iter().flat_map(|run| run.as_ref()) {
///             *part = Self::join(*part, (*value, *value));
///         }
///     }
///
///     fn join(a: (i32, i32), b: (i32, i32)) -> (i32, i32) {
///         (a.0.min(b.0), a.1.max(b.1))
///     }
///
///     fn result((least, greatest): (i32, i32)) -> Ends {
///         Ends { least, greatest }
///     }
///
///     fn part(ends: Ends) -> (i32, i32) {
///         (ends.least, ends.greatest)
///     }
/// }
///
/// lanewise_algorithms_generic::folds!(own: FindEnds -> Ends for i32);
/// # type Ptx = lanewise_std::kernel::NoPtx;
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! folds {
    ($module:ident: $($folding:ident -> $result:ident for $($ty:ident)+),+ $(,)?) => {
        /// The kernels of foldings.
        pub mod $module {
            use super::*;
            use ::lanewise_macros::kernel;
            use ::lanewise_std::PerBlock;
            use ::lanewise_std::kernel::Value;
            use $crate::reduce::BLOCK;
            use $crate::{Folding, Number};

            /// Stands for the kernels of this module.
            #[derive(Clone, Copy, Debug)]
            pub struct Kernels;

            /// Folds the block's part of the elements.
            #[kernel(instances($($(($ty, $result, $folding),)+)+))]
            #[launch_contract(dims = 1, block = (BLOCK))]
            pub fn fold<T: Number, R: Value, F: Folding<T, Result = R>>(
                input: &[T],
                results: PerBlock<R>,
            ) {
                $crate::fold::fold::<T, R, F>(input, results);
            }

            /// Joins the results of the blocks of `fold`.
            #[kernel(instances($($(($ty, $result, $folding),)+)+))]
            #[launch_contract(dims = 1, block = (BLOCK))]
            pub fn join<T: Number, R: Value, F: Folding<T, Result = R>>(
                input: &[R],
                results: PerBlock<R>,
            ) {
                $crate::fold::join::<T, R, F>(input, results);
            }

            $($(
                #[cfg(not(target_arch = "nvptx64"))]
                impl $crate::fold::FoldKernels<$ty, Kernels> for $folding {
                    type Fold = fold<$ty, $result, $folding>;
                    type Join = join<$ty, $result, $folding>;
                    const KERNELS: (Self::Fold, Self::Join) =
                        (fold::<$ty, $result, $folding>, join::<$ty, $result, $folding>);
                }
            )+)+
        }
    };
}
