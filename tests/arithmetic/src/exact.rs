//! The result of an operation when the exact value is rounded as the operation's name says.
//!
//! Sums, products, quotients and fused operations use `rustc_apfloat`, LLVM's software floats.
//! Square roots use integers: the root of a significand shifted left, with a bit for a remainder
//! that is not zero.

use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, Round};

/// A type that both Rust and `rustc_apfloat` have.
pub trait Exact: Copy {
    /// The software type.
    type Soft: Float;
    /// Bits of the significand, the hidden one included.
    const PRECISION: u32;

    /// Converts to a software float.
    fn soft(self) -> Self::Soft;
    /// Converts from a software float.
    fn hard(soft: Self::Soft) -> Self;
    /// Converts to `f64`, which holds every value of the type.
    fn wide(self) -> f64;
}

macro_rules! exact {
    ($ty:ident, $bits:ident, $soft:ident) => {
        impl Exact for $ty {
            type Soft = $soft;
            const PRECISION: u32 = $ty::MANTISSA_DIGITS;

            fn soft(self) -> $soft {
                $soft::from_bits(self.to_bits().into())
            }

            fn hard(soft: $soft) -> $ty {
                $ty::from_bits(soft.to_bits() as $bits)
            }

            fn wide(self) -> f64 {
                self.into()
            }
        }
    };
}

exact!(f32, u32, Single);
exact!(f64, u64, Double);

/// Returns the rounding that is the end of a name.
fn rounding(suffix: &str) -> Option<Round> {
    Some(match suffix {
        "rn" => Round::NearestTiesToEven,
        "rz" => Round::TowardZero,
        "ru" => Round::TowardPositive,
        "rd" => Round::TowardNegative,
        _ => return None,
    })
}

/// Returns the value of operation `name`, such as `fma_ru`, or `None` if it does not exist.
pub fn value<T: Exact>(name: &str, [a, b, c]: [T; 3]) -> Option<T> {
    let (operation, suffix) = name.split_once('_')?;
    let round = rounding(suffix)?;
    let (x, y, z) = (a.soft(), b.soft(), c.soft());
    Some(T::hard(match operation {
        "add" => x.add_r(y, round).value,
        "sub" => x.sub_r(y, round).value,
        "mul" => x.mul_r(y, round).value,
        "div" => x.div_r(y, round).value,
        "fma" => x.mul_add_r(y, z, round).value,
        "rcp" => T::Soft::from_u128(1).value.div_r(x, round).value,
        "sqrt" => root(a, round),
        _ => return None,
    }))
}

/// A square root.
fn root<T: Exact>(a: T, round: Round) -> T::Soft {
    let x = a.soft();
    if x.is_zero() || x.is_nan() || (x.is_infinite() && !x.is_negative()) {
        return x;
    }
    if x.is_negative() {
        return T::Soft::NAN;
    }
    // a = significand * 2^exponent, with an even exponent and as many bits as a root with a
    // spare one takes.
    let exponent = x.ilogb() - 2 * T::PRECISION as i32 - 1;
    let exponent = exponent - exponent.rem_euclid(2);
    let significand = x.scalbn(-exponent).to_u128(128).value;
    let floor = significand.isqrt();
    let sticky = u128::from(floor * floor != significand);
    let rounded = T::Soft::from_u128_r(floor << 1 | sticky, round).value;
    rounded.scalbn(exponent / 2 - 1)
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn roots_lie_on_the_side_that_they_are_rounded_to() {
        let root = |name, a: f64| value(name, [a, 0.0, 0.0]).expect("it is an operation");
        for a in [2.0, 3.0, 1e300, 1.5e-323, 0.1] {
            let (down, up) = (root("sqrt_rd", a), root("sqrt_ru", a));
            assert_eq!(up.to_bits(), down.to_bits() + 1, "{a}");
            assert!(
                down.mul_add(down, -a) <= 0.0 && up.mul_add(up, -a) >= 0.0,
                "{a}"
            );
            assert_eq!(root("sqrt_rn", a), a.sqrt());
            assert_eq!(root("sqrt_rz", a), down);
        }
        for mode in ["sqrt_rn", "sqrt_ru", "sqrt_rd", "sqrt_rz"] {
            assert_eq!(root(mode, 9.0), 3.0);
            assert_eq!(value(mode, [1.44f32, 0.0, 0.0]).map(f32::round), Some(1.0));
        }
    }

    #[test]
    fn the_host_agrees_where_it_can() {
        let of = |name, a: f32, b: f32, c: f32| value(name, [a, b, c]).expect("an operation");
        assert_eq!(of("add_rn", 0.1, 0.2, 0.0), 0.1 + 0.2);
        assert_eq!(of("div_rn", 1.0, 3.0, 0.0), 1.0 / 3.0);
        assert_eq!(of("rcp_rn", 3.0, 0.0, 0.0), 1.0 / 3.0);
        assert_eq!(of("fma_rn", 0.1, 0.2, -0.02), 0.1f32.mul_add(0.2, -0.02));
        assert!(of("mul_ru", 0.1, 0.2, 0.0) >= of("mul_rd", 0.1, 0.2, 0.0));
    }
}
