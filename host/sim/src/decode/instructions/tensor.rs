//! `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`, `cp.async.bulk.prefetch.tensor`,
//! `tensormap`.
//!
//! PTX ISA, "Data Movement and Conversion: Tensor copy" and "tensormap.replace". Cache
//! policies are hints.

use super::asynchronous::{addressed, join_of, operation, spaces};
use crate::decode::builder::{Builder, Operands};
use crate::decode::operand::repr;
use crate::decode::problem::{Result, invalid, unsupported};
use crate::machine::asynchronous::Addressed;
use crate::machine::asynchronous::bulk::joining;
use crate::machine::asynchronous::pending::Join;
use crate::machine::asynchronous::tensor::{self, Mode, TensorOperation, TensorSite};
use crate::machine::asynchronous::tensor_map::{self, PublishSite, ReplaceSite};
use crate::machine::memory::state_space::NamedSpace;
use crate::machine::op::Handler;
use crate::ptx::ast::{Base, Instruction, Modifier as M, Operand, Type};
use crate::semantics::float;
use crate::semantics::tensor::{Element, Field};

/// Returns the number of dimensions from the instruction's modifiers.
fn rank(i: &Instruction) -> Option<u32> {
    i.modifiers.iter().find_map(|word| {
        let rank = word.name().strip_suffix('d')?.parse().ok()?;
        (1..=5).contains(&rank).then_some(rank)
    })
}

/// Decodes `cp.async.bulk.tensor`, its reductions and prefetches.
pub(super) fn copy<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let has = |word| i.modifiers.has(word);
    let Some(rank) = rank(i) else {
        return unsupported();
    };
    if has(M::CtaGroup2) || has(M::Im2colW) || has(M::Im2colW128) {
        return unsupported();
    }
    let prefetch = has(M::Prefetch);
    let load = has(M::MbarrierCompleteTxBytes);
    let operands = b.body.operands(i);
    let (shared, map, rest) = match operands {
        [map, rest @ ..] if prefetch => (None, map, rest),
        [shared, map, rest @ ..] if load => (Some(shared), map, rest),
        [map, shared, rest @ ..] => (Some(shared), map, rest),
        _ => return invalid("expected a tensor map with coordinates"),
    };
    let mut rest = rest.iter();
    let mut next = |wanted: bool| match (wanted, wanted.then(|| rest.next()).flatten()) {
        (true, None) => invalid("an operand is missing"),
        (_, operand) => Ok(operand),
    };
    let mbarrier = next(load)?;
    let offsets = next(has(M::Im2col))?;
    let blocks = next(has(M::MulticastCluster))?;
    let (map, coordinates) = located(b, map)?;
    let mode = match offsets {
        Some(offsets) => Mode::Column(rows(b, offsets)?),
        None if has(M::Im2colNoOffs) => Mode::Column(Vec::new()),
        None if has(M::TileGather4) || has(M::TileScatter4) => Mode::Rows,
        None => Mode::Tile,
    };
    let way = match i.modifiers.first() {
        Some(M::Reduce) => TensorOperation::Join(joins(i)?),
        _ if prefetch => TensorOperation::Prefetch,
        _ if load => TensorOperation::Load,
        _ => TensorOperation::Store,
    };
    let blocks = blocks.map(|row| b.source(row, 4, None)).transpose()?;
    let in_shared = |b: &mut Builder<'a, '_>, operand: Option<&Operand<'a>>| {
        operand
            .map(|operand| addressed(b, operand, NamedSpace::Shared))
            .transpose()
    };
    let site = TensorSite {
        map,
        rank,
        mode,
        coordinates,
        way,
        shared: in_shared(b, shared)?,
        mbarrier: in_shared(b, mbarrier)?,
        blocks,
    };
    let index = b.code.tensors.push(site);
    b.out.reads_asynchronously = true;
    emit(b, tensor::start, index);
    Ok(())
}

/// Returns how elements of each type are combined, by the type's number.
fn joins(i: &Instruction) -> Result<Vec<Option<(Join, usize)>>> {
    let Some(operation) = operation(i) else {
        return unsupported();
    };
    let bitwise = matches!(operation, M::And | M::Or | M::Xor);
    let of = |number| {
        let ty = match Element::of_driver(number)? {
            Element::F32Ftz if operation == M::Add => {
                return Some(joining::<u32, f32, u32, _>(float::add_rn_ftz_f32));
            }
            Element::U32 | Element::S32 if bitwise => Type::B32,
            Element::U64 if bitwise => Type::B64,
            Element::U32 => Type::U32,
            Element::S32 => Type::S32,
            Element::U64 => Type::U64,
            Element::S64 if operation != M::Add => Type::S64,
            Element::F16 => Type::F16,
            Element::Bf16 => Type::Bf16,
            Element::F32 => Type::F32,
            Element::F64 => Type::F64,
            _ => return None,
        };
        join_of(operation, ty)
    };
    Ok((0..16).map(of).collect())
}

fn emit(b: &mut Builder<'_, '_>, run: Handler, index: u32) {
    b.emit(run, Operands::NONE.aux(index));
}

/// Returns the rows of a vector's elements. Their lanes have four bytes.
fn rows<'a>(b: &mut Builder<'a, '_>, vector: &Operand<'a>) -> Result<Vec<u32>> {
    let elements = b.elements(vector);
    elements.iter().map(|e| b.source(e, 4, None)).collect()
}

/// Reads the operand `[map, {coordinates}]`.
fn located<'a>(b: &mut Builder<'a, '_>, operand: &Operand<'a>) -> Result<(Addressed, Vec<u32>)> {
    let Operand::List(slice) = *operand else {
        return invalid("expected a tensor map with coordinates");
    };
    let [map, coordinates] = *b.body.elements(slice) else {
        return invalid("expected a tensor map and a vector of coordinates");
    };
    let map = match map {
        Operand::Register(id) => Operand::Address(Base::Register(id), 0),
        Operand::Symbol(symbol, offset) => Operand::Address(Base::Symbol(symbol), offset),
        other => other,
    };
    Ok((
        addressed(b, &map, NamedSpace::Generic)?,
        rows(b, &coordinates)?,
    ))
}

/// Decodes `tensormap.cp_fenceproxy` into an operation of the machine.
pub(super) fn publish<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [to, from, Operand::Int(128)] = b.body.operands(i) else {
        return invalid("`tensormap.cp_fenceproxy` takes two addresses and the constant 128");
    };
    let site = PublishSite {
        to: addressed(b, to, NamedSpace::Global)?,
        from: addressed(b, from, NamedSpace::Shared)?,
    };
    let index = b.code.publishes.push(site);
    emit(b, tensor_map::publish, index);
    Ok(())
}

/// Decodes `tensormap.replace` into an operation of the machine.
pub(super) fn replace<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let (map, ordinal, value) = match b.body.operands(i) {
        [map, value] => (map, 0, value),
        [map, Operand::Int(ordinal @ 0..5), value] => (map, *ordinal as u32, value),
        _ => return invalid("the dimension of a field is a constant from 0 to 4"),
    };
    let field = i.modifiers.iter().find_map(|word| {
        Some(match word {
            M::GlobalAddress => Field::Address,
            M::Rank => Field::Rank,
            M::BoxDim => Field::Box(ordinal),
            M::GlobalDim => Field::Size(ordinal),
            M::GlobalStride => Field::Stride(ordinal),
            M::ElementStride => Field::Step(ordinal),
            M::Elemtype => Field::Element,
            M::InterleaveLayout => Field::Interleave,
            M::SwizzleMode => Field::Swizzle,
            M::SwizzleAtomicity => Field::Atomicity,
            M::FillMode => Field::Fill,
            _ => return None,
        })
    });
    let Some(field) = field else {
        return unsupported();
    };
    let wide = matches!(field, Field::Address | Field::Stride(_));
    let space = spaces(i).next().unwrap_or(NamedSpace::Generic);
    let site = ReplaceSite {
        map: addressed(b, map, space)?,
        field,
        value: b.source(value, repr(if wide { 8 } else { 4 }), None)?,
        wide,
    };
    let index = b.code.replaces.push(site);
    emit(b, tensor_map::replace, index);
    Ok(())
}
