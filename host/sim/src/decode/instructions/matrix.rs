//! `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`.
//!
//! PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions". The table has already checked the
//! number of registers of each fragment. This module converts shape, layout and types to a
//! [`Product`] or a [`Tile`].

use super::memory::{Address, place};
use crate::decode::builder::{Builder, Operands};
use crate::decode::problem::{Result, invalid, unsupported};
use crate::machine::compute::matrix::{self, MatrixKind, Product, Scaling, Sparsity, rows};
use crate::machine::memory::flag;
use crate::machine::memory::state_space::NamedSpace;
use crate::machine::memory::tile::{self, Tile};
use crate::machine::memory::transfer::TransferSpace;
use crate::machine::program::Value;
use crate::ptx::ast::{Instruction, Modifier as M, Opcode, Operand, Type};
use crate::semantics::Rounding;
use crate::semantics::matrix::{Accumulator, BitOp, Element, Factor, sparse};

/// Returns the mask of all lanes.
pub(super) fn everybody(b: &mut Builder<'_, '_>) -> Result<u32> {
    b.constant(Value::Bits(u128::from(u32::MAX)), 4)
}

/// Returns m, n and k of a modifier such as `m16n8k16`.
pub(super) fn shape(i: &Instruction) -> Option<(usize, usize, usize)> {
    i.modifiers.iter().find_map(|word| {
        let (m, rest) = word.name().strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
    })
}

pub(super) fn element(ty: Type) -> Option<Element> {
    Some(match ty {
        Type::F16 => Element::F16,
        Type::Bf16 => Element::Bf16,
        Type::Tf32 => Element::Tf32,
        Type::E4m3 => Element::E4m3,
        Type::E5m2 => Element::E5m2,
        Type::E3m2 => Element::E3m2,
        Type::E2m3 => Element::E2m3,
        Type::E2m1 => Element::E2m1,
        Type::S8 => Element::S8,
        Type::U8 => Element::U8,
        Type::S4 => Element::S4,
        Type::U4 => Element::U4,
        _ => return None,
    })
}

pub(super) fn accumulator(ty: Type, i: &Instruction) -> Option<Accumulator> {
    Some(match ty {
        Type::F16 => Accumulator::F16,
        Type::F32 => Accumulator::F32,
        Type::S32 if i.modifiers.has(M::Satfinite) => Accumulator::S32Satfinite,
        Type::S32 => Accumulator::S32,
        _ => return None,
    })
}

/// Returns the kind of multiplication: its shape, the types of D, A, B and C, and the metadata of
/// a sparse A.
fn kind<'a>(
    b: &mut Builder<'a, '_>,
    i: &Instruction,
    (m, n, k): (usize, usize, usize),
    [d, left, right, c]: [Type; 4],
    metadata: Option<(&Operand<'a>, &Operand<'a>)>,
) -> Result<MatrixKind> {
    if left == Type::F64 {
        let rounding = match () {
            () if i.modifiers.has(M::Rz) => Rounding::Zero,
            () if i.modifiers.has(M::Rm) => Rounding::Down,
            () if i.modifiers.has(M::Rp) => Rounding::Up,
            () => Rounding::Nearest,
        };
        return Ok(MatrixKind::Double(k, rounding));
    }
    if left == Type::B1 {
        let and = i.modifiers.has(M::And);
        return Ok(MatrixKind::Bits(
            k,
            if and { BitOp::And } else { BitOp::Xor },
        ));
    }
    // Elements of four bits are not padded here.
    let packed = i.modifiers.has(M::KindMxf4) || i.modifiers.has(M::KindMxf4nvf4);
    let element = |ty| match ty {
        Type::E2m1 if packed => Some(Element::E2m1x8),
        ty => element(ty),
    };
    let (Some(left), Some(right)) = (element(left), element(right)) else {
        return unsupported();
    };
    let (Some(c), Some(d)) = (accumulator(c, i), accumulator(d, i)) else {
        return unsupported();
    };
    let (factors, sums) = ([left, right], [c, d]);
    Ok(if i.opcode == Opcode::Wmma {
        MatrixKind::Wmma((m, n, k), factors, sums)
    } else if (m, n, k) == (8, 8, 4) {
        let mut layouts = i.modifiers.iter().filter(|w| matches!(w, M::Row | M::Col));
        let mut by_rows = || layouts.next() == Some(&M::Row);
        MatrixKind::Volta([by_rows(), by_rows()], sums)
    } else if let Some(metadata) = metadata {
        let sparsity = sparsity(b, i, (k, left), metadata)?;
        MatrixKind::Sparse(k, sparsity, factors, sums)
    } else {
        MatrixKind::Mma(k, factors, sums)
    })
}

pub(super) fn multiply<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let Some((m, n, k)) = shape(i) else {
        return unsupported();
    };
    // `wmma` on f16 has modifiers for the types of D and C only.
    let types: Vec<Type> = i.modifiers.types().collect();
    let (d, left, right, c) = match types[..] {
        [d, c] => (d, Type::F16, Type::F16, c),
        [d, left, right, c] | [d, left, right, c, _] => (d, left, right, c),
        _ => return unsupported(),
    };
    let (matrices, metadata) = match b.body.operands(i) {
        [to, left, right, from] | [to, left, right, from, _, _, _, _] => {
            ([to, left, right, from], None)
        }
        [to, left, right, from, metadata, selector, ..] => {
            ([to, left, right, from], Some((metadata, selector)))
        }
        _ => return invalid("a multiplication takes four matrices"),
    };
    let kind = kind(b, i, (m, n, k), [d, left, right, c], metadata)?;
    let [to, left, right, from] = matrices;
    let width = if matches!(kind, MatrixKind::Double(..)) {
        8
    } else {
        4
    };
    let mut fragment = |operand: &Operand<'a>, written: bool| -> Result<Vec<u32>> {
        let elements = b.elements(operand);
        let row = |element: &Operand<'a>| match written {
            true => b.destination(element, width),
            false => b.source(
                element,
                width,
                Some(if width == 8 { Type::F64 } else { Type::F32 }),
            ),
        };
        elements.iter().map(row).collect()
    };
    let rows = [
        fragment(left, false)?,
        fragment(right, false)?,
        fragment(from, false)?,
        fragment(to, true)?,
    ];
    let scaling = scaling(b, i)?;
    let members = everybody(b)?;
    let aux = b.code.products.push(Product {
        kind,
        rows,
        scaling,
    });
    b.emit(matrix::multiply(), Operands::NONE.b(members).aux(aux));
    Ok(())
}

/// Returns the scale factors of a product with `.block_scale`.
fn scaling<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<Option<Scaling>> {
    if !i.modifiers.has(M::BlockScale) {
        return Ok(None);
    }
    let (factor, blocks) = match () {
        () if i.modifiers.has(M::Ue4m3) => (Factor::Ue4m3, 4),
        () if i.modifiers.has(M::ScaleVec4x) => (Factor::Ue8m0, 4),
        () if i.modifiers.has(M::KindMxf8f6f4) => (Factor::Ue8m0, 1),
        () => (Factor::Ue8m0, 2),
    };
    let [.., left, of_left, right, of_right] = *b.body.operands(i) else {
        return invalid("expected factors and their selectors");
    };
    let mut of = |data: &Operand<'a>, selectors: &Operand<'a>, threads: i64| {
        let [byte, thread] = b.elements(selectors)[..] else {
            return invalid("expected the selectors of a byte and of a thread");
        };
        let blocks = blocks as i64;
        let bad = |operand, most, step| matches!(operand, Operand::Int(value) if !(0..=most).contains(&value) || value % step != 0);
        if bad(byte, 4 - blocks, blocks) || bad(thread, threads - 1, 1) {
            return invalid(format!(
                "a selector of factors is too large: bytes come in groups of {blocks}, threads are below {threads}"
            ));
        }
        Ok([
            b.source(data, 4, None)?,
            b.source(&byte, 4, None)?,
            b.source(&thread, 4, None)?,
        ])
    };
    let rows = [of(&left, &of_left, 2)?, of(&right, &of_right, 4)?];
    Ok(Some(Scaling {
        factor,
        blocks,
        rows,
    }))
}

/// Returns metadata and selector of a product with a sparse matrix.
fn sparsity<'a>(
    b: &mut Builder<'a, '_>,
    i: &Instruction,
    (k, element): (usize, Element),
    (metadata, selector): (&Operand<'a>, &Operand<'a>),
) -> Result<Sparsity> {
    let Operand::Int(selector) = *selector else {
        return invalid("the selector of lanes with metadata should be a constant");
    };
    let selectors = sparse::selectors(k, element);
    match usize::try_from(selector) {
        Ok(selector) if selector < selectors => Ok(Sparsity {
            metadata: b.source(metadata, 4, None)?,
            selector,
            ordered: i.modifiers.has(M::SpOrderedMetadata),
        }),
        _ => invalid(format!(
            "selector {selector} of lanes with metadata, where this shape has {selectors}, counted from 0"
        )),
    }
}

/// Decodes `wmma.load.a`, `.b`, `.c` and `wmma.store.d`.
pub(super) fn move_tile<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let Some(((m, n, k), ty)) = shape(i).zip(i.modifiers.types().last()) else {
        return unsupported();
    };
    let store = i.modifiers.has(M::Store);
    let (address, fragment, stride) = match (store, b.body.operands(i)) {
        (true, [address, fragment, stride @ ..]) => (address, fragment, stride.first()),
        (false, [fragment, address, stride @ ..]) => (address, fragment, stride.first()),
        _ => return invalid("expected an address and a fragment"),
    };
    let right = i.modifiers.has(M::B);
    let shape = match () {
        () if i.modifiers.has(M::A) => (m, k),
        () if right => (k, n),
        () => (m, n),
    };
    let bits = match ty {
        Type::B1 => 1,
        Type::S4 | Type::U4 => 4,
        ty => ty.size() as usize * 8,
    };
    let by_rows = i.modifiers.has(M::Row);
    let width = if bits == 64 { 8 } else { 4 };
    let mut registers = Vec::new();
    for element in &b.elements(fragment) {
        registers.push(match store {
            true => b.source(element, width, Some(ty))?,
            false => b.destination(element, width)?,
        });
    }
    let stride = match stride {
        Some(stride) => b.source(stride, 4, None)?,
        None => {
            let length = if by_rows { shape.1 } else { shape.0 };
            b.constant(Value::Bits(length as u128), 4)?
        }
    };
    let space = match b.place_of(place(i)?, address)? {
        TransferSpace::Global => NamedSpace::Global,
        TransferSpace::Shared => NamedSpace::Shared,
        _ => NamedSpace::Generic,
    };
    let Address { row, offset, flags } = b.address_operand(address)?;
    let members = everybody(b)?;
    let index = b.code.tiles.push(Tile {
        shape,
        bits,
        by_rows,
        as_mma_b: right && matches!(bits, 1 | 64),
        space,
        registers,
    });
    b.emit(
        if store { tile::store } else { tile::load },
        Operands::to(members)
            .a(row)
            .b(stride)
            .c(offset)
            .aux(flags | index << flag::ELEMENTS),
    );
    Ok(())
}

/// Decodes `ldmatrix` and `stmatrix` into an operation of the machine.
pub(super) fn move_rows<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let store = i.opcode == Opcode::Stmatrix;
    let (address, fragment) = match (store, b.body.operands(i)) {
        (true, [address, fragment]) | (false, [fragment, address]) => (address, fragment),
        _ => return invalid("expected an address and registers"),
    };
    let mut registers = Vec::new();
    for element in &b.elements(fragment) {
        registers.push(match store {
            true => b.source(element, 4, None)?,
            false => b.destination(element, 4)?,
        });
    }
    let generic = b.place_of(place(i)?, address)? == TransferSpace::Generic;
    let Address { row, offset, flags } = b.address_operand(address)?;
    let members = everybody(b)?;
    let list = b.list(&registers);
    let flag = |is, flag| if is { flag } else { 0 };
    b.emit(
        if store {
            matrix::store_rows
        } else {
            matrix::load_rows
        },
        Operands::to(members).a(row).b(list).c(offset).aux(
            flags
                | flag(i.modifiers.has(M::Trans), rows::TRANS)
                | flag(generic, rows::GENERIC)
                | flag(!i.modifiers.has(M::M8n8), rows::BYTES)
                | flag(i.modifiers.has(M::B6x16P32), rows::SIX)
                | flag(i.modifiers.has(M::B4x16P64), rows::FOUR)
                | (registers.len() as u32) << rows::COUNT,
        ),
    );
    Ok(())
}

pub(super) fn movmatrix<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, a] = b.operands(i)?;
    let (a, d) = (b.source(a, 4, None)?, b.destination(d, 4)?);
    let members = everybody(b)?;
    b.emit(matrix::transpose, Operands::to(d).a(a).b(members));
    Ok(())
}
