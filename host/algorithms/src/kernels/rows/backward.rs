//! Gradients of softmax, layer norm and RMS norm, of a row whose elements are in registers.
//!
//! A norm's row needs sums over the row of what depends on its mean. Each warp computes them around
//! the mean of its own part, and they are moved to the row's mean after the exchange, as squares
//! are. The gradients of the factors are sums over all rows: a thread adds up those of its columns
//! in shared memory, and each cluster writes its sums when it has no more rows.

use lanewise_macros::{kernel, shared};
use lanewise_std::barrier::Barriers;
use lanewise_std::collective::{Sum, warp_reduce};
use lanewise_std::half::Bf16;
use lanewise_std::math::Float;
use lanewise_std::scope::Block;
use lanewise_std::thread::{block_dim_x, block_idx_x, grid_dim_x, sync_threads, thread_idx_x};
use lanewise_std::warp::{lane_id, warp_id};
use lanewise_std::{DisjointSlice, DynamicSharedArray, cluster, gpu_assert};

use super::Element;
use super::ring::{PLACES, Ring};
use super::row::{Group, Row};

/// Writes the gradient of a softmax: `y (dy - sum of y dy)`, where `y` is the softmax of the row,
/// and `dy` is the gradient with respect to it. The grid has a block for each row.
#[kernel(instances((f32, true), (f32, false), (Bf16, true), (Bf16, false)))]
#[launch_bounds(512, 2)]
#[launch_contract(dims = 1, whole_warps)]
pub fn softmax_backward<E: Element, const ALIGNED: bool>(
    y: &[E],
    dy: &[E],
    mut dx: DisjointSlice<E>,
    columns: u32,
) {
    let row = Row::<E, ALIGNED, 16, false>::new(columns);
    let values = [y, dy].map(|matrix| row.collect(0.0, row.of(matrix)));
    row.softmax_backward(values, &mut dx);
}

/// As [`softmax_backward()`], with a cluster for each row, whose elements are not aligned.
#[kernel(min_arch = "sm_90", instances((f32), (Bf16)))]
#[launch_bounds(512, 1)]
#[launch_contract(dims = 1, whole_warps)]
pub fn softmax_backward_wide<E: Element>(
    y: &[E],
    dy: &[E],
    mut dx: DisjointSlice<E>,
    columns: u32,
) {
    let row = Row::<E, false, 32, true>::new(columns);
    let values = [y, dy].map(|matrix| row.collect(0.0, row.of(matrix)));
    row.softmax_backward(values, &mut dx);
}

/// As [`softmax_backward()`], with clusters that have several rows, one after another.
#[kernel(min_arch = "sm_90", instances((f32), (Bf16)))]
#[launch_bounds(512, 1)]
#[launch_contract(dims = 1, whole_warps)]
pub fn softmax_backward_ring<E: Element>(
    y: &[E],
    dy: &[E],
    mut dx: DisjointSlice<E>,
    columns: u32,
) {
    shared! { static BARRIERS: Barriers<Block, PLACES> = 1; }
    let mut ring = Ring::<E, 32, 2>::new([y, dy], BARRIERS, columns, 0);
    while let Some(row) = ring.next() {
        let values = [ring.read(0.0), ring.read(0.0)];
        row.softmax_backward(values, &mut dx);
    }
}

/// Writes the gradient of a layer norm with respect to its input, and each cluster's sums for
/// the factors: first all of `gamma`, then all of `beta`, a row of columns for each cluster. Of an
/// RMS norm if `RMS`, which has no `beta`. The clusters have several rows, one after another.
#[kernel(min_arch = "sm_90", instances(
    (f32, false, 16), (f32, true, 16), (f32, false, 32), (f32, true, 32),
    (Bf16, false, 16), (Bf16, true, 16), (Bf16, false, 32), (Bf16, true, 32)
))]
#[launch_bounds(512, 1)]
#[launch_contract(dims = 1, whole_warps)]
pub fn norm_backward<E: Element, const RMS: bool, const N: usize>(
    x: &[E],
    dy: &[E],
    gamma: &[E],
    mut dx: DisjointSlice<E>,
    partials: DisjointSlice<f32>,
    columns: u32,
    epsilon: f32,
) {
    shared! { static BARRIERS: Barriers<Block, PLACES> = 1; }
    let mut sums = Sums::<N, RMS>::new();
    let reserved = Sums::<N, RMS>::bytes();
    let mut ring = Ring::<E, N, 2>::new([x, dy], BARRIERS, columns, reserved);
    while let Some(row) = ring.next() {
        let values = [ring.read(0.0), ring.read(0.0)];
        row.norm_backward(values, row.factors(gamma), &mut sums, &mut dx, epsilon);
    }
    sums.store(Row::<E, true, N, true>::new(columns), partials);
}

/// As [`norm_backward`], for rows that are not aligned.
#[kernel(min_arch = "sm_90", instances((f32, false), (f32, true), (Bf16, false), (Bf16, true)))]
#[launch_bounds(512, 1)]
#[launch_contract(dims = 1, whole_warps)]
pub fn norm_backward_wide<E: Element, const RMS: bool>(
    x: &[E],
    dy: &[E],
    gamma: &[E],
    mut dx: DisjointSlice<E>,
    partials: DisjointSlice<f32>,
    columns: u32,
    epsilon: f32,
) {
    let mut sums = Sums::<32, RMS>::new();
    let first = Row::<E, false, 32, true>::new(columns);
    let rows = x.len().checked_div(columns as usize).unwrap_or(0);
    let mut row = first;
    while (row.row as usize) < rows {
        let values = [x, dy].map(|matrix| row.collect(0.0, row.of(matrix)));
        row.norm_backward(values, row.factors(gamma), &mut sums, &mut dx, epsilon);
        row.row += grid_dim_x() / cluster::num_blocks();
    }
    sums.store(first, partials);
}

/// Warps of a block that adds up sums of columns.
const SUMMING: usize = 16;

/// Writes the sum of each column of a matrix of so many `rows`: the one with this number, from 0,
/// of those that follow each other in `matrices`. The grid has a block for each 32 columns.
#[kernel(instances((f32), (Bf16)))]
#[launch_contract(dims = 1, block = (512))]
pub fn column_sums<E: Element>(
    matrices: &[f32],
    mut output: DisjointSlice<E>,
    columns: u32,
    rows: u32,
    number: u32,
) {
    shared! { static PARTS: [f32; SUMMING * 32]; }
    let (warp, lane) = (warp_id() as usize, lane_id() as usize);
    let (column, columns) = (block_idx_x() as usize * 32 + lane, columns as usize);
    let len = rows as usize * columns;
    let matrix = &matrices[number as usize * len..(number as usize + 1) * len];
    let mut sum = 0.0;
    if column < columns {
        for place in (warp * columns + column..matrix.len()).step_by(SUMMING * columns) {
            sum += matrix[place];
        }
    }
    // SAFETY: each thread sets its own element, and a barrier comes before the reads.
    unsafe { PARTS.set(warp * 32 + lane, sum) };
    sync_threads();
    if warp == 0 && column < columns {
        // SAFETY: set before the barrier, and not again.
        let sum = (0..SUMMING)
            .map(|warp| unsafe { PARTS.get(warp * 32 + lane) })
            .sum();
        // SAFETY: the column is this thread's of the grid.
        if let Some(place) = unsafe { output.get_unique_mut(column) } {
            *place = E::narrow(sum);
        }
    }
}

/// The sums of a thread's columns over its rows, for `gamma` and, unless `RMS`, for `beta`: in
/// shared memory, four neighbours of a thread's elements together.
struct Sums<const N: usize, const RMS: bool>(DynamicSharedArray<[f32; 4]>);

impl<const N: usize, const RMS: bool> Sums<N, RMS> {
    const COUNT: usize = if RMS { 1 } else { 2 };

    /// Returns the bytes of the block's sums.
    #[inline(always)]
    fn bytes() -> usize {
        Self::COUNT * N * size_of::<f32>() * block_dim_x() as usize
    }

    #[inline(always)]
    fn new() -> Self {
        let memory = DynamicSharedArray::get();
        gpu_assert!(
            memory.len() * size_of::<[f32; 4]>() >= Self::bytes(),
            "there is too little shared memory"
        );
        let sums = Sums(memory);
        for four in 0..Self::COUNT * N / 4 {
            sums.set(four, [0.0; 4]);
        }
        sums
    }

    #[inline(always)]
    fn set(&self, four: usize, values: [f32; 4]) {
        let index = four * block_dim_x() as usize + thread_idx_x() as usize;
        // SAFETY: the element is the thread's, and the memory has all of them: `new` asserts that.
        unsafe { self.0.set_unchecked(index, values) };
    }

    #[inline(always)]
    fn get(&self, four: usize) -> [f32; 4] {
        let index = four * block_dim_x() as usize + thread_idx_x() as usize;
        // SAFETY: as above, and `new` has set it.
        unsafe { self.0.get_unchecked(index) }
    }

    /// Writes the cluster's sums.
    #[inline(always)]
    fn store<E: Element, const ALIGNED: bool>(
        self,
        row: Row<E, ALIGNED, N, true>,
        mut partials: DisjointSlice<f32>,
    ) {
        let columns = row.columns as usize;
        let clusters = (grid_dim_x() / cluster::num_blocks()) as usize;
        for which in 0..Self::COUNT {
            let first = (which * clusters + row.row as usize) * columns;
            Row::<E, ALIGNED, N, true>::rounds(|round| {
                if !row.has(round) {
                    return;
                }
                for lane in 0..Row::<E, ALIGNED, N, true>::LANES {
                    let i = round * Row::<E, ALIGNED, N, true>::LANES + lane;
                    let index = first + row.column(round) as usize + lane;
                    // SAFETY: each cluster has a row of its own, and each thread columns.
                    let place = unsafe { partials.get_unique_mut(index) };
                    gpu_assert!(place.is_some(), "there is too little room for sums");
                    if let Some(place) = place {
                        *place = self.get((which * N + i) / 4)[i % 4];
                    }
                }
            });
        }
    }
}

impl<E: Element, const ALIGNED: bool, const N: usize, const WIDE: bool> Row<E, ALIGNED, N, WIDE> {
    #[inline(always)]
    fn softmax_backward(self, [y, dy]: [[f32; N]; 2], dx: &mut DisjointSlice<E>) {
        let mut total = 0.0;
        for i in 0..N {
            total += y[i] * dy[i];
        }
        Self::exchange(warp_reduce(total, Sum), 0.0, |parts| {
            let total = warp_reduce(parts.iter().sum::<f32>(), Sum);
            self.store(dx, |round| {
                Self::group(round, |i, _| y[i] * (dy[i] - total))
            });
        });
    }

    /// Columns past the end have to be 0.
    #[inline(always)]
    fn norm_backward<const RMS: bool>(
        self,
        [x, dy]: [[f32; N]; 2],
        gamma: impl Fn(usize) -> Group,
        sums: &mut Sums<N, RMS>,
        dx: &mut DisjointSlice<E>,
        epsilon: f32,
    ) {
        // An RMS norm is a layer norm whose mean is 0.
        let [count, of_warp, square] = if RMS {
            let square: f32 = x.iter().map(|x| x * x).sum();
            [0.0, 0.0, warp_reduce(square, Sum)]
        } else {
            self.moments(&x)
        };
        let [mut total, mut product] = [0.0; 2];
        Self::rounds(|round| {
            if self.has(round) {
                let gamma = gamma(round);
                for lane in 0..Self::LANES {
                    let i = round * Self::LANES + lane;
                    total += dy[i] * gamma[lane];
                    product += dy[i] * gamma[lane] * (x[i] - of_warp);
                }
            }
        });
        let part = [
            count,
            of_warp,
            square,
            warp_reduce(total, Sum),
            warp_reduce(product, Sum),
        ];
        Self::exchange(part, [0.0; 5], |parts| {
            let columns = self.columns as f32;
            let [mut mean, mut total] = [0.0; 2];
            if !RMS {
                for [count, of_warp, _, of_total, _] in parts {
                    mean += count * of_warp;
                    total += of_total;
                }
                mean = warp_reduce(mean, Sum) / columns;
                total = warp_reduce(total, Sum) / columns;
            }
            let (mut square, mut product) = (0.0, 0.0);
            for [count, of_warp, of_squares, of_total, of_products] in parts {
                let off = of_warp - mean;
                square += of_squares + count * off * off;
                product += of_products + off * of_total;
            }
            let [square, product] = [square, product].map(|x| warp_reduce(x, Sum) / columns);
            let factor = 1.0 / Float::sqrt(square + epsilon);
            // `dx` is a sum of three terms: of `dy`, of `x`, and a constant.
            let of_x = product * factor * factor * factor;
            self.store(dx, |round| {
                let gamma = gamma(round);
                Self::group(round, |i, lane| {
                    (dy[i] * gamma[lane] - total) * factor - (x[i] - mean) * of_x
                })
            });
            for four in 0..N / 4 {
                let mut of_gamma = sums.get(four);
                for k in 0..4 {
                    let i = four * 4 + k;
                    of_gamma[k] += dy[i] * (x[i] - mean) * factor;
                }
                sums.set(four, of_gamma);
                if !RMS {
                    let mut of_beta = sums.get(N / 4 + four);
                    for k in 0..4 {
                        of_beta[k] += dy[four * 4 + k];
                    }
                    sums.set(N / 4 + four, of_beta);
                }
            }
        });
    }
}
