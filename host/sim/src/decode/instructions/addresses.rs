//! Instructions that compute with addresses: `cvta`, `isspacep`, `mapa`, `getctarank`, the stack,
//! and cache policies.
//!
//! PTX ISA, "Data Movement and Conversion: cvta, isspacep, mapa, getctarank, createpolicy", "Stack
//! Manipulation Instructions". `memory::window` defines the positions of the state spaces among the
//! generic addresses. `mapa` of a rank that the cluster does not have returns an address that no
//! access may use. The ISA does not define `getctarank` of an address that is not shared; here the
//! result is all ones.

use crate::decode::builder::{Builder, Operands};
use crate::decode::problem::{Result, invalid, unsupported};
use crate::machine::compute::alu;
use crate::machine::compute::misc;
use crate::machine::memory::stack;
use crate::machine::op::Handler;
use crate::machine::program::Value;
use crate::memory::window::{self, SHARED_PER_BLOCK, Window};
use crate::ptx::ast::{Instruction, Modifier as M, Opcode, Operand, SpecialRegister};

/// Returns the number to add to a space's addresses to make them generic.
fn window(i: &Instruction) -> Option<u64> {
    i.modifiers.iter().find_map(|word| match word {
        // Global and constant addresses are generic already.
        M::Global | M::Const => Some(0),
        M::Param | M::ParamEntry => Some(window::PARAM),
        M::Shared | M::SharedCta | M::SharedCluster => Some(window::SHARED),
        M::Local => Some(window::LOCAL),
        _ => None,
    })
}

/// Decodes `cvta`. Adding the window's address makes shared and local addresses generic. Global and
/// constant addresses are generic already. The address of a parameter is generic in a register of
/// 64 bits and an offset in one of 32 bits; both become generic.
pub(super) fn cvta<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, a] = b.operands(i)?;
    let to = i.modifiers.has(M::To);
    let run = match (window(i), to) {
        (Some(0), _) => alu::unary(|a: u64| a),
        (Some(window::PARAM), false) => alu::unary(|a: u64| a | window::PARAM),
        (Some(window::PARAM), true) => alu::unary(|a: u64| a),
        (Some(window::SHARED), false) => alu::unary(|a: u64| a.wrapping_add(window::SHARED)),
        (Some(window::SHARED), true) => alu::unary(|a: u64| a.wrapping_sub(window::SHARED)),
        (Some(window::LOCAL), false) => alu::unary(|a: u64| a.wrapping_add(window::LOCAL)),
        (Some(window::LOCAL), true) => alu::unary(|a: u64| a.wrapping_sub(window::LOCAL)),
        _ => return unsupported(),
    };
    let a = b.source(a, 8, None)?;
    let d = b.destination(d, 8)?;
    b.emit(run, Operands::to(d).a(a));
    Ok(())
}

pub(super) fn isspacep<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, a] = b.operands(i)?;
    let run = match i.modifiers.first() {
        Some(M::Global) => misc::is_global,
        Some(M::Const) => misc::is_constant,
        Some(M::Shared | M::SharedCta) => alu::compare(|a: u64, _: u64| {
            window::of(a) == Window::Shared && a - window::SHARED < SHARED_PER_BLOCK
        }),
        Some(M::SharedCluster) => alu::compare(|a: u64, _: u64| window::of(a) == Window::Shared),
        Some(M::Local) => alu::compare(|a: u64, _: u64| window::of(a) == Window::Local),
        Some(M::Param | M::ParamEntry) => {
            alu::compare(|a: u64, _: u64| window::of(a) == Window::Param)
        }
        _ => return unsupported(),
    };
    let a = wide(b, a)?;
    let d = b.predicate_destination(d)?;
    b.emit(run, Operands::to(d).a(a).b(a));
    Ok(())
}

/// Returns the address of a kernel's parameter in generic form, from one in a register.
pub(super) fn of_parameter<'a>(b: &mut Builder<'a, '_>, operand: &Operand<'a>) -> Result<u32> {
    let (a, d) = (wide(b, operand)?, b.scratch(8)?);
    b.emit(alu::unary(|a: u64| a | window::PARAM), Operands::to(d).a(a));
    Ok(d)
}

/// Returns an address in 64 bits, for any size of the register.
fn wide<'a>(b: &mut Builder<'a, '_>, operand: &Operand<'a>) -> Result<u32> {
    if b.register_size(operand) != Some(4) {
        return b.source(operand, 8, None);
    }
    let (a, d) = (b.source(operand, 4, None)?, b.scratch(8)?);
    b.emit(alu::unary_rare(|a: u32| u64::from(a)), Operands::to(d).a(a));
    Ok(d)
}

/// Decodes `mapa`. The bits above a block's part of a shared address contain the rank plus one. 0
/// stands for the block itself.
pub(super) fn mapa<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    const fn at(address: u64, rank: u32) -> u64 {
        address % SHARED_PER_BLOCK + (rank as u64 + 1) * SHARED_PER_BLOCK
    }
    let [d, a, rank] = b.operands(i)?;
    let shared = i.modifiers.has(M::SharedCluster);
    let (width, run): (u64, Handler) = match (shared, i.modifiers.has(M::U64)) {
        (true, true) => (8, alu::binary_rare(at)),
        (true, false) => (
            4,
            alu::binary_rare(|a: u32, rank: u32| at(a.into(), rank) as u32),
        ),
        // Generic addresses have 64 bits: see `cvta`. The window's first address is a multiple of
        // the size of a block's part.
        (false, _) => (
            8,
            alu::binary_rare(|a: u64, rank: u32| window::SHARED + at(a, rank)),
        ),
    };
    let (a, rank) = (b.source(a, width, None)?, b.source(rank, 4, None)?);
    let d = b.destination(d, width)?;
    b.emit(run, Operands::to(d).a(a).b(rank));
    Ok(())
}

pub(super) fn getctarank<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    const fn rank(address: u64, own: u32) -> u32 {
        match address / SHARED_PER_BLOCK {
            0 => own,
            rank => (rank as u32).wrapping_sub(1),
        }
    }
    let [d, a] = b.operands(i)?;
    let shared = i.modifiers.has(M::SharedCluster);
    let (width, run): (u64, Handler) = match (shared, i.modifiers.has(M::U64)) {
        (true, true) => (8, alu::binary_rare(rank)),
        (true, false) => (4, alu::binary_rare(|a: u32, own: u32| rank(a.into(), own))),
        (false, _) => (
            8,
            alu::binary_rare(|a: u64, own: u32| match window::of(a) {
                Window::Shared => rank(a - window::SHARED, own),
                _ => u32::MAX,
            }),
        ),
    };
    let own = b.constant(Value::Special(SpecialRegister::ClusterCtarank, 0), 4)?;
    let (a, d) = (b.source(a, width, None)?, b.destination(d, 4)?);
    b.emit(run, Operands::to(d).a(a).b(own));
    Ok(())
}

pub(super) fn stack<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let wide = i.modifiers.has(M::U64);
    let (width, aux) = if wide { (8, 1) } else { (4, 0) };
    let operands = match (i.opcode, b.body.operands(i)) {
        (Opcode::Stacksave, [d]) => Operands::to(b.destination(d, width)?),
        (Opcode::Stackrestore, [a]) => Operands::NONE.a(b.source(a, width, None)?),
        (Opcode::Alloca, [d, size, align @ ..]) => {
            let align = match align {
                [] => 8,
                [Operand::Int(align)]
                    if (1..=1 << 16).contains(align) && align & (align - 1) == 0 =>
                {
                    *align as u32
                }
                _ => return invalid("the alignment of `alloca` is a power of two"),
            };
            Operands::to(b.destination(d, width)?)
                .a(b.source(size, width, None)?)
                .b(align)
        }
        _ => return unsupported(),
    };
    let run = match i.opcode {
        Opcode::Stacksave => stack::save,
        Opcode::Stackrestore => stack::restore,
        _ => stack::alloca,
    };
    b.emit(run, operands.aux(aux));
    Ok(())
}

/// Decodes `createpolicy`. A policy is opaque, and there is no cache that it could affect, so all
/// policies have the same value.
pub(super) fn createpolicy<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    const POLICY: u128 = 0x12f0_0000_0000_0000;
    let [d, ..] = b.body.operands(i) else {
        return invalid("`createpolicy` takes a destination");
    };
    let a = b.constant(Value::Bits(POLICY), 8)?;
    let d = b.destination(d, 8)?;
    b.emit(alu::unary(|a: u64| a), Operands::to(d).a(a));
    Ok(())
}
