//! Exact values and their single rounding. It is the slow path, which is right for every format
//! and every rounding.
//!
//! IEEE 754-2019, 4.3 and 5.4.1. An operation computes its result as an integer times a power of
//! two. The integer is long enough that lost digits affect only the lowest bit ("sticky"). The
//! result is rounded once to a [`Format`]. This path is used where the host has no instruction:
//! directed f64 arithmetic, 64-bit integers to floats, and the formats of 16 bits and fewer.

use super::Rounding;

/// A binary floating-point format with IEEE's encoding: sign, biased exponent, fraction. The
/// exponent field of subnormals is zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// The bias that is added to an exponent to get its field.
    pub(crate) bias: i32,
    /// The number of bits in the fraction field.
    pub(crate) fraction_bits: u32,
    /// The bits of the largest number. The next bit pattern is infinity, if the format has one.
    pub(crate) largest: u64,
    /// The sign bit.
    pub(crate) sign: u64,
}

/// The format of `f64`.
pub(crate) const F64: Format = Format {
    bias: 1023,
    fraction_bits: 52,
    largest: 0x7fef_ffff_ffff_ffff,
    sign: 1 << 63,
};
/// The format of `f32`. Tests compare it with the other way of rounding to f32.
#[cfg(test)]
pub(crate) const F32: Format = Format {
    bias: 127,
    fraction_bits: 23,
    largest: 0x7f7f_ffff,
    sign: 1 << 31,
};
/// The format of `f16`.
pub(crate) const F16: Format = Format {
    bias: 15,
    fraction_bits: 10,
    largest: 0x7bff,
    sign: 1 << 15,
};
/// The format of `bf16`.
pub(crate) const BF16: Format = Format {
    bias: 127,
    fraction_bits: 7,
    largest: 0x7f7f,
    sign: 1 << 15,
};

/// A finite value: ±significand * 2^exponent. The significand's lowest bit may stand for any
/// bits below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    negative: bool,
    significand: u128,
    exponent: i32,
}

/// The position of the top bit after `normalized`. It is low enough that a sum does not overflow.
const TOP: u32 = 125;

impl Exact {
    /// Converts a finite f64 (an infinity or a NaN gives some large number).
    #[inline]
    pub(crate) fn from_f64(x: f64) -> Exact {
        let bits = x.to_bits();
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let field = (bits >> 52 & 0x7ff) as i32;
        let significand = if field == 0 {
            fraction
        } else {
            fraction | 1 << 52
        };
        Exact {
            negative: x.is_sign_negative(),
            significand,
            exponent: field.max(1) - 1075,
        }
    }

    /// Converts an integer; zero is +0.
    #[inline]
    pub(crate) fn from_int(x: i128) -> Exact {
        Exact {
            negative: x < 0,
            significand: x.unsigned_abs(),
            exponent: 0,
        }
    }

    /// Returns the number with the opposite sign.
    #[cfg(test)]
    #[inline]
    pub(crate) fn negate(self) -> Exact {
        Exact {
            negative: !self.negative,
            ..self
        }
    }

    /// Returns the same value with its top bit at `TOP`. The significand must not be zero, and its
    /// top bit must not be above `TOP`.
    #[inline]
    fn normalized(self) -> Exact {
        let up = self.significand.leading_zeros().saturating_sub(127 - TOP);
        Exact {
            significand: self.significand << up,
            exponent: self.exponent - up as i32,
            ..self
        }
    }

    /// Returns the sum. Operands have at most 106 significant bits. So a sticky bit is never among
    /// the bits that cancel, because bits are only lost when the exponents are so far apart that at
    /// most one bit cancels. The sign of an exact zero depends on the rounding.
    #[inline]
    pub(crate) fn plus(self, other: Exact, rounding: Rounding) -> Exact {
        if self.significand == 0 && other.significand == 0 {
            let negative = if self.negative == other.negative {
                self.negative
            } else {
                rounding == Rounding::Down
            };
            return Exact { negative, ..self };
        }
        if self.significand == 0 {
            return other;
        }
        if other.significand == 0 {
            return self;
        }
        let (a, b) = (self.normalized(), other.normalized());
        let (large, small) = if (a.exponent, a.significand) >= (b.exponent, b.significand) {
            (a, b)
        } else {
            (b, a)
        };
        let aligned = shift_sticky(small.significand, large.exponent.abs_diff(small.exponent));
        if large.negative == small.negative {
            return Exact {
                significand: large.significand + aligned,
                ..large
            };
        }
        let significand = large.significand - aligned;
        let negative = if significand == 0 {
            rounding == Rounding::Down
        } else {
            large.negative
        };
        Exact {
            negative,
            significand,
            ..large
        }
    }

    /// Returns the product of two values of at most 64 significant bits.
    #[inline]
    pub(crate) fn times(self, other: Exact) -> Exact {
        Exact {
            negative: self.negative != other.negative,
            significand: self.significand.wrapping_mul(other.significand),
            exponent: self.exponent + other.exponent,
        }
    }

    /// Returns the quotient, with at least 60 bits, for operands of at most 64 bits and a divisor
    /// that is not zero (a zero divisor gives zero).
    #[inline]
    pub(crate) fn over(self, other: Exact) -> Exact {
        let negative = self.negative != other.negative;
        if self.significand == 0 || other.significand == 0 {
            return Exact {
                negative,
                significand: 0,
                exponent: 0,
            };
        }
        let a = self.normalized();
        let quotient = a.significand / other.significand;
        let sticky = u128::from(quotient * other.significand != a.significand);
        Exact {
            negative,
            significand: quotient | sticky,
            exponent: a.exponent - other.exponent,
        }
    }

    /// Returns the square root of the magnitude, with at least 60 bits. The sign stays (the root of
    /// -0 is -0).
    #[inline]
    pub(crate) fn root(self) -> Exact {
        if self.significand == 0 {
            return self;
        }
        let a = self.normalized();
        let (significand, exponent) = if a.exponent % 2 == 0 {
            (a.significand, a.exponent)
        } else {
            (a.significand << 1, a.exponent - 1)
        };
        let root = significand.isqrt();
        let sticky = u128::from(root * root != significand);
        Exact {
            significand: root | sticky,
            exponent: exponent / 2,
            ..self
        }
    }

    /// Returns the bits of the value, rounded once to `format`. Above the largest number, the
    /// result is an infinity or the largest number, depending on the rounding.
    #[inline]
    pub(crate) fn round(self, format: Format, rounding: Rounding) -> u64 {
        let away = match rounding {
            Rounding::Nearest | Rounding::Zero => false,
            Rounding::Down => self.negative,
            Rounding::Up => !self.negative,
        };
        let to_infinity = rounding == Rounding::Nearest || away;
        self.round_by(format, to_infinity, |cut| {
            if rounding == Rounding::Nearest {
                let half = 1u128.checked_shl(cut.digits - 1).unwrap_or(u128::MAX);
                cut.rest > half || (cut.rest == half && cut.odd)
            } else {
                away && cut.rest != 0
            }
        })
    }

    /// Returns the bits of the value in `format`. It is rounded away from zero with a probability
    /// that is proportional to the distance: it is rounded up if the digits that are cut off plus
    /// `random` carry. `random` has `bits` bits, aligned with the top of these digits. Overflow
    /// is an infinity.
    #[inline]
    pub(crate) fn round_randomly(self, format: Format, random: u32, bits: u32) -> u64 {
        self.round_by(format, true, |cut| {
            let random = u128::from(random);
            match cut.digits.checked_sub(bits) {
                Some(up) => cut.digits < 128 && (cut.rest + (random << up)) >> cut.digits != 0,
                None => (cut.rest + (random >> (bits - cut.digits))) >> cut.digits != 0,
            }
        })
    }

    /// Returns the bits of the value in `format`. `up` returns, for the digits that are cut off,
    /// whether the digits that are kept are incremented.
    #[inline]
    fn round_by(self, format: Format, to_infinity: bool, up: impl Fn(Cut) -> bool) -> u64 {
        let sign = if self.negative { format.sign } else { 0 };
        if self.significand == 0 {
            return sign;
        }
        let fraction_bits = format.fraction_bits as i32;
        // The exponents of the value's top bit, and of the last digit in the format.
        let top = 127 - self.significand.leading_zeros() as i32 + self.exponent;
        let least = 1 - format.bias;
        let last = top.max(least) - fraction_bits;
        let kept = match last - self.exponent {
            exact @ ..=0 => self.significand << -exact,
            digits => {
                let digits = digits as u32;
                let kept = self.significand.checked_shr(digits).unwrap_or(0);
                let rest = match digits {
                    ..128 => self.significand & ((1 << digits) - 1),
                    _ => self.significand,
                };
                let odd = kept & 1 == 1;
                kept + u128::from(up(Cut { digits, rest, odd }))
            }
        };
        // The significand's leading one is added to the exponent field, and so is a
        // carry from rounding.
        let field = (top.max(least) + format.bias - 1) as u64;
        let bits = (field << fraction_bits).saturating_add(kept as u64);
        sign | bits.min(format.largest + u64::from(to_infinity))
    }
}

/// The digits that a rounding cuts off.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// The number of binary digits, at least one.
    digits: u32,
    /// The value of the digits that are cut off.
    rest: u128,
    /// Whether the last digit that is kept is one.
    odd: bool,
}

/// Returns `x` shifted right. The lowest bit is set if any bit was lost.
#[inline]
fn shift_sticky(x: u128, amount: u32) -> u128 {
    match amount {
        0 => x,
        1..=127 => (x >> amount) | u128::from(x & ((1 << amount) - 1) != 0),
        _ => u128::from(x != 0),
    }
}
