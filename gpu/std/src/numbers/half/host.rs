//! Arithmetic of 16-bit floats on the host, with the crate `half`. It computes in `f32`, which
//! has so much more precision that a second rounding changes nothing. A multiply-add also has to
//! keep whether bits were cut off before the last rounding. Rounding to odd keeps that. S. Boldo,
//! G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding
//! to odd", 2008.

/// Returns the sum, with the last bit of its `f32` set if it is not exact. If this is rounded to
/// fewer bits, the result is that of the exact sum.
fn sum_to_odd(a: f64, b: f64) -> f32 {
    let sum = a + b;
    // The error of the rounded sum (Knuth's two-sum).
    let of_b = sum - a;
    let lost = (a - (sum - of_b)) + (b - of_b);
    let sum = if lost == 0.0 || !sum.is_finite() || sum.to_bits() & 1 == 1 {
        sum
    } else if (lost > 0.0) == (sum > 0.0) {
        f64::from_bits(sum.to_bits() + 1)
    } else {
        f64::from_bits(sum.to_bits() - 1)
    };
    let short = sum as f32;
    if f64::from(short) == sum || !short.is_finite() || short.to_bits() & 1 == 1 {
        short
    } else if (sum > f64::from(short))
        == (short > 0.0 || (short == 0.0 && short.is_sign_positive()))
    {
        f32::from_bits(short.to_bits() + 1)
    } else {
        f32::from_bits(short.to_bits() - 1)
    }
}

macro_rules! operations {
    ($($name:ident)*) => {
        $(
            pub(super) mod $name {
                use ::half::$name as Float;

                pub(crate) fn from_f32(value: f32) -> u16 {
                    Float::from_f32(value).to_bits()
                }

                pub(crate) fn to_f32(bits: u16) -> f32 {
                    Float::from_bits(bits).to_f32()
                }

                pub(crate) fn mul_add(a: u16, b: u16, c: u16) -> u16 {
                    let [a, b, c] = [a, b, c].map(to_f32).map(f64::from);
                    from_f32(super::sum_to_odd(a * b, c))
                }

                operations! { @binary add +, sub -, mul *, div / }
            }
        )*
    };
    (@binary $($name:ident $operator:tt),*) => {
        $(
            pub(crate) fn $name(a: u16, b: u16) -> u16 {
                from_f32(to_f32(a) $operator to_f32(b))
            }
        )*
    };
}

operations! { f16 bf16 }

#[cfg(test)]
mod tests {
    use super::{bf16, f16};

    /// A product half way between two floats, and what decides: so little that an `f64`
    /// cannot hold both.
    #[test]
    fn the_least_addend_decides_a_tie() {
        let of = bf16::from_f32;
        let (a, b, little) = (of(1.0078125), of(1.5), of(1e-30));
        let tie = 1.0078125f32 * 1.5;
        assert_eq!(
            bf16::to_f32(bf16::mul_add(a, b, 0)),
            1.515625,
            "{tie} to even"
        );
        assert_eq!(bf16::to_f32(bf16::mul_add(a, b, little)), 1.515625);
        let down = bf16::mul_add(a, b, little | 0x8000);
        assert_eq!(bf16::to_f32(down), 1.5078125);
    }

    #[test]
    fn what_is_too_large_is_infinite_and_what_is_too_small_is_zero() {
        let (large, small) = (f16::from_f32(60000.0), f16::from_f32(6e-8));
        assert_eq!(f16::to_f32(f16::mul_add(large, large, 0)), f32::INFINITY);
        assert_eq!(f16::to_f32(f16::mul_add(small, small, 0x8000)), 0.0);
        assert_eq!(f16::mul_add(large, f16::from_f32(0.0), small), small);
    }
}
