//! Bessel functions.
//!
//! Below 8, a function is the distance from one of its zeros times a polynomial, so that its
//! relative error is small at the zero, too. From 8 on it is a modulus times the sine or cosine of
//! a phase that is nearly `x - pi / 4`. Source: NIST Digital Library of Mathematical Functions,
//! 10.18.

use core::f32::consts::FRAC_2_PI;

use super::exponential::LOG2_E;
use super::logarithm::logf;
use super::machine::{ex2, fma, mul, rcp, rint, rsqrt};
use super::trigonometric::{reduce, sine_after_turns};

/// A zero as the sum of two numbers.
type Zero = [f32; 2];

/// The first zeros of `J_0`, `J_1`, `Y_0` and `Y_1`.
const J0: [Zero; 2] = [[2.404_825_4, 1.087_059_1e-7], [5.520_078, -7.193_414_8e-8]];
const J1: [Zero; 2] = [[3.831_706, -7.685_059e-8], [7.015_587, -1.832_117_3e-7]];
const Y0: [Zero; 3] = [
    [0.893_577, -1.335_797_9e-8],
    [3.957_678_3, 1.012_911_8e-7],
    [7.086_051, 7.305_812e-8],
];
const Y1: [Zero; 2] = [[2.197_141_4, -8.288_927e-8], [5.429_681, 2.165_143_5e-7]];

/// Returns `x - zero`, which is exact near the zero.
#[inline(always)]
fn distance(x: f32, zero: Zero) -> f32 {
    (x - zero[0]) - zero[1]
}

/// Returns the even function that is `p` times the distances from a zero and from its negative.
#[inline(always)]
fn about(x: f32, zero: Zero, p: f32) -> f32 {
    distance(x, zero) * (x + zero[0]) * p
}

/// Returns the function of an order of 0 or 1 at an `a` of at least 8: `J` with one quarter of a
/// turn, `Y` with none.
#[inline(always)]
fn far(a: f32, order: u32, quarter: u32) -> f32 {
    let r = rcp(a);
    let v = r * r;
    let (modulus, phase) = if order == 0 {
        (
            horner!(v, 0.092_132_434, -0.062_432_956, 0.999_999_94),
            horner!(v, -0.174_304_81, 0.064_851_2, -0.124_999_53),
        )
    } else {
        (
            horner!(v, -0.174_653_41, 0.187_378_42, 1.000_000_1),
            horner!(v, 0.318_949_34, -0.163_689_37, 0.374_999_3),
        )
    };
    // An eighth of a turn less, towards zero.
    let (rest, turns) = reduce(a);
    let eighth = core::f32::consts::FRAC_PI_4.copysign(rest);
    let back = if rest < 0.0 { 1 } else { 0 };
    let angle = fma(phase, r, rest - eighth);
    let turns = turns.wrapping_add(quarter).wrapping_sub(order + back);
    // The root of 2 / pi.
    let amplitude = modulus * 0.797_884_6 * rsqrt(a);
    if a == f32::INFINITY {
        0.0
    } else {
        amplitude * sine_after_turns(angle, turns)
    }
}

/// Returns `J_0(a)` of a positive `a` below 4.
#[inline(always)]
fn j0_near(a: f32) -> f32 {
    let p = horner!(
        fma(a, a, -8.0),
        2.940_890_3e-14,
        -5.403_410_2e-14,
        -5.696_424_2e-12,
        3.639_774_6e-10,
        -4.882_385e-8,
        4.588_932e-6,
        -0.000_266_097_28,
        0.008_082_513,
        -0.088_662_416
    );
    about(a, J0[0], p)
}

/// Returns `J_1(a) / a` of a positive `a` below 5.4.
#[inline(always)]
fn j1_near(a: f32) -> f32 {
    let p = horner!(
        fma(a, a, -14.0),
        -3.913_869e-17,
        8.230_18e-16,
        -8.695_656_5e-14,
        2.125_296_3e-11,
        -3.357_175_6e-9,
        3.660_819_6e-7,
        -2.544_406_4e-5,
        0.000_968_412_7,
        -0.014_364_833
    );
    about(a, J1[0], p)
}

/// Returns the Bessel function of the first kind of order 0.
#[inline(always)]
pub(crate) fn j0f(x: f32) -> f32 {
    let a = x.abs();
    if a < 4.0 {
        j0_near(a)
    } else if a < 8.0 {
        let p = horner!(
            fma(a, a, -40.0),
            3.999_685_5e-20,
            -1.062_169e-17,
            2.960_489_4e-15,
            -6.476_4e-13,
            1.018_363_24e-10,
            -1.058_203_6e-8,
            6.028_413e-7,
            -7.115_624_6e-6,
            -0.000_846_687_76,
            0.024_016_174
        );
        about(a, J0[1], p)
    } else {
        far(a, 0, 1)
    }
}

/// Returns the Bessel function of the first kind of order 1.
#[inline(always)]
pub(crate) fn j1f(x: f32) -> f32 {
    let a = x.abs();
    if a < 5.4 {
        x * j1_near(a)
    } else if a < 8.0 {
        let p = horner!(
            fma(a, a, -46.0),
            -2.230_727e-18,
            1.651_571_6e-16,
            -3.642_18e-14,
            6.788_061e-12,
            -8.466_587_4e-10,
            6.330_79e-8,
            -1.883_297_6e-6,
            -5.167_982e-5,
            0.003_232_628_3
        );
        x * about(a, J1[1], p)
    } else {
        far(a, 1, 1) * 1f32.copysign(x)
    }
}

/// Returns the Bessel function of the second kind of order 0.
#[inline(always)]
pub(crate) fn y0f(x: f32) -> f32 {
    if x < 2.2 {
        let [high, low] = Y0[0];
        let p = horner!(
            fma(x, x, -2.4),
            7.070_231e-10,
            -1.025_867_1e-9,
            9.244_459e-8,
            -8.902_729e-6,
            0.000_494_181_76,
            -0.014_213_218,
            0.145_059_73
        );
        // The logarithm of x / zero, with what the rounding of the quotient leaves out. The
        // quotient of a denormal leaves out too much.
        const INVERSE: f32 = 1.119_097_8;
        const LOG_OF_INVERSE: f32 = 0.112_522_81;
        let quotient = mul(x, INVERSE);
        let rest = fma(-quotient, low, fma(-quotient, high, x));
        let (argument, correction) = if x < 1e-30 {
            (x, LOG_OF_INVERSE)
        } else {
            (quotient, rest * INVERSE)
        };
        let logarithm = logf(argument) + correction;
        fma(FRAC_2_PI * j0_near(x), logarithm, about(x, Y0[0], p))
    } else if x < 5.6 {
        let d = distance(x, Y0[1]);
        d * horner!(
            d,
            -2.322_680_2e-8,
            -1.789_086_2e-8,
            2.326_805_3e-7,
            7.219_21e-8,
            -1.006_074_4e-6,
            -5.129_872e-6,
            5.202_283e-5,
            0.000_195_530_7,
            -0.002_184_292_3,
            -0.006_852_683_6,
            0.058_524_024,
            0.050_855_923,
            -0.402_542_68
        )
    } else if x < 8.0 {
        let d = distance(x, Y0[2]);
        d * horner!(
            d,
            6.923_935e-7,
            2.844_724_8e-6,
            -4.610_021e-5,
            -0.000_140_926_06,
            0.002_176_009_8,
            0.003_318_528,
            -0.048_024_062,
            -0.021_175_26,
            0.300_097_6
        )
    } else {
        far(x, 0, 0)
    }
}

/// Returns the Bessel function of the second kind of order 1.
#[inline(always)]
pub(crate) fn y1f(x: f32) -> f32 {
    if x < 1.5 {
        let p = horner!(
            x * x,
            -9.596_608e-7,
            7.162_547e-5,
            -0.002_955_353,
            0.054_348_733,
            -0.196_057_1
        );
        let pole = FRAC_2_PI / x;
        let result = fma(x, fma(FRAC_2_PI * j1_near(x), logf(x), p), -pole);
        if x == 0.0 { f32::NEG_INFINITY } else { result }
    } else if x < 3.9 {
        let d = distance(x, Y1[0]);
        d * horner!(
            d,
            -2.991_997_7e-6,
            2.624_736_2e-5,
            -0.000_103_410_275,
            0.000_260_196_07,
            -0.000_533_218_2,
            0.001_064_399_7,
            -0.002_583_825,
            0.007_420_496_5,
            -0.004_799_688_2,
            -0.032_857_016,
            -0.118_514_456,
            0.520_786_4
        )
    } else if x < 8.0 {
        let d = distance(x, Y1[1]);
        d * horner!(
            d,
            -2.802_865_5e-9,
            2.225_264_4e-8,
            -3.971_827_3e-8,
            -1.044_877_4e-7,
            3.751_008_5e-7,
            7.240_003e-8,
            -1.615_774_7e-6,
            -2.425_516e-6,
            4.785_705_5e-5,
            0.000_145_826_56,
            -0.002_166_845_6,
            -0.004_159_67,
            0.050_948_14,
            0.031_338_613,
            -0.340_318_05
        )
    } else {
        far(x, 1, 0)
    }
}

/// Returns `p(1 / a) e^a / sqrt(a)`.
#[inline(always)]
fn grown(a: f32, p: f32) -> f32 {
    // Up to 2^132, so the power is taken in two factors. Beyond 200 it is infinite.
    let b = a.min(200.0);
    let n = rint(b * LOG2_E[0]);
    let r = fma(b, LOG2_E[1], fma(b, LOG2_E[0], -n));
    const FACTOR: f32 = 18_446_744_073_709_551_616.0;
    let power = p * rsqrt(a) * ex2(r) * ex2(n - 64.0) * FACTOR;
    if a > 200.0 { a + f32::INFINITY } else { power }
}

/// Returns the modified Bessel function of the first kind of order 0.
#[inline(always)]
pub(crate) fn cyl_bessel_i0f(x: f32) -> f32 {
    let a = x.abs();
    if a < 8.0 {
        horner!(
            a * a,
            1.310_072_4e-19,
            2.122_332_2e-17,
            9.915_92e-15,
            2.381_884_6e-12,
            4.714_371_7e-10,
            6.781_039e-8,
            6.781_727_7e-6,
            0.000_434_027_66,
            0.015_625,
            0.25,
            1.0
        )
    } else {
        grown(
            a,
            horner!(
                rcp(a),
                0.206_039_52,
                0.044_752_233,
                0.027_120_503,
                0.028_212_25,
                0.049_864_314,
                0.398_942_3
            ),
        )
    }
}

/// Returns the modified Bessel function of the first kind of order 1.
#[inline(always)]
pub(crate) fn cyl_bessel_i1f(x: f32) -> f32 {
    let a = x.abs();
    if a < 8.0 {
        x * horner!(
            a * a,
            6.157_440_4e-21,
            1.004_911e-18,
            5.574_141e-16,
            1.484_565_1e-13,
            3.368_934_6e-11,
            5.650_527e-9,
            6.781_771e-7,
            5.425_343e-5,
            0.002_604_166_7,
            0.062_5,
            0.5
        )
    } else {
        grown(
            a,
            horner!(
                rcp(a),
                -0.607_266_1,
                0.056_560_714,
                -0.051_090_784,
                -0.046_365_12,
                -0.149_608_57,
                0.398_942_3
            ),
        )
        .copysign(x)
    }
}
