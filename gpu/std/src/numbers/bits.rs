//! Integer instructions that Rust has no operator for: dot products of bytes, permutations of
//! bytes, shifts of two words.
//!
//! Methods of Rust's integers that already compile to one instruction are not here: `count_ones`,
//! `leading_zeros`, `reverse_bits`, `swap_bytes`, `rotate_left`, `abs_diff`,
//! `u64::from(a) * u64::from(b)`, `u32::carrying_mul`. PTX ISA, "dp4a", "dp2a", "prmt", "shf"; CUDA
//! C++ Programming Guide, "Integer Intrinsics".

use crate::intrinsics;

/// Four signed or unsigned bytes, for [`dp4a`] and [`dp2a_low`].
pub trait Bytes: Copy + sealed::Word {}
impl Bytes for [i8; 4] {}
impl Bytes for [u8; 4] {}

/// Two signed or unsigned 16-bit numbers, for [`dp2a_low`].
pub trait Halves: Copy + sealed::Word {}
impl Halves for [i16; 2] {}
impl Halves for [u16; 2] {}

mod sealed {
    /// A word of numbers.
    pub trait Word {
        /// Whether the numbers are signed.
        const SIGNED: bool;
        /// Returns the bits of the numbers, with the first number in the lowest bits.
        fn word(self) -> u32;
    }

    impl Word for [i8; 4] {
        const SIGNED: bool = true;
        #[inline(always)]
        fn word(self) -> u32 {
            u32::from_le_bytes(self.map(|byte| byte as u8))
        }
    }

    impl Word for [u8; 4] {
        const SIGNED: bool = false;
        #[inline(always)]
        fn word(self) -> u32 {
            u32::from_le_bytes(self)
        }
    }

    impl Word for [i16; 2] {
        const SIGNED: bool = true;
        #[inline(always)]
        fn word(self) -> u32 {
            u32::from(self[0] as u16) | u32::from(self[1] as u16) << 16
        }
    }

    impl Word for [u16; 2] {
        const SIGNED: bool = false;
        #[inline(always)]
        fn word(self) -> u32 {
            u32::from(self[0]) | u32::from(self[1]) << 16
        }
    }
}

/// Returns the sum of the four products of bytes and `sum`, modulo 2^32.
///
/// Each of the two operands may be signed. The result has the same bits if it is signed: for signed
/// bytes, cast it to `i32`.
#[doc(alias = "__dp4a")]
#[inline]
#[must_use]
pub fn dp4a<A: Bytes, B: Bytes>(a: A, b: B, sum: u32) -> u32 {
    let (x, y) = (a.word(), b.word());
    // SAFETY: the instruction reads registers only.
    unsafe {
        match (A::SIGNED, B::SIGNED) {
            (true, true) => intrinsics::dp4a_ss(x, y, sum),
            (true, false) => intrinsics::dp4a_su(x, y, sum),
            (false, true) => intrinsics::dp4a_us(x, y, sum),
            (false, false) => intrinsics::dp4a_uu(x, y, sum),
        }
    }
}

/// Returns the sum of `a`'s two numbers times the first two bytes of `b`, and `sum`, modulo 2^32.
#[doc(alias = "__dp2a_lo")]
#[inline]
#[must_use]
pub fn dp2a_low<A: Halves, B: Bytes>(a: A, b: B, sum: u32) -> u32 {
    let (x, y) = (a.word(), b.word());
    // SAFETY: the instruction reads registers only.
    unsafe {
        match (A::SIGNED, B::SIGNED) {
            (true, true) => intrinsics::dp2a_ss(x, y, false, sum),
            (true, false) => intrinsics::dp2a_su(x, y, false, sum),
            (false, true) => intrinsics::dp2a_us(x, y, false, sum),
            (false, false) => intrinsics::dp2a_uu(x, y, false, sum),
        }
    }
}

/// Returns the sum of `a`'s two numbers times the last two bytes of `b`, and `sum`, modulo 2^32.
#[doc(alias = "__dp2a_hi")]
#[inline]
#[must_use]
pub fn dp2a_high<A: Halves, B: Bytes>(a: A, b: B, sum: u32) -> u32 {
    let (x, y) = (a.word(), b.word());
    // SAFETY: the instruction reads registers only.
    unsafe {
        match (A::SIGNED, B::SIGNED) {
            (true, true) => intrinsics::dp2a_ss(x, y, true, sum),
            (true, false) => intrinsics::dp2a_su(x, y, true, sum),
            (false, true) => intrinsics::dp2a_us(x, y, true, sum),
            (false, false) => intrinsics::dp2a_uu(x, y, true, sum),
        }
    }
}

/// Returns four of the eight bytes of `low` and `high`. The four lower hexadecimal digits of
/// `selector` choose them, and the lowest digit chooses the lowest byte. Digits 0 to 3 choose a
/// byte of `low`, and 4 to 7 a byte of `high`. If 8 is added to a digit, all bits of the byte are
/// the chosen byte's sign bit.
#[doc(alias = "__byte_perm")]
#[doc(alias = "prmt.b32")]
#[inline]
#[must_use]
pub fn byte_permute(low: u32, high: u32, selector: u32) -> u32 {
    // SAFETY: the instruction reads registers only.
    unsafe { intrinsics::prmt(low, high, selector) }
}

/// Returns the upper word of `high:low` shifted left by `shift % 32`.
#[doc(alias = "__funnelshift_l")]
#[doc(alias = "shf.l.wrap")]
#[inline]
#[must_use]
pub fn funnel_shift_left(low: u32, high: u32, shift: u32) -> u32 {
    // SAFETY: the instruction reads registers only.
    unsafe { intrinsics::fshl(high, low, shift) }
}

/// Returns the lower word of `high:low` shifted right by `shift % 32`.
#[doc(alias = "__funnelshift_r")]
#[doc(alias = "shf.r.wrap")]
#[inline]
#[must_use]
pub fn funnel_shift_right(low: u32, high: u32, shift: u32) -> u32 {
    // SAFETY: the instruction reads registers only.
    unsafe { intrinsics::fshr(high, low, shift) }
}

/// Returns the upper word of `high:low` shifted left by `shift`, at most by 32.
#[doc(alias = "__funnelshift_lc")]
#[doc(alias = "shf.l.clamp")]
#[inline]
#[must_use]
pub fn funnel_shift_left_clamped(low: u32, high: u32, shift: u32) -> u32 {
    // SAFETY: the instruction reads registers only.
    unsafe { intrinsics::fshl_clamp(high, low, shift) }
}

/// Returns the lower word of `high:low` shifted right by `shift`, at most by 32.
#[doc(alias = "__funnelshift_rc")]
#[doc(alias = "shf.r.clamp")]
#[inline]
#[must_use]
pub fn funnel_shift_right_clamped(low: u32, high: u32, shift: u32) -> u32 {
    // SAFETY: the instruction reads registers only.
    unsafe { intrinsics::fshr_clamp(high, low, shift) }
}
