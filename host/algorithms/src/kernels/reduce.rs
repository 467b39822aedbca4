//! Combines all elements into one.
//!
//! Two launches: the blocks of the first combine parts of the input, and the one block of the
//! second combines the blocks' results. Which elements a thread has depends on the number of blocks
//! alone, so the result for floats is the same in each run on a device.

use lanewise_macros::kernel;
use lanewise_std::PerBlock;
use lanewise_std::collective::{Max, Min, Sum, block_reduce};
use lanewise_std::thread::grid_stride;

use super::Monoid;
use super::sixteen::{Number, sixteens};

/// The number of threads in a block.
pub const BLOCK: u32 = 512;

/// Combines the block's part of the elements.
#[kernel(instances(
    (i32, Sum), (u32, Sum), (i64, Sum), (u64, Sum), (f32, Sum), (f64, Sum),
    (i32, Min), (u32, Min), (i64, Min), (u64, Min), (f32, Min), (f64, Min),
    (i32, Max), (u32, Max), (i64, Max), (u64, Max), (f32, Max), (f64, Max)
))]
#[launch_contract(dims = 1, block = 512)]
pub fn reduce<T: Number, O: Monoid<T>>(input: &[T], mut results: PerBlock<T>) {
    let operator = O::default();
    let (before, middle, after) = sixteens::<T, T>(input);
    let mut sums = O::NEUTRAL.splat();
    for i in grid_stride(middle.len()) {
        let values = middle[i];
        for (sum, value) in sums.as_mut().iter_mut().zip(values.as_ref()) {
            *sum = operator.combine(*sum, *value);
        }
    }
    let mut sum = O::NEUTRAL;
    for value in sums.as_ref() {
        sum = operator.combine(sum, *value);
    }
    for rest in [before, after] {
        for i in grid_stride(rest.len()) {
            sum = operator.combine(sum, rest[i]);
        }
    }
    let sum = block_reduce(sum, operator);
    if let Some(result) = results.get_mut() {
        *result = sum;
    }
}
