//! Floats: arithmetic, comparison, rounding and conversion, at infinities, zeros, subnormals
//! and NaN too.
//!
//! Which NaN a result is, Rust leaves open, and so does a case: it puts only that it is one.

macro_rules! widths {
    ($($kernel:ident: $ty:ident, $other:ident, $bits:ident;)*) => {$(
        /// The cases of one type.
        pub mod $ty {
            use lanewise_std::math::Float;

            use crate::{Out, Random};

            type T = $ty;

            crate::case::subject! {
                /// Operations of one float type.
                $kernel: arithmetic, chains, comparisons, total_order, extremes, clamps, rounding, square_root, fused, bits,
                classes, signs, to_integers, from_integers, other_width, neighbours, sums, angles
            }

            fn arithmetic(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put([a + b, a - b, a * b, a / b, -a]);
                out.put(a % b);
            }

            // Products and sums one after another: none may be fused.
            fn chains(random: &mut Random, out: &mut Out<'_>) {
                let [a, b, c, d]: [T; 4] = random.array(Random::$ty);
                out.put([a * b + c, a * b - c * d, (a + b) * (c - d), a * a + b * b + c * c]);
            }

            fn comparisons(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put([a < b, a <= b, a > b, a >= b, a == b, a != b]);
                out.put(a.partial_cmp(&b));
            }

            fn total_order(random: &mut Random, out: &mut Out<'_>) {
                let mut values: [T; 9] = random.array(Random::$ty);
                out.put(values[0].total_cmp(&values[1]));
                values.sort_unstable_by(T::total_cmp);
                out.put(values);
            }

            // Of two zeros either may be the smaller; the sum with zero makes them one.
            fn extremes(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put([a.min(b) + 0.0, a.max(b) + 0.0]);
                out.put([T::MIN, T::MAX, T::EPSILON, T::MIN_POSITIVE, T::INFINITY]);
            }

            fn clamps(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([a.clamp(-1.0, 1.0), a.clamp(0.5, 1e6), a.clamp(T::MIN_POSITIVE, T::INFINITY)]);
            }

            fn rounding(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([a.floor(), a.ceil(), a.trunc(), Float::round(a), a.round_ties_even()]);
            }

            fn square_root(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([a.sqrt(), a.recip(), a.abs().sqrt().recip()]);
            }

            fn fused(random: &mut Random, out: &mut Out<'_>) {
                let [a, b, c]: [T; 3] = random.array(Random::$ty);
                out.put([a.mul_add(b, c), (-a).mul_add(b, c)]);
            }

            fn bits(random: &mut Random, out: &mut Out<'_>) {
                let raw = random.$bits();
                let a = T::from_bits(raw);
                out.put(a);
                out.put(a.is_nan() || a.to_bits() == raw);
                out.put(T::from_be_bytes(random.$bits().to_be_bytes()));
            }

            fn classes(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([a.is_nan(), a.is_infinite(), a.is_finite(), a.is_normal(), a.is_subnormal()]);
                out.put(a.classify() as u8);
            }

            fn signs(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                if !a.is_nan() && !b.is_nan() {
                    out.put([a.is_sign_negative(), a.is_sign_positive()]);
                    out.put([a.abs(), a.signum(), a.copysign(b)]);
                }
            }

            // Saturating, and zero for NaN.
            fn to_integers(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put((a as u8, a as i8, a as u16, a as i16));
                out.put((a as u32, a as i32, a as u64, a as i64));
                out.put((a as u128, a as i128, a as usize, a as isize));
            }

            fn from_integers(random: &mut Random, out: &mut Out<'_>) {
                out.put([random.u8() as T, random.i8() as T, random.u16() as T, random.i16() as T]);
                out.put([random.u32() as T, random.i32() as T, random.u64() as T, random.i64() as T]);
                out.put([random.u128() as T, random.i128() as T, T::from(random.u8()), T::from(random.i16())]);
            }

            fn other_width(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$other());
                out.put((a as $other, b as T, (a as $other) as T));
            }

            fn neighbours(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([a.next_up(), a.next_down(), a.next_up().next_down()]);
                out.put(a.midpoint(random.$ty()));
            }

            // In the order in which they stand: floats do not associate.
            fn sums(random: &mut Random, out: &mut Out<'_>) {
                let values: [T; 12] = random.array(Random::$ty);
                out.put(values.iter().sum::<T>());
                out.put(values.iter().product::<T>());
                out.put(values.iter().copied().fold(T::NEG_INFINITY, T::max));
            }

            fn angles(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([a.to_degrees(), a.to_radians()]);
            }
        }
    )*};
}

widths! {
    floats_f32: f32, f64, u32;
    floats_f64: f64, f32, u64;
}
