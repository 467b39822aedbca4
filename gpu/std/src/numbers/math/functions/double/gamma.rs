//! The gamma function and its logarithm.
//!
//! `gamma(y)` is `sqrt(2 pi) y^(y - 1/2) e^-y` times a number near one, which is a polynomial of
//! `1 / y`. Of a negative number it follows from the positive one's: `gamma(-a)` is
//! `-pi / (a sin(pi a) gamma(a))`.

use super::exponential::{exp_of_sum, shift};
use super::logarithm::log;
use super::machine::{fma, mul, reciprocal, trunc};
use super::power;
use super::trigonometric::sinpi;

const PI: f64 = core::f64::consts::PI;

/// Returns the logarithm of `y^(y - 1/2) e^-y` as the sum of two numbers, for a `y` from 3 to 256,
/// and adds what `y` lacks to be exact.
#[inline(always)]
fn log_of_power(y: f64, y_low: f64, reciprocal: f64) -> (f64, f64) {
    let (high, low) = power::log(y);
    let factor = y - 0.5;
    let power = mul(factor, high);
    let power_low = fma(factor, low, fma(factor, high, -power));
    let sum = power - y;
    let part = sum - power;
    let rounding = (power - (sum - part)) - (y + part);
    // The derivative of the logarithm is nearly log y - 1 / (2 y).
    let slope = fma(reciprocal, -0.5, high);
    (sum, fma(y_low, slope, rounding + power_low))
}

/// Returns the gamma function.
#[inline(always)]
pub(crate) fn tgamma(x: f64) -> f64 {
    let a = x.abs();
    // Beyond 256 results are infinite or zero. A NaN goes on.
    let a = if a > 256.0 { 256.0 } else { a };
    let is_small = a < 3.0;
    let y = if is_small { a + 3.0 } else { a };
    let y_low = if is_small { a - (y - 3.0) } else { 0.0 };
    let t = reciprocal(y);
    let p = horner!(
        t,
        -0.005_447_176_058_543_77,
        0.013_874_832_151_044_741,
        -0.013_667_722_893_399_98,
        0.004_438_046_956_413_351,
        0.002_908_426_667_879_063_2,
        -0.003_155_718_058_486_058_5,
        0.000_375_597_643_228_632_66,
        0.000_788_461_121_126_68,
        -0.000_045_589_948_565_169_19,
        -0.000_592_695_097_800_667,
        0.000_069_760_499_455_846_9,
        0.000_784_037_856_477_781_2,
        -0.000_229_472_055_852_956_12,
        -0.002_681_327_161_125_461,
        0.003_472_222_222_227_769_2,
        0.083_333_333_333_333_31,
        1.0
    );
    let (high, low) = log_of_power(y, y_low, t);
    const ROOT_OF_2_PI: f64 = 2.506_628_274_631_000_7;
    // gamma(y) is gamma(a), or gamma(a + 3) = a (a + 1) (a + 2) gamma(a).
    let p = p * ROOT_OF_2_PI;
    let steps = fma(a, a, a) * (a + 2.0);
    let is_negative = x < 0.0;
    // Near whole numbers a result is not denormal where the power is, so the power is lifted.
    const LIFT: i32 = 100;
    // The logarithm of 2^100, in two parts.
    const LIFT_LOG: [f64; 2] = [69.314_718_055_994_53, -1.6777560748042639e-15];
    let result = if is_negative {
        let rest = p * sinpi(x);
        let above = if is_small {
            PI * (fma(a, a, 3.0 * a) + 2.0)
        } else {
            PI
        };
        let below = if is_small { rest } else { rest * a };
        let lifted = LIFT_LOG[0] - high;
        let part = lifted - LIFT_LOG[0];
        let rounding = (LIFT_LOG[0] - (lifted - part)) - (high + part);
        let low = rounding + (LIFT_LOG[1] - low);
        exp_of_sum(lifted, low) * (above * reciprocal(below)) * shift(1.0, -LIFT)
    } else {
        let divided = if is_small { p * reciprocal(steps) } else { p };
        exp_of_sum(high, low) * divided
    };
    if a < 5.0e-17 {
        // The factor makes denormals normal numbers.
        let factor = shift(1.0, 200);
        let inverse = reciprocal(x * factor) * factor;
        if x == 0.0 {
            f64::INFINITY.copysign(x)
        } else {
            inverse
        }
    } else if is_negative && trunc(x) == x {
        f64::NAN
    } else {
        result
    }
}

/// Returns the logarithm of the gamma function of a number that is not negative.
#[inline(always)]
fn of_positive(a: f64, log: f64) -> f64 {
    // The logarithm is a polynomial around 1 and around 2, where it is zero. Below 0.7 it is that
    // of gamma(1 + a) / a.
    let is_small = a < 0.7;
    let is_around_one = a < 0.5 || !is_small && a < 1.5;
    let z = if a < 0.5 {
        a
    } else if a < 1.5 {
        a - 1.0
    } else {
        a - 2.0
    };
    let p = if is_around_one {
        horner!(
            z,
            0.011_819_779_932_236_995,
            -0.039_043_281_955_263_88,
            0.059_166_964_546_390_52,
            -0.060_274_391_994_797_41,
            0.056_137_218_421_958_24,
            -0.057_477_073_376_122_82,
            0.062_103_355_987_534_91,
            -0.066_765_308_724_425_25,
            0.071_486_665_438_423_33,
            -0.076_930_903_018_071_23,
            0.083_350_205_066_652_72,
            -0.090_953_832_621_145_02,
            0.100_099_596_996_939_2,
            -0.111_334_278_311_743_54,
            0.125_509_666_465_044_27,
            -0.144_049_896_449_096_08,
            0.169_557_177_033_583_58,
            -0.207_385_551_032_313,
            0.270_580_808_427_586_97,
            -0.400_685_634_386_516_4,
            0.822_467_033_424_113_5,
            -0.577_215_664_901_532_9
        )
    } else {
        horner!(
            z,
            1.879_216_913_078_217e-9,
            -1.369_637_906_808_755_6e-8,
            4.707_202_106_341_255e-8,
            -1.094_880_845_971_282_5e-7,
            2.198_950_905_711_438_1e-7,
            -4.482_121_131_827_652e-7,
            9.506_481_023_922_121e-7,
            -2.037_958_315_967_634_7e-6,
            4.375_972_409_144_967e-6,
            -9.440_078_432_037_741e-6,
            0.000_020_507_085_228_445_085,
            -0.000_044_926_117_724_992_904,
            0.000_099_457_516_971_302_8,
            -0.000_223_154_771_504_643_47,
            0.000_509_669_525_202_980_9,
            -0.001_192_753_910_909_744_5,
            0.002_890_510_330_697_011,
            -0.007_385_551_028_698_564,
            0.020_580_808_427_785_726,
            -0.067_352_301_053_197_8,
            0.322_467_033_424_113_2,
            0.422_784_335_098_467_13
        )
    };
    let near = if is_small { fma(p, z, -log) } else { p * z };
    // Beyond 1e300 the tail is nothing.
    let t = reciprocal(if a > 1e300 { 1e300 } else { a });
    let tail = horner!(
        t,
        -0.000_631_956_971_547_094_4,
        0.001_046_098_560_422_336,
        0.000_055_986_661_021_967_05,
        -0.001_495_708_759_753_339_3,
        0.001_407_961_149_962_610_6,
        -0.000_138_164_243_862_948_82,
        -0.000_572_009_945_170_663_8,
        -2.733_940_836_290_560_8e-6,
        0.000_793_873_765_486_152_5,
        -1.218_594_975_800_932_4e-8,
        -0.002_777_777_359_590_945,
        -7.944_328_032_241_61e-12,
        0.083_333_333_333_394_88
    );
    // Half of log(2 pi), less one half.
    let far = fma(a - 0.5, log - 1.0, fma(t, tail, 0.418_938_533_204_672_7));
    if a >= 3.0 { far } else { near }
}

/// Returns the logarithm of the absolute value of the gamma function.
#[inline(always)]
pub(crate) fn lgamma(x: f64) -> f64 {
    let a = x.abs();
    let log_a = log(a);
    let positive = of_positive(a, log_a);
    // log(pi / (a sin(pi a))), less the logarithm of a's.
    const LOG_PI: f64 = 1.144_729_885_849_400_2;
    let sine = sinpi(a).abs();
    let negative = LOG_PI - log(a * sine) - positive;
    if x >= 0.0 || x.is_nan() {
        positive
    } else if a < 1.0e-17 {
        -log_a
    } else if sine > 0.0 {
        negative
    } else {
        f64::INFINITY
    }
}
