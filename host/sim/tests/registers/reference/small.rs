//! Formats of 8 bits and fewer, and tf32, by a search of neighbouring values: PTX ISA
//! 5.2.3 and 9.7.9.

use lanewise_sim::ptx::ast::Type;

use super::number::power;

/// A format with this many bits of exponent and fraction, without infinities; `numbers` of its
/// magnitudes are numbers.
#[derive(Clone, Copy, Debug)]
pub struct Tiny {
    exponent_bits: u32,
    fraction_bits: u32,
    numbers: u32,
    nan: u128,
}

impl Tiny {
    /// The format of the elements of a packed type.
    pub fn of(ty: Type) -> Option<Tiny> {
        use Type::*;
        let (exponent_bits, fraction_bits, numbers, nan) = match ty {
            E4m3x2 | E4m3x4 => (4, 3, 0x7f, 0x7f),
            E5m2x2 | E5m2x4 => (5, 2, 0x7c, 0x7f),
            E2m3x2 | E2m3x4 => (2, 3, 0x20, 0x1f),
            E3m2x2 | E3m2x4 => (3, 2, 0x20, 0x1f),
            E2m1x2 | E2m1x4 => (2, 1, 0x08, 0x07),
            _ => return None,
        };
        Some(Tiny {
            exponent_bits,
            fraction_bits,
            numbers,
            nan,
        })
    }

    /// Bits in memory, of each element.
    pub fn stride(self) -> u32 {
        if self.numbers == 8 { 4 } else { 8 }
    }

    fn sign(self) -> u128 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// The value of a magnitude.
    fn magnitude(self, bits: u32) -> f64 {
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        let (field, fraction) = (bits >> self.fraction_bits, bits % (1 << self.fraction_bits));
        let significand = if field == 0 {
            fraction
        } else {
            fraction + (1 << self.fraction_bits)
        };
        f64::from(significand) * power(field.max(1) as i32 - bias - self.fraction_bits as i32)
    }

    /// Returns the value of some bits, also for NaN and the infinities of e5m2.
    pub fn value(self, bits: u128) -> f64 {
        let magnitude = (bits & (self.sign() - 1)) as u32;
        let value = if magnitude < self.numbers {
            self.magnitude(magnitude)
        } else if magnitude == 0x7c && self.exponent_bits == 5 {
            f64::INFINITY
        } else {
            f64::NAN
        };
        if bits & self.sign() != 0 {
            -value
        } else {
            value
        }
    }

    /// Returns the number that a value is rounded to. `up` gets the fractional position before the
    /// next magnitude, and the lower magnitude; it returns whether to take the next one.
    pub fn narrow(self, x: f64, up: impl Fn(f64, u32) -> bool) -> u128 {
        if x.is_nan() {
            return self.nan;
        }
        let largest = self.numbers - 1;
        let below = (0..self.numbers)
            .rev()
            .find(|&bits| self.magnitude(bits) <= x.abs())
            .unwrap_or(0);
        let bits = if below == largest {
            largest
        } else {
            let (low, high) = (self.magnitude(below), self.magnitude(below + 1));
            below + u32::from(up((x.abs() - low) / (high - low), below))
        };
        u128::from(bits) | if x.is_sign_negative() { self.sign() } else { 0 }
    }
}

/// Rounds to the nearest, ties to even.
pub fn nearest(way: f64, below: u32) -> bool {
    way > 0.5 || way == 0.5 && below % 2 == 1
}

/// tf32: rounds to an f32 whose last 13 bits are zero; `up` as for [`Tiny::narrow`].
pub fn tf32(x: u32, up: impl Fn(f64, u32) -> bool) -> u32 {
    let value = f32::from_bits(x);
    if !value.is_finite() {
        return x;
    }
    let below = x & !0x1fff;
    let way = f64::from(x & 0x1fff) / f64::from(0x2000);
    if up(way, below >> 13) {
        below + 0x2000
    } else {
        below
    }
}
