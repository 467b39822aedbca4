//! The data that the other kernels read, made on the device from one integer hash, and the
//! checksums of what they write.

use lanewise_macros::{kernel, shared};
use lanewise_std::half::{Bf16, F16, F16x2};
use lanewise_std::kernel::Value;
use lanewise_std::math::Float;
use lanewise_std::thread::grid_stride;
use lanewise_std::{DisjointSlice, PerBlock};

use super::reductions::{BLOCK, block_tree};
use super::structures::Particle;

/// A number that depends on every bit of `i` and of `seed`.
#[must_use]
pub fn hash32(i: u32, seed: u32) -> u32 {
    let mut h = i
        .wrapping_mul(0x9E37_79B1)
        .wrapping_add(seed.wrapping_mul(0x85EB_CA77));
    h ^= h >> 16;
    h = h.wrapping_mul(0x85EB_CA6B);
    h ^= h >> 13;
    h = h.wrapping_mul(0xC2B2_AE35);
    h ^ h >> 16
}

/// A number in 0 to 1, in steps of 2^-24, so that it is exact.
#[must_use]
pub fn unit(i: u32, seed: u32) -> f32 {
    (hash32(i, seed) >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// `low + width * unit`, rounded once.
#[must_use]
pub fn uniform(i: u32, seed: u32, low: f32, width: f32) -> f32 {
    Float::mul_add(width, unit(i, seed), low)
}

/// Uniform numbers of type `f32`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_f32(mut out: DisjointSlice<f32>, seed: u32, low: f32, width: f32) {
    for (i, out) in out.grid_stride() {
        *out = uniform(i as u32, seed, low, width);
    }
}

/// Uniform numbers with 53 bits, from 24 random ones.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_f64(mut out: DisjointSlice<f64>, seed: u32, low: f64, width: f64) {
    for (i, out) in out.grid_stride() {
        *out = Float::mul_add(width, f64::from(unit(i as u32, seed)), low);
    }
}

/// Pairs of uniform numbers, rounded to [`F16`].
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_f16x2(mut out: DisjointSlice<F16x2>, seed: u32, low: f32, width: f32) {
    for (i, out) in out.grid_stride() {
        let number = |i: usize| F16::from_f32(uniform(i as u32, seed, low, width));
        *out = F16x2::new(number(2 * i), number(2 * i + 1));
    }
}

/// Uniform numbers, rounded to [`Bf16`].
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_bf16(mut out: DisjointSlice<Bf16>, seed: u32, low: f32, width: f32) {
    for (i, out) in out.grid_stride() {
        *out = Bf16::from_f32(uniform(i as u32, seed, low, width));
    }
}

/// Hashes of all bits.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_u32(mut out: DisjointSlice<u32>, seed: u32) {
    for (i, out) in out.grid_stride() {
        *out = hash32(i as u32, seed);
    }
}

/// The bytes of hashes, the lowest first.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_bytes(mut out: DisjointSlice<[i8; 4]>, seed: u32) {
    for (i, out) in out.grid_stride() {
        *out = hash32(i as u32, seed).to_le_bytes().map(u8::cast_signed);
    }
}

/// The highest bytes of hashes.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_u8(mut out: DisjointSlice<u8>, seed: u32) {
    for (i, out) in out.grid_stride() {
        *out = (hash32(i as u32, seed) >> 24) as u8;
    }
}

/// Bytes from `first` on, `count` of them.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_small(mut out: DisjointSlice<u8>, seed: u32, first: u32, count: u32) {
    for (i, out) in out.grid_stride() {
        *out = (first + hash32(i as u32, seed) % count) as u8;
    }
}

/// Hashes modulo `m`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_below(mut out: DisjointSlice<i32>, seed: u32, m: u32) {
    for (i, out) in out.grid_stride() {
        *out = (hash32(i as u32, seed) % m) as i32;
    }
}

/// A permutation with holes: distinct indices below `m`, a sixteenth of them -1.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_scatter(mut out: DisjointSlice<i32>, m: u32) {
    for (i, out) in out.grid_stride() {
        *out = scatter_index(i as u32, m);
    }
}

/// An index of [`fill_scatter`].
#[must_use]
pub fn scatter_index(i: u32, m: u32) -> i32 {
    if hash32(i, 124).is_multiple_of(16) {
        -1
    } else {
        (i.wrapping_mul(0x9E37_79B1) % m) as i32
    }
}

/// `i * factor / divisor + hash % below`, for sorted tables, keys and offsets.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_sorted(mut out: DisjointSlice<u32>, factor: u32, divisor: u32, seed: u32, below: u32) {
    for (i, out) in out.grid_stride() {
        *out = sorted(i as u32, factor, divisor, seed, below);
    }
}

/// A number of [`fill_sorted`].
#[must_use]
pub fn sorted(i: u32, factor: u32, divisor: u32, seed: u32, below: u32) -> u32 {
    i / divisor * factor + hash32(i, seed) % below
}

/// Distances before the first step of a search: 0 for each eighth node, -1 for the others.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_distances(mut out: DisjointSlice<i32>) {
    for (i, out) in out.grid_stride() {
        *out = if i % 8 == 0 { 0 } else { -1 };
    }
}

/// Particles in the unit cube.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_particles(mut out: DisjointSlice<Particle>) {
    for (i, out) in out.grid_stride() {
        *out = particle(i as u32);
    }
}

/// A particle of [`fill_particles`].
#[must_use]
pub fn particle(i: u32) -> Particle {
    Particle {
        x: uniform(i, 301, 0.0, 1.0),
        y: uniform(i, 302, 0.0, 1.0),
        z: uniform(i, 303, 0.0, 1.0),
        vx: uniform(i, 304, -0.5, 1.0),
        vy: uniform(i, 305, -0.5, 1.0),
        vz: uniform(i, 306, -0.5, 1.0),
        mass: uniform(i, 307, 0.5, 1.0),
    }
}

/// Text in UTF-8, of which a sixteenth of the records has a wrong byte. The record of a thread is
/// `offset[i] .. offset[i + 1]`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill_text(mut text: DisjointSlice<u8>, offset: &[i32]) {
    for i in grid_stride(offset.len() - 1) {
        let (begin, end) = (offset[i] as usize, offset[i + 1] as usize);
        record(i as u32, begin, end, |at, byte| {
            // SAFETY: records do not overlap, and each is one thread's.
            unsafe { text.write_unique(at, byte) }
        });
    }
}

/// Writes record `i` of [`fill_text`].
pub fn record(i: u32, begin: usize, end: usize, mut set: impl FnMut(usize, u8)) {
    let mut p = begin;
    while p < end {
        let h = hash32(p as u32, 318);
        let length = match h % 8 {
            0..4 => 1,
            4 | 5 => 2,
            6 => 3,
            _ => 4,
        };
        let length = if length > end - p { 1 } else { length };
        let r = h >> 8;
        let first = match length {
            1 => 0x20 + r % 95,
            2 => 0xC2 + r % 30,
            3 => 0xE1 + r % 12,
            _ => 0xF1 + r % 3,
        };
        set(p, first as u8);
        for t in 1..length {
            set(p + t, (0x80 + (h >> (8 + 6 * t)) % 64) as u8);
        }
        p += length;
    }
    if hash32(i, 319).is_multiple_of(16) {
        set(begin + (hash32(i, 320) as usize) % (end - begin), 0xFF);
    }
}

/// An element that a checksum adds up: one number, or several.
pub trait Number: Value + Copy {
    /// The element's numbers, in their order in memory.
    type Numbers: IntoIterator<Item = f64>;
    /// How many they are.
    const COUNT: usize;
    /// The element as numbers.
    fn numbers(self) -> Self::Numbers;
}

macro_rules! numbers {
    ($($ty:ty: $count:literal, |$x:ident| $numbers:expr;)*) => {$(
        impl Number for $ty {
            type Numbers = [f64; $count];
            const COUNT: usize = $count;
            fn numbers(self) -> [f64; $count] {
                let $x = self;
                $numbers
            }
        }
    )*};
}

numbers! {
    f32: 1, |x| [f64::from(x)];
    f64: 1, |x| [x];
    i32: 1, |x| [f64::from(x)];
    u32: 1, |x| [f64::from(x)];
    u8: 1, |x| [f64::from(x)];
    Bf16: 1, |x| [f64::from(x.to_f32())];
    F16x2: 2, |x| [x.to_bits() as u16, (x.to_bits() >> 16) as u16]
        .map(|half| f64::from(F16::from_bits(half).to_f32()));
    Particle: 7, |x| [x.x, x.y, x.z, x.vx, x.vy, x.vz, x.mass].map(f64::from);
}

/// The weight of number `i` in a checksum, by which misplaced elements are noticed.
#[must_use]
pub fn weight(i: usize) -> f64 {
    1.0 + (i % 1021) as f64 / 1024.0
}

/// One part of a checksum for each block: the sum of all numbers, or of their squares, times their
/// weights if `weighted` is not 0.
#[kernel(instances(f32, f64, i32, u32, u8, Bf16, F16x2, Particle))]
#[launch_contract(dims = 1)]
pub fn checksum<T: Number>(values: &[T], mut partial: PerBlock<f64>, weighted: u32, squares: u32) {
    shared! { static S: [f64; BLOCK]; }
    let mut acc = 0.0;
    for i in grid_stride(values.len()) {
        for (k, value) in values[i].numbers().into_iter().enumerate() {
            let value = if squares != 0 { value * value } else { value };
            let weight = if weighted != 0 {
                weight(T::COUNT * i + k)
            } else {
                1.0
            };
            acc += weight * value;
        }
    }
    let sum = block_tree(S, acc, |a, b| a + b);
    if let Some(partial) = partial.get_mut() {
        *partial = sum;
    }
}
