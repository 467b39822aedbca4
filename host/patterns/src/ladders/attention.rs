//! Attention forward: with the matrix of scores in memory, and without it.

use anyhow::Result;
use gpu::ladders::attention::{
    HEAD, MMA_QUERIES, QUERIES, attention_mma, attention_scores, attention_softmax,
    attention_values, attention_warp,
};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use lanewise_std::half::Bf16x2;
use lanewise_std::vector::Float2;
use rayon::prelude::*;

use crate::algorithms::Floats;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "attention",
    chapter: "ladders",
    summary: "the softmax of Q K^T times V: with the scores in memory, and in one pass over the keys",
    source: "FlashAttention",
    size: Size {
        of: "queries and keys of each head",
        is_square: true,
        default: 64,
        bench: Some(4096),
    },
    variants: &[
        Variant::new("attention_scores", |device, setup| {
            let mut scores = DeviceBuffer::zeroed(device, setup.at_most(1 << 14)?.pow(2))?;
            prepare(device, setup, move |stream, operands, o| {
                by_head(stream, operands, &mut scores, o)
            })
        }),
        Variant::new("attention_warp", |device, setup| {
            prepare(device, setup, |stream, operands, o| {
                let config = operands.config(QUERIES as u32, QUERIES);
                let [q, k, v] = operands.matrices.each_ref().map(|all| all.matrix(HEAD / 2));
                let shape = operands.shape()?;
                let mut o = o.as_vectors_mut::<Float2>()?;
                let arguments = (q, k, v, o.matrix_mut(HEAD / 2), shape);
                Ok(stream.launch(attention_warp, config, arguments)?)
            })
        }),
        Variant::new("attention_mma", |device, setup| {
            prepare(device, setup, |stream, operands, o| {
                let config = operands.config(4, MMA_QUERIES);
                let [q, k, v] = operands.matrices.each_ref().map(|all| all.matrix(HEAD / 2));
                let shape = operands.shape()?;
                let mut o = o.as_vectors_mut::<Float2>()?;
                let arguments = (q, k, v, o.matrix_mut(HEAD / 2), shape);
                Ok(stream.launch(attention_mma, config, arguments)?)
            })
        }),
    ],
};

/// The number of heads, each with queries, keys and values of its own.
const HEADS: usize = 16;

/// Queries, keys and values of all heads, one after another.
struct Operands {
    /// Of each head.
    len: usize,
    /// The same, filled up to whole blocks of queries.
    rows: usize,
    matrices: [DeviceBuffer<Bf16x2>; 3],
}

impl Operands {
    /// Returns a grid with a block of `warps` for each `queries` of all heads.
    fn config(&self, warps: u32, queries: usize) -> LaunchConfig {
        let blocks = (HEADS * self.rows / queries) as u32;
        LaunchConfig::new((1, blocks), (32, warps))
    }

    fn shape(&self) -> Result<[u32; 2]> {
        Ok([u32::try_from(self.len)?, u32::try_from(self.rows)?])
    }
}

/// Prepares a launch that fills the result, which has as many rows as the operands.
fn prepare(
    device: &Device,
    setup: Setup,
    mut launch: impl FnMut(&Stream, &Operands, &mut DeviceBuffer<f32>) -> Result<()> + 'static,
) -> Result<Box<dyn Case>> {
    let len = setup.at_most(1 << 14)?;
    let rows = len.next_multiple_of(MMA_QUERIES);
    let numbers = [0, 1, 2].map(|seed| numbers([len, rows], setup.seed.wrapping_add(seed)));
    let expected = setup.expected(|| attention(&numbers, [len, rows]));
    let [q, k, v] = numbers.map(|numbers| {
        let (pairs, _) = numbers.as_chunks();
        let pair = |[low, high]: &[f32; 2]| Bf16x2::from_bits(low.to_bits() >> 16 | high.to_bits());
        DeviceBuffer::from_slice(device, &pairs.iter().map(pair).collect::<Vec<_>>())
    });
    let operands = Operands {
        len,
        rows,
        matrices: [q?, k?, v?],
    };
    let o = DeviceBuffer::zeroed(device, HEADS * rows * HEAD)?;
    let work = Work::Flops(4 * (HEADS * len * len * HEAD) as u64);
    Ok(Floats::boxed(
        o,
        expected,
        work,
        move |stream, o| match len {
            0 => Ok(()),
            _ => launch(stream, &operands, o),
        },
    ))
}

/// Queues three launches for each head: scores, their softmax, and the weighted values.
fn by_head(
    stream: &Stream,
    operands: &Operands,
    scores: &mut DeviceBuffer<f32>,
    o: &mut DeviceBuffer<f32>,
) -> Result<()> {
    let (len, pairs) = (operands.len, HEAD / 2);
    for head in 0..HEADS {
        let of_head = head * operands.rows * pairs..(head * operands.rows + len) * pairs;
        let [q, k, v] = operands
            .matrices
            .each_ref()
            .map(|all| all.slice(of_head.clone()));
        let config = LaunchConfig::cover_2d((len, len), (32, 32));
        let arguments = (q.matrix(pairs), k.matrix(pairs), scores.matrix_mut(len));
        stream.launch(attention_scores, config, arguments)?;
        let config = LaunchConfig::new(len as u32, 512);
        stream.launch(attention_softmax, config, (scores.matrix_mut(len),))?;
        let config = LaunchConfig::cover_2d((pairs, len), (32, 32));
        let mut o = o.slice_mut(2 * of_head.start..2 * of_head.end);
        let mut o = o.as_vectors_mut::<Float2>()?;
        let arguments = (scores.matrix(len), v.matrix(pairs), o.matrix_mut(pairs));
        stream.launch(attention_values, config, arguments)?;
    }
    Ok(())
}

/// Returns a matrix for all heads, of numbers between -2 and 2 that `bf16` represents. The rows
/// that fill up each head are zeros.
fn numbers([len, rows]: [usize; 2], seed: u64) -> Vec<f32> {
    let mut numbers = input::floats(HEADS * rows * HEAD, seed);
    for (row, numbers) in numbers.chunks_mut(HEAD).enumerate() {
        let is_one = row % rows < len;
        let number = |x: f32| f32::from_bits((4.0 * x).to_bits() & 0xffff_0000);
        numbers
            .iter_mut()
            .for_each(|x| *x = if is_one { number(*x) } else { 0.0 });
    }
    numbers
}

// On the CPU.

/// Returns attention of all heads, with tolerances. The rows that fill up a head may hold anything.
pub fn attention([q, k, v]: &[Vec<f32>; 3], [len, rows]: [usize; 2]) -> Vec<(f64, f64)> {
    let row = |of: &[f32], at: usize| -> [f64; HEAD] {
        std::array::from_fn(|column| of[at * HEAD + column].into())
    };
    let result = |at: usize| {
        let (head, query) = (at / rows * rows, row(q, at));
        if at - head >= len {
            return [(0.0, f64::INFINITY); HEAD];
        }
        let score = |key: usize| {
            let products = row(k, head + key)
                .into_iter()
                .zip(query)
                .map(|(k, q)| k * q);
            products.sum::<f64>() / (HEAD as f64).sqrt()
        };
        let scores: Vec<f64> = (0..len).map(score).collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = scores.iter().map(|score| (score - largest).exp());
        let total: f64 = weights.clone().sum();
        let mut sums = [(0.0, 0.0); HEAD];
        for (key, weight) in weights.enumerate() {
            for (sum, value) in sums.iter_mut().zip(row(v, head + key)) {
                sum.0 += weight / total * value;
                // Weights are rounded to the eight bits of `bf16`.
                sum.1 += weight / total * value.abs() / 256.0;
            }
        }
        sums.map(|(value, tolerance)| (value, tolerance + 1e-5))
    };
    (0..HEADS * rows)
        .into_par_iter()
        .flat_map_iter(result)
        .collect()
}
