//! Floats of 8 bits: [`E4m3`] and [`E5m2`], named after their bits of exponent and mantissa.
//!
//! Tensor cores multiply them ([`matrix`](crate::matrix)); for arithmetic they are converted. A
//! number that is too large becomes the largest one, as with `cvt.rn.satfinite`. Open Compute
//! Project, "8-bit Floating Point Specification"; PTX ISA, "Alternate Floating-Point Data Formats".

use core::fmt;

use crate::kernel::Value;

/// The bits of a format.
struct Format {
    mantissa: u32,
    bias: i32,
    /// The largest number.
    most: u8,
    /// Whether there are infinities, and not only one NaN of each sign.
    has_infinities: bool,
}

const E4M3: Format = Format {
    mantissa: 3,
    bias: 7,
    most: 0x7e,
    has_infinities: false,
};
const E5M2: Format = Format {
    mantissa: 2,
    bias: 15,
    most: 0x7b,
    has_infinities: true,
};

/// Returns 2 to the power of `exponent`, from -126 to 127.
const fn power(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

impl Format {
    /// Returns the float with these bits.
    #[inline]
    fn widen(&self, bits: u8) -> f32 {
        let (sign, magnitude) = (u32::from(bits & 0x80) << 24, u32::from(bits & 0x7f));
        let (exponent, fraction) = (
            magnitude >> self.mantissa,
            magnitude & ((1 << self.mantissa) - 1),
        );
        let value = if magnitude > u32::from(self.most) {
            if self.has_infinities && fraction == 0 {
                f32::INFINITY
            } else {
                f32::NAN
            }
        } else {
            // A number without an exponent has the least one, and no leading one.
            let leading = if exponent == 0 { 0 } else { 1 << self.mantissa };
            let unit = exponent.max(1).cast_signed() - self.bias - self.mantissa.cast_signed();
            (leading + fraction) as f32 * power(unit)
        };
        f32::from_bits(value.to_bits() | sign)
    }

    /// Returns the bits of the nearest float, with ties to even.
    #[inline]
    fn round(&self, value: f32) -> u8 {
        if value.is_nan() {
            return 0x7f;
        }
        let sign = (value.to_bits() >> 24) as u8 & 0x80;
        let magnitude = value.abs();
        if magnitude >= self.widen(self.most) {
            return sign | self.most;
        }
        let exponent = ((magnitude.to_bits() >> 23).cast_signed() - 127).max(1 - self.bias);
        let units = magnitude * power(self.mantissa.cast_signed() - exponent);
        // Among numbers from 2^23 on, the neighbours are whole: the sum is rounded to one.
        let units = (units + 8_388_608.0) - 8_388_608.0;
        let above_least = (exponent + self.bias - 1).cast_unsigned() << self.mantissa;
        sign | (above_least + units as u32) as u8
    }
}

macro_rules! floats {
    ($($(#[$doc:meta])* $name:ident = $format:ident, $instruction:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Default)]
        #[repr(transparent)]
        pub struct $name(u8);

        impl $name {
            /// Makes the float with these bits.
            #[inline(always)]
            #[must_use]
            pub const fn from_bits(bits: u8) -> Self {
                $name(bits)
            }

            /// Returns the bits that represent the float.
            #[inline(always)]
            #[must_use]
            pub const fn to_bits(self) -> u8 {
                self.0
            }

            /// Returns the nearest float, with ties to even: the largest one, if the number is too
            /// large.
            #[inline]
            #[must_use]
            pub fn from_f32(value: f32) -> Self {
                $name($format.round(value))
            }

            /// Rounds two numbers, in one instruction from `sm_89` on.
            #[inline(always)]
            #[must_use]
            pub fn pair_from_f32([low, high]: [f32; 2]) -> [Self; 2] {
                #[cfg(target_arch = "nvptx64")]
                if crate::target::is_at_least(89) {
                    let bits: u16;
                    // SAFETY: the instruction reads and writes registers only.
                    unsafe {
                        core::arch::asm!(
                            concat!($instruction, " {d}, {high}, {low};"),
                            d = lateout(reg16) bits, high = in(reg32) high, low = in(reg32) low,
                            options(pure, nomem, nostack, preserves_flags),
                        );
                    }
                    return bits.to_le_bytes().map($name);
                }
                [low, high].map(Self::from_f32)
            }

            /// Returns the same number as an `f32`.
            #[inline]
            #[must_use]
            pub fn to_f32(self) -> f32 {
                $format.widen(self.0)
            }
        }

        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                self.to_f32() == other.to_f32()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.to_f32(), out)
            }
        }

        // SAFETY: the type is an 8-bit number.
        unsafe impl Value for $name {
            const LAYOUT: u64 = crate::kernel::layout::named(stringify!($name));
        }
        crate::kernel::plain_numbers! { $name }
    )*};
}

floats! {
    /// A float with 4 bits of exponent and 3 of mantissa, up to 448, without infinities.
    ///
    /// ```
    /// use lanewise_std::float8::E4m3;
    ///
    /// assert_eq!([1.1, 1e9].map(|x| E4m3::from_f32(x).to_f32()), [1.125, 448.0]);
    /// ```
    #[doc(alias = "__nv_fp8_e4m3")]
    E4m3 = E4M3, "cvt.rn.satfinite.e4m3x2.f32";
    /// A float with 5 bits of exponent and 2 of mantissa, up to 57,344.
    ///
    /// ```
    /// use lanewise_std::float8::E5m2;
    ///
    /// assert_eq!([1.1, 1e9].map(|x| E5m2::from_f32(x).to_f32()), [1.0, 57_344.0]);
    /// ```
    #[doc(alias = "__nv_fp8_e5m2")]
    E5m2 = E5M2, "cvt.rn.satfinite.e5m2x2.f32";
}

#[cfg(test)]
mod tests {
    use super::{E4m3, E5m2};

    /// Compares the rounding of all numbers and of those halfway between with the order of the
    /// formats, in which the bits of neighbours differ by one.
    macro_rules! neighbours {
        ($ty:ident, $most:literal) => {
            for bits in 0..$most {
                let [low, high] = [bits, bits + 1].map(|bits| $ty::from_bits(bits).to_f32());
                let middle = (low + high) / 2.0;
                let rounded = |value: f32| $ty::from_f32(value).to_bits();
                assert_eq!([rounded(low), rounded(high)], [bits, bits + 1]);
                assert_eq!(rounded(middle), bits + bits % 2, "{low}, {high}");
                assert_eq!(rounded(-middle), 0x80 | (bits + bits % 2));
                assert_eq!(rounded(middle.next_up()), bits + 1);
                assert_eq!(rounded(middle.next_down()), bits);
            }
            assert_eq!($ty::from_f32(f32::INFINITY).to_bits(), $most);
            assert!($ty::from_f32(f32::NAN).to_f32().is_nan());
        };
    }

    #[test]
    fn each_number_rounds_to_its_nearest() {
        neighbours!(E4m3, 0x7e);
        neighbours!(E5m2, 0x7b);
        assert_eq!(
            [0x7e, 0x08, 0x01].map(|bits| E4m3::from_bits(bits).to_f32()),
            [448.0, 0.015_625, 0.001_953_125]
        );
        assert_eq!(
            [0x7b, 0x3c, 0x01].map(|bits| E5m2::from_bits(bits).to_f32()),
            [57_344.0, 1.0, 1.525_878_9e-5]
        );
        assert_eq!(E5m2::from_bits(0xfc).to_f32(), f32::NEG_INFINITY);
    }
}
