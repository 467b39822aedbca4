//! `multimem.ld_reduce` and `multimem.red`: combines values of several memories to one.
//!
//! PTX ISA 9.7.9 "multimem.ld_reduce, multimem.st, multimem.red". Sums have the precision of their
//! type at each step. With `.acc::f32` and `.acc::f16` they have that precision until the end. Open
//! in the ISA, and not measured: the order, which is the order of the devices here; subnormals,
//! which are kept here; and sums of 8-bit floats, which saturate as conversions to them do.

use super::convert::{
    cvt_rn_satfinite_e4m3x2_f32, cvt_rn_satfinite_e5m2x2_f32, e4m3_to_f32, e5m2_to_f32,
};
use super::half::{
    add_rn_bf16, add_rn_f16, cvt_f32_bf16, cvt_f32_f16, cvt_rn_bf16_f32, cvt_rn_f16_f32, max_bf16,
    max_f16, min_bf16, min_f16,
};
use super::{float, int};
use crate::ptx::ast::{Modifier, Type};
use half::{bf16, f16};

/// How the values at one place in several memories are combined.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fold {
    /// One of `.add`, `.min`, `.max`, `.and`, `.or`, `.xor`.
    pub(crate) operation: Modifier,
    /// The type of a value. It may contain several numbers.
    pub(crate) ty: Type,
    /// Whether sums are wider than the type until the end: `.acc::f32`, `.acc::f16`.
    pub(crate) wide: bool,
}

/// Selects one of three values by the operation.
fn choose<T>(operation: Modifier, sum: T, least: T, most: T) -> T {
    match operation {
        Modifier::Min => least,
        Modifier::Max => most,
        _ => sum,
    }
}

/// Combines values of a type that is converted from and to bits.
fn fold<T>(
    values: &mut dyn Iterator<Item = u64>,
    from: impl Fn(u64) -> T,
    join: impl Fn(T, T) -> T,
    to: impl Fn(T) -> u64,
) -> u64 {
    values.map(from).reduce(join).map_or(0, to)
}

/// The operations on a 16-bit float.
struct Half<T> {
    from_bits: fn(u16) -> T,
    to_bits: fn(T) -> u16,
    widen: fn(T) -> f32,
    narrow: fn(f32) -> T,
    sum: fn(T, T) -> T,
    least: fn(T, T) -> T,
    most: fn(T, T) -> T,
}

impl Fold {
    /// Combines `values`. Returns zero if there are none.
    pub(crate) fn of(&self, values: &[u64]) -> u64 {
        let (bits, count) = match self.ty {
            Type::F16x2 | Type::Bf16x2 => (16, 2),
            Type::E4m3x2 | Type::E5m2x2 => (8, 2),
            Type::E4m3x4 | Type::E5m2x4 => (8, 4),
            ty => (ty.size() * 8, 1),
        };
        let mask = u64::MAX >> (64 - bits);
        let number = |at: u64| {
            let mut numbers = values.iter().map(|value| value >> at & mask);
            (self.number(&mut numbers) & mask) << at
        };
        (0..count).map(|n| number(n * bits)).sum()
    }

    /// Combines values that are single numbers.
    fn number(&self, values: &mut dyn Iterator<Item = u64>) -> u64 {
        let operation = self.operation;
        match self.ty {
            Type::B32 | Type::B64 => {
                let join = |a, b| match operation {
                    Modifier::And => a & b,
                    Modifier::Or => a | b,
                    _ => a ^ b,
                };
                values.reduce(join).unwrap_or(0)
            }
            Type::S32 => {
                let join = choose(
                    operation,
                    i32::wrapping_add as fn(i32, i32) -> i32,
                    Ord::min,
                    Ord::max,
                );
                fold(
                    values,
                    |bits| bits as i32,
                    join,
                    |all| u64::from(all as u32),
                )
            }
            Type::S64 => {
                let join = choose(
                    operation,
                    i64::wrapping_add as fn(i64, i64) -> i64,
                    Ord::min,
                    Ord::max,
                );
                fold(values, |bits| bits as i64, join, |all| all as u64)
            }
            Type::F32 => {
                let to = |all: f32| all.to_bits().into();
                fold(
                    values,
                    |bits| f32::from_bits(bits as u32),
                    float::add_rn_f32,
                    to,
                )
            }
            Type::F64 => fold(values, f64::from_bits, float::add_rn_f64, f64::to_bits),
            Type::F16 | Type::F16x2 => self.half(
                values,
                &Half {
                    from_bits: f16::from_bits,
                    to_bits: f16::to_bits,
                    widen: cvt_f32_f16,
                    narrow: cvt_rn_f16_f32,
                    sum: add_rn_f16,
                    least: min_f16,
                    most: max_f16,
                },
            ),
            Type::Bf16 | Type::Bf16x2 => self.half(
                values,
                &Half {
                    from_bits: bf16::from_bits,
                    to_bits: bf16::to_bits,
                    widen: cvt_f32_bf16,
                    narrow: cvt_rn_bf16_f32,
                    sum: add_rn_bf16,
                    least: min_bf16,
                    most: max_bf16,
                },
            ),
            Type::E4m3 | Type::E4m3x2 | Type::E4m3x4 => self.byte(values, e4m3_to_f32, |a| {
                cvt_rn_satfinite_e4m3x2_f32(0.0, a) as u8
            }),
            Type::E5m2 | Type::E5m2x2 | Type::E5m2x4 => self.byte(values, e5m2_to_f32, |a| {
                cvt_rn_satfinite_e5m2x2_f32(0.0, a) as u8
            }),
            ty => {
                let join = choose(
                    operation,
                    int::add_u64 as fn(u64, u64) -> u64,
                    Ord::min,
                    Ord::max,
                );
                let bits = ty.size() * 8;
                fold(
                    values,
                    |bits| bits,
                    join,
                    |all| all & u64::MAX >> (64 - bits),
                )
            }
        }
    }

    /// Combines 16-bit numbers. They are added in `f32` if the instruction requires that.
    fn half<T>(&self, values: &mut dyn Iterator<Item = u64>, of: &Half<T>) -> u64 {
        let from = |bits: u64| (of.from_bits)(bits as u16);
        if self.wide {
            let to = |all| (of.to_bits)((of.narrow)(all)).into();
            return fold(values, |bits| (of.widen)(from(bits)), float::add_rn_f32, to);
        }
        let join = choose(self.operation, of.sum, of.least, of.most);
        fold(values, from, join, |all| (of.to_bits)(all).into())
    }

    /// Combines 8-bit numbers.
    fn byte(
        &self,
        values: &mut dyn Iterator<Item = u64>,
        widen: fn(u8) -> f32,
        narrow: fn(f32) -> u8,
    ) -> u64 {
        let from = |bits: u64| widen(bits as u8);
        if self.wide {
            let to = |all| narrow(cvt_f32_f16(all)).into();
            return fold(values, |bits| cvt_rn_f16_f32(from(bits)), add_rn_f16, to);
        }
        let join = choose(
            self.operation,
            float::add_rn_f32 as fn(f32, f32) -> f32,
            float::min_f32,
            float::max_f32,
        );
        // Each partial sum is rounded to 8 bits again.
        let step = |a, b| widen(narrow(join(a, b)));
        fold(values, from, step, |all| narrow(all).into())
    }
}
