//! The element types of `mma` and `wmma`, packed in 32-bit registers.
//!
//! PTX ISA 9.7.14.2 "Matrix Data-types". f64 represents the values of every type exactly, and also
//! the products of two of them.

use crate::semantics::convert::{e2m1_to_f32, e2m3_to_f32, e3m2_to_f32, e4m3_to_f32, e5m2_to_f32};
use crate::semantics::half::{cvt_f32_bf16, cvt_f32_f16};
use half::{bf16, f16};

/// The type of a multiplicand's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Element {
    /// Elements of type `.f16`.
    F16,
    /// Elements of type `.bf16`.
    Bf16,
    /// `.tf32`: the low 13 bits of its register are ignored.
    Tf32,
    /// Elements of type `.e4m3`.
    E4m3,
    /// Elements of type `.e5m2`.
    E5m2,
    /// `.e3m2`, in the low bits of a byte.
    E3m2,
    /// `.e2m3`, in the low bits of a byte.
    E2m3,
    /// `.e2m1`, in the middle of a byte (`.kind::f8f6f4`).
    E2m1,
    /// `.e2m1`, eight in a register (`.kind::mxf4`).
    E2m1x8,
    /// `.s8`: an integer of 8 bits with a sign.
    S8,
    /// Elements of type `.u8`.
    U8,
    /// Elements of type `.s4`.
    S4,
    /// Elements of type `.u4`.
    U4,
}

/// Evaluates the body with `element` as a constant, so that no loop in it tests the type.
macro_rules! each_type {
    ($of:expr, |$element:ident| $body:expr) => {
        each_type!(@of $of, $element, $body, F16 Bf16 Tf32 E4m3 E5m2 E3m2 E2m3 E2m1 E2m1x8 S8 U8 S4 U4)
    };
    (@of $of:expr, $element:ident, $body:expr, $($name:ident)*) => {
        match $of {
            $(Element::$name => {
                let $element = Element::$name;
                $body
            })*
        }
    };
}

impl Element {
    /// Returns the number of elements in a register.
    #[inline]
    pub(crate) fn per_register(self) -> usize {
        match self {
            Element::Tf32 => 1,
            Element::F16 | Element::Bf16 => 2,
            Element::S4 | Element::U4 | Element::E2m1x8 => 8,
            _ => 4,
        }
    }

    /// Returns the value of element `index` of a register, counted from the low bits.
    #[inline(always)]
    pub(crate) fn value(self, register: u32, index: usize) -> f64 {
        let index = index as u32;
        let half = (register >> (16 * (index & 1))) as u16;
        let byte = (register >> (8 * (index & 3))) as u8;
        let nibble = (register >> (4 * (index & 7)) & 0xf) as u8;
        match self {
            Element::F16 => cvt_f32_f16(f16::from_bits(half)).into(),
            Element::Bf16 => cvt_f32_bf16(bf16::from_bits(half)).into(),
            Element::Tf32 => f32::from_bits(register & !0x1fff).into(),
            Element::E4m3 => e4m3_to_f32(byte).into(),
            Element::E5m2 => e5m2_to_f32(byte).into(),
            Element::E3m2 => e3m2_to_f32(byte & 0x3f).into(),
            Element::E2m3 => e2m3_to_f32(byte & 0x3f).into(),
            Element::E2m1 => e2m1_to_f32(byte >> 2 & 0xf).into(),
            Element::E2m1x8 => e2m1_to_f32(nibble).into(),
            Element::S8 => (byte as i8).into(),
            Element::U8 => byte.into(),
            Element::S4 => ((nibble << 4) as i8 >> 4).into(),
            Element::U4 => nibble.into(),
        }
    }

    /// Returns the values of element `index` in every lane's register. The type is
    /// tested only once.
    #[inline(always)]
    pub(crate) fn values(self, register: &[u32; 32], index: usize) -> [f64; 32] {
        let mut values = [0.0; 32];
        each_type!(
            self,
            |element| for (to, &bits) in values.iter_mut().zip(register) {
                *to = element.value(bits, index);
            }
        );
        values
    }

    /// Returns the value of the first element of each register. The type is tested only once.
    #[inline(always)]
    pub(super) fn first_values(self, registers: &[u32], values: &mut [f64]) {
        each_type!(
            self,
            |element| for (to, &bits) in values.iter_mut().zip(registers) {
                *to = element.value(bits, 0);
            }
        );
    }

    /// Calls `put` for a register of every lane, quad by quad, with the values of four lanes, which
    /// are neighbours in a row or column.
    #[inline(always)]
    pub(super) fn quads(self, register: &[u32; 32], mut put: impl FnMut(usize, &[f64])) {
        let (quads, _) = register.as_chunks::<4>();
        each_type!(
            self,
            |element| for (quad, lanes) in quads.iter().enumerate() {
                let each = element.per_register();
                let mut values = [0.0; 32];
                for (i, to) in values[..4 * each].iter_mut().enumerate() {
                    *to = element.value(lanes[i / each], i % each);
                }
                put(quad, &values[..4 * each]);
            }
        );
    }
}
