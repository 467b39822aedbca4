//! Softmax and norms of the rows of a matrix, each read once and kept in registers.
//!
//! A row has a block, or a cluster of blocks if it is longer than a block's registers hold. A
//! thread has [`OF_THREAD`] elements of its row: `ROUNDS` times `LANES` neighbours, four if rows
//! are aligned to sixteen bytes, else one. What the threads of a row combine goes
//! through shared memory, and between the blocks of a cluster through distributed shared memory.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::{Max, Sum, block_reduce, warp_reduce};
use lanewise_std::math::Float;
use lanewise_std::thread::{block_dim_x, block_idx_x, thread_idx_x};
use lanewise_std::warp::lane_id;
use lanewise_std::{DisjointSlice, SharedArray, cluster, gpu_assert};

use super::Monoid;
use super::sixteen::Sixteen;

/// The number of elements that a thread has, of a row with one block.
pub const OF_THREAD: usize = 16;
/// The number of elements that a thread has, of a row with a cluster.
pub const OF_THREAD_WIDE: usize = 32;

/// Writes the softmax of each row: `exp(x - max)` over its sum. The grid has a block for each row.
#[kernel(instances((4, 4), (1, 16)))]
#[launch_bounds(1024)]
#[launch_contract(dims = 1, whole_warps)]
pub fn softmax<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    output: DisjointSlice<f32>,
    columns: u32,
) {
    softmax_of(
        input,
        output,
        columns,
        Row::<LANES, ROUNDS>::of_block(),
        block_reduce,
        block_reduce,
    );
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
    shared! { static RESULTS: [f32; 2]; }
    softmax_of(
        input,
        output,
        columns,
        Row::<LANES, ROUNDS>::of_cluster(),
        |value, operator| cluster_reduce(value, operator, RESULTS, 0),
        |value, operator| cluster_reduce(value, operator, RESULTS, 1),
    );
    cluster::sync_cluster(); // nobody reads the block's results any more
}

/// Writes each row less its mean, over its standard deviation, times `gamma` plus `beta`.
#[kernel(instances((4, 4), (1, 16)))]
#[launch_bounds(1024)]
#[launch_contract(dims = 1, whole_warps)]
pub fn layer_norm<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    gamma: &[f32],
    beta: &[f32],
    output: DisjointSlice<f32>,
    columns: u32,
    epsilon: f32,
) {
    norm_of(
        input,
        Some(beta),
        gamma,
        output,
        columns,
        epsilon,
        Row::<LANES, ROUNDS>::of_block(),
        |value, _| block_reduce(value, Sum),
    );
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
    shared! { static RESULTS: [f32; 2]; }
    norm_of(
        input,
        Some(beta),
        gamma,
        output,
        columns,
        epsilon,
        Row::<LANES, ROUNDS>::of_cluster(),
        |value, at| cluster_reduce(value, Sum, RESULTS, at),
    );
    cluster::sync_cluster(); // nobody reads the block's results any more
}

/// Writes each row over the root of its mean square, times `gamma`.
#[kernel(instances((4, 4), (1, 16)))]
#[launch_bounds(1024)]
#[launch_contract(dims = 1, whole_warps)]
pub fn rms_norm<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    gamma: &[f32],
    output: DisjointSlice<f32>,
    columns: u32,
    epsilon: f32,
) {
    norm_of(
        input,
        None,
        gamma,
        output,
        columns,
        epsilon,
        Row::<LANES, ROUNDS>::of_block(),
        |value, _| block_reduce(value, Sum),
    );
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
    shared! { static RESULTS: [f32; 2]; }
    norm_of(
        input,
        None,
        gamma,
        output,
        columns,
        epsilon,
        Row::<LANES, ROUNDS>::of_cluster(),
        |value, at| cluster_reduce(value, Sum, RESULTS, at),
    );
    cluster::sync_cluster(); // nobody reads the block's results any more
}

/// The thread's part of a row.
#[derive(Clone, Copy)]
struct Row<const LANES: usize, const ROUNDS: usize> {
    /// The number of the row.
    row: usize,
    /// The thread's first column, and the step to that of the next round.
    first: usize,
    step: usize,
}

/// A thread's elements.
type Part<const LANES: usize, const ROUNDS: usize> = [[f32; LANES]; ROUNDS];

impl<const LANES: usize, const ROUNDS: usize> Row<LANES, ROUNDS> {
    #[inline(always)]
    fn of_block() -> Self {
        Self::of(block_idx_x(), 0)
    }

    #[inline(always)]
    fn of_cluster() -> Self {
        Self::of(block_idx_x() / cluster::num_blocks(), cluster::block_rank())
    }

    #[inline(always)]
    fn of(row: u32, rank: u32) -> Self {
        let step = block_dim_x() as usize * LANES;
        Row {
            row: row as usize,
            first: rank as usize * ROUNDS * step + thread_idx_x() as usize * LANES,
            step,
        }
    }

    /// Returns whether the neighbours of a round are in a row. All are, or none.
    #[inline(always)]
    fn has(&self, round: usize, columns: usize) -> bool {
        self.first + round * self.step + LANES <= columns
    }

    /// Returns the thread's elements of a round; `past` stands for columns past the end.
    #[inline(always)]
    fn round(&self, row: &[f32], round: usize, past: f32) -> [f32; LANES] {
        if !self.has(round, row.len()) {
            return [past; LANES];
        }
        let place = row.as_ptr().wrapping_add(self.first + round * self.step);
        if LANES == 1 {
            // SAFETY: in the row.
            [unsafe { place.read() }; LANES]
        } else {
            // SAFETY: in the row, which is aligned: `row_of` asserts that.
            unsafe { place.cast::<Sixteen<f32, LANES>>().read() }.0
        }
    }

    /// Returns the thread's elements of a row; `past` stands for columns past the end.
    #[inline(always)]
    fn load(&self, row: &[f32], past: f32) -> Part<LANES, ROUNDS> {
        from_fn(|round| self.round(row, round, past))
    }

    /// Writes what `of` returns to the thread's elements of each round.
    #[inline(always)]
    fn store(
        &self,
        matrix: &mut DisjointSlice<f32>,
        columns: usize,
        of: impl Fn(usize) -> [f32; LANES],
    ) {
        let start = self.row * columns;
        gpu_assert!(start + columns <= matrix.len(), "the output is too short");
        let row = matrix.as_mut_ptr().wrapping_add(start);
        gpu_assert!(are_aligned::<LANES>(row, columns), "rows are not aligned");
        for round in 0..ROUNDS {
            if !self.has(round, columns) {
                continue;
            }
            let place = row.wrapping_add(self.first + round * self.step);
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
}

/// Returns the row that begins at element `start`, whose alignment is that of `LANES` elements.
#[inline(always)]
fn row_of<const LANES: usize>(matrix: &[f32], start: usize, columns: usize) -> &[f32] {
    let row = &matrix[start..start + columns];
    gpu_assert!(
        are_aligned::<LANES>(row.as_ptr(), columns),
        "rows are not aligned"
    );
    row
}

/// Returns whether a row of this length has whole groups of `LANES` neighbours, all aligned.
#[inline(always)]
fn are_aligned<const LANES: usize>(row: *const f32, columns: usize) -> bool {
    const { assert!(LANES == 1 || LANES == 4) };
    LANES == 1 || row.cast::<Sixteen<f32, LANES>>().is_aligned() && columns.is_multiple_of(LANES)
}

#[inline(always)]
fn softmax_of<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    mut output: DisjointSlice<f32>,
    columns: u32,
    row: Row<LANES, ROUNDS>,
    max: impl Fn(f32, Max) -> f32,
    sum: impl Fn(f32, Sum) -> f32,
) {
    let columns = columns as usize;
    let input = row_of::<LANES>(input, row.row * columns, columns);
    let mut values = row.load(input, f32::NEG_INFINITY);
    let mut most = f32::NEG_INFINITY;
    for four in values {
        most = four.into_iter().fold(most, f32::max);
    }
    let most = max(most, Max);
    let mut total = 0.0;
    for four in &mut values {
        for value in four {
            *value = Float::exp(*value - most);
            total += *value;
        }
    }
    let factor = 1.0 / sum(total, Sum);
    row.store(&mut output, columns, |round| {
        values[round].map(|value| value * factor)
    });
}

/// The norm without a mean if there is no `beta`.
#[allow(
    clippy::too_many_arguments,
    reason = "the parameters of the kernels, and what differs"
)]
#[inline(always)]
fn norm_of<const LANES: usize, const ROUNDS: usize>(
    input: &[f32],
    beta: Option<&[f32]>,
    gamma: &[f32],
    mut output: DisjointSlice<f32>,
    columns: u32,
    epsilon: f32,
    row: Row<LANES, ROUNDS>,
    sum: impl Fn(f32, usize) -> f32,
) {
    let columns = columns as usize;
    let input = row_of::<LANES>(input, row.row * columns, columns);
    let gamma = row_of::<LANES>(gamma, 0, columns);
    let beta = beta.map(|beta| row_of::<LANES>(beta, 0, columns));
    let values = row.load(input, 0.0);
    let mut total = 0.0;
    for four in values {
        total += four.iter().sum::<f32>();
    }
    let mean = match beta {
        Some(_) => sum(total, 0) / columns as f32,
        None => 0.0,
    };
    let mut square = 0.0;
    for round in 0..ROUNDS {
        if row.has(round, columns) {
            for value in values[round] {
                square += (value - mean) * (value - mean);
            }
        }
    }
    let factor = 1.0 / Float::sqrt(sum(square, 1) / columns as f32 + epsilon);
    row.store(&mut output, columns, |round| {
        let gamma = row.round(gamma, round, 0.0);
        let beta = beta.map_or([0.0; LANES], |beta| row.round(beta, round, 0.0));
        from_fn(|k| (values[round][k] - mean) * factor * gamma[k] + beta[k])
    });
}

/// Combines a value of each thread of the cluster. Element `at` of each block's `results` has the
/// block's result from here on.
#[inline(always)]
fn cluster_reduce<O: Monoid<f32>>(
    value: f32,
    operator: O,
    results: SharedArray<f32, 2>,
    at: usize,
) -> f32 {
    let own = block_reduce(value, operator);
    if thread_idx_x() == 0 {
        // SAFETY: one thread sets the element, and a barrier comes before the reads.
        unsafe { results.set(at, own) };
    }
    cluster::sync_cluster();
    let other = if lane_id() < cluster::num_blocks() {
        // SAFETY: set before the barrier, and not again; blocks wait for each other at the end.
        unsafe { results.distributed().get(lane_id(), at) }
    } else {
        O::NEUTRAL
    };
    warp_reduce(other, operator)
}
