//! Operand values: edge cases of a type, random bits, and numbers of ordinary size.
//!
//! The generator is part of this crate and ten lines long. A recorded result names its seed, so the
//! values must not change with a library's version.

use half::{bf16, f16};
use lanewise_sim::ptx::ast::{Class, Type};

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Makes the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `limit`. The limit is small, so the bias does not matter here.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit.max(1)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Values where the results of integer instructions change, masked to the type's width.
const INTEGERS: &[u64] = &[
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    24,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7f_ffff,
    0x80_0000,
    0xff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0x1_0000_0000,
    i64::MAX as u64,
    i64::MIN as u64,
    u64::MAX,
    u64::MAX - 1,
    (-7_i64) as u64,
    (-128_i64) as u64,
    (-32768_i64) as u64,
    i32::MIN as i64 as u64,
    0xaaaa_aaaa_aaaa_aaaa,
    0x0123_4567_89ab_cdef,
];

/// Ends of ranges, ties in rounding, NaNs of both kinds with payloads, and limits of the integer
/// types. Each has both signs.
const SINGLES: &[u32] = &[
    0x0000_0000, // 0
    0x0000_0001, // the least subnormal
    0x0000_0002,
    0x007f_ffff, // the largest subnormal
    0x0040_0000,
    0x0080_0000, // the least normal
    0x0080_0001,
    0x0100_0000,
    0x3f80_0000, // 1
    0x3f80_0001,
    0x3f7f_ffff,
    0x3f00_0000, // 0.5
    0x3eff_ffff,
    0x3fc0_0000, // 1.5
    0x4000_0000,
    0x4020_0000, // 2.5
    0x4040_0000,
    0x4049_0fdb, // pi
    0x3fc9_0fdb, // pi / 2
    0x4b00_0000, // 2^23
    0x4aff_ffff,
    0x4b80_0000, // 2^24
    0x42fe_0000, // 127
    0x4300_0000, // 128
    0x437f_0000, // 255
    0x437f_8000, // 255.5
    0x477f_e000, // 65504, the largest f16
    0x477f_f000, // 65520, rounds to infinity there
    0x477f_ff00, // 65535
    0x4f00_0000, // 2^31
    0x4eff_ffff,
    0x4f80_0000, // 2^32
    0x5f00_0000, // 2^63
    0x5f80_0000, // 2^64
    0x3300_0000, // 2^-25, half of f16's least subnormal
    0x3380_0000,
    0x3880_0000, // 2^-14, f16's least normal
    0x7e80_0000, // 2^126
    0x7f00_0000, // 2^127
    0x7f00_0001,
    0x7f7f_ffff, // the largest
    0x7f80_0000, // infinity
    0x7fc0_0000, // quiet NaN
    0x7fff_ffff,
    0x7fd2_3456,
    0x7f80_0001, // signalling NaN
    0x7fa1_2345,
];

const DOUBLES: &[u64] = &[
    0,
    1,
    2,
    0x000f_ffff_ffff_ffff, // the largest subnormal
    0x0010_0000_0000_0000, // the least normal
    0x0010_0000_0000_0001,
    0x3ff0_0000_0000_0000, // 1
    0x3ff0_0000_0000_0001,
    0x3fef_ffff_ffff_ffff,
    0x3fe0_0000_0000_0000, // 0.5
    0x3ff8_0000_0000_0000,
    0x4004_0000_0000_0000, // 2.5
    0x4008_0000_0000_0000,
    0x4330_0000_0000_0000, // 2^52
    0x432f_ffff_ffff_ffff,
    0x41df_ffff_ffc0_0000, // 2^31 - 1
    0x41e0_0000_0000_0000, // 2^31
    0x41ef_ffff_ffe0_0000, // 2^32 - 1
    0x41f0_0000_0000_0000, // 2^32
    0x43e0_0000_0000_0000, // 2^63
    0x43f0_0000_0000_0000, // 2^64
    0x47ef_ffff_e000_0000, // the largest f32
    0x47ef_ffff_f000_0000, // rounds to infinity there
    0x3810_0000_0000_0000, // f32's least normal
    0x36a0_0000_0000_0000, // f32's least subnormal
    0x3690_0000_0000_0000, // half of it
    0x3ff0_0000_1000_0000, // a tie on the way to f32
    0x40ef_fc00_0000_0000, // 65504
    0x40ef_fe00_0000_0000, // 65520
    0x7fe0_0000_0000_0000,
    0x7fef_ffff_ffff_ffff, // the largest
    0x7ff0_0000_0000_0000, // infinity
    0x7ff8_0000_0000_0000, // quiet NaN
    0x7fff_ffff_ffff_ffff,
    0x7ff8_1234_5678_9abc,
    0x7ff0_0000_0000_0001, // signalling NaN
    0x7ff4_0000_1234_5678,
];

const HALVES: &[u16] = &[
    0x0000, 0x0001, 0x0002, 0x03ff, 0x0400, 0x0401, 0x3c00, 0x3c01, 0x3bff, 0x3800, 0x3e00, 0x4000,
    0x4100, 0x6400, 0x67ff, 0x6800, 0x7800, 0x7bff, 0x7c00, 0x7e00, 0x7fff, 0x7c01, 0x7d23,
];

const BRAINS: &[u16] = &[
    0x0000, 0x0001, 0x007f, 0x0080, 0x0081, 0x3f80, 0x3f81, 0x3f7f, 0x3f00, 0x3fc0, 0x4000, 0x4020,
    0x4300, 0x437f, 0x4f00, 0x5f00, 0x7f00, 0x7f7f, 0x7f80, 0x7fc0, 0x7fff, 0x7f81, 0x7fa1,
];

/// Returns a value of a type as bits: an edge case, a number of ordinary size, or random bits.
pub fn value(ty: Type, random: &mut Random) -> u128 {
    let how = random.below(16);
    match ty {
        Type::Pred => u128::from(random.bits() & 1),
        Type::F32 | Type::Tf32 => single(how, random).into(),
        Type::F64 => double(how, random).into(),
        Type::F16 => sixteen(how, HALVES, |x| f16::from_f32(x).to_bits(), random).into(),
        Type::Bf16 => sixteen(how, BRAINS, |x| bf16::from_f32(x).to_bits(), random).into(),
        Type::F16x2 => lanes(Type::F16, 2, random),
        Type::Bf16x2 => lanes(Type::Bf16, 2, random),
        Type::F32x2 => lanes(Type::F32, 2, random),
        Type::U16x2 | Type::S16x2 => lanes(Type::S16, 2, random),
        // Values of bit types may be floats. A bit operation treats all bits alike, and a move or a
        // comparison should also be tested with floats.
        Type::B16 if how < 5 => sixteen(how, HALVES, |x| f16::from_f32(x).to_bits(), random).into(),
        Type::B32 if how < 5 => single(how, random).into(),
        Type::B64 if how < 5 => double(how, random).into(),
        Type::B128 => u128::from(random.bits()) << 64 | u128::from(random.bits()),
        _ if matches!(ty.class(), Class::Packed | Class::Float) => mask(random.bits(), ty),
        _ => integer(how, ty, random),
    }
}

/// Returns a small integer in the format of a type. Sums of products of such integers are exact
/// in every accumulator.
pub fn small(ty: Type, random: &mut Random) -> u128 {
    let number = random.below(17) as f32 - 8.0;
    match ty {
        Type::F16 => f16::from_f32(number).to_bits().into(),
        Type::Bf16 => bf16::from_f32(number).to_bits().into(),
        Type::F32 | Type::Tf32 => number.to_bits().into(),
        Type::F64 => f64::from(number).to_bits().into(),
        // E5M2 is the top byte of an f16. E4M3 has one bit less of exponent.
        Type::E5m2 => u128::from(f16::from_f32(number).to_bits() >> 8),
        Type::E4m3 => e4m3(number),
        _ => mask(random.bits(), ty),
    }
}

/// Converts a small integer to `.e4m3`: bias 7, three bits of fraction.
fn e4m3(number: f32) -> u128 {
    if number == 0.0 {
        return 0;
    }
    let bits = number.to_bits();
    let (sign, exponent, fraction) = (bits >> 31, (bits >> 23 & 0xff) - 127 + 7, bits >> 20 & 7);
    u128::from(sign << 7 | exponent << 3 | fraction)
}

fn mask(bits: u64, ty: Type) -> u128 {
    let width = ty.size() * 8;
    u128::from(if width >= 64 {
        bits
    } else {
        bits & ((1 << width) - 1)
    })
}

fn integer(how: u64, ty: Type, random: &mut Random) -> u128 {
    let bits = match how {
        0..6 => random.pick(INTEGERS),
        6..10 => random.below(80),
        10 => random.below(80).wrapping_neg(),
        11 => random.bits() >> random.below(64),
        _ => random.bits(),
    };
    mask(bits, ty)
}

fn single(how: u64, random: &mut Random) -> u32 {
    let sign = (random.bits() as u32) & 0x8000_0000;
    match how {
        0..6 => random.pick(SINGLES) | sign,
        // The exponents are near 1, so that sums round and products stay in range.
        6..11 => sign | (random.below(48) as u32 + 103) << 23 | (random.bits() as u32) & 0x7f_ffff,
        11 => (random.below(513) as f32 - 256.0).to_bits(),
        _ => random.bits() as u32,
    }
}

fn double(how: u64, random: &mut Random) -> u64 {
    let sign = random.bits() & 1 << 63;
    match how {
        0..6 => random.pick(DOUBLES) | sign,
        6..11 => sign | (random.below(96) + 975) << 52 | random.bits() >> 12,
        11 => (random.below(513) as f64 - 256.0).to_bits(),
        _ => random.bits(),
    }
}

fn sixteen(how: u64, edges: &[u16], of: fn(f32) -> u16, random: &mut Random) -> u16 {
    match how {
        0..6 => random.pick(edges) | (random.bits() as u16) & 0x8000,
        6..9 => of(random.below(4097) as f32 / 256.0 - 8.0),
        _ => random.bits() as u16,
    }
}

fn lanes(ty: Type, count: u32, random: &mut Random) -> u128 {
    let width = ty.size() as u32 * 8;
    (0..count).fold(0, |bits, lane| bits | value(ty, random) << (lane * width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_type() {
        let mut random = Random::new(1);
        for &ty in Type::ALL.iter().filter(|ty| (1..16).contains(&ty.size())) {
            for _ in 0..1000 {
                let bits = value(ty, &mut random);
                assert_eq!(bits >> (ty.size() * 8), 0, "{ty:?}: {bits:#x}");
            }
        }
    }

    #[test]
    fn edges_of_floats_come_up() {
        let mut random = Random::new(1);
        let seen: Vec<f32> = (0..4096)
            .map(|_| f32::from_bits(value(Type::F32, &mut random) as u32))
            .collect();
        for (what, is) in [
            ("NaN", f32::is_nan as fn(f32) -> bool),
            ("infinite", f32::is_infinite),
            ("subnormal", f32::is_subnormal),
            ("zero", |x| x == 0.0),
            ("negative zero", |x| x.to_bits() == 1 << 31),
            ("normal", f32::is_normal),
        ] {
            assert!(seen.iter().any(|&x| is(x)), "no {what} value");
        }
    }

    #[test]
    fn small_integers_are_exact_in_eight_bits() {
        assert_eq!(
            (e4m3(1.0), e4m3(-8.0), e4m3(7.0), e4m3(0.0)),
            (0x38, 0xd0, 0x4e, 0)
        );
    }
}
