//! `mov` with its packing forms, `selp`, `slct`, logic on predicates, and hints that do nothing.
//!
//! PTX ISA, "Data Movement and Conversion: mov, prefetch", "Comparison and Selection: selp, slct",
//! "Logic and Shift: and, or, xor, not on .pred".

use crate::decode::builder::{Builder, Operands};
use crate::decode::operand::repr;
use crate::decode::problem::{Result, invalid, unsupported};
use crate::decode::table;
use crate::machine::compute::alu;
use crate::machine::compute::misc;
use crate::machine::op::Handler;
use crate::machine::program::Value;
use crate::ptx::ast::{
    Component, Instruction, Modifier as M, Opcode, Operand, SpecialRegister as S, Type,
};
use crate::semantics::compare::{
    slct_b32_f32, slct_b32_s32, slct_b64_f32, slct_b64_s32, slct_ftz_b32_f32, slct_ftz_b64_f32,
};

/// Decodes an instruction that affects only a cache or a profiler. It does nothing here.
pub(super) fn nothing(b: &mut Builder<'_, '_>, _: &Instruction) -> Result<()> {
    b.emit(misc::nothing, Operands::NONE);
    Ok(())
}

/// Returns the handler that copies rows of `width` bytes.
fn copy(width: u64) -> Handler {
    match width {
        4 => alu::unary(|a: u32| a),
        8 => alu::unary(|a: u64| a),
        _ => alu::unary(|a: u128| a),
    }
}

pub(super) fn mov<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, a] = b.operands(i)?;
    let Some(ty) = i.modifiers.types().last() else {
        return invalid("no type");
    };
    if let (Type::Pred, Operand::Special(..)) = (ty, a) {
        let Some(not_zero) = table::find("setp.ne.b32") else {
            return unsupported();
        };
        let operands = Operands::to(b.predicate_destination(d)?)
            .a(b.source(a, 4, None)?)
            .b(b.constant(Value::Bits(0), 4)?);
        b.emit(not_zero.run, operands);
        return Ok(());
    }
    if ty == Type::Pred {
        let (d, a) = (b.predicate_destination(d)?, b.predicate(a)?);
        b.emit(alu::predicate(|a, _| a), Operands::to(d).a(a));
        return Ok(());
    }
    let width = repr(ty.size());
    match (*d, *a) {
        _ if i.modifiers.has(M::V2) || i.modifiers.has(M::V4) => return elementwise(b, d, a, ty),
        _ if b.is_vector(d) => return unpack(b, d, a, ty),
        _ if b.is_vector(a) => return pack(b, d, a, ty),
        (_, Operand::Special(register, _)) if clock(b, d, register, width)? => return Ok(()),
        _ => {}
    }
    let a = b.source(a, width, Some(ty))?;
    let d = b.destination(d, width)?;
    b.emit(copy(width), Operands::to(d).a(a));
    Ok(())
}

/// Decodes `mov.v4.f32 {a, b, c, d}, v`, element by element.
fn elementwise<'a>(
    b: &mut Builder<'a, '_>,
    d: &Operand<'a>,
    a: &Operand<'a>,
    ty: Type,
) -> Result<()> {
    let width = repr(ty.size());
    let from = match *a {
        Operand::Special(register, None) => Component::ALL
            .iter()
            .map(|&component| Operand::Special(register, Some(component)))
            .collect(),
        ref a => b.elements(a),
    };
    let to = b.elements(d);
    if to.len() != from.len() {
        return invalid(format!(
            "expected {} elements, found {}",
            to.len(),
            from.len()
        ));
    }
    // A source may also be a destination, so all sources are read first.
    let mut moves = Vec::new();
    for (to, from) in to.iter().zip(&from).filter(|(to, _)| **to != Operand::Sink) {
        let (row, temporary) = (b.source(from, width, Some(ty))?, b.scratch(width)?);
        moves.push((temporary, row));
        moves.push((b.destination(to, width)?, temporary));
    }
    let reads = moves.iter().step_by(2);
    for &(d, a) in reads.chain(moves.iter().skip(1).step_by(2)) {
        b.emit(copy(width), Operands::to(d).a(a));
    }
    Ok(())
}

/// Decodes a read of a clock when the instruction runs. Returns false if the register is
/// not a clock.
fn clock<'a>(b: &mut Builder<'a, '_>, d: &Operand<'a>, register: S, width: u64) -> Result<bool> {
    let shift = match register {
        S::Clock | S::Clock64 | S::Globaltimer | S::GlobaltimerLo => 0,
        S::ClockHi | S::GlobaltimerHi => 32,
        _ => return Ok(false),
    };
    let d = b.destination(d, width)?;
    b.emit(
        misc::clock,
        Operands::to(d).b(u32::from(width == 8)).aux(shift),
    );
    Ok(true)
}

/// Decodes `mov.b64 {lo, hi}, a`. Each element gets its bits.
fn unpack<'a>(b: &mut Builder<'a, '_>, d: &Operand<'a>, a: &Operand<'a>, ty: Type) -> Result<()> {
    let elements = b.elements(d);
    let from = b.source(a, repr(ty.size()), Some(ty))?;
    let part = ty.size() / elements.len() as u64;
    // The source may also be a destination, so all of it is read first.
    let mut places = Vec::new();
    for (index, element) in elements.iter().enumerate() {
        if *element == Operand::Sink {
            continue;
        }
        let temporary = b.scratch(repr(part))?;
        places.push((temporary, b.register(element, repr(part))?, index));
    }
    for &(temporary, _, index) in &places {
        let run: Handler = match (ty.size(), part, index) {
            (2, 1, 0) => alu::unary_rare(|a: u32| a & 0xff),
            (2, 1, 1) => alu::unary_rare(|a: u32| a >> 8 & 0xff),
            (4, 2, 0) => alu::unary_rare(|a: u32| a & 0xffff),
            (4, 2, 1) => alu::unary_rare(|a: u32| a >> 16),
            (4, 1, 0) => alu::unary_rare(|a: u32| a & 0xff),
            (4, 1, 1) => alu::unary_rare(|a: u32| a >> 8 & 0xff),
            (4, 1, 2) => alu::unary_rare(|a: u32| a >> 16 & 0xff),
            (4, 1, 3) => alu::unary_rare(|a: u32| a >> 24),
            (8, 4, 0) => alu::unary_rare(|a: u64| a as u32),
            (8, 4, 1) => alu::unary_rare(|a: u64| (a >> 32) as u32),
            (8, 2, 0) => alu::unary_rare(|a: u64| a as u16),
            (8, 2, 1) => alu::unary_rare(|a: u64| (a >> 16) as u16),
            (8, 2, 2) => alu::unary_rare(|a: u64| (a >> 32) as u16),
            (8, 2, 3) => alu::unary_rare(|a: u64| (a >> 48) as u16),
            (16, 8, 0) => alu::unary_rare(|a: u128| a as u64),
            (16, 8, 1) => alu::unary_rare(|a: u128| (a >> 64) as u64),
            (16, 4, 0) => alu::unary_rare(|a: u128| a as u32),
            (16, 4, 1) => alu::unary_rare(|a: u128| (a >> 32) as u32),
            (16, 4, 2) => alu::unary_rare(|a: u128| (a >> 64) as u32),
            (16, 4, 3) => alu::unary_rare(|a: u128| (a >> 96) as u32),
            _ => return unsupported(),
        };
        b.emit(run, Operands::to(temporary).a(from));
    }
    for (temporary, d, _) in places {
        b.emit(copy(repr(part)), Operands::to(d).a(temporary));
    }
    Ok(())
}

/// Decodes `mov.b64 d, {lo, hi}`, which joins the elements.
fn pack<'a>(b: &mut Builder<'a, '_>, d: &Operand<'a>, a: &Operand<'a>, ty: Type) -> Result<()> {
    let elements = b.elements(a);
    let part = ty.size() / elements.len() as u64;
    let width = repr(part);
    let d = b.destination(d, repr(ty.size()))?;
    let mut rows = [0; 4];
    if elements.len() > 4 {
        return unsupported();
    }
    for (row, element) in rows.iter_mut().zip(&elements) {
        *row = b.source(element, width, None)?;
    }
    let run: Handler = match (ty.size(), part) {
        (2, 1) => alu::binary_rare(|a: u8, b: u8| u16::from(b) << 8 | u16::from(a)),
        (4, 2) => alu::binary_rare(|a: u16, b: u16| u32::from(b) << 16 | u32::from(a)),
        (4, 1) => alu::quaternary(|a: u8, b: u8, c: u8, d: u8| u32::from_le_bytes([a, b, c, d])),
        (8, 4) => alu::binary(|a: u32, b: u32| u64::from(b) << 32 | u64::from(a)),
        (8, 2) => alu::quaternary(|a: u16, b: u16, c: u16, d: u16| {
            u64::from(d) << 48 | u64::from(c) << 32 | u64::from(b) << 16 | u64::from(a)
        }),
        (16, 8) => alu::binary_rare(|a: u64, b: u64| u128::from(b) << 64 | u128::from(a)),
        (16, 4) => alu::quaternary(|a: u32, b: u32, c: u32, d: u32| {
            u128::from(d) << 96 | u128::from(c) << 64 | u128::from(b) << 32 | u128::from(a)
        }),
        _ => return unsupported(),
    };
    b.emit(
        run,
        Operands::to(d)
            .a(rows[0])
            .b(rows[1])
            .c(rows[2])
            .aux(rows[3]),
    );
    Ok(())
}

pub(super) fn selp<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, x, y, p] = b.operands(i)?;
    let Some(ty) = i.modifiers.types().last() else {
        return invalid("no type");
    };
    let width = repr(ty.size());
    let (a, y) = (b.source(x, width, Some(ty))?, b.source(y, width, Some(ty))?);
    let c = b.predicate(p)?;
    let d = b.destination(d, width)?;
    let run = if width == 4 {
        alu::choose::<u32>()
    } else {
        alu::choose::<u64>()
    };
    if width == 16 {
        return unsupported();
    }
    b.emit(run, Operands::to(d).a(a).b(y).c(c));
    Ok(())
}

/// Decodes `slct`: `a` if `c` is not negative, else `b`.
pub(super) fn slct<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, x, y, z] = b.operands(i)?;
    let types: Vec<Type> = i.modifiers.types().collect();
    let [ty, by] = types[..] else {
        return invalid("`slct` has two types");
    };
    let width = repr(ty.size());
    let ftz = i.modifiers.has(M::Ftz);
    let run: Handler = match (width, by, ftz) {
        (4, Type::S32, _) => alu::ternary_rare(slct_b32_s32),
        (8, Type::S32, _) => alu::ternary_rare(slct_b64_s32),
        (4, Type::F32, false) => alu::ternary_rare(slct_b32_f32),
        (8, Type::F32, false) => alu::ternary_rare(slct_b64_f32),
        (4, Type::F32, true) => alu::ternary_rare(slct_ftz_b32_f32),
        (8, Type::F32, true) => alu::ternary_rare(slct_ftz_b64_f32),
        _ => return unsupported(),
    };
    let (a, y, c) = (
        b.source(x, width, Some(ty))?,
        b.source(y, width, Some(ty))?,
        b.source(z, 4, Some(by))?,
    );
    let d = b.destination(d, width)?;
    b.emit(run, Operands::to(d).a(a).b(y).c(c));
    Ok(())
}

/// Decodes `and.pred` and similar instructions.
pub(super) fn predicates<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let operands = b.body.operands(i);
    let [d, from @ ..] = operands else {
        return invalid("no operands");
    };
    let d = b.predicate_destination(d)?;
    let (run, x, y) = match (i.opcode, from) {
        (Opcode::And, [x, y]) => (alu::predicate(|a, b| a & b), x, y),
        (Opcode::Or, [x, y]) => (alu::predicate(|a, b| a | b), x, y),
        (Opcode::Xor, [x, y]) => (alu::predicate(|a, b| a ^ b), x, y),
        (Opcode::Not, [x]) => (alu::predicate(|a, _| !a), x, x),
        _ => return unsupported(),
    };
    let (a, y) = (b.predicate(x)?, b.predicate(y)?);
    b.emit(run, Operands::to(d).a(a).b(y));
    Ok(())
}
