//! Softmax and norms of the rows of a matrix, each read once and kept in registers.
//!
//! A row has a block, or a cluster of blocks if it is longer than a block's registers hold. A
//! thread has `ROUNDS` times `LANES` neighbours of its row: `LANES` is four if rows are aligned to
//! sixteen bytes, else one. Each warp computes what it needs of its own part: the maximum and the
//! sum of exponentials, or the mean and the sum of squares. So one barrier of the block or the
//! cluster is enough, and one exchange.
//!
//! Sources: Milakov, Gimelshein, "Online normalizer calculation for softmax", 2018; Chan, Golub,
//! LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::{Max, Sum, warp_reduce};
use lanewise_std::math::Float;
use lanewise_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::warp::{lane_id, warp_id, warps_per_block};
use lanewise_std::{DisjointSlice, cluster, gpu_assert};

use super::sixteen::Sixteen;

/// The number of elements that a thread has, of short rows and of long ones.
pub const OF_THREAD: [usize; 2] = [16, 32];
/// The most warps of a block.
pub const WARPS: usize = 16;
/// The most blocks of a cluster.
pub const CLUSTER: u32 = 8;

/// Writes the softmax of each row: `exp(x - max)` over its sum. The grid has a block for each row.
#[kernel(instances((4, 4), (1, 16), (4, 8), (1, 32)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn softmax<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    output: DisjointSlice<f32>,
    columns: u32,
) {
    Row::<LANES, ROUNDS, false>::new(columns).softmax(input, output);
}

/// As [`softmax`], with a cluster for each row.
#[kernel(min_arch = "sm_90", instances((4, 8), (1, 32)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn softmax_wide<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    output: DisjointSlice<f32>,
    columns: u32,
) {
    Row::<LANES, ROUNDS, true>::new(columns).softmax(input, output);
}

/// Writes each row less its mean, over its standard deviation, times `gamma` plus `beta`.
#[kernel(instances((4, 4), (1, 16), (4, 8), (1, 32)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn layer_norm<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    gamma: &[f32],
    beta: &[f32],
    output: DisjointSlice<f32>,
    columns: u32,
    epsilon: f32,
) {
    Row::<LANES, ROUNDS, false>::new(columns).layer_norm(input, gamma, beta, output, epsilon);
}

/// As [`layer_norm`], with a cluster for each row.
#[kernel(min_arch = "sm_90", instances((4, 8), (1, 32)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn layer_norm_wide<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    gamma: &[f32],
    beta: &[f32],
    output: DisjointSlice<f32>,
    columns: u32,
    epsilon: f32,
) {
    Row::<LANES, ROUNDS, true>::new(columns).layer_norm(input, gamma, beta, output, epsilon);
}

/// Writes each row over the root of its mean square, times `gamma`.
#[kernel(instances((4, 4), (1, 16), (4, 8), (1, 32)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn rms_norm<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    gamma: &[f32],
    output: DisjointSlice<f32>,
    columns: u32,
    epsilon: f32,
) {
    Row::<LANES, ROUNDS, false>::new(columns).rms_norm(input, gamma, output, epsilon);
}

/// As [`rms_norm`], with a cluster for each row.
#[kernel(min_arch = "sm_90", instances((4, 8), (1, 32)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn rms_norm_wide<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    gamma: &[f32],
    output: DisjointSlice<f32>,
    columns: u32,
    epsilon: f32,
) {
    Row::<LANES, ROUNDS, true>::new(columns).rms_norm(input, gamma, output, epsilon);
}

/// The thread's part of a row, which has a block, or a cluster if `WIDE`.
#[derive(Clone, Copy)]
struct Row<const LANES: usize, const ROUNDS: usize, const WIDE: bool> {
    /// The number of the row.
    row: u32,
    columns: u32,
    /// The thread's first column, and the step to that of the next round: below 2^22, for a
    /// cluster has at most 16 blocks.
    first: u32,
    step: u32,
}

/// A thread's elements.
type Part<const LANES: usize, const ROUNDS: usize> = [[f32; LANES]; ROUNDS];

impl<const LANES: usize, const ROUNDS: usize, const WIDE: bool> Row<LANES, ROUNDS, WIDE> {
    #[inline(always)]
    fn new(columns: u32) -> Self {
        let (row, rank) = if WIDE {
            (block_idx_x() / cluster::num_blocks(), cluster::block_rank())
        } else {
            (block_idx_x(), 0)
        };
        let step = block_dim_x() * LANES as u32;
        Row {
            row,
            columns,
            first: rank * ROUNDS as u32 * step + thread_idx_x() * LANES as u32,
            step,
        }
    }

    /// Returns the thread's first column of a round.
    #[inline(always)]
    fn column(&self, round: usize) -> u32 {
        self.first + round as u32 * self.step
    }

    /// Returns the number of the row's first element.
    #[inline(always)]
    fn start(&self) -> usize {
        self.row as usize * self.columns as usize
    }

    /// Returns whether the neighbours of a round are in a row. All are, or none.
    #[inline(always)]
    fn has(&self, round: usize) -> bool {
        self.column(round) + LANES as u32 <= self.columns
    }

    /// Returns the thread's elements of a round; `past` stands for columns past the end.
    #[inline(always)]
    fn round(&self, row: &[f32], round: usize, past: f32) -> [f32; LANES] {
        if !self.has(round) {
            return [past; LANES];
        }
        let place = row.as_ptr().wrapping_add(self.column(round) as usize);
        if LANES == 1 {
            // SAFETY: in the row.
            [unsafe { place.read() }; LANES]
        } else {
            // SAFETY: in the row, which is aligned: `row_of` asserts that.
            unsafe { place.cast::<Sixteen<f32, LANES>>().read() }.0
        }
    }

    /// Returns the thread's elements of its row; `past` stands for columns past the end.
    #[inline(always)]
    fn load(&self, matrix: &[f32], past: f32) -> Part<LANES, ROUNDS> {
        let row = row_of::<LANES>(matrix, self.start(), self.columns);
        from_fn(|round| self.round(row, round, past))
    }

    /// Writes what `of` returns to the thread's elements of each round.
    #[inline(always)]
    fn store(&self, mut matrix: DisjointSlice<f32>, of: impl Fn(usize) -> [f32; LANES]) {
        let start = self.start();
        gpu_assert!(
            start + self.columns as usize <= matrix.len(),
            "the output is too short"
        );
        let row = matrix.as_mut_ptr().wrapping_add(start);
        gpu_assert!(
            are_aligned::<LANES>(row, self.columns),
            "rows are not aligned"
        );
        for round in 0..ROUNDS {
            if !self.has(round) {
                continue;
            }
            let place = row.wrapping_add(self.column(round) as usize);
            let values = of(round);
            if LANES == 1 {
                // SAFETY: in the row; each row has one block or cluster, and each of its threads
                // columns of its own.
                unsafe { place.write(values[0]) };
            } else {
                // SAFETY: as above, and aligned: that was asserted.
                unsafe { place.cast::<Sixteen<f32, LANES>>().write(Sixteen(values)) };
            }
        }
    }

    /// Passes what the warps of the row have to `then`, once in a kernel, in all threads of the
    /// row: each lane has the parts of some warps, and `past` for warps that there are not.
    #[inline(always)]
    fn exchange<T: Copy>(of_warp: T, past: T, then: impl FnOnce(&[T])) {
        shared! { static PARTS: [T; WARPS]; }
        if lane_id() == 0 {
            // SAFETY: one thread sets the element, and a barrier comes before the reads.
            unsafe { PARTS.set(warp_id() as usize, of_warp) };
        }
        let (half, warp) = (lane_id() / WARPS as u32, lane_id() % WARPS as u32);
        let has_warp = warp < warps_per_block();
        if !WIDE {
            sync_threads();
            let part = if has_warp && half == 0 {
                // SAFETY: set before the barrier, and not again.
                unsafe { PARTS.get(warp as usize) }
            } else {
                past
            };
            then(&[part]);
            return;
        }
        gpu_assert!(
            cluster::num_blocks() <= CLUSTER,
            "the cluster has too many blocks"
        );
        cluster::sync_cluster();
        let parts: [T; CLUSTER as usize / 2] = from_fn(|pair| {
            let rank = pair as u32 * 2 + half;
            if has_warp && rank < cluster::num_blocks() {
                // SAFETY: set before the barrier, and not again; its block waits for this one.
                unsafe { PARTS.distributed().get(rank, warp as usize) }
            } else {
                past
            }
        });
        let has_read = cluster::arrive();
        then(&parts);
        has_read.wait();
    }

    #[inline(always)]
    fn softmax(self, input: &[f32], output: DisjointSlice<f32>) {
        let mut values = self.load(input, f32::NEG_INFINITY);
        let most = values
            .as_flattened()
            .iter()
            .copied()
            .fold(f32::NEG_INFINITY, f32::max);
        let most = warp_reduce(most, Max);
        // Where all are less than any number, so is the difference.
        let shift = if most == f32::NEG_INFINITY { 0.0 } else { most };
        let mut total = 0.0;
        for value in values.as_flattened_mut() {
            *value = Float::exp(*value - shift);
            total += *value;
        }
        let of_warp = [most, warp_reduce(total, Sum)];
        Self::exchange(of_warp, [f32::NEG_INFINITY, 0.0], |parts| {
            let of_row = parts
                .iter()
                .fold(f32::NEG_INFINITY, |most, part| most.max(part[0]));
            let of_row = warp_reduce(of_row, Max);
            // What a sum with another maximum has to be multiplied by.
            let scale = |most: f32| {
                if most == of_row {
                    1.0
                } else {
                    Float::exp(most - of_row)
                }
            };
            let total: f32 = parts.iter().map(|[most, total]| total * scale(*most)).sum();
            let factor = scale(most) / warp_reduce(total, Sum);
            self.store(output, |round| values[round].map(|value| value * factor));
        });
    }

    #[inline(always)]
    fn layer_norm(
        self,
        input: &[f32],
        gamma: &[f32],
        beta: &[f32],
        output: DisjointSlice<f32>,
        epsilon: f32,
    ) {
        let gamma = row_of::<LANES>(gamma, 0, self.columns);
        let beta = row_of::<LANES>(beta, 0, self.columns);
        let values = self.load(input, 0.0);
        let rounds: u32 = (0..ROUNDS).map(|round| u32::from(self.has(round))).sum();
        let count = warp_reduce(rounds * LANES as u32, Sum) as f32;
        let total: f32 = values.as_flattened().iter().sum();
        let mean = warp_reduce(total, Sum) / count.max(1.0);
        let mut square = 0.0;
        for round in 0..ROUNDS {
            if self.has(round) {
                for value in values[round] {
                    square += (value - mean) * (value - mean);
                }
            }
        }
        let of_warp = [count, mean, warp_reduce(square, Sum)];
        Self::exchange(of_warp, [0.0; 3], |parts| {
            let columns = self.columns as f32;
            let total: f32 = parts.iter().map(|[count, mean, _]| count * mean).sum();
            let mean = warp_reduce(total, Sum) / columns;
            let square = parts.iter().map(|[count, of_warp, square]| {
                square + count * (of_warp - mean) * (of_warp - mean)
            });
            let square = warp_reduce(square.sum::<f32>(), Sum);
            let factor = 1.0 / Float::sqrt(square / columns + epsilon);
            self.store(output, |round| {
                let gamma = self.round(gamma, round, 0.0);
                let beta = self.round(beta, round, 0.0);
                from_fn(|k| (values[round][k] - mean) * factor * gamma[k] + beta[k])
            });
        });
    }

    #[inline(always)]
    fn rms_norm(self, input: &[f32], gamma: &[f32], output: DisjointSlice<f32>, epsilon: f32) {
        let gamma = row_of::<LANES>(gamma, 0, self.columns);
        let values = self.load(input, 0.0);
        let square: f32 = values
            .as_flattened()
            .iter()
            .map(|value| value * value)
            .sum();
        Self::exchange(warp_reduce(square, Sum), 0.0, |parts| {
            let square = warp_reduce(parts.iter().sum::<f32>(), Sum);
            let factor = 1.0 / Float::sqrt(square / self.columns as f32 + epsilon);
            self.store(output, |round| {
                let gamma = self.round(gamma, round, 0.0);
                from_fn(|k| values[round][k] * factor * gamma[k])
            });
        });
    }
}

/// Returns the row that begins at element `start`, whose alignment is that of `LANES` elements.
#[inline(always)]
fn row_of<const LANES: usize>(matrix: &[f32], start: usize, columns: u32) -> &[f32] {
    let row = &matrix[start..start + columns as usize];
    gpu_assert!(
        are_aligned::<LANES>(row.as_ptr(), columns),
        "rows are not aligned"
    );
    row
}

/// Returns whether a row of this length has whole groups of `LANES` neighbours, all aligned.
#[inline(always)]
fn are_aligned<const LANES: usize>(row: *const f32, columns: u32) -> bool {
    const { assert!(LANES == 1 || LANES == 4) };
    LANES == 1
        || row.cast::<Sixteen<f32, LANES>>().is_aligned() && columns.is_multiple_of(LANES as u32)
}
