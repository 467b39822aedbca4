//! `cvt` of one number to one number. Packed forms are rows of the table (`table/convert.rs`).
//!
//! PTX ISA, "Data Movement and Conversion: cvt". `.ftz`, `.sat`, `.relu` and `.satfinite` are
//! operations of their own, before or after the conversion. They are rare, and otherwise every
//! conversion would need several versions. The order of types is the instruction's, destination
//! first. If a source register is wider than the type, its low bits are used. If a destination
//! register is wider, the value is extended according to its type.

use half::{bf16, f16};

use crate::decode::builder::{Builder, Operands};
use crate::decode::operand::repr;
use crate::decode::problem::{Result, invalid, unsupported};
use crate::decode::table;
use crate::machine::compute::alu::{unary, unary_rare};
use crate::machine::op::Handler;
use crate::ptx::ast::{Class, Instruction, Modifier as M, Operand, Type};
use crate::semantics::convert::*;
use crate::semantics::float::{ftz_f32, sat_f32, sat_f64};
use crate::semantics::half::{cvt_f32_bf16, cvt_f32_f16, sat_f16};

/// Evaluates `$body` with `$T` as the Rust type of a PTX integer type.
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

/// Selects the function for the rounding `$mode`, or `None` for another rounding.
macro_rules! in_mode {
    ($mode:expr; $rn:expr, $rz:expr, $rm:expr, $rp:expr) => {
        in_mode!($mode, unary_rare; $rn, $rz, $rm, $rp)
    };
    ($mode:expr, $make:ident; $rn:expr, $rz:expr, $rm:expr, $rp:expr) => {
        Some(match $mode {
            Some(M::Rn | M::Rni) => $make($rn),
            Some(M::Rz | M::Rzi) => $make($rz),
            Some(M::Rm | M::Rmi) => $make($rm),
            Some(M::Rp | M::Rpi) => $make($rp),
            _ => return None,
        })
    };
}

/// Returns the rounding of a conversion.
fn rounding(i: &Instruction) -> Option<M> {
    use M::*;
    let mut words = i.modifiers.iter().copied();
    words.find(|m| matches!(m, Rn | Rz | Rm | Rp | Rni | Rzi | Rmi | Rpi))
}

fn integers(d: Type, a: Type, sat: bool) -> Option<Handler> {
    use Type as T;
    Some(match (d, a, sat) {
        (T::U64 | T::S64, T::U32, false) => unary(cvt::<u64, u32>),
        (T::U64 | T::S64, T::S32, false) => unary(cvt::<i64, i32>),
        (T::U32 | T::S32, T::U64 | T::S64, false) => unary(cvt::<u32, u64>),
        (T::U32 | T::S32, T::U16, false) => unary(cvt::<u32, u16>),
        (T::U32 | T::S32, T::U8, false) => unary(cvt::<u32, u8>),
        (T::U32 | T::S32, T::S8, false) => unary(cvt::<i32, i8>),
        _ if sat => with_int!(d, D => with_int!(a, A => Some(unary_rare(cvt_sat::<D, A>))))?,
        _ => with_int!(d, D => with_int!(a, A => Some(unary_rare(cvt::<D, A>))))?,
    })
}

fn to_integer(d: Type, a: Type, mode: Option<M>) -> Option<Handler> {
    match (d, a, mode) {
        (Type::S32, Type::F32, Some(M::Rzi)) => return Some(unary(cvt_rzi::<i32, f32>)),
        (Type::U32, Type::F32, Some(M::Rzi)) => return Some(unary(cvt_rzi::<u32, f32>)),
        (Type::S32, Type::F32, Some(M::Rni)) => return Some(unary(cvt_rni::<i32, f32>)),
        (Type::S32, Type::F64, Some(M::Rzi)) => return Some(unary(cvt_rzi::<i32, f64>)),
        (Type::U32, Type::F64, Some(M::Rzi)) => return Some(unary(cvt_rzi::<u32, f64>)),
        _ => {}
    }
    with_int!(d, D => match a {
        Type::F16 => in_mode!(mode; cvt_rni::<D, f16>, cvt_rzi::<D, f16>, cvt_rmi::<D, f16>, cvt_rpi::<D, f16>),
        Type::Bf16 => in_mode!(mode; cvt_rni::<D, bf16>, cvt_rzi::<D, bf16>, cvt_rmi::<D, bf16>, cvt_rpi::<D, bf16>),
        Type::F32 => in_mode!(mode; cvt_rni::<D, f32>, cvt_rzi::<D, f32>, cvt_rmi::<D, f32>, cvt_rpi::<D, f32>),
        Type::F64 => in_mode!(mode; cvt_rni::<D, f64>, cvt_rzi::<D, f64>, cvt_rmi::<D, f64>, cvt_rpi::<D, f64>),
        _ => None,
    })
}

fn from_integer(d: Type, a: Type, mode: Option<M>) -> Option<Handler> {
    match (d, a, mode) {
        (Type::F32, Type::S32, Some(M::Rn)) => return Some(unary(cvt_rn_f32::<i32>)),
        (Type::F32, Type::U32, Some(M::Rn)) => return Some(unary(cvt_rn_f32::<u32>)),
        _ => {}
    }
    with_int!(a, A => match d {
        Type::F16 => in_mode!(mode; cvt_rn_f16::<A>, cvt_rz_f16::<A>, cvt_rm_f16::<A>, cvt_rp_f16::<A>),
        Type::Bf16 => in_mode!(mode; cvt_rn_bf16::<A>, cvt_rz_bf16::<A>, cvt_rm_bf16::<A>, cvt_rp_bf16::<A>),
        Type::F32 => in_mode!(mode; cvt_rn_f32::<A>, cvt_rz_f32::<A>, cvt_rm_f32::<A>, cvt_rp_f32::<A>),
        Type::F64 => in_mode!(mode; cvt_rn_f64::<A>, cvt_rz_f64::<A>, cvt_rm_f64::<A>, cvt_rp_f64::<A>),
        _ => None,
    })
}

/// Decodes `cvt.ftz.f32.f64` into an operation of the machine.
fn flushed(mode: Option<M>) -> Option<Handler> {
    in_mode!(mode;
        |a| cvt_ftz_f32_f64(a, cvt_rn_f32_f64),
        |a| cvt_ftz_f32_f64(a, cvt_rz_f32_f64),
        |a| cvt_ftz_f32_f64(a, cvt_rm_f32_f64),
        |a| cvt_ftz_f32_f64(a, cvt_rp_f32_f64))
}

/// Returns the conversion between floats, without `.ftz`, `.sat`, `.relu` and `.satfinite`.
fn floats(d: Type, a: Type, mode: Option<M>) -> Option<Handler> {
    use Type::{Bf16, F16, F32, F64};
    /// Rounds to a whole number of the same type.
    macro_rules! whole {
        ($t:ty, $make:ident) => {
            in_mode!(mode, $make; cvt_rni_whole::<$t>, cvt_rzi_whole::<$t>, cvt_rmi_whole::<$t>, cvt_rpi_whole::<$t>)
        };
    }
    // Between the two half types, the rounding may be omitted.
    let mode = match (d, a, mode) {
        (F16, Bf16, None) | (Bf16, F16, None) => Some(M::Rn),
        _ => mode,
    };
    match (d, a, mode) {
        (F16, F16, None) | (F32, F32, None) => Some(unary(|a: u32| a)),
        (F64, F64, None) => Some(unary(|a: u64| a)),
        (F16, F16, _) => whole!(f16, unary_rare),
        (Bf16, Bf16, _) => whole!(bf16, unary_rare),
        (F32, F32, _) => whole!(f32, unary),
        (F64, F64, _) => whole!(f64, unary),
        (F32, F16, None) => Some(unary(cvt_f32_f16)),
        (F32, Bf16, None) => Some(unary(cvt_f32_bf16)),
        (F64, F16, None) => Some(unary_rare(cvt_f64_f16)),
        (F64, Bf16, None) => Some(unary_rare(cvt_f64_bf16)),
        (F64, F32, None) => Some(unary(cvt_f64_f32)),
        (F32, F64, Some(M::Rn)) => Some(unary(cvt_rn_f32_f64)),
        (F32, F64, _) => {
            in_mode!(mode; cvt_rn_f32_f64, cvt_rz_f32_f64, cvt_rm_f32_f64, cvt_rp_f32_f64)
        }
        (F16, F32, Some(M::Rn)) => Some(unary(cvt_rn_f16::<f32>)),
        (F16, F32, _) => {
            in_mode!(mode; cvt_rn_f16::<f32>, cvt_rz_f16::<f32>, cvt_rm_f16::<f32>, cvt_rp_f16::<f32>)
        }
        (F16, F64, _) => {
            in_mode!(mode; cvt_rn_f16::<f64>, cvt_rz_f16::<f64>, cvt_rm_f16::<f64>, cvt_rp_f16::<f64>)
        }
        (F16, Bf16, _) => {
            in_mode!(mode; cvt_rn_f16::<bf16>, cvt_rz_f16::<bf16>, cvt_rm_f16::<bf16>, cvt_rp_f16::<bf16>)
        }
        (Bf16, F32, Some(M::Rn)) => Some(unary(cvt_rn_bf16::<f32>)),
        (Bf16, F32, _) => {
            in_mode!(mode; cvt_rn_bf16::<f32>, cvt_rz_bf16::<f32>, cvt_rm_bf16::<f32>, cvt_rp_bf16::<f32>)
        }
        (Bf16, F64, _) => {
            in_mode!(mode; cvt_rn_bf16::<f64>, cvt_rz_bf16::<f64>, cvt_rm_bf16::<f64>, cvt_rp_bf16::<f64>)
        }
        (Bf16, F16, _) => {
            in_mode!(mode; cvt_rn_bf16::<f16>, cvt_rz_bf16::<f16>, cvt_rm_bf16::<f16>, cvt_rp_bf16::<f16>)
        }
        _ => None,
    }
}

/// Returns the effect of a modifier on the result of a conversion to a float type, if it has one.
fn afterwards(word: M, d: Type) -> Option<Handler> {
    Some(match (word, d) {
        (M::Ftz, Type::F32) => unary_rare(ftz_f32),
        (M::Sat, Type::F16) => unary_rare(sat_f16),
        (M::Sat, Type::F32) => unary_rare(sat_f32),
        (M::Sat, Type::F64) => unary_rare(sat_f64),
        (M::Relu, Type::F16) => unary_rare(relu_f16),
        (M::Relu, Type::Bf16) => unary_rare(relu_bf16),
        (M::Satfinite, Type::F16) => unary_rare(satfinite_f16),
        (M::Satfinite, Type::Bf16) => unary_rare(satfinite_bf16),
        _ => return None,
    })
}

pub(super) fn convert<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let types: Vec<Type> = i.modifiers.types().collect();
    let ([d_ty, a_ty], [d, a]) = (&types[..], b.body.operands(i)) else {
        return unsupported();
    };
    let (d_ty, a_ty, mode) = (*d_ty, *a_ty, rounding(i));
    let integer = |ty: Type| matches!(ty.class(), Class::Bits | Class::Unsigned | Class::Signed);
    let run = match (integer(d_ty), integer(a_ty)) {
        (true, true) => integers(d_ty, a_ty, i.modifiers.has(M::Sat)),
        (true, false) => to_integer(d_ty, a_ty, mode),
        (false, true) => from_integer(d_ty, a_ty, mode),
        // Subnormal results are flushed where they are computed, because before the rounding some
        // of them are not subnormal yet.
        (false, false) if d_ty == Type::F32 && a_ty == Type::F64 && i.modifiers.has(M::Ftz) => {
            flushed(mode)
        }
        (false, false) => floats(d_ty, a_ty, mode),
    };
    let Some(run) = run else { return unsupported() };
    let mut a = source(b, a, a_ty)?;
    if a_ty == Type::F32 && i.modifiers.has(M::Ftz) {
        let flushed = b.scratch(4)?;
        apply(b, unary_rare(ftz_f32), flushed, a);
        a = flushed;
    }
    let (to, wide) = match b.register_size(d).map(repr) {
        Some(8) if repr(d_ty.size()) == 4 => (b.scratch(4)?, true),
        _ => (b.destination(d, repr(d_ty.size()))?, false),
    };
    apply(b, run, to, a);
    for word in i.modifiers.iter() {
        if let Some(run) = afterwards(*word, d_ty) {
            apply(b, run, to, to);
        }
    }
    if wide {
        let extend = match d_ty {
            Type::S8 | Type::S16 | Type::S32 => unary_rare(|a: i32| i64::from(a)),
            _ => unary_rare(|a: u32| u64::from(a)),
        };
        let d = b.register(d, 8)?;
        apply(b, extend, d, to);
    }
    Ok(())
}

/// Decodes `cvt.rs.satfinite.e4m3x4.f32 d, {a, b, e, f}, rbits` and similar instructions, two
/// numbers at a time.
pub(super) fn four_randomly<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let spelling = i.spelling();
    let (Some(upper), Some(lower), [to, from, random]) = (
        table::find(&format!("{spelling}(a,b)")),
        table::find(&format!("{spelling}(e,f)")),
        b.body.operands(i),
    ) else {
        return unsupported();
    };
    let mut rows = [0; 4];
    let elements = b.elements(from);
    if elements.len() != rows.len() {
        return invalid("the operand in braces has four elements");
    }
    for (row, element) in rows.iter_mut().zip(&elements) {
        *row = b.source(element, 4, Some(Type::F32))?;
    }
    let random = b.source(random, 4, None)?;
    let (above, d) = (b.scratch(4)?, b.destination(to, 4)?);
    let operands = |d, a, b, aux| Operands::to(d).a(a).b(b).c(random).aux(aux);
    b.emit(upper.run, operands(above, rows[0], rows[1], 0));
    b.emit(lower.run, operands(d, rows[2], rows[3], above));
    Ok(())
}

/// Adds the operation `d = run(a)`.
fn apply(b: &mut Builder<'_, '_>, run: Handler, d: u32, a: u32) {
    b.emit(run, Operands::to(d).a(a));
}

/// Returns the source's row. If the register is wider than the type, its low bits are used.
fn source<'a>(b: &mut Builder<'a, '_>, a: &Operand<'a>, ty: Type) -> Result<u32> {
    let width = repr(ty.size());
    match b.register_size(a).map(repr) {
        Some(8) if width == 4 => {
            let (from, d) = (b.register(a, 8)?, b.scratch(4)?);
            apply(b, unary_rare(|a: u64| a as u32), d, from);
            Ok(d)
        }
        Some(size) if size < width => invalid("the source register is narrower than the type"),
        _ => b.source(a, width, Some(ty)),
    }
}
