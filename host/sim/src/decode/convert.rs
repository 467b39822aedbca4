//! `cvt`.
//!
//! PTX ISA, "Data Movement and Conversion: cvt". Types are the instruction's, destination first. A source register may be
//! wider than the type: its low bits count. A destination register may be wider: the value is extended as its type says.

use half::{bf16, f16};

use super::function::{Builder, Operands, Result, invalid, unsupported};
use super::operand::repr;
use crate::machine::alu::{unary, unary_rare};
use crate::machine::op::Handler;
use crate::ptx::ast::{Class, Instruction, Modifier as M, Operand, Type};
use crate::semantics::convert::*;
use crate::semantics::float::{ftz_f32, sat_f32};

/// `$body` with `$T` as the Rust type of an integer type of PTX.
macro_rules! with_int {
    ($ty:expr, $T:ident => $body:expr) => {
        match $ty {
            Type::U8 | Type::B8 => with_int!(@ u8, $T => $body),
            Type::S8 => with_int!(@ i8, $T => $body),
            Type::U16 | Type::B16 => with_int!(@ u16, $T => $body),
            Type::S16 => with_int!(@ i16, $T => $body),
            Type::U32 | Type::B32 => with_int!(@ u32, $T => $body),
            Type::S32 => with_int!(@ i32, $T => $body),
            Type::U64 | Type::B64 => with_int!(@ u64, $T => $body),
            Type::S64 => with_int!(@ i64, $T => $body),
            _ => None,
        }
    };
    (@ $t:ty, $T:ident => $body:expr) => {{
        type $T = $t;
        $body
    }};
}

/// How a conversion rounds.
fn rounding(i: &Instruction) -> Option<M> {
    let modes = [
        M::Rn,
        M::Rz,
        M::Rm,
        M::Rp,
        M::Rna,
        M::Rni,
        M::Rzi,
        M::Rmi,
        M::Rpi,
    ];
    i.modifiers.iter().copied().find(|m| modes.contains(m))
}

fn integers(d: Type, a: Type, sat: bool) -> Option<Handler> {
    use Type as T;
    Some(match (d, a, sat) {
        (T::U64 | T::S64, T::U32, false) => unary(cvt::<u64, u32>),
        (T::U64 | T::S64, T::S32, false) => unary(cvt::<i64, i32>),
        (T::U32 | T::S32, T::U64 | T::S64, false) => unary(cvt::<u32, u64>),
        (T::U32 | T::S32, T::U16, false) => unary(cvt::<u32, u16>),
        (T::U32 | T::S32, T::U8, false) => unary(cvt::<u32, u8>),
        _ if sat => with_int!(d, D => with_int!(a, A => Some(unary_rare(cvt_sat::<D, A>))))?,
        _ => with_int!(d, D => with_int!(a, A => Some(unary_rare(cvt::<D, A>))))?,
    })
}

fn to_integer(d: Type, a: Type, mode: Option<M>, ftz: bool) -> Option<Handler> {
    match (d, a, mode) {
        (Type::S32, Type::F32, Some(M::Rzi)) if !ftz => return Some(unary(cvt_rzi::<i32, f32>)),
        (Type::U32, Type::F32, Some(M::Rzi)) if !ftz => return Some(unary(cvt_rzi::<u32, f32>)),
        _ => {}
    }
    with_int!(d, D => Some(match (a, mode, ftz) {
        (Type::F32, Some(M::Rni), false) => unary_rare(cvt_rni::<D, f32>),
        (Type::F32, Some(M::Rzi), false) => unary_rare(cvt_rzi::<D, f32>),
        (Type::F32, Some(M::Rmi), false) => unary_rare(cvt_rmi::<D, f32>),
        (Type::F32, Some(M::Rpi), false) => unary_rare(cvt_rpi::<D, f32>),
        (Type::F32, Some(M::Rni), true) => unary_rare(|a: f32| cvt_rni::<D, f32>(ftz_f32(a))),
        (Type::F32, Some(M::Rzi), true) => unary_rare(|a: f32| cvt_rzi::<D, f32>(ftz_f32(a))),
        (Type::F32, Some(M::Rmi), true) => unary_rare(|a: f32| cvt_rmi::<D, f32>(ftz_f32(a))),
        (Type::F32, Some(M::Rpi), true) => unary_rare(|a: f32| cvt_rpi::<D, f32>(ftz_f32(a))),
        (Type::F64, Some(M::Rni), _) => unary_rare(cvt_rni::<D, f64>),
        (Type::F64, Some(M::Rzi), _) => unary_rare(cvt_rzi::<D, f64>),
        (Type::F64, Some(M::Rmi), _) => unary_rare(cvt_rmi::<D, f64>),
        (Type::F64, Some(M::Rpi), _) => unary_rare(cvt_rpi::<D, f64>),
        _ => return None,
    }))
}

fn from_integer(d: Type, a: Type, mode: Option<M>, sat: bool) -> Option<Handler> {
    with_int!(a, A => Some(match (d, mode, sat) {
        (Type::F32, Some(M::Rn), false) if a == Type::S32 || a == Type::U32 => unary(cvt_rn_f32::<A>),
        (Type::F32, Some(M::Rn), false) => unary_rare(cvt_rn_f32::<A>),
        (Type::F32, Some(M::Rn), true) => unary_rare(|a: A| sat_f32(cvt_rn_f32::<A>(a))),
        (Type::F64, Some(M::Rn), false) => unary_rare(cvt_rn_f64::<A>),
        _ => return None,
    }))
}

fn floats(d: Type, a: Type, mode: Option<M>, ftz: bool, sat: bool) -> Option<Handler> {
    Some(match (d, a, mode, ftz, sat) {
        (Type::F64, Type::F32, None, false, false) => unary(cvt_f64_f32),
        (Type::F64, Type::F32, None, true, false) => unary_rare(|a: f32| cvt_f64_f32(ftz_f32(a))),
        (Type::F32, Type::F64, Some(M::Rn), false, false) => unary(cvt_rn_f32_f64),
        (Type::F32, Type::F64, Some(M::Rn), true, false) => {
            unary_rare(|a: f64| ftz_f32(cvt_rn_f32_f64(a)))
        }
        (Type::F32, Type::F64, Some(M::Rn), _, true) => {
            unary_rare(|a: f64| sat_f32(cvt_rn_f32_f64(a)))
        }
        (Type::F32, Type::F32, None, false, false) => unary(|a: u32| a),
        (Type::F32, Type::F32, None, true, false) => unary_rare(ftz_f32),
        (Type::F32, Type::F32, None, _, true) => unary_rare(sat_f32),
        (Type::F32, Type::F32, Some(M::Rni), false, false) => unary_rare(cvt_rni_whole::<f32>),
        (Type::F32, Type::F32, Some(M::Rzi), false, false) => unary_rare(cvt_rzi_whole::<f32>),
        (Type::F32, Type::F32, Some(M::Rmi), false, false) => unary_rare(cvt_rmi_whole::<f32>),
        (Type::F32, Type::F32, Some(M::Rpi), false, false) => unary_rare(cvt_rpi_whole::<f32>),
        (Type::F32, Type::F32, Some(M::Rni), true, false) => {
            unary_rare(|a: f32| cvt_rni_whole(ftz_f32(a)))
        }
        (Type::F32, Type::F32, Some(M::Rzi), true, false) => {
            unary_rare(|a: f32| cvt_rzi_whole(ftz_f32(a)))
        }
        (Type::F32, Type::F32, Some(M::Rmi), true, false) => {
            unary_rare(|a: f32| cvt_rmi_whole(ftz_f32(a)))
        }
        (Type::F32, Type::F32, Some(M::Rpi), true, false) => {
            unary_rare(|a: f32| cvt_rpi_whole(ftz_f32(a)))
        }
        (Type::F64, Type::F64, None, _, false) => unary(|a: u64| a),
        (Type::F64, Type::F64, Some(M::Rni), _, false) => unary_rare(cvt_rni_whole::<f64>),
        (Type::F64, Type::F64, Some(M::Rzi), _, false) => unary_rare(cvt_rzi_whole::<f64>),
        (Type::F64, Type::F64, Some(M::Rmi), _, false) => unary_rare(cvt_rmi_whole::<f64>),
        (Type::F64, Type::F64, Some(M::Rpi), _, false) => unary_rare(cvt_rpi_whole::<f64>),
        (Type::F32, Type::F16, None, _, false) => unary(|a: f16| a.to_f32()),
        (Type::F32, Type::Bf16, None, _, false) => unary_rare(|a: bf16| a.to_f32()),
        (Type::F16, Type::F32, Some(M::Rn), _, false) => unary(half_of),
        (Type::Bf16, Type::F32, Some(M::Rn), _, false) => unary_rare(bfloat_of),
        _ => return None,
    })
}

/// `cvt.rn.f16.f32`; every NaN becomes 0x7fff.
fn half_of(a: f32) -> f16 {
    if a.is_nan() {
        f16::from_bits(0x7fff)
    } else {
        f16::from_f32(a)
    }
}

/// `cvt.rn.bf16.f32`; every NaN becomes 0x7fff.
fn bfloat_of(a: f32) -> bf16 {
    if a.is_nan() {
        bf16::from_bits(0x7fff)
    } else {
        bf16::from_f32(a)
    }
}

pub(super) fn convert<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let types: Vec<Type> = i.modifiers.types().collect();
    let ([d_ty, a_ty], [d, a]) = (&types[..], b.body.operands(i)) else {
        return unsupported();
    };
    let (d_ty, a_ty) = (*d_ty, *a_ty);
    if i.modifiers
        .iter()
        .any(|m| matches!(m, M::Relu | M::Satfinite | M::Pack | M::Rs))
    {
        return unsupported();
    }
    let (mode, ftz, sat) = (
        rounding(i),
        i.modifiers.has(M::Ftz),
        i.modifiers.has(M::Sat),
    );
    let integer = |ty: Type| matches!(ty.class(), Class::Bits | Class::Unsigned | Class::Signed);
    let run = match (integer(d_ty), integer(a_ty)) {
        (true, true) => integers(d_ty, a_ty, sat),
        (true, false) => to_integer(d_ty, a_ty, mode, ftz),
        (false, true) => from_integer(d_ty, a_ty, mode, sat),
        (false, false) => floats(d_ty, a_ty, mode, ftz, sat),
    };
    let Some(run) = run else { return unsupported() };
    let a = source(b, a, a_ty)?;
    let (to, wide) = match b.register_size(d).map(repr) {
        Some(8) if repr(d_ty.size()) == 4 => (b.scratch(4)?, true),
        _ => (b.destination(d, repr(d_ty.size()))?, false),
    };
    b.emit(
        run,
        Operands {
            d: to,
            a,
            ..Operands::default()
        },
    );
    if wide {
        let extend = match d_ty {
            Type::S8 | Type::S16 | Type::S32 => unary_rare(|a: i32| i64::from(a)),
            _ => unary_rare(|a: u32| u64::from(a)),
        };
        let d = b.register(d, 8)?;
        b.emit(
            extend,
            Operands {
                d,
                a: to,
                ..Operands::default()
            },
        );
    }
    Ok(())
}

/// The source's row; of a register that is wider than the type, its low bits.
fn source<'a>(b: &mut Builder<'a, '_>, a: &Operand<'a>, ty: Type) -> Result<u32> {
    let width = repr(ty.size());
    match b.register_size(a).map(repr) {
        Some(8) if width == 4 => {
            let (from, d) = (b.register(a, 8)?, b.scratch(4)?);
            b.emit(
                unary_rare(|a: u64| a as u32),
                Operands {
                    d,
                    a: from,
                    ..Operands::default()
                },
            );
            Ok(d)
        }
        Some(size) if size < width => invalid("the source register is narrower than the type"),
        _ => b.source(a, width, Some(ty)),
    }
}
