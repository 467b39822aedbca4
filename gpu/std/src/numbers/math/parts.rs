//! The parts of a float: exponent, fraction, neighbours, and the remainder of a division. All of
//! these functions are exact.

/// Defines the functions for a type with this number of stored bits of the significand.
macro_rules! parts {
    ($module:ident: $float:ident, $bits:ident, $stored:expr) => {
        pub(super) mod $module {
            const STORED: u32 = $stored;
            const BIAS: i32 = $float::MAX_EXP - 1;
            const EXPONENT: $bits = (2 * BIAS + 1) as $bits;

            /// Returns 2 to the power of an exponent that a normal number has.
            #[inline(always)]
            fn power(n: i32) -> $float {
                $float::from_bits(((n + BIAS) as $bits) << STORED)
            }

            #[inline]
            pub(in super::super) fn ldexp(x: $float, n: i32) -> $float {
                let (mut x, mut n) = (x, n);
                // A step down leaves the last multiplication to round what is denormal: what a step
                // itself rounds becomes zero after it.
                for _ in 0..2 {
                    let step = if n < -BIAS + 1 {
                        -BIAS + 1 + (STORED as i32 + 1)
                    } else if n > BIAS {
                        BIAS
                    } else {
                        0
                    };
                    x *= power(step);
                    n -= step;
                }
                x * power(n.clamp(-BIAS + 1, BIAS))
            }

            #[inline]
            pub(in super::super) fn frexp(x: $float) -> ($float, i32) {
                let is_denormal = x.abs() < $float::MIN_POSITIVE;
                let normal = if is_denormal {
                    x * power(STORED as i32 + 2)
                } else {
                    x
                };
                if x == 0.0 || !x.is_finite() {
                    return (x, 0);
                }
                let lifted = if is_denormal { STORED as i32 + 2 } else { 0 };
                let field = normal.to_bits() >> STORED & EXPONENT;
                // One half has the exponent -1.
                let half = ((BIAS - 1) as $bits) << STORED;
                let bits = normal.to_bits() & !(EXPONENT << STORED) | half;
                ($float::from_bits(bits), field as i32 - BIAS + 1 - lifted)
            }

            #[inline]
            pub(in super::super) fn ilogb(x: $float) -> i32 {
                if x == 0.0 || x.is_nan() {
                    i32::MIN
                } else if x.is_infinite() {
                    i32::MAX
                } else {
                    frexp(x).1 - 1
                }
            }

            #[inline]
            pub(in super::super) fn logb(x: $float) -> $float {
                if x == 0.0 {
                    $float::NEG_INFINITY
                } else if x.is_finite() {
                    (frexp(x).1 - 1) as $float
                } else {
                    x.abs()
                }
            }

            #[inline]
            pub(in super::super) fn next_after(x: $float, to: $float) -> $float {
                if to > x {
                    x.next_up()
                } else if to < x {
                    x.next_down()
                } else if x == to {
                    to
                } else {
                    x + to
                }
            }

            #[inline]
            pub(in super::super) fn fdim(x: $float, y: $float) -> $float {
                if x <= y { 0.0 } else { x - y }
            }

            #[inline]
            pub(in super::super) fn remquo(x: $float, y: $float) -> ($float, i32) {
                let (mut rest, divisor) = (x.abs(), y.abs());
                let mut quotient = 0;
                // If eight times the divisor is no number, the quotient is below eight.
                if 8.0 * divisor < $float::INFINITY {
                    rest %= 8.0 * divisor;
                }
                for part in [4, 2, 1] {
                    let product = part as $float * divisor;
                    if rest >= product {
                        rest -= product;
                        quotient += part;
                    }
                }
                let other = divisor - rest;
                if rest > other || rest == other && quotient % 2 != 0 {
                    rest = -other;
                    quotient += 1;
                }
                let quotient = quotient & 7;
                let is_negative = (x < 0.0) != (y < 0.0);
                if !x.is_finite() || divisor == 0.0 || y.is_nan() {
                    return ($float::NAN, 0);
                }
                // A zero has the sign of the dividend.
                let rest = if x.is_sign_negative() { -rest } else { rest };
                (rest, if is_negative { -quotient } else { quotient })
            }

            #[inline]
            pub(in super::super) fn modf(x: $float, whole: $float) -> ($float, $float) {
                let fraction = if x.is_infinite() { 0.0 } else { x - whole };
                (fraction.copysign(x), whole)
            }
        }
    };
}

parts!(single: f32, u32, 23);
parts!(double: f64, u64, 52);
