//! Hyperbolic functions.

use super::machine::{ex2, fma, rcp};

/// Returns the hyperbolic tangent: `1 - 2 / (e^2x + 1)`, or its series near zero.
#[inline(always)]
pub(crate) fn tanhf(x: f32) -> f32 {
    let a = x.abs();
    // 2 / ln 2. The power is infinite for a large argument, and its reciprocal is then zero.
    let power = ex2(a * 2.885_39);
    let large = fma(-2.0, rcp(power + 1.0), 1.0);
    let square = x * x;
    let p = horner!(
        square,
        -0.005_514_928,
        0.020_469_146,
        -0.053_687_923,
        0.133_308_29,
        -0.333_332_6
    );
    let small = fma(p * square, x, x);
    // The sign last, so that a zero keeps its own.
    if a >= 0.65 { large } else { small }.copysign(x)
}
