//! Arithmetic of 16-bit floats on the device.
//!
//! LLVM supports binary16 as Rust's primitive `f16`, and selects its instructions. Rust has no
//! type for the other format, so its instruction is inline assembly. On `sm_80` the only one
//! is the fused multiply-add. A sum is `a * 1 + b`, and a product is `a * b - 0`. So nothing
//! is rounded twice.

/// The operations on IEEE 754's binary16.
pub(super) mod f16 {
    type Float = f16;

    #[inline(always)]
    pub(crate) fn from_f32(value: f32) -> u16 {
        (value as Float).to_bits()
    }

    #[inline(always)]
    pub(crate) fn to_f32(bits: u16) -> f32 {
        Float::from_bits(bits) as f32
    }

    #[inline(always)]
    pub(crate) fn mul_add(a: u16, b: u16, c: u16) -> u16 {
        let [a, b, c] = [a, b, c].map(Float::from_bits);
        core::intrinsics::fmaf16(a, b, c).to_bits()
    }

    macro_rules! binary {
        ($($name:ident $operator:tt),*) => {
            $(
                #[inline(always)]
                pub(crate) fn $name(a: u16, b: u16) -> u16 {
                    (Float::from_bits(a) $operator Float::from_bits(b)).to_bits()
                }
            )*
        };
    }

    binary! { add +, sub -, mul *, div / }
}

/// The operations on bfloat16, which is the upper half of an `f32`.
pub(super) mod bf16 {
    use core::arch::asm;

    use crate::target;

    /// 1 and -0.
    const ONE: u16 = 0x3f80;
    const MINUS_ZERO: u16 = 0x8000;

    #[inline(always)]
    pub(crate) fn from_f32(value: f32) -> u16 {
        if target::is_at_least(80) {
            let bits;
            // SAFETY: the instruction reads and writes registers only.
            unsafe {
                asm!("cvt.rn.bf16.f32 {d}, {a};", d = lateout(reg16) bits, a = in(reg32) value, options(pure, nomem, nostack, preserves_flags));
            }
            return bits;
        }
        let bits = value.to_bits();
        if value.is_nan() {
            return 0x7fff;
        }
        // Adds half a unit of the last place that is kept, minus 1 if that place is even.
        ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
    }

    #[inline(always)]
    pub(crate) fn to_f32(bits: u16) -> f32 {
        f32::from_bits(u32::from(bits) << 16)
    }

    #[inline(always)]
    pub(crate) fn mul_add(a: u16, b: u16, c: u16) -> u16 {
        if target::is_at_least(80) {
            let bits: u16;
            // SAFETY: the instruction reads and writes registers only.
            unsafe {
                asm!(
                    "fma.rn.bf16 {d}, {a}, {b}, {c};",
                    d = lateout(reg16) bits, a = in(reg16) a, b = in(reg16) b, c = in(reg16) c,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            return bits;
        }
        // SAFETY: the intrinsic reads registers only.
        from_f32(unsafe { crate::intrinsics::fma_rn_f(to_f32(a), to_f32(b), to_f32(c)) })
    }

    #[inline(always)]
    pub(crate) fn add(a: u16, b: u16) -> u16 {
        mul_add(a, ONE, b)
    }

    #[inline(always)]
    pub(crate) fn sub(a: u16, b: u16) -> u16 {
        mul_add(b, ONE | 0x8000, a)
    }

    #[inline(always)]
    pub(crate) fn mul(a: u16, b: u16) -> u16 {
        mul_add(a, b, MINUS_ZERO)
    }

    #[inline(always)]
    pub(crate) fn div(a: u16, b: u16) -> u16 {
        from_f32(to_f32(a) / to_f32(b))
    }
}
