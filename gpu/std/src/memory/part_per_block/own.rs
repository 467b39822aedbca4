//! A thread's own elements of its block's part of a slice that is only read.

use crate::collective::Operator;
use crate::thread::{block_number, block_size, thread_rank};

/// Combines this thread's elements of its block's part of `slice`, and returns `None` if all of
/// them are past its end. A part is `EACH` elements for each thread, and a thread's are a block's
/// size apart: those that [`PartPerBlock::begin`](super::PartPerBlock::begin) combines.
///
/// No load waits for another one, except in the last part, if it is not whole.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::PerBlock;
/// use lanewise_std::collective::{Sum, block_reduce};
/// use lanewise_std::part_per_block::combine_own;
///
/// /// Each thread adds four elements by itself, and then the block adds these sums.
/// #[kernel]
/// #[launch_contract(dims = 1, whole_warps)]
/// pub fn sums(input: &[i32], mut sums: PerBlock<i32>) {
///     let sum = block_reduce(combine_own::<4, _>(input, Sum).unwrap_or(0), Sum);
///     if let Some(of_block) = sums.get_mut() {
///         *of_block = sum;
///     }
/// }
/// ```
#[inline(always)]
pub fn combine_own<const EACH: usize, T: Copy>(
    slice: &[T],
    operator: impl Operator<T>,
) -> Option<T> {
    const { assert!(EACH > 0, "a thread has at least one element") };
    let threads = block_size() as usize;
    // No slice is as long as the largest number, to which the products saturate.
    let start = block_number().saturating_mul(threads * EACH);
    let first = start.saturating_add(thread_rank() as usize);
    if first.saturating_add((EACH - 1) * threads) < slice.len() {
        // SAFETY: none is past the last one, which is below the length.
        let own = |k| unsafe { *slice.get_unchecked(first + k * threads) };
        let values: [T; EACH] = core::array::from_fn(own);
        return values.into_iter().reduce(|a, b| operator.combine(a, b));
    }
    let mut combined = *slice.get(first)?;
    let mut next = first + threads;
    while let Some(value) = slice.get(next) {
        combined = operator.combine(combined, *value);
        next += threads;
    }
    Some(combined)
}
