//! Softmax and norms of the rows of a matrix, each read once and kept in registers.
//!
//! A row has a block, or a cluster of blocks if it is longer than a block's registers hold. A
//! thread has 16 or 32 elements, in rounds of neighbours: sixteen bytes if rows are aligned to
//! that, else one element. The rows of a gradient come through a ring of places in shared memory,
//! if they are aligned and long.

mod backward;
mod element;
mod forward;
mod ring;
mod row;

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::half::Bf16;

pub use backward::{
    column_sums, norm_backward, norm_backward_wide, softmax_backward, softmax_backward_ring,
    softmax_backward_wide,
};
pub use element::Element;
use row::Row;

/// The number of elements that a thread has, of short rows and of long ones.
pub const OF_THREAD: [usize; 2] = [16, 32];
/// The most warps of a block.
pub const WARPS: usize = 16;
/// The most blocks of a cluster.
pub const CLUSTER: u32 = 8;
/// Rounds of a block's threads that a place of the ring has room for, and the most places.
pub const RING: [usize; 2] = [ring::OF_PLACE, ring::PLACES];

/// Writes the softmax of each row: `exp(x - max)` over its sum. The grid has a block for each
/// row.
#[kernel(instances((f32, true, 16), (f32, false, 16), (f32, true, 32), (f32, false, 32), (Bf16, true, 16), (Bf16, false, 16), (Bf16, true, 32), (Bf16, false, 32)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn softmax<E: Element, const ALIGNED: bool, const N: usize>(
    input: &[E],
    mut output: DisjointSlice<E>,
    columns: u32,
) {
    let row = Row::<E, ALIGNED, N, false>::new(columns);
    let values = row.collect(f32::NEG_INFINITY, row.of(input));
    row.softmax(values, &mut output);
}

/// As [`softmax`], with a cluster for each row.
#[kernel(min_arch = "sm_90", instances((f32, true), (f32, false), (Bf16, true), (Bf16, false)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn softmax_wide<E: Element, const ALIGNED: bool>(
    input: &[E],
    mut output: DisjointSlice<E>,
    columns: u32,
) {
    let row = Row::<E, ALIGNED, 32, true>::new(columns);
    let values = row.collect(f32::NEG_INFINITY, row.of(input));
    row.softmax(values, &mut output);
}

/// Writes each row less its mean, over its standard deviation, times `gamma` plus `beta`. The grid
/// has a block for each row.
#[kernel(instances((f32, true, 16), (f32, false, 16), (f32, true, 32), (f32, false, 32), (Bf16, true, 16), (Bf16, false, 16), (Bf16, true, 32), (Bf16, false, 32)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn layer_norm<E: Element, const ALIGNED: bool, const N: usize>(
    input: &[E],
    gamma: &[E],
    beta: &[E],
    mut output: DisjointSlice<E>,
    columns: u32,
    epsilon: f32,
) {
    let row = Row::<E, ALIGNED, N, false>::new(columns);
    let values = row.collect(0.0, row.of(input));
    row.layer_norm(
        values,
        [row.factors(gamma), row.factors(beta)],
        &mut output,
        epsilon,
    );
}

/// As [`layer_norm`], with a cluster for each row.
#[kernel(min_arch = "sm_90", instances((f32, true), (f32, false), (Bf16, true), (Bf16, false)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn layer_norm_wide<E: Element, const ALIGNED: bool>(
    input: &[E],
    gamma: &[E],
    beta: &[E],
    mut output: DisjointSlice<E>,
    columns: u32,
    epsilon: f32,
) {
    let row = Row::<E, ALIGNED, 32, true>::new(columns);
    let values = row.collect(0.0, row.of(input));
    row.layer_norm(
        values,
        [row.factors(gamma), row.factors(beta)],
        &mut output,
        epsilon,
    );
}

/// Writes each row over the root of its mean square, times `gamma`. The grid has a block for each
/// row.
#[kernel(instances((f32, true, 16), (f32, false, 16), (f32, true, 32), (f32, false, 32), (Bf16, true, 16), (Bf16, false, 16), (Bf16, true, 32), (Bf16, false, 32)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn rms_norm<E: Element, const ALIGNED: bool, const N: usize>(
    input: &[E],
    gamma: &[E],
    mut output: DisjointSlice<E>,
    columns: u32,
    epsilon: f32,
) {
    let row = Row::<E, ALIGNED, N, false>::new(columns);
    let values = row.collect(0.0, row.of(input));
    row.rms_norm(values, row.factors(gamma), &mut output, epsilon);
}

/// As [`rms_norm`], with a cluster for each row.
#[kernel(min_arch = "sm_90", instances((f32, true), (f32, false), (Bf16, true), (Bf16, false)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn rms_norm_wide<E: Element, const ALIGNED: bool>(
    input: &[E],
    gamma: &[E],
    mut output: DisjointSlice<E>,
    columns: u32,
    epsilon: f32,
) {
    let row = Row::<E, ALIGNED, 32, true>::new(columns);
    let values = row.collect(0.0, row.of(input));
    row.rms_norm(values, row.factors(gamma), &mut output, epsilon);
}
