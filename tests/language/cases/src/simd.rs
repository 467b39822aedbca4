//! `core::simd`: vectors of lanes, which on a GPU are registers of one thread like any others.
//!
//! The device computes with `core::simd`. On the host, where it is not stable yet, the same is
//! written lane by lane on arrays: the two sides share no code.

#[cfg(target_arch = "nvptx64")]
use core::simd::prelude::*;
#[cfg(target_arch = "nvptx64")]
use core::simd::{Select, ToBytes};

use crate::{Out, Random};

crate::case::subject! {
    /// Vectors of lanes.
    simd: arithmetic_int, arithmetic_float, arithmetic_bytes, division, shifts, bit_logic, bit_counts, saturating, comparisons_int,
    comparisons_float, select, masks, bit_masks, reduce_sum, reduce_product, reduce_extremes, reduce_bits, reduce_float, swizzle,
    swizzle_two, reverse_rotate, interleave, gather, gather_masked, scatter, load_part, store_masked, convert_floats_to_ints,
    convert_ints_to_floats, convert_widths, float_bits, float_signs, float_extremes, bytes, lanes_by_index, passed_and_returned, dot_product, matrix_times_vector, in_memory
}

/// Puts what the first block gives on the device, and the second on the host.
macro_rules! put {
    ($out:ident, $simd:expr, $lanes:expr) => {
        #[cfg(target_arch = "nvptx64")]
        $out.put($simd);
        #[cfg(not(target_arch = "nvptx64"))]
        $out.put($lanes);
    };
}

/// Lane by lane.
#[cfg(not(target_arch = "nvptx64"))]
fn zip<A: Copy, B: Copy, C, const N: usize>(a: [A; N], b: [B; N], f: impl Fn(A, B) -> C) -> [C; N] {
    core::array::from_fn(|i| f(a[i], b[i]))
}

#[cfg(target_arch = "nvptx64")]
fn v<T: core::simd::SimdElement, const N: usize>(array: [T; N]) -> Simd<T, N> {
    Simd::from_array(array)
}

fn arithmetic_int(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i32; 4], [i32; 4]) = (random.array(Random::i32), random.array(Random::i32));
    put!(out, (v(a) + v(b)).to_array(), zip(a, b, i32::wrapping_add));
    put!(out, (v(a) - v(b)).to_array(), zip(a, b, i32::wrapping_sub));
    put!(out, (v(a) * v(b)).to_array(), zip(a, b, i32::wrapping_mul));
    put!(out, (-v(a)).to_array(), a.map(i32::wrapping_neg));
}

fn arithmetic_float(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([f32; 4], [f32; 4]) = (random.array(Random::f32), random.array(Random::f32));
    put!(out, (v(a) + v(b)).to_array(), zip(a, b, |a, b| a + b));
    put!(
        out,
        (v(a) * v(b) - v(a)).to_array(),
        zip(a, b, |a, b| a * b - a)
    );
    put!(out, (v(a) / v(b)).to_array(), zip(a, b, |a, b| a / b));
    put!(out, (-v(a)).to_array(), a.map(|a| -a));
    let c: [f64; 2] = random.array(Random::f64);
    put!(
        out,
        (v(c) * Simd::splat(3.0)).to_array(),
        c.map(|c| c * 3.0)
    );
}

fn arithmetic_bytes(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([u8; 16], [u8; 16]) = (random.array(Random::u8), random.array(Random::u8));
    put!(out, (v(a) + v(b)).to_array(), zip(a, b, u8::wrapping_add));
    put!(out, (v(a) * v(b)).to_array(), zip(a, b, u8::wrapping_mul));
}

fn division(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i16; 8], [u16; 8]) = (random.array(Random::i16), random.array(Random::u16));
    let b = b.map(|b| (b >> 2) as i16 | 1);
    put!(out, (v(a) / v(b)).to_array(), zip(a, b, |a, b| a / b));
    put!(out, (v(a) % v(b)).to_array(), zip(a, b, |a, b| a % b));
}

fn shifts(random: &mut Random, out: &mut Out<'_>) {
    let (a, n): ([i32; 4], [i32; 4]) = (
        random.array(Random::i32),
        random.array(|random| random.i32() & 31),
    );
    put!(out, (v(a) << v(n)).to_array(), zip(a, n, |a, n| a << n));
    put!(out, (v(a) >> v(n)).to_array(), zip(a, n, |a, n| a >> n));
    let b = a.map(|a| a as u32);
    put!(out, (v(b) >> Simd::splat(5)).to_array(), b.map(|b| b >> 5));
}

fn bit_logic(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([u64; 4], [u64; 4]) = (random.array(Random::u64), random.array(Random::u64));
    put!(
        out,
        ((v(a) & v(b)) ^ !v(a)).to_array(),
        zip(a, b, |a, b| (a & b) ^ !a)
    );
    put!(
        out,
        (v(a) | Simd::splat(0x55)).to_array(),
        a.map(|a| a | 0x55)
    );
}

fn bit_counts(random: &mut Random, out: &mut Out<'_>) {
    let a: [u32; 4] = random.array(Random::u32);
    put!(out, v(a).count_ones().to_array(), a.map(u32::count_ones));
    put!(
        out,
        v(a).leading_zeros().to_array(),
        a.map(u32::leading_zeros)
    );
    put!(
        out,
        v(a).reverse_bits().to_array(),
        a.map(u32::reverse_bits)
    );
    put!(out, v(a).swap_bytes().to_array(), a.map(u32::swap_bytes));
}

fn saturating(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i8; 8], [i8; 8]) = (random.array(Random::i8), random.array(Random::i8));
    put!(
        out,
        v(a).saturating_add(v(b)).to_array(),
        zip(a, b, i8::saturating_add)
    );
    put!(
        out,
        v(a).saturating_sub(v(b)).to_array(),
        zip(a, b, i8::saturating_sub)
    );
    put!(
        out,
        v(a).saturating_abs().to_array(),
        a.map(i8::saturating_abs)
    );
}

fn comparisons_int(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i64; 4], [i64; 4]) = (random.array(Random::i64), random.array(Random::i64));
    put!(out, v(a).simd_lt(v(b)).to_array(), zip(a, b, |a, b| a < b));
    put!(out, v(a).simd_eq(v(b)).to_array(), zip(a, b, |a, b| a == b));
    put!(out, v(a).simd_max(v(b)).to_array(), zip(a, b, i64::max));
    put!(out, v(a) == v(b), a == b);
}

fn comparisons_float(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([f32; 8], [f32; 8]) = (random.array(Random::f32), random.array(Random::f32));
    put!(out, v(a).simd_le(v(b)).to_array(), zip(a, b, |a, b| a <= b));
    put!(out, v(a).simd_ne(v(b)).to_array(), zip(a, b, |a, b| a != b));
    put!(out, v(a).is_nan().to_array(), a.map(f32::is_nan));
    put!(
        out,
        v(a).is_sign_negative().to_array(),
        a.map(f32::is_sign_negative)
    );
}

fn select(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i32; 8], [i32; 8]) = (random.array(Random::i32), random.array(Random::i32));
    put!(
        out,
        v(a).simd_gt(v(b)).select(v(a), v(b)).to_array(),
        zip(a, b, |a, b| if a > b { a } else { b })
    );
    let odd = a.map(|a| a & 1 == 1);
    put!(
        out,
        mask32x8::from_array(odd)
            .select(v(b), Simd::splat(0))
            .to_array(),
        zip(odd, b, |odd, b| if odd { b } else { 0 })
    );
}

fn masks(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([bool; 4], [bool; 4]) = (random.array(Random::bool), random.array(Random::bool));
    put!(
        out,
        (mask32x4::from_array(a) & mask32x4::from_array(b)).to_array(),
        zip(a, b, |a, b| a & b)
    );
    put!(
        out,
        (!mask32x4::from_array(a) ^ mask32x4::from_array(b)).to_array(),
        zip(a, b, |a, b| !a ^ b)
    );
    put!(
        out,
        [
            mask32x4::from_array(a).any(),
            mask32x4::from_array(a).all(),
            mask32x4::from_array(b).test(2)
        ],
        [a.contains(&true), !a.contains(&false), b[2]]
    );
    put!(
        out,
        mask8x4::from_array(a).first_set().is_some(),
        a.contains(&true)
    );
}

fn bit_masks(random: &mut Random, out: &mut Out<'_>) {
    let a: [bool; 16] = random.array(Random::bool);
    let bits = random.u16();
    put!(
        out,
        mask8x16::from_array(a).to_bitmask(),
        a.iter()
            .rev()
            .fold(0u64, |bits, a| bits << 1 | u64::from(*a))
    );
    put!(
        out,
        mask8x16::from_bitmask(bits.into()).to_array(),
        core::array::from_fn::<bool, 16, _>(|i| bits >> i & 1 == 1)
    );
}

fn reduce_sum(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i32; 8], [u8; 16]) = (random.array(Random::i32), random.array(Random::u8));
    put!(
        out,
        v(a).reduce_sum(),
        a.into_iter().fold(0, i32::wrapping_add)
    );
    put!(
        out,
        v(b).reduce_sum(),
        b.into_iter().fold(0, u8::wrapping_add)
    );
}

fn reduce_product(random: &mut Random, out: &mut Out<'_>) {
    let a: [u64; 4] = random.array(Random::u64);
    put!(
        out,
        v(a).reduce_product(),
        a.into_iter().fold(1, u64::wrapping_mul)
    );
}

fn reduce_extremes(random: &mut Random, out: &mut Out<'_>) {
    let a: [i16; 8] = random.array(Random::i16);
    put!(
        out,
        [v(a).reduce_min(), v(a).reduce_max()],
        [
            a.into_iter().min().unwrap_or(0),
            a.into_iter().max().unwrap_or(0)
        ]
    );
}

fn reduce_bits(random: &mut Random, out: &mut Out<'_>) {
    let a: [u32; 4] = random.array(Random::u32);
    put!(
        out,
        [v(a).reduce_and(), v(a).reduce_or(), v(a).reduce_xor()],
        [
            a.into_iter().fold(!0, |a, b| a & b),
            a.into_iter().fold(0, |a, b| a | b),
            a.into_iter().fold(0, |a, b| a ^ b)
        ]
    );
}

// In the order of the lanes: floats do not associate.
fn reduce_float(random: &mut Random, out: &mut Out<'_>) {
    let a: [f32; 8] = random.array(|random| random.f32().clamp(-1e9, 1e9));
    put!(
        out,
        v(a).reduce_sum(),
        a.into_iter().fold(-0.0, |a, b| a + b)
    );
    put!(
        out,
        v(a).reduce_product(),
        a.into_iter().fold(1.0, |a, b| a * b)
    );
    put!(
        out,
        v(a).reduce_max() + 0.0,
        a.into_iter().fold(f32::NAN, f32::max) + 0.0
    );
}

fn swizzle(random: &mut Random, out: &mut Out<'_>) {
    let a: [u32; 4] = random.array(Random::u32);
    put!(
        out,
        simd_swizzle!(v(a), [3, 0, 0, 2]).to_array(),
        [a[3], a[0], a[0], a[2]]
    );
    put!(out, simd_swizzle!(v(a), [1, 1]).to_array(), [a[1], a[1]]);
}

fn swizzle_two(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([u8; 4], [u8; 4]) = (random.array(Random::u8), random.array(Random::u8));
    put!(
        out,
        simd_swizzle!(v(a), v(b), [0, 4, 7, 3, 2, 5]).to_array(),
        [a[0], b[0], b[3], a[3], a[2], b[1]]
    );
}

fn reverse_rotate(random: &mut Random, out: &mut Out<'_>) {
    let a: [u16; 8] = random.array(Random::u16);
    let turned = |turn: fn(&mut [u16; 8])| {
        let mut a = a;
        turn(&mut a);
        a
    };
    let _ = turned;
    put!(out, v(a).reverse().to_array(), turned(|a| a.reverse()));
    put!(
        out,
        v(a).rotate_elements_left::<3>().to_array(),
        turned(|a| a.rotate_left(3))
    );
    put!(
        out,
        v(a).rotate_elements_right::<1>().to_array(),
        turned(|a| a.rotate_right(1))
    );
}

fn interleave(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i32; 4], [i32; 4]) = (random.array(Random::i32), random.array(Random::i32));
    put!(
        out,
        <[_; 2]>::from(v(a).interleave(v(b))).map(|part| part.to_array()),
        [[a[0], b[0], a[1], b[1]], [a[2], b[2], a[3], b[3]]]
    );
    put!(
        out,
        <[_; 2]>::from(v(a).deinterleave(v(b))).map(|part| part.to_array()),
        [[a[0], a[2], b[0], b[2]], [a[1], a[3], b[1], b[3]]]
    );
}

fn gather(random: &mut Random, out: &mut Out<'_>) {
    let memory: [f32; 16] = random.array(Random::f32);
    let at: [usize; 4] = random.array(|random| random.below(24));
    put!(
        out,
        Simd::gather_or(&memory, v(at), Simd::splat(-1.0)).to_array(),
        at.map(|at| memory.get(at).copied().unwrap_or(-1.0))
    );
}

fn gather_masked(random: &mut Random, out: &mut Out<'_>) {
    let memory: [u64; 8] = random.array(Random::u64);
    let at: [usize; 4] = random.array(|random| random.below(8));
    let on: [bool; 4] = random.array(Random::bool);
    put!(
        out,
        Simd::gather_select(
            &memory,
            mask64x4::from_array(on).cast(),
            v(at),
            Simd::splat(7)
        )
        .to_array(),
        zip(on, at, |on, at| if on { memory[at] } else { 7 })
    );
}

fn scatter(random: &mut Random, out: &mut Out<'_>) {
    let mut memory = [0u32; 12];
    let values: [u32; 4] = random.array(Random::u32);
    let start = random.below(12);
    let at: [usize; 4] = core::array::from_fn(|i| start + i * 3);
    #[cfg(target_arch = "nvptx64")]
    v(values).scatter(&mut memory, v(at));
    #[cfg(not(target_arch = "nvptx64"))]
    for (value, at) in values.into_iter().zip(at) {
        if let Some(place) = memory.get_mut(at) {
            *place = value;
        }
    }
    out.put(memory);
}

fn load_part(random: &mut Random, out: &mut Out<'_>) {
    let memory: [i32; 8] = random.array(Random::i32);
    let part = &memory[..random.below(9)];
    put!(
        out,
        i32x8::load_or_default(part).to_array(),
        core::array::from_fn::<i32, 8, _>(|i| part.get(i).copied().unwrap_or_default())
    );
}

fn store_masked(random: &mut Random, out: &mut Out<'_>) {
    let mut memory = [9i32; 6];
    let values: [i32; 4] = random.array(Random::i32);
    let on: [bool; 4] = random.array(Random::bool);
    #[cfg(target_arch = "nvptx64")]
    v(values).store_select(&mut memory[1..], mask32x4::from_array(on));
    #[cfg(not(target_arch = "nvptx64"))]
    for i in 0..4 {
        if on[i] {
            memory[i + 1] = values[i];
        }
    }
    out.put(memory);
}

fn convert_floats_to_ints(random: &mut Random, out: &mut Out<'_>) {
    let a: [f32; 4] = random.array(Random::f32);
    put!(out, v(a).cast::<i8>().to_array(), a.map(|a| a as i8));
    put!(out, v(a).cast::<u32>().to_array(), a.map(|a| a as u32));
    put!(out, v(a).cast::<i64>().to_array(), a.map(|a| a as i64));
}

fn convert_ints_to_floats(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i32; 4], [u64; 2]) = (random.array(Random::i32), random.array(Random::u64));
    put!(out, v(a).cast::<f32>().to_array(), a.map(|a| a as f32));
    put!(out, v(b).cast::<f64>().to_array(), b.map(|b| b as f64));
    put!(
        out,
        v(a).cast::<f32>().cast::<f64>().to_array(),
        a.map(|a| f64::from(a as f32))
    );
}

fn convert_widths(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i8; 8], [u32; 4]) = (random.array(Random::i8), random.array(Random::u32));
    put!(out, v(a).cast::<i32>().to_array(), a.map(i32::from));
    put!(out, v(a).cast::<u16>().to_array(), a.map(|a| a as u16));
    put!(out, v(b).cast::<u8>().to_array(), b.map(|b| b as u8));
}

fn float_bits(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i32; 4], [u32; 4]) = (random.array(Random::i32), random.array(Random::u32));
    let floats = a.map(|a| a as f32);
    put!(
        out,
        v(floats).to_bits().to_array(),
        floats.map(f32::to_bits)
    );
    put!(
        out,
        Simd::<f32, 4>::from_bits(v(b)).to_array(),
        b.map(f32::from_bits)
    );
}

fn float_signs(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([f64; 4], [f64; 4]) = (random.array(Random::f64), random.array(Random::f64));
    let b = b.map(|b| if b.is_nan() { -1.0 } else { b });
    put!(out, v(a).abs().to_array(), a.map(f64::abs));
    put!(
        out,
        v(a).copysign(v(b)).to_array(),
        zip(a, b, f64::copysign)
    );
    put!(out, v(a).recip().to_array(), a.map(f64::recip));
}

fn float_extremes(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([f32; 4], [f32; 4]) = (random.array(Random::f32), random.array(Random::f32));
    let zero = |x: f32| x + 0.0; // of two zeros either may be the smaller
    put!(
        out,
        v(a).simd_min(v(b)).to_array().map(zero),
        zip(a, b, f32::min).map(zero)
    );
    put!(
        out,
        v(a).simd_max(v(b)).to_array().map(zero),
        zip(a, b, f32::max).map(zero)
    );
    put!(
        out,
        v(a).simd_clamp(Simd::splat(-1.0), Simd::splat(2.0))
            .to_array(),
        a.map(|a| a.clamp(-1.0, 2.0))
    );
}

fn bytes(random: &mut Random, out: &mut Out<'_>) {
    let a: [u32; 2] = random.array(Random::u32);
    put!(out, v(a).to_le_bytes().to_array(), {
        let ([a, b, c, d], [e, f, g, h]) = (a[0].to_le_bytes(), a[1].to_le_bytes());
        [a, b, c, d, e, f, g, h]
    });
}

// An index that is known only at run time: the vector goes to memory.
fn lanes_by_index(random: &mut Random, out: &mut Out<'_>) {
    let a: [u32; 8] = random.array(Random::u32);
    let (i, j) = (random.below(8), random.below(8));
    #[cfg(target_arch = "nvptx64")]
    let mut a = v(a);
    #[cfg(not(target_arch = "nvptx64"))]
    let mut a = a;
    a[i] ^= 0xff;
    out.put([a[i], a[j]]);
}

#[cfg(target_arch = "nvptx64")]
type Four = f32x4;
#[cfg(not(target_arch = "nvptx64"))]
type Four = [f32; 4];

#[inline(never)]
fn halved(a: Four, n: u32) -> (Four, u32) {
    #[cfg(target_arch = "nvptx64")]
    let half = a * Simd::splat(0.5);
    #[cfg(not(target_arch = "nvptx64"))]
    let half = a.map(|a| a * 0.5);
    (half, n + 1)
}

fn passed_and_returned(random: &mut Random, out: &mut Out<'_>) {
    let a: [f32; 4] = random.array(Random::f32);
    let mut value = (Four::from(a), 0);
    for _ in 0..random.below(5) {
        value = halved(value.0, value.1);
    }
    out.put((<[f32; 4]>::from(value.0), value.1));
}

fn dot_product(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([i32; 32], [i32; 32]) = (random.array(Random::i32), random.array(Random::i32));
    put!(
        out,
        {
            let chunks = a.chunks_exact(8).zip(b.chunks_exact(8));
            let sums = chunks.fold(i32x8::splat(0), |sum, (a, b)| {
                sum + i32x8::from_slice(a) * i32x8::from_slice(b)
            });
            sums.reduce_sum()
        },
        a.into_iter()
            .zip(b)
            .fold(0i32, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(b)))
    );
}

fn matrix_times_vector(random: &mut Random, out: &mut Out<'_>) {
    let small = |random: &mut Random| f32::from(random.i8());
    let columns: [[f32; 4]; 4] = random.array(|random| random.array(small));
    let x: [f32; 4] = random.array(small);
    put!(
        out,
        {
            let scaled = columns
                .map(v)
                .into_iter()
                .zip(x)
                .map(|(column, x)| column * Simd::splat(x));
            scaled
                .fold(f32x4::splat(0.0), |sum, column| sum + column)
                .to_array()
        },
        core::array::from_fn::<f32, 4, _>(
            |row| (0..4).fold(0.0, |sum, column| sum + columns[column][row] * x[column])
        )
    );
}

fn in_memory(random: &mut Random, out: &mut Out<'_>) {
    let mut values: [[u16; 4]; 5] = random.array(|random| random.array(Random::u16));
    #[cfg(target_arch = "nvptx64")]
    {
        let mut vectors = values.map(v);
        vectors.swap(random.below(5), random.below(5));
        vectors
            .iter_mut()
            .rev()
            .step_by(2)
            .for_each(|vector| *vector += Simd::splat(3));
        values = vectors.map(|vector| vector.to_array());
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        values.swap(random.below(5), random.below(5));
        values
            .iter_mut()
            .rev()
            .step_by(2)
            .flatten()
            .for_each(|value| *value = value.wrapping_add(3));
    }
    out.put(values);
    #[cfg(target_arch = "nvptx64")]
    out.put([
        align_of::<u16x4>(),
        align_of::<f32x4>(),
        size_of::<Simd<u8, 16>>(),
    ]);
    #[cfg(not(target_arch = "nvptx64"))]
    out.put([8usize, 16, 16]);
}
