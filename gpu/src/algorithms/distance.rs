//! The distance of two points with many coordinates, by two kernels.
//!
//! Launch: `distance_partial`, a 1-D grid of any size in 1-D blocks of any size; `distance_final`,
//! one such block. Both exist for `f32`, `f64` and `i32`. `distance_partial` writes block b's sum
//! of squared differences to `partials[b]`, over the shorter of the two slices. `distance_final`
//! writes the square root of the sum of `partials` to `distance[0]`.
//! Shows: neighbouring threads process neighbouring elements in a grid of any size. Blocks can't
//! wait for each other, so a step that needs all of them is a kernel of its own. The square of an
//! `i32` needs a `u64`. The sum of squares is also a `u64`, modulo 2^64.
//! Source: Fengchen's introduction, chapter 3.

use lanewise_macros::kernel;
use lanewise_std::PerBlock;
use lanewise_std::collective::{Operator, Sum, block_reduce};
use lanewise_std::math::Float;
use lanewise_std::thread::{block_dim_x, grid_stride, thread_idx_x};

/// Both kernels for one type: the type in which squares are summed, the type of a distance, and the
/// function from one to the other.
macro_rules! distances {
    ($(
        $(#[$doc:meta])*
        $partial:ident, $last:ident($ty:ident, $sum:ident, $distance:ident):
            |$a:ident, $b:ident| $square:expr, |$total:ident| $root:expr;
    )*) => {
        $(
            $(#[$doc])*
            #[kernel]
            #[launch_contract(dims = 1)]
            pub fn $partial(a: &[$ty], b: &[$ty], mut partials: PerBlock<$sum>) {
                let mut sum = $sum::default();
                for i in grid_stride(a.len().min(b.len())) {
                    let ($a, $b) = (a[i], b[i]);
                    sum = Sum.combine(sum, $square);
                }
                let sum = block_reduce(sum, Sum);
                if let Some(place) = partials.get_mut() {
                    *place = sum;
                }
            }

            /// Writes the square root of the sum of the blocks' sums.
            #[kernel]
            #[launch_contract(dims = 1)]
            pub fn $last(partials: &[$sum], mut distance: PerBlock<$distance>) {
                let mut sum = $sum::default();
                for i in (thread_idx_x() as usize..partials.len()).step_by(block_dim_x() as usize) {
                    sum = Sum.combine(sum, partials[i]);
                }
                let $total = block_reduce(sum, Sum);
                if let Some(place) = distance.get_mut() {
                    *place = $root;
                }
            }
        )*
    };
}

distances! {
    /// In single precision.
    distance_partial_f32, distance_final_f32(f32, f32, f32):
        |a, b| (a - b) * (a - b), |total| Float::sqrt(total);
    /// In double precision.
    distance_partial_f64, distance_final_f64(f64, f64, f64):
        |a, b| (a - b) * (a - b), |total| Float::sqrt(total);
    /// Of whole numbers: the sum is exact, and only the root is rounded.
    distance_partial_i32, distance_final_i32(i32, u64, f64):
        |a, b| u64::from(a.abs_diff(b)).pow(2), |total| Float::sqrt(total as f64);
}
