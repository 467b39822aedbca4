//! Random numbers that are computed from their position: Philox4x32-10.
//!
//! A counter gives four numbers, or two of `f64`, which sixteen bytes have. A thread has several
//! counters, whose rounds use the same keys.
//!
//! Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::math::Float;
use lanewise_std::thread::{block_idx_x, thread_idx_x};
use lanewise_std::{DisjointSlice, fast};

use super::sixteen::{Number, Sixteen, store};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// The number of counters that a thread has.
const COUNTERS: usize = 4;
/// The number of counters of a block.
pub const TILE: usize = BLOCK as usize * COUNTERS;

/// Floats that a stream is made of: `f32`, four of which a counter gives, and `f64`, two.
pub trait Random: Number {
    /// Makes uniform numbers of a counter's words: from 0 (included) to 1 (not included).
    #[doc(hidden)]
    fn uniform(words: [u32; 4]) -> Self::Neighbours;
    /// Makes normal numbers of a counter's words: of mean 0 and variance 1, by Box and Muller's
    /// method.
    #[doc(hidden)]
    fn normal(words: [u32; 4]) -> Self::Neighbours;
}

impl Random for f32 {
    #[inline(always)]
    fn uniform(words: [u32; 4]) -> Self::Neighbours {
        Sixteen(words.map(unit))
    }

    #[inline(always)]
    fn normal([a, b, c, d]: [u32; 4]) -> Self::Neighbours {
        let ([a, b], [c, d]) = (pair(a, b), pair(c, d));
        Sixteen([a, b, c, d])
    }
}

impl Random for f64 {
    #[inline(always)]
    fn uniform([a, b, c, d]: [u32; 4]) -> Self::Neighbours {
        Sixteen([unit_f64(a, b), unit_f64(c, d)])
    }

    #[inline(always)]
    fn normal([a, b, c, d]: [u32; 4]) -> Self::Neighbours {
        // From 2^-53 to 1, so that the logarithm is finite.
        let radius = Float::sqrt(-2.0 * Float::ln(1.0 - unit_f64(a, b)));
        let (sine, cosine) = Float::sin_cos_pi(2.0 * unit_f64(c, d));
        Sixteen([radius * cosine, radius * sine])
    }
}

/// Writes uniform numbers of a stream.
#[kernel(instances(f32, f64))]
#[launch_contract(dims = 1, block = 256)]
pub fn uniform<T: Random>(output: DisjointSlice<T>, seed: u64, stream: u64, first: u64) {
    fill(output, seed, stream, first, T::uniform);
}

/// Writes normal numbers of a stream.
#[kernel(instances(f32, f64))]
#[launch_contract(dims = 1, block = 256)]
pub fn normal<T: Random>(output: DisjointSlice<T>, seed: u64, stream: u64, first: u64) {
    fill(output, seed, stream, first, T::normal);
}

/// Writes what `of` makes of each counter's words.
#[inline(always)]
fn fill<T: Number>(
    mut output: DisjointSlice<T>,
    seed: u64,
    stream: u64,
    first: u64,
    of: impl Fn([u32; 4]) -> T::Neighbours,
) {
    let start = block_idx_x() as usize * TILE + thread_idx_x() as usize;
    let numbers: [usize; COUNTERS] = from_fn(|k| start + k * BLOCK as usize);
    let counters = numbers.map(|number| first.wrapping_add(number as u64));
    let words = philox(counters, stream, seed);
    for k in 0..COUNTERS {
        // SAFETY: each thread has counters of its own, and these elements of their own.
        unsafe { store(&mut output, numbers[k] * T::LANES, of(words[k])) };
    }
}

/// Runs ten rounds on the counters (`stream`, number) with the key `seed`.
#[inline(always)]
fn philox(numbers: [u64; COUNTERS], stream: u64, seed: u64) -> [[u32; 4]; COUNTERS] {
    let halves = |x: u64| [x as u32, (x >> 32) as u32];
    let [c, d] = halves(stream);
    let [mut key, mut other] = halves(seed);
    let mut words = numbers.map(|number| {
        let [a, b] = halves(number);
        [a, b, c, d]
    });
    for _ in 0..10 {
        words = words.map(|[a, b, c, d]| {
            let [low_a, high_a] = halves(u64::from(a) * 0xd251_1f53);
            let [low_c, high_c] = halves(u64::from(c) * 0xcd9e_8d57);
            [high_c ^ b ^ key, low_c, high_a ^ d ^ other, low_a]
        });
        key = key.wrapping_add(0x9e37_79b9);
        other = other.wrapping_add(0xbb67_ae85);
    }
    words
}

/// Converts the upper 24 bits to a float from 0 to 1.
#[inline(always)]
fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Converts the upper 53 bits of two words to a float from 0 to 1.
#[inline(always)]
fn unit_f64(low: u32, high: u32) -> f64 {
    let bits = u64::from(high) << 32 | u64::from(low);
    (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// Makes two normal numbers. The sine and cosine have an error of 2^-20, which is far below what
/// the steps of the angle are in a sample.
#[inline(always)]
fn pair(a: u32, b: u32) -> [f32; 2] {
    // From 2^-33 to 1, so that the logarithm is finite.
    let length = a as f32 * (1.0 / 4_294_967_296.0) + (0.5 / 4_294_967_296.0);
    let radius = fast::sqrt(-2.0 * Float::ln(length));
    let angle = b as f32 * (core::f32::consts::TAU / 4_294_967_296.0);
    [radius * fast::cos(angle), radius * fast::sin(angle)]
}
