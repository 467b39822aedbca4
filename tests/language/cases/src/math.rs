//! `lanewise_std::math`: the accurate functions are the same code on both sides, so they agree to
//! the last bit.
//!
//! They are called by the trait's name. On the host `a.sin()` is `std`'s own method, as soon as any
//! crate below this one has `std`.

macro_rules! widths {
    ($($kernel:ident: $ty:ident;)*) => {$(
        /// The cases of one type.
        pub mod $ty {
            use lanewise_std::math::Float;

            use crate::{Out, Random};

            crate::case::subject! {
                /// Mathematical functions of one float type.
                $kernel: trigonometric, inverse_trigonometric, hyperbolic, exponential, logarithmic, powers, roots, special
            }

            fn trigonometric(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([Float::sin(a), Float::cos(a), Float::tan(a)]);
                out.put(Float::sin_cos(a / 3.0));
            }

            fn inverse_trigonometric(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                let small = a.clamp(-1.0, 1.0);
                out.put([Float::asin(small), Float::acos(small), Float::atan(a), Float::atan2(a, b)]);
            }

            fn hyperbolic(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([Float::sinh(a), Float::cosh(a), Float::tanh(a)]);
                out.put([Float::asinh(a), Float::acosh(a), Float::atanh(a.clamp(-1.0, 1.0))]);
            }

            fn exponential(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([Float::exp(a), Float::exp2(a), Float::exp10(a), Float::exp_m1(a)]);
            }

            fn logarithmic(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty().abs();
                out.put([Float::ln(a), Float::log2(a), Float::log10(a), Float::ln_1p(a)]);
            }

            fn powers(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put([Float::powf(a, b), Float::powf(a.abs(), 0.3), Float::powi(a, random.below(9) as i32 - 4)]);
            }

            fn roots(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put([Float::cbrt(a), Float::hypot(a, b)]);
            }

            fn special(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([Float::erf(a), Float::erfc(a)]);
                out.put([Float::gamma(a.clamp(-30.0, 30.0)), Float::ln_gamma(a.clamp(-30.0, 30.0))]);
            }
        }
    )*};
}

widths! {
    math_f32: f32;
    math_f64: f64;
}
