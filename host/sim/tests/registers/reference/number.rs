//! Floats by their bits: formats, values, distances.

use lanewise_sim::ptx::ast::Type;

/// A format of sign, exponent and fraction.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub exponent_bits: u32,
    pub fraction_bits: u32,
}

/// Returns the format of a type whose infinities and NaNs are those of IEEE 754.
pub fn format(ty: Type) -> Option<Format> {
    let (exponent_bits, fraction_bits) = match ty {
        Type::F16 => (5, 10),
        Type::Bf16 => (8, 7),
        Type::F32 | Type::Tf32 => (8, 23),
        Type::F64 => (11, 52),
        _ => return None,
    };
    Some(Format {
        exponent_bits,
        fraction_bits,
    })
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn field(self, bits: u128) -> u128 {
        bits >> self.fraction_bits & ((1 << self.exponent_bits) - 1)
    }

    /// The least positive normal number.
    pub fn least_normal(self) -> f64 {
        power(1 - self.bias())
    }

    /// Returns the distance from a value to the next number of a type.
    pub fn unit(self, x: f64) -> f64 {
        let exponent = if x == 0.0 { i32::MIN } else { exponent(x) };
        power(exponent.max(1 - self.bias()) - self.fraction_bits as i32)
    }

    /// The largest number.
    pub fn largest(self) -> f64 {
        power(self.bias()) * (2.0 - power(-(self.fraction_bits as i32)))
    }
}

/// The exponent of a number's first digit.
fn exponent(x: f64) -> i32 {
    let bits = x.abs().to_bits();
    if bits < 1 << 52 {
        -1011 - bits.leading_zeros() as i32
    } else {
        (bits >> 52) as i32 - 1023
    }
}

/// A power of two, which may be subnormal.
pub fn power(exponent: i32) -> f64 {
    match exponent {
        ..-1074 => 0.0,
        -1074..-1022 => f64::from_bits(1 << (exponent + 1074)),
        -1022..1024 => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::INFINITY,
    }
}

/// Returns the exact value of some bits as this type.
pub fn value(ty: Type, bits: u128) -> f64 {
    let Some(format) = format(ty) else {
        panic!("no float: {ty:?}")
    };
    if ty == Type::F64 {
        return f64::from_bits(bits as u64);
    }
    let fraction = bits & ((1 << format.fraction_bits) - 1);
    let negative = bits >> (format.exponent_bits + format.fraction_bits) & 1 == 1;
    let field = format.field(bits) as i32;
    let magnitude = if field == (1 << format.exponent_bits) - 1 {
        if fraction == 0 {
            f64::INFINITY
        } else {
            f64::NAN
        }
    } else {
        let significand = fraction | u128::from(field > 0) << format.fraction_bits;
        significand as f64 * power(field.max(1) - format.bias() - format.fraction_bits as i32)
    };
    if negative { -magnitude } else { magnitude }
}

/// Turns subnormals into the zero of the same sign.
pub fn flush(ty: Type, bits: u128) -> u128 {
    let Some(format) = format(ty) else {
        panic!("no float: {ty:?}")
    };
    let sign = 1 << (format.exponent_bits + format.fraction_bits);
    if format.field(bits) == 0 {
        bits & sign
    } else {
        bits
    }
}

/// The one NaN of a type.
pub fn nan(ty: Type) -> u128 {
    match ty {
        Type::F16 | Type::Bf16 => 0x7fff,
        Type::F64 => 0xfff8_0000_0000_0000,
        _ => 0x7fff_ffff,
    }
}

/// Returns the NaN of an f64 operation: the first operand that is a NaN, in the GPU's order, made
/// quiet. Otherwise the NaN of an invalid operation.
pub fn nan_of(operands: impl IntoIterator<Item = u128>) -> u128 {
    let mut operands = operands.into_iter();
    let first = operands.find(|&x| f64::from_bits(x as u64).is_nan());
    first.map_or(nan(Type::F64), |x| x | 1 << 51)
}

/// Returns whether bits are a number within some distance of a value.
pub fn is_near(ty: Type, bits: u128, expected: f64, distance: f64) -> bool {
    let (Some(format), result) = (format(ty), value(ty, bits)) else {
        return false;
    };
    if expected.is_nan() {
        return bits == nan(ty);
    }
    if result == expected || (result - expected).abs() <= distance {
        return true;
    }
    // Overflow within the bound, and what is flushed to zero.
    result.is_infinite()
        && expected.abs() + distance >= format.largest()
        && result.signum() == expected.signum()
        || result == 0.0 && expected.abs() - distance < format.least_normal()
}
