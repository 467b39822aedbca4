//! Attention: for each query, the softmax of its products with all keys, times the values.
//!
//! For one head: `q`, `k` and `v` are matrices of `bf16` with [`HEAD`] columns, as pairs along the
//! columns; the result `o` is of `f32`, in pairs too. Scores are multiplied by `1 / sqrt(HEAD)`.
//! Numbers of queries and keys are arbitrary. Launch: `attention_scores` and `attention_values`:
//! 2-D, a block of 32 x 32 threads for each tile of scores or of the result; `attention_softmax`: a
//! block for each row; `attention_warp`: a block along y for every [`QUERIES`] queries of all
//! heads; `attention_mma`: the same for every [`MMA_QUERIES`] queries. In these two, the matrices
//! have all heads, each filled up to whole blocks; `shape` is the number of keys of a head, and its
//! number of rows.
//! Shows: the matrix of scores need not exist. With the running maximum and sum of a softmax, a
//! block goes over the keys once and keeps the scores of a few of them.
//! Source: Dao, Fu, Ermon, Rudra, Re, "FlashAttention", 2022.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::{Max, Sum, block_reduce, warp_reduce};
use lanewise_std::disjoint_matrix::{DisjointMatrix, TilePerBlock};
use lanewise_std::fast;
use lanewise_std::half::{Bf16, Bf16x2};
use lanewise_std::math::Float;
use lanewise_std::matrix::warp::{self, Left, Right, SumsPerWarp};
use lanewise_std::thread::{thread_idx_x, thread_idx_y};
use lanewise_std::vector::Float2;
use lanewise_std::warp::{FULL_MASK, lane_id, shuffle_sync, shuffle_xor_sync};
use lanewise_std::{Matrix, RowPerBlock, SharedTile};

use super::product_bf16::dot;

/// Columns of queries, keys and values.
pub const HEAD: usize = 64;
/// The same in pairs: one for each lane of a warp.
const PAIRS: usize = HEAD / 2;
/// Queries of a block of `attention_warp`, one for each warp.
pub const QUERIES: usize = 8;
/// Queries of a block of `attention_mma`, sixteen for each of four warps.
pub const MMA_QUERIES: usize = 64;
/// Keys of a tile: one for each lane.
const KEYS: usize = 32;
/// What the products are multiplied by, `1 / sqrt(HEAD)`.
const SCALE: f32 = 0.125;

/// Writes the scores of all queries with all keys.
#[kernel]
#[launch_contract(dims = 2, block = (32, 32))]
pub fn attention_scores(
    q: Matrix<Bf16x2>,
    k: Matrix<Bf16x2>,
    mut scores: DisjointMatrix<f32, TilePerBlock<32, 32>>,
) {
    shared! {
        static Q: SharedTile<Bf16x2, 32, PAIRS, { PAIRS + 1 }>;
        static K: SharedTile<Bf16x2, 32, PAIRS, { PAIRS + 1 }>;
    }
    let (top, left) = scores.corner();
    let (queries, keys) = Q.fill_both::<1, _, _>(&mut K, |row, pair| {
        (pair_at(&q, top + row, pair), pair_at(&k, left + row, pair))
    });
    let (query, key) = (thread_idx_y() as usize, thread_idx_x() as usize);
    let mut sum = 0.0;
    for pair in 0..PAIRS {
        sum += dot(queries.get(query, pair), keys.get(key, pair));
    }
    scores.fill_tile::<1>(|_, _| SCALE * sum);
}

/// Replaces each row of scores by its softmax.
#[kernel]
#[launch_contract(dims = 1, block = 512)]
pub fn attention_softmax(mut scores: RowPerBlock<f32>) {
    let mut largest = f32::MIN;
    for (_, score) in scores.block_stride() {
        largest = largest.max(*score);
    }
    let largest = block_reduce(largest, Max);
    let mut sum = 0.0;
    for (_, score) in scores.block_stride() {
        *score = Float::exp(*score - largest);
        sum += *score;
    }
    let sum = block_reduce(sum, Sum);
    for (_, score) in scores.block_stride() {
        *score /= sum;
    }
}

/// Writes the weights times the values.
#[kernel]
#[launch_contract(dims = 2, block = (32, 32))]
pub fn attention_values(
    weights: Matrix<f32>,
    v: Matrix<Bf16x2>,
    mut o: DisjointMatrix<Float2, TilePerBlock<32, 32>>,
) {
    shared! {
        static W: SharedTile<f32, 32, 32>;
        static V: SharedTile<Bf16x2, 32, 32>;
    }
    let (top, left) = o.corner();
    let (query, pair) = (thread_idx_y() as usize, thread_idx_x() as usize);
    let mut sums = [0.0; 2];
    for start in (0..weights.columns()).step_by(32) {
        let (weights, values) = W.fill_both::<1, _, _>(&mut V, |row, column| {
            (
                weights.get_or(top + row, start + column, 0.0),
                pair_at(&v, start + row, left + column),
            )
        });
        for key in 0..32 {
            add_weighted(&mut sums, weights.get(query, key), values.get(key, pair));
        }
    }
    o.fill_tile::<1>(|_, _| Float2::new(sums[0], sums[1]));
}

/// A warp has a query, and goes over the keys once, 32 at a time.
#[kernel]
#[launch_contract(dims = 2, block = (32, QUERIES))]
pub fn attention_warp(
    q: Matrix<Bf16x2>,
    k: Matrix<Bf16x2>,
    v: Matrix<Bf16x2>,
    mut o: DisjointMatrix<Float2, TilePerBlock<QUERIES, PAIRS>>,
    shape: [u32; 2],
) {
    shared! {
        static Q: SharedTile<Bf16x2, QUERIES, PAIRS>;
        static K: SharedTile<Bf16x2, KEYS, PAIRS, { PAIRS + 1 }>;
        static V: SharedTile<Bf16x2, KEYS, PAIRS, { PAIRS + 1 }>;
    }
    let [len, rows] = shape.map(|side| side as usize);
    let (top, _) = o.corner();
    let head = top / rows * rows;
    let queries = Q.fill::<1>(|row, pair| pair_at(&q, top + row, pair));
    let (query, lane) = (thread_idx_y() as usize, thread_idx_x() as usize);
    // ANCHOR: warp_loop
    // The sums are of weights relative to the largest score so far.
    let (mut largest, mut total, mut sums) = (f32::MIN, 0.0, [0.0; 2]);
    for start in (0..len).step_by(KEYS) {
        let (keys, values) = K.fill_both::<4, _, _>(&mut V, |row, pair| {
            (
                pair_at(&k, head + start + row, pair),
                pair_at(&v, head + start + row, pair),
            )
        });
        let mut score = 0.0; // of the lane's key
        for pair in 0..PAIRS {
            score += dot(queries.get(query, pair), keys.get(lane, pair));
        }
        let score = if start + lane < len {
            SCALE * score
        } else {
            f32::MIN
        };
        let larger = largest.max(warp_reduce(score, Max));
        let factor = Float::exp(largest - larger);
        let weight = Float::exp(score - larger);
        largest = larger;
        total = total * factor + warp_reduce(weight, Sum);
        sums = sums.map(|sum| sum * factor);
        for key in 0..KEYS {
            let weight = shuffle_sync(FULL_MASK, weight, key as u32);
            add_weighted(&mut sums, weight, values.get(key, lane)); // of the lane's columns
        }
    }
    o.fill_tile::<1>(|_, _| Float2::new(sums[0] / total, sums[1] / total));
    // ANCHOR_END: warp_loop
}

/// A warp has sixteen queries, whose products with 64 keys at a time the tensor cores compute.
#[kernel(min_arch = "sm_80")]
#[launch_contract(dims = 2, block = (32, 4))]
pub fn attention_mma(
    q: Matrix<Bf16x2>,
    k: Matrix<Bf16x2>,
    v: Matrix<Bf16x2>,
    mut o: DisjointMatrix<Float2, SumsPerWarp<1, 4>>,
    shape: [u32; 2],
) {
    shared! {
        static K: SharedTile<Bf16x2, MMA_KEYS, PAIRS, { PAIRS + 4 }>;
        static V: SharedTile<[Bf16x2; 2], { MMA_KEYS / 2 }, PAIRS, { PAIRS + 4 }>;
    }
    let [len, rows] = shape.map(|side| side as usize);
    let first = o.corner().0 + o.part().0;
    let head = first / rows * rows;
    let queries: [Left<Bf16>; 4] =
        from_fn(|i| left_operand(|row, pair| pair_at(&q, first + row, 8 * i + pair)));
    // ANCHOR: mma_loop
    let mut softmax = Softmax::default();
    let mut sums = [[warp::Sum::<f32>::default(); 2]; 4];
    for start in (0..len).step_by(MMA_KEYS) {
        let keys = K.fill::<16>(|row, pair| pair_at(&k, head + start + row, pair));
        // A cell has two columns of two keys. A pair is of one column: the products go along keys.
        let values = V.fill::<8>(|two, pair| {
            let [a, b] = [2 * two, 2 * two + 1].map(|row| pair_at(&v, head + start + row, pair));
            [Bf16x2::new(a.low, b.low), Bf16x2::new(a.high, b.high)]
        });
        let scores = from_fn(|j| {
            let mut score = warp::Sum::<f32>::default();
            for (i, queries) in queries.iter().enumerate() {
                let keys = right_operand(|key, pair| keys.get(8 * j + key, 8 * i + pair));
                score = warp::multiply_add(queries, &keys, score);
            }
            score.elements()
        });
        let (weights, factors) = softmax.add(scores, len - start);
        for (j, sums) in sums.iter_mut().enumerate() {
            for (of, sum) in sums.iter_mut().enumerate() {
                let mut scaled = warp::Sum::of(scaled(sum.elements(), factors));
                for (i, weights) in weights.iter().enumerate() {
                    let values =
                        right_operand(|column, two| values.get(8 * i + two, 8 * j + column)[of]);
                    scaled = warp::multiply_add(weights, &values, scaled);
                }
                *sum = scaled;
            }
        }
    }
    // ANCHOR_END: mma_loop
    let factors = softmax.totals().map(|total| 1.0 / total);
    o.fill_sums(|_, j, k| {
        let [low, high] = sums[j].map(|sum| factors[k / 2] * sum.elements()[k]);
        Float2::new(low, high)
    });
}

/// Keys of a tile of `attention_mma`.
const MMA_KEYS: usize = 64;

/// The softmax of the two rows of which a lane has elements, as far as it has gone.
struct Softmax {
    largest: [f32; 2],
    /// The sums of this lane's weights, relative to the largest score.
    sums: [f32; 2],
}

impl Default for Softmax {
    #[inline(always)]
    fn default() -> Self {
        Softmax {
            largest: [f32::MIN; 2],
            sums: [0.0; 2],
        }
    }
}

impl Softmax {
    /// Takes the scores of the next keys, of which there are `left`. Returns their weights as left
    /// operands, and what the sums so far have to be multiplied by.
    #[inline(always)]
    fn add(
        &mut self,
        scores: [[f32; 4]; MMA_KEYS / 8],
        left: usize,
    ) -> ([Left<Bf16>; 4], [f32; 2]) {
        let scores: [[f32; 4]; MMA_KEYS / 8] = from_fn(|j| {
            from_fn(|i| {
                let key = 8 * j + warp::Sum::<f32>::position(lane_id(), i).1;
                if key < left {
                    SCALE * scores[j][i]
                } else {
                    f32::MIN
                }
            })
        });
        let larger: [f32; 2] = from_fn(|row| {
            let of_row = scores
                .iter()
                .flat_map(|four| [four[2 * row], four[2 * row + 1]]);
            over_row(of_row.fold(self.largest[row], f32::max), f32::max)
        });
        let factors = from_fn(|row| fast::exp(self.largest[row] - larger[row]));
        self.largest = larger;
        let weights = scores.map(|four| from_fn(|i| fast::exp(four[i] - larger[i / 2])));
        for (row, sum) in self.sums.iter_mut().enumerate() {
            *sum *= factors[row];
            *sum += weights
                .iter()
                .map(|four: &[f32; 4]| four[2 * row] + four[2 * row + 1])
                .sum::<f32>();
        }
        let left = from_fn(|i| {
            let [near, far] = [weights[2 * i], weights[2 * i + 1]];
            let pairs = [
                [near[0], near[1]],
                [near[2], near[3]],
                [far[0], far[1]],
                [far[2], far[3]],
            ];
            Left::from_registers(pairs.map(|pair| pair_of(pair).to_bits()))
        });
        (left, factors)
    }

    /// Returns the sums of all weights of both rows.
    #[inline(always)]
    fn totals(&self) -> [f32; 2] {
        self.sums.map(|sum| over_row(sum, |a, b| a + b))
    }
}

/// Combines the values of the four lanes that have elements of the same row.
#[inline(always)]
fn over_row(value: f32, combine: impl Fn(f32, f32) -> f32) -> f32 {
    let value = combine(value, shuffle_xor_sync(FULL_MASK, value, 1));
    combine(value, shuffle_xor_sync(FULL_MASK, value, 2))
}

/// Returns a lane's elements of two rows, each times the factor of its row.
#[inline(always)]
fn scaled(elements: [f32; 4], factors: [f32; 2]) -> [f32; 4] {
    from_fn(|i| elements[i] * factors[i / 2])
}

#[inline(always)]
fn add_weighted(sums: &mut [f32; 2], weight: f32, values: Bf16x2) {
    sums[0] += weight * values.low.to_f32();
    sums[1] += weight * values.high.to_f32();
}

/// Returns two numbers, rounded.
#[inline(always)]
fn pair_of([low, high]: [f32; 2]) -> Bf16x2 {
    Bf16x2::new(Bf16::from_f32(low), Bf16::from_f32(high))
}

/// Returns a pair of a matrix, or zeros outside of it.
#[inline(always)]
fn pair_at(matrix: &Matrix<Bf16x2>, row: usize, pair: usize) -> Bf16x2 {
    matrix.get_or(row, pair, Bf16x2::default())
}

/// Returns this lane's registers of a left operand: 16 rows of 8 pairs.
#[inline(always)]
fn left_operand(pair_at: impl Fn(usize, usize) -> Bf16x2) -> Left<Bf16> {
    let (row, pair) = (lane_id() as usize / 4, lane_id() as usize % 4);
    let pairs = [
        (row, pair),
        (row + 8, pair),
        (row, pair + 4),
        (row + 8, pair + 4),
    ];
    Left::from_registers(pairs.map(|(row, pair)| pair_at(row, pair).to_bits()))
}

/// Returns this lane's registers of a right operand: 8 columns of 8 pairs.
#[inline(always)]
fn right_operand(pair_at: impl Fn(usize, usize) -> Bf16x2) -> Right<Bf16> {
    let (column, pair) = (lane_id() as usize / 4, lane_id() as usize % 4);
    Right::from_registers([pair, pair + 4].map(|pair| pair_at(column, pair).to_bits()))
}
