//! Integer instructions that Rust has no operator for: dot products of bytes, permutations of
//! bytes, shifts of two words.
//!
//! What is a method of Rust's integers is one instruction already and not here: `count_ones`,
//! `leading_zeros`, `reverse_bits`, `swap_bytes`, `rotate_left`, `abs_diff`,
//! `u64::from(a) * u64::from(b)`, `u32::carrying_mul`. PTX ISA, "dp4a", "dp2a", "prmt", "shf"; CUDA
//! C++ Programming Guide, "Integer Intrinsics".

use crate::intrinsics;

/// Four bytes, signed or not, for [`dp4a`] and [`dp2a_low`].
pub trait Bytes: Copy + sealed::Word {}
impl Bytes for [i8; 4] {}
impl Bytes for [u8; 4] {}

/// Two numbers of 16 bits, signed or not, for [`dp2a_low`].
pub trait Halves: Copy + sealed::Word {}
impl Halves for [i16; 2] {}
impl Halves for [u16; 2] {}

mod sealed {
    /// A word of numbers.
    pub trait Word {
        /// Whether they have a sign.
        const SIGNED: bool;
        /// Their bits, the first lowest.
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

/// The four products of bytes and `sum`, added up modulo 2^32.
///
/// Each of the two may be signed. The sum has the same bits either way; of signed bytes it is an
/// `i32`, which a cast makes of it.
#[doc(alias = "__dp4a")]
#[inline]
#[must_use]
pub fn dp4a<A: Bytes, B: Bytes>(a: A, b: B, sum: u32) -> u32 {
    let (x, y) = (a.word(), b.word());
    // SAFETY: it reads registers only.
    unsafe {
        match (A::SIGNED, B::SIGNED) {
            (true, true) => intrinsics::dp4a_ss(x, y, sum),
            (true, false) => intrinsics::dp4a_su(x, y, sum),
            (false, true) => intrinsics::dp4a_us(x, y, sum),
            (false, false) => intrinsics::dp4a_uu(x, y, sum),
        }
    }
}

/// `a`'s two numbers by the first two bytes of `b`, and `sum`, added up modulo 2^32.
#[doc(alias = "__dp2a_lo")]
#[inline]
#[must_use]
pub fn dp2a_low<A: Halves, B: Bytes>(a: A, b: B, sum: u32) -> u32 {
    let (x, y) = (a.word(), b.word());
    // SAFETY: it reads registers only.
    unsafe {
        match (A::SIGNED, B::SIGNED) {
            (true, true) => intrinsics::dp2a_ss(x, y, false, sum),
            (true, false) => intrinsics::dp2a_su(x, y, false, sum),
            (false, true) => intrinsics::dp2a_us(x, y, false, sum),
            (false, false) => intrinsics::dp2a_uu(x, y, false, sum),
        }
    }
}

/// `a`'s two numbers by the last two bytes of `b`, and `sum`, added up modulo 2^32.
#[doc(alias = "__dp2a_hi")]
#[inline]
#[must_use]
pub fn dp2a_high<A: Halves, B: Bytes>(a: A, b: B, sum: u32) -> u32 {
    let (x, y) = (a.word(), b.word());
    // SAFETY: it reads registers only.
    unsafe {
        match (A::SIGNED, B::SIGNED) {
            (true, true) => intrinsics::dp2a_ss(x, y, true, sum),
            (true, false) => intrinsics::dp2a_su(x, y, true, sum),
            (false, true) => intrinsics::dp2a_us(x, y, true, sum),
            (false, false) => intrinsics::dp2a_uu(x, y, true, sum),
        }
    }
}

/// Four of the eight bytes of `low` and `high`, by the four lower hexadecimal digits of `selector`:
/// the lowest digit chooses the lowest byte, 0 to 3 from `low` and 4 to 7 from `high`. With 8 added
/// to a digit, the byte is its sign repeated.
#[doc(alias = "__byte_perm")]
#[doc(alias = "prmt.b32")]
#[inline]
#[must_use]
pub fn byte_permute(low: u32, high: u32, selector: u32) -> u32 {
    // SAFETY: it reads registers only.
    unsafe { intrinsics::prmt(low, high, selector) }
}

/// The upper word of `high:low` shifted left by `shift % 32`.
#[doc(alias = "__funnelshift_l")]
#[doc(alias = "shf.l.wrap")]
#[inline]
#[must_use]
pub fn funnel_shift_left(low: u32, high: u32, shift: u32) -> u32 {
    // SAFETY: it reads registers only.
    unsafe { intrinsics::fshl(high, low, shift) }
}

/// The lower word of `high:low` shifted right by `shift % 32`.
#[doc(alias = "__funnelshift_r")]
#[doc(alias = "shf.r.wrap")]
#[inline]
#[must_use]
pub fn funnel_shift_right(low: u32, high: u32, shift: u32) -> u32 {
    // SAFETY: it reads registers only.
    unsafe { intrinsics::fshr(high, low, shift) }
}

/// The upper word of `high:low` shifted left by `shift`, or by 32 if that is more.
#[doc(alias = "__funnelshift_lc")]
#[doc(alias = "shf.l.clamp")]
#[inline]
#[must_use]
pub fn funnel_shift_left_clamped(low: u32, high: u32, shift: u32) -> u32 {
    // SAFETY: it reads registers only.
    unsafe { intrinsics::fshl_clamp(high, low, shift) }
}

/// The lower word of `high:low` shifted right by `shift`, or by 32 if that is more.
#[doc(alias = "__funnelshift_rc")]
#[doc(alias = "shf.r.clamp")]
#[inline]
#[must_use]
pub fn funnel_shift_right_clamped(low: u32, high: u32, shift: u32) -> u32 {
    // SAFETY: it reads registers only.
    unsafe { intrinsics::fshr_clamp(high, low, shift) }
}
