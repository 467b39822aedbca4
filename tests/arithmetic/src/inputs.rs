//! Inputs for the tests: edge values, random bits, and ranges.

use crate::Row;

/// A stream of random bits: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
/// number generators", 2014).
pub struct Random(u64);

impl Random {
    /// Starts the stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Edge values of arithmetic, each with both signs.
macro_rules! edges {
    ($ty:ident) => {
        [
            0.0,
            1.0,
            1.0 + $ty::EPSILON,
            1.0 - $ty::EPSILON / 2.0,
            1.5,
            2.0,
            3.0,
            10.0,
            0.1,
            $ty::MIN_POSITIVE,
            $ty::MIN_POSITIVE / 2.0,
            $ty::from_bits(1),
            $ty::from_bits(3),
            $ty::MAX,
            $ty::MAX / 2.0,
            $ty::INFINITY,
            $ty::NAN,
        ]
    };
}

macro_rules! rows {
    ($(#[$doc:meta])* $name:ident, $ty:ident, $bits:ident) => {
        $(#[$doc])*
        pub fn $name(count: usize) -> Vec<Row<$ty>> {
            let edges: Vec<$ty> = edges!($ty).into_iter().flat_map(|x: $ty| [x, -x]).collect();
            let mut random = Random::new(0x5eed);
            let mut rows = Vec::new();
            for &a in &edges {
                for &b in &edges {
                    let c = edges[random.bits() as usize % edges.len()];
                    rows.push([a, b, c]);
                    // What is left of a product that is almost cancelled is all of a
                    // fused operation's rounding.
                    rows.push([a, b, -(a * b)]);
                }
            }
            while rows.len() < count {
                let any = |random: &mut Random| $ty::from_bits(random.bits() as $bits);
                // Near one, where sums meet and nothing overflows.
                let near = |random: &mut Random| ((random.unit() - 0.5) * 8.0) as $ty;
                let (a, b, c) = (near(&mut random), near(&mut random), near(&mut random));
                rows.push([a, b, c]);
                rows.push([a, b, -(a * b)]);
                rows.push([a, a * (1.0 + $ty::EPSILON * 3.0), b]);
                rows.push([any(&mut random), any(&mut random), any(&mut random)]);
                // Products and quotients among the subnormals.
                rows.push([a * $ty::MIN_POSITIVE, b, c * $ty::MIN_POSITIVE]);
            }
            rows
        }
    };
}

rows! {
    /// Returns at least `count` rows of `f32`: every pair of edges, then random ones.
    f32_rows, f32, u32
}
rows! {
    /// Returns at least `count` rows of `f64`: every pair of edges, then random ones.
    f64_rows, f64, u64
}

/// Returns `count` numbers evenly spread from `low` to `high`, each moved a little at random.
pub fn spread(low: f64, high: f64, count: usize) -> Vec<f64> {
    let mut random = Random::new(count as u64);
    let step = (high - low) / count as f64;
    (0..count)
        .map(|i| low + (i as f64 + random.unit()) * step)
        .collect()
}

/// Returns `count` positive numbers from `low` to `high`, evenly spread in their exponents.
pub fn spread_exponents(low: f64, high: f64, count: usize) -> Vec<f64> {
    let exponents = spread(low.log2(), high.log2(), count).into_iter();
    exponents.map(|e| e.exp2().clamp(low, high)).collect()
}
