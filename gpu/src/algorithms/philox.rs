//! Random numbers that are computed from their position: Philox.
//!
//! `seed` and `stream` (64 bits each) identify a stream. Its numbers come four at a time from a
//! counter of 64 bits. The threads start with counter `first`. Four words give four numbers of 32
//! bits, or two of 64. If `skip` is not 0, the first `skip` numbers of the counter are left out,
//! and `output` has room for the others at most. Launch: 1-D grid of 1-D blocks, any number of
//! them. Fills `output`.
//! Shows: there is no state. Any thread can compute any number of any stream, so the numbers do not
//! depend on the launch's shape, and a stream can start at any position.
//! Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011;
//! Professional CUDA C Programming, chapter 8 (cuRAND).

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::disjoint::{DisjointSlice, Neighbors};
use lanewise_std::math::Float;

use super::real::Real;

/// Words of a counter.
const WORDS: usize = 4;

/// Writes the generator's bits themselves, 32 to an element.
#[kernel]
#[launch_contract(dims = 1)]
pub fn philox_bits(
    output: DisjointSlice<u32, Neighbors<4>>,
    seed: u64,
    stream: u64,
    first: u64,
    skip: u32,
) {
    fill(output, seed, stream, first, skip, |bits| bits);
}

/// Uniformly distributed from 0 (included) to 1 (not included): multiples of 2^-24.
#[kernel]
#[launch_contract(dims = 1)]
pub fn philox_uniform(
    output: DisjointSlice<f32, Neighbors<4>>,
    seed: u64,
    stream: u64,
    first: u64,
    skip: u32,
) {
    fill(output, seed, stream, first, skip, |bits| bits.map(unit));
}

/// Uniformly distributed doubles in the same range: multiples of 2^-53, two for each counter.
#[kernel]
#[launch_contract(dims = 1)]
pub fn philox_uniform_f64(
    output: DisjointSlice<f64, Neighbors<2>>,
    seed: u64,
    stream: u64,
    first: u64,
    skip: u32,
) {
    fill(output, seed, stream, first, skip, |[a, b, c, d]| {
        [unit_f64(a, b), unit_f64(c, d)]
    });
}

/// Normally distributed with mean 0 and variance 1, in pairs, by Box and Muller's method.
#[kernel]
#[launch_contract(dims = 1)]
pub fn philox_normal(
    output: DisjointSlice<f32, Neighbors<4>>,
    seed: u64,
    stream: u64,
    first: u64,
    skip: u32,
) {
    fill(output, seed, stream, first, skip, |bits| {
        let [a, b, c, d] = bits.map(unit);
        let ([a, b], [c, d]) = (pair(a, b), pair(c, d));
        [a, b, c, d]
    });
}

/// Normally distributed doubles with the same mean and variance: a pair for each counter.
#[kernel]
#[launch_contract(dims = 1)]
pub fn philox_normal_f64(
    output: DisjointSlice<f64, Neighbors<2>>,
    seed: u64,
    stream: u64,
    first: u64,
    skip: u32,
) {
    fill(output, seed, stream, first, skip, |[a, b, c, d]| {
        pair(unit_f64(a, b), unit_f64(c, d))
    });
}

/// Fills `output` with the `N` numbers that `of` makes from the bits of each counter.
#[inline(always)]
fn fill<T: Copy, const N: usize>(
    mut output: DisjointSlice<T, Neighbors<N>>,
    seed: u64,
    stream: u64,
    first: u64,
    skip: u32,
    of: impl Fn([u32; WORDS]) -> [T; N],
) {
    let numbers = |group: usize| of(philox(first.wrapping_add(group as u64), stream, seed));
    // Two loops, because a loop within the loop would cost time even if it is not entered.
    if skip == 0 {
        output.fill_groups(numbers);
    } else {
        output.fill_groups(|group| {
            // By one place at a time: an array that is indexed by a variable would be in memory.
            let turn = |numbers: [T; N], _| from_fn(|i| numbers[(i + 1) % N]);
            (0..skip % N as u32).fold(numbers(group), turn)
        });
    }
}

/// Runs ten rounds on the counter (`stream`, `number`) with the key `seed`: Philox4x32-10.
#[inline(always)]
fn philox(number: u64, stream: u64, seed: u64) -> [u32; WORDS] {
    let halves = |x: u64| [x as u32, (x >> 32) as u32];
    let ([mut a, mut b], [mut c, mut d]) = (halves(number), halves(stream));
    let [mut key, mut other] = halves(seed);
    for round in 0..10 {
        if round > 0 {
            key = key.wrapping_add(0x9e37_79b9);
            other = other.wrapping_add(0xbb67_ae85);
        }
        let [low_a, high_a] = halves(u64::from(a) * 0xd251_1f53);
        let [low_c, high_c] = halves(u64::from(c) * 0xcd9e_8d57);
        (a, b, c, d) = (high_c ^ b ^ key, low_c, high_a ^ d ^ other, low_a);
    }
    [a, b, c, d]
}

/// Converts the upper 24 bits to a float from 0 to 1.
#[inline(always)]
fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Converts the upper 53 bits of two words to a double from 0 to 1.
#[inline(always)]
fn unit_f64(low: u32, high: u32) -> f64 {
    let bits = u64::from(high) << 32 | u64::from(low);
    (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// Makes two normal numbers from two uniform ones, which are below 1. The first is subtracted from
/// 1, so that its logarithm is finite.
#[inline(always)]
fn pair<T: Real>(a: T, b: T) -> [T; 2] {
    let radius = Float::sqrt(-(T::ONE + T::ONE) * Float::ln(T::ONE - a));
    let (sin, cos) = Float::sin_cos(T::TURN * b);
    [radius * cos, radius * sin]
}
