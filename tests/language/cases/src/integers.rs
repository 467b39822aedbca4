//! Integers of every width, 128 bits included: what each operation gives, at the edges too.

macro_rules! widths {
    ($($kernel:ident: $ty:ident, $unsigned:ident;)*) => {$(
        /// The cases of one type.
        pub mod $ty {
            use core::fmt::Write;

            use crate::buffer::Text;
            use crate::{Out, Random};

            type T = $ty;

            crate::case::subject! {
                /// Operations of one integer type.
                $kernel: wrapping, checked, saturating, overflowing, division, bits, powers, logarithms, conversions, bytes,
                order, text
            }

            fn wrapping(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                let shift = random.u32();
                out.put(a.wrapping_add(b));
                out.put(a.wrapping_sub(b));
                out.put(a.wrapping_mul(b));
                out.put(a.wrapping_neg());
                out.put(a.wrapping_shl(shift));
                out.put(a.wrapping_shr(shift));
            }

            fn checked(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                let shift = random.u32() % (2 * T::BITS);
                out.put(a.checked_add(b));
                out.put(a.checked_sub(b));
                out.put(a.checked_mul(b));
                out.put(a.checked_div(b));
                out.put(a.checked_rem(b));
                out.put(a.checked_neg());
                out.put(a.checked_shl(shift));
                out.put(a.checked_shr(shift));
            }

            fn saturating(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put(a.saturating_add(b));
                out.put(a.saturating_sub(b));
                out.put(a.saturating_mul(b));
                out.put(a.saturating_pow(random.u32() % 9));
            }

            fn overflowing(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put(a.overflowing_add(b));
                out.put(a.overflowing_sub(b));
                out.put(a.overflowing_mul(b));
                out.put(a.overflowing_neg());
                out.put(a.overflowing_shl(random.u32()));
            }

            fn division(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put(a.checked_div_euclid(b));
                out.put(a.checked_rem_euclid(b));
                if b != 0 {
                    out.put(a.wrapping_div(b));
                    out.put(a.wrapping_rem(b));
                }
                // By constants: no division is left.
                out.put(a / 3);
                out.put(a % 10);
                out.put(a / 64);
            }

            fn bits(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put([a.count_ones(), a.count_zeros(), a.leading_zeros(), a.trailing_zeros()]);
                out.put([a.leading_ones(), a.trailing_ones()]);
                out.put([a.swap_bytes(), a.reverse_bits(), a.rotate_left(random.u32()), a.rotate_right(random.u32())]);
                out.put([a & b, a | b, a ^ b, !a]);
            }

            fn powers(random: &mut Random, out: &mut Out<'_>) {
                let (a, exponent) = (random.$ty(), random.u32() % 13);
                out.put(a.checked_pow(exponent));
                out.put(a.wrapping_pow(exponent));
                out.put(a.overflowing_pow(exponent));
                out.put(a.wrapping_mul(a).wrapping_add(1));
            }

            fn logarithms(random: &mut Random, out: &mut Out<'_>) {
                let (a, b) = (random.$ty(), random.$ty());
                out.put(a.checked_ilog2());
                out.put(a.checked_ilog10());
                out.put(a.checked_ilog(b));
                let positive = a as $unsigned;
                out.put(positive.isqrt());
                out.put(positive.is_power_of_two());
                out.put(positive.checked_next_power_of_two());
            }

            fn conversions(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                out.put([a as u8, a as i8 as u8]);
                out.put((a as i16, a as u32, a as i64, a as u128));
                out.put((u8::try_from(a).ok(), i16::try_from(a).ok(), u32::try_from(a).ok(), i64::try_from(a).ok()));
                out.put((u128::try_from(a).ok(), usize::try_from(a).ok()));
                out.put((a as f32, a as f64));
            }

            fn bytes(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                let mut bytes = a.to_be_bytes();
                out.put(&bytes[..]);
                bytes.reverse();
                out.put(T::from_le_bytes(bytes) == a);
                bytes[0] ^= 0x5a;
                out.put(T::from_ne_bytes(bytes));
            }

            fn order(random: &mut Random, out: &mut Out<'_>) {
                let (a, b, c) = (random.$ty(), random.$ty(), random.$ty());
                out.put(a.cmp(&b));
                out.put([a.min(b), a.max(b), a.clamp(b.min(c), b.max(c))]);
                out.put(a.abs_diff(b));
                out.put([a < b, a <= b, a == b, a != b]);
            }

            fn text(random: &mut Random, out: &mut Out<'_>) {
                let a = random.$ty();
                let mut text = Text::<160>::new();
                let _ = write!(text, "{a}");
                out.put(text.as_str());
                out.put(text.as_str().parse::<T>().ok());
                text.clear();
                let _ = write!(text, "{a:#x} {a:b}");
                out.put(text.as_str());
                out.put(T::from_str_radix("-7f", 16).ok());
            }
        }
    )*};
}

widths! {
    integers_u8: u8, u8;
    integers_u16: u16, u16;
    integers_u32: u32, u32;
    integers_u64: u64, u64;
    integers_u128: u128, u128;
    integers_usize: usize, usize;
    integers_i8: i8, u8;
    integers_i16: i16, u16;
    integers_i32: i32, u32;
    integers_i64: i64, u64;
    integers_i128: i128, u128;
    integers_isize: isize, usize;
}
