//! The matrix units (tensor cores): products of small matrices, computed by a warp, by four warps,
//! or for a block by one thread.
//!
//! | module | who | operands |
//! | --- | --- | --- |
//! | [`warp`] | a warp, from `sm_80`: `mma.sync` | registers, filled by `ldmatrix` |
//! | [`warpgroup`] | four warps, for `sm_90a` alone: `wgmma` | shared memory, named by descriptors; registers for the sum |
//! | [`tcgen05`] | one thread, for `sm_100a`: `tcgen05.mma` | shared memory, named by descriptors; tensor memory for the sum |
//!
//! Shapes, element types and roles are part of the types: a fragment of the wrong shape, or a
//! left operand in place of a right one, does not compile. The functions named `position` return
//! which element of a matrix is in which register of which lane. A left operand may be
//! [`sparse`]: then half of its elements are stored. PTX ISA, "Warp Level Matrix
//! Multiply-Accumulate Instructions", "Asynchronous Warpgroup Level Matrix Instructions",
//! "TensorCore 5th Generation Family Instructions".

pub mod sparse;
pub mod tcgen05;
pub mod warp;
pub mod warpgroup;

use crate::half::F16x2;

/// Types of elements of the operands. [`F16`](element::F16) and [`Bf16`](element::Bf16) are the
/// types of [`half`](crate::half), [`E4m3`](element::E4m3) and [`E5m2`](element::E5m2) those of
/// [`float8`](crate::float8). All others are only names: the elements themselves are bits in
/// registers or shared memory.
pub mod element {
    pub use crate::float8::{E4m3, E5m2};
    pub use crate::half::{Bf16, F16};

    macro_rules! numbers {
        ($($name:ident)*) => {$(
            impl super::Element for $name {
                type Bits = $name;
            }
            impl super::tcgen05::sealed::Sealed for $name {}
        )*};
    }
    numbers! { F16 Bf16 }

    macro_rules! bytes {
        ($($name:ident)*) => {$(
            impl super::Element for $name {
                type Bits = u8;
            }
            impl super::tcgen05::sealed::Sealed for $name {}
        )*};
    }
    bytes! { E4m3 E5m2 }

    macro_rules! elements {
        ($($(#[$doc:meta])* $name:ident: $bits:ty;)*) => {$(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}
            impl super::Element for $name {
                type Bits = $bits;
            }
            impl super::tcgen05::sealed::Sealed for $name {}
        )*};
    }
    elements! {
        /// `f32` of which only the highest 19 bits are used.
        Tf32: u32;
        /// Floats of 6 bits with 2 exponent bits, each in a byte.
        E2m3: u8;
        /// Floats of 6 bits with 3 exponent bits, each in a byte.
        E3m2: u8;
        /// Floats of 4 bits with 2 exponent bits. Depending on the product, each is in its own
        /// byte, or two are in one byte.
        E2m1: u8;
        /// Elements that are signed bytes.
        S8: i8;
        /// Elements that are unsigned bytes.
        U8: u8;
        /// Signed integers of 4 bits, two in a byte.
        S4: u8;
        /// Unsigned integers of 4 bits, two in a byte.
        U4: u8;
        /// Single bits, eight in a byte.
        B1: u8;
    }
}

/// The type of a matrix's elements, as the instructions use it.
pub trait Element: Copy {
    /// The type that holds the bits of one element, or of as many as share a byte.
    type Bits: Copy;
}

/// The contents of a register of a sum.
pub trait Register: Copy {
    /// The number of neighbouring elements of a row in one register.
    const ELEMENTS: usize;
    #[doc(hidden)]
    fn from_bits(bits: u32) -> Self;
    #[doc(hidden)]
    fn to_bits(self) -> u32;
}

macro_rules! registers {
    ($($(#[$doc:meta])* $ty:ty, $elements:literal: $from:expr, $to:expr;)*) => {$(
        $(#[$doc])*
        impl Register for $ty {
            const ELEMENTS: usize = $elements;
            #[inline(always)]
            fn from_bits(bits: u32) -> Self {
                $from(bits)
            }
            #[inline(always)]
            fn to_bits(self) -> u32 {
                $to(self)
            }
        }
    )*};
}
registers! {
    f32, 1: f32::from_bits, f32::to_bits;
    i32, 1: u32::cast_signed, i32::cast_unsigned;
    /// What `F16` and the floats of 8 bits may be added up in besides `f32`.
    F16x2, 2: F16x2::from_bits, F16x2::to_bits;
}
