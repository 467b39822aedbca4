//! Combines all elements into one.
//!
//! Two launches: the blocks of the first combine parts of the input, and the one block of the
//! second combines the blocks' results. Which elements a thread has depends on the number of blocks
//! alone, so the result for floats is the same in each run on a device.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::PerBlock;
use lanewise_std::collective::{Max, Min, Sum, block_reduce};
use lanewise_std::thread::{block_idx_x, global_idx_x, grid_dim_x, grid_stride, thread_idx_x};

use super::Monoid;
use super::sixteen::{Number, sixteens};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The number of vectors of sixteen bytes that a thread loads at once.
pub(super) const ROUNDS: usize = 4;

/// Combines the block's part of the elements.
#[kernel(instances(
    (i32, Sum), (u32, Sum), (i64, Sum), (u64, Sum), (f32, Sum), (f64, Sum),
    (i32, Min), (u32, Min), (i64, Min), (u64, Min), (f32, Min), (f64, Min),
    (i32, Max), (u32, Max), (i64, Max), (u64, Max), (f32, Max), (f64, Max)
))]
#[launch_contract(dims = 1, block = 256)]
pub fn reduce<T: Number, O: Monoid<T>>(input: &[T], mut results: PerBlock<T>) {
    let operator = O::default();
    let (before, middle, after) = sixteens::<T, T>(input);
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
    let sum = block_reduce(sum, operator);
    if let Some(result) = results.get_mut() {
        *result = sum;
    }
}
