//! `lanewise_std::math`: the accurate functions are the same code on both sides, so they agree to the last bit.

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
                out.put([a.sin(), a.cos(), a.tan()]);
                out.put(Float::sin_cos(a / 3.0));
            }

            fn inverse_trigonometric(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                let small = a.clamp(-1.0, 1.0);
                out.put([small.asin(), small.acos(), a.atan(), a.atan2(b)]);
            }

            fn hyperbolic(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([a.sinh(), a.cosh(), a.tanh()]);
                out.put([a.asinh(), a.acosh(), a.clamp(-1.0, 1.0).atanh()]);
            }

            fn exponential(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([a.exp(), a.exp2(), a.exp10(), a.exp_m1()]);
            }

            fn logarithmic(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty().abs();
                out.put([a.ln(), a.log2(), a.log10(), a.ln_1p()]);
            }

            fn powers(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put([a.powf(b), a.abs().powf(0.3), a.powi(random.below(9) as i32 - 4)]);
            }

            fn roots(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put([a.cbrt(), a.hypot(b)]);
            }

            fn special(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([a.erf(), a.erfc()]);
                out.put([a.clamp(-30.0, 30.0).gamma(), a.clamp(-30.0, 30.0).ln_gamma()]);
            }
        }
    )*};
}

widths! {
    math_f32: f32;
    math_f64: f64;
}
