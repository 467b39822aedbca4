//! Cross entropy of rows of logits, and its gradient: each row is read once for the loss.
//!
//! A row has a block. A thread keeps the maximum of what it has read and the sum of exponentials
//! relative to it, and moves the sum when the maximum grows: once for several loads of sixteen
//! bytes, which are under way together. Rows may begin at any element. The gradient reads the row
//! again, from the second-level cache.
//!
//! Source: Milakov, Gimelshein, "Online normalizer calculation for softmax", 2018.

use core::array::from_fn;
use core::f32::consts::{LN_2, LOG2_E};

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::{Max, Sum, warp_reduce};
use lanewise_std::half::Bf16;
use lanewise_std::math::Float;
use lanewise_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::unroll::{computed_here, unroll};
use lanewise_std::warp::{lane_id, warp_id};
use lanewise_std::{DisjointSlice, fast};

use super::rows::Element;
use super::sixteen::Sixteen;

/// Threads of a block.
pub const THREADS: usize = 256;
const WARPS: usize = THREADS / 32;
/// Loads of a thread that are under way together.
const UNROLL: usize = 5;
/// Loads of a block that are under way together.
const BATCH: usize = UNROLL * THREADS;

/// Writes the loss of each row: the logarithm of the sum of exponentials, less the logit at the
/// row's target. If the target is no column, the loss is 0. The grid has a block for each row.
#[kernel(instances((f32), (Bf16)))]
#[launch_bounds(256, 6)]
#[launch_contract(dims = 1, block = (THREADS))]
pub fn cross_entropy<E: Element>(
    logits: &[E],
    targets: &[u32],
    losses: DisjointSlice<f32>,
    columns: u32,
) {
    Row::new(logits, targets, columns).loss(losses);
}

/// As [`cross_entropy`], and writes the gradient of `scale` times the loss: the softmax of the row,
/// less 1 at the target, times `scale`.
#[kernel(instances((f32), (Bf16)))]
#[launch_bounds(256, 5)]
#[launch_contract(dims = 1, block = (THREADS))]
pub fn cross_entropy_backward<E: Element>(
    logits: &[E],
    targets: &[u32],
    losses: DisjointSlice<f32>,
    gradient: DisjointSlice<E>,
    columns: u32,
    scale: f32,
) {
    let row = Row::new(logits, targets, columns);
    let logarithm = row.loss(losses);
    row.gradient(logarithm, gradient, scale);
}

/// The block's row.
#[derive(Clone, Copy)]
struct Row<'a, E> {
    row: usize,
    logits: &'a [E],
    target: usize,
}

/// Sixteen bytes of a row.
type Words = Sixteen<u32, 4>;

/// The greatest logit so far, and the sum of exponentials relative to it.
#[derive(Clone, Copy)]
struct Total {
    most: f32,
    sum: f32,
}

impl Total {
    /// Returns the sum relative to another maximum.
    #[inline(always)]
    fn relative_to(self, most: f32) -> f32 {
        if self.most == most {
            self.sum
        } else {
            self.sum * fast::exp2_flushed((self.most - most) * LOG2_E)
        }
    }

    /// Returns the total of the warp's lanes.
    #[inline(always)]
    fn of_warp(self) -> Self {
        // The maximum first: so each lane moves its sum once, and not at each step.
        let most = warp_reduce(self.most, Max);
        Total {
            most,
            sum: warp_reduce(self.relative_to(most), Sum),
        }
    }

    /// Adds `N` values.
    #[inline(always)]
    fn add<const N: usize>(&mut self, value: impl Fn(usize) -> f32) {
        let mut most = self.most;
        unroll::<N>(|i| most = most.max(value(i)));
        // Where all are less than any number, so is the difference.
        let shift = if most == f32::NEG_INFINITY {
            0.0
        } else {
            most * -LOG2_E
        };
        // Two sums, so that an addition does not wait for the one before.
        let mut sums = [self.relative_to(most), 0.0];
        unroll::<N>(|i| sums[i % 2] += fast::exp2_flushed(Float::mul_add(value(i), LOG2_E, shift)));
        *self = Total {
            most,
            sum: sums[0] + sums[1],
        };
    }
}

impl<'a, E: Element> Row<'a, E> {
    #[inline(always)]
    fn new(logits: &'a [E], targets: &[u32], columns: u32) -> Self {
        let (row, columns) = (block_idx_x() as usize, columns as usize);
        Row {
            row,
            logits: &logits[row * columns..(row + 1) * columns],
            target: targets[row] as usize,
        }
    }

    /// Returns the row's elements before the first aligned sixteen bytes, these, and the others.
    #[inline(always)]
    fn parts<G>(self) -> (&'a [E], &'a [G], &'a [E]) {
        const { assert!(size_of::<G>() == 16) };
        // SAFETY: values have no padding, and any bits make numbers.
        unsafe { self.logits.align_to() }
    }

    /// Writes the loss of the row, and returns the logarithm to base 2 of its sum of exponentials.
    #[inline(always)]
    fn loss(self, mut losses: DisjointSlice<f32>) -> f32 {
        let thread = thread_idx_x() as usize;
        // Computed here: at the end, the block would wait for it alone.
        let of_target = match self.logits.get(self.target) {
            Some(logit) if thread == 0 => logit.widen(),
            _ => 0.0,
        };
        let of_target = computed_here(of_target);
        let (before, groups, after) = self.parts::<Words>();
        let ends = [before, after].map(|rest| {
            rest.get(thread)
                .map_or(f32::NEG_INFINITY, |logit| logit.widen())
        });
        // What is no whole batch comes first, so that its loads are under way with those of the
        // ends, and the loop tests nothing.
        let (ragged, batches) = groups.split_at(groups.len() % BATCH);
        let first: [Words; UNROLL] = from_fn(|k| match ragged.get(thread + k * THREADS) {
            Some(words) => *words,
            None => Sixteen([E::LEAST_WORD; 4]),
        });
        let mut total = Total {
            most: f32::NEG_INFINITY,
            sum: 0.0,
        };
        for k in 0..UNROLL {
            if k * THREADS < ragged.len() {
                Self::add_words::<1>(&mut total, [first[k]]);
            }
        }
        for batch in batches.as_chunks::<BATCH>().0 {
            // Computed here: otherwise the compiler moves loads behind the branches of `add`.
            let loaded: [Words; UNROLL] =
                from_fn(|k| Sixteen(computed_here(batch[thread + k * THREADS].0)));
            // Two of them at once: more would not fit into registers as `f32`.
            let [a, b, c, d, e] = loaded;
            Self::add_words::<2>(&mut total, [a, b]);
            Self::add_words::<2>(&mut total, [c, d]);
            Self::add_words::<1>(&mut total, [e]);
        }
        total.add::<2>(|i| ends[i]);
        let total = Self::of_block(total);
        let logarithm = Float::log2(total.sum);
        if thread == 0 {
            let loss = if self.target < self.logits.len() {
                total.most - of_target + logarithm * LN_2
            } else {
                0.0
            };
            // SAFETY: each row has one block, and the block one such thread.
            if let Some(place) = unsafe { losses.get_unique_mut(self.row) } {
                *place = loss;
            }
        }
        total.most * LOG2_E + logarithm
    }

    /// Adds the elements of some words.
    #[inline(always)]
    fn add_words<const GROUPS: usize>(total: &mut Total, groups: [Words; GROUPS]) {
        let element = |i: usize| E::of_words(&groups[i / E::LANES].0, i % E::LANES);
        match GROUPS * E::LANES {
            4 => total.add::<4>(element),
            8 => total.add::<8>(element),
            _ => total.add::<16>(element),
        }
    }

    /// Returns the total of all threads.
    #[inline(always)]
    fn of_block(total: Total) -> Total {
        shared! { static PARTS: [[f32; 2]; WARPS]; }
        let Total { most, sum } = total.of_warp();
        if lane_id() == 0 {
            // SAFETY: one thread sets the element, and a barrier comes before the reads.
            unsafe { PARTS.set(warp_id() as usize, [most, sum]) };
        }
        sync_threads();
        // SAFETY: set before the barrier, and not again.
        let [most, sum] = unsafe { PARTS.get(lane_id() as usize % WARPS) };
        let is_warp = (lane_id() as usize) < WARPS;
        let sum = if is_warp { sum } else { 0.0 };
        Total { most, sum }.of_warp()
    }

    /// Writes the gradient of the row.
    #[inline(always)]
    fn gradient(self, logarithm: f32, mut gradient: DisjointSlice<E>, scale: f32) {
        let (thread, columns) = (thread_idx_x() as usize, self.logits.len());
        let start = self.row * columns;
        assert!(
            start + columns <= gradient.len(),
            "the gradient is too short"
        );
        let output = gradient.as_mut_ptr().wrapping_add(start);
        // A row without a target has no gradient.
        let scale = if self.target < columns { scale } else { 0.0 };
        let of = |column: usize, logit: E| {
            let power = fast::exp2(logit.widen() * LOG2_E - logarithm);
            let less = if column == self.target { 1.0 } else { 0.0 };
            (power - less) * scale
        };
        let (before, groups, after) = self.parts::<E::Neighbours>();
        for (first, rest) in [(0, before), (columns - after.len(), after)] {
            if let Some(logit) = rest.get(thread) {
                let value = E::narrow(of(first + thread, *logit));
                // SAFETY: in the row, which has one block, and each thread columns of its own.
                unsafe { output.wrapping_add(first + thread).write(value) };
            }
        }
        let is_aligned = output
            .wrapping_add(before.len())
            .cast::<E::Neighbours>()
            .is_aligned();
        for place in (thread..groups.len()).step_by(THREADS) {
            let (group, first) = (groups[place], before.len() + place * E::LANES);
            let values = E::neighbours(|lane| of(first + lane, group.as_ref()[lane]));
            let output = output.wrapping_add(first);
            if is_aligned {
                // SAFETY: as above, and aligned.
                unsafe { output.cast::<E::Neighbours>().write(values) };
            } else {
                for lane in 0..E::LANES {
                    // SAFETY: as above.
                    unsafe { output.wrapping_add(lane).write(values.as_ref()[lane]) };
                }
            }
        }
    }
}
