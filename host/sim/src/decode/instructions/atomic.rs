//! `atom` and `red`.
//!
//! PTX ISA, "Parallel Synchronization and Communication Instructions: atom, red". `.sem` and
//! `.scope` are ignored, because the machine's atomics are sequentially consistent for the whole
//! system. A cache policy is a hint and has no effect. As measured on an H200, `add.f32` flushes
//! subnormals to zero in global memory, but not in shared memory. Halves (`.noftz`) are never
//! flushed. In a vector, each element is updated in one step, but not the vector as a whole. The
//! vector's memory is aligned as a whole.

use super::memory::{Address, class_of, place};
use crate::decode::builder::{Builder, Operands};
use crate::decode::operand::repr;
use crate::decode::problem::{Result, invalid, unsupported};
use crate::machine::memory::atomics::{self, atomic as handler};
use crate::machine::memory::transfer::{NOWHERE, TransferSpace};
use crate::machine::op::Handler;
use crate::machine::program::Class;
use crate::ptx::ast::{Instruction, Modifier as M, Opcode, Operand, Type};
use crate::semantics::{atomic, float, half, int};

/// Returns the handler for one operation with one type.
fn pick(global: bool, operation: M, ty: Type) -> Option<Handler> {
    use Type as T;
    Some(match (operation, ty) {
        (M::Add, T::U32 | T::S32) => handler::<u32, u32, u32, _>(|a, b, _| int::add_u32(a, b)),
        (M::Add, T::U64 | T::S64) => handler::<u64, u64, u64, _>(|a, b, _| int::add_u64(a, b)),
        (M::Add, T::F32) if global => {
            handler::<u32, f32, u32, _>(|a, b, _| float::add_rn_ftz_f32(a, b))
        }
        (M::Add, T::F32) => handler::<u32, f32, u32, _>(|a, b, _| float::add_rn_f32(a, b)),
        (M::Add, T::F64) => handler::<u64, f64, u64, _>(|a, b, _| float::add_rn_f64(a, b)),
        (M::Inc, T::U32) => handler::<u32, u32, u32, _>(|old, b, _| atomic::inc_u32(old, b)),
        (M::Dec, T::U32) => handler::<u32, u32, u32, _>(|old, b, _| atomic::dec_u32(old, b)),
        (M::Min, T::U32) => handler::<u32, u32, u32, _>(|a, b, _| a.min(b)),
        (M::Min, T::S32) => handler::<u32, i32, u32, _>(|a, b, _| a.min(b)),
        (M::Min, T::U64) => handler::<u64, u64, u64, _>(|a, b, _| a.min(b)),
        (M::Min, T::S64) => handler::<u64, i64, u64, _>(|a, b, _| a.min(b)),
        (M::Max, T::U32) => handler::<u32, u32, u32, _>(|a, b, _| a.max(b)),
        (M::Max, T::S32) => handler::<u32, i32, u32, _>(|a, b, _| a.max(b)),
        (M::Max, T::U64) => handler::<u64, u64, u64, _>(|a, b, _| a.max(b)),
        (M::Max, T::S64) => handler::<u64, i64, u64, _>(|a, b, _| a.max(b)),
        (M::And, T::B32) => handler::<u32, u32, u32, _>(|a, b, _| a & b),
        (M::And, T::B64) => handler::<u64, u64, u64, _>(|a, b, _| a & b),
        (M::Or, T::B32) => handler::<u32, u32, u32, _>(|a, b, _| a | b),
        (M::Or, T::B64) => handler::<u64, u64, u64, _>(|a, b, _| a | b),
        (M::Xor, T::B32) => handler::<u32, u32, u32, _>(|a, b, _| a ^ b),
        (M::Xor, T::B64) => handler::<u64, u64, u64, _>(|a, b, _| a ^ b),
        (M::Exch, T::B32) => handler::<u32, u32, u32, _>(|_, b, _| b),
        (M::Exch, T::B64) => handler::<u64, u64, u64, _>(|_, b, _| b),
        (M::Exch, T::B128) => handler::<u128, u128, u128, _>(|_, b, _| b),
        (M::Cas, T::B16) => handler::<u16, u16, u32, _>(atomic::cas),
        (M::Cas, T::B32) => handler::<u32, u32, u32, _>(atomic::cas),
        (M::Cas, T::B64) => handler::<u64, u64, u64, _>(atomic::cas),
        (M::Cas, T::B128) => handler::<u128, u128, u128, _>(atomic::cas),
        (operation, ty) => return pick_half(operation, ty),
    })
}

/// Returns the handler for halves, single and in pairs.
fn pick_half(operation: M, ty: Type) -> Option<Handler> {
    use ::half::{bf16, f16};
    use Type as T;
    Some(match (operation, ty) {
        (M::Add, T::F16) => handler::<u16, f16, u32, _>(|a, b, _| half::add_rn_f16(a, b)),
        (M::Add, T::Bf16) => handler::<u16, bf16, u32, _>(|a, b, _| half::add_rn_bf16(a, b)),
        (M::Add, T::F16x2) => handler::<u32, u32, u32, _>(|a, b, _| half::add_rn_f16x2(a, b)),
        (M::Add, T::Bf16x2) => handler::<u32, u32, u32, _>(|a, b, _| half::add_rn_bf16x2(a, b)),
        (M::Min, T::F16) => handler::<u16, f16, u32, _>(|a, b, _| half::min_f16(a, b)),
        (M::Min, T::Bf16) => handler::<u16, bf16, u32, _>(|a, b, _| half::min_bf16(a, b)),
        (M::Min, T::F16x2) => handler::<u32, u32, u32, _>(|a, b, _| half::min_f16x2(a, b)),
        (M::Min, T::Bf16x2) => handler::<u32, u32, u32, _>(|a, b, _| half::min_bf16x2(a, b)),
        (M::Max, T::F16) => handler::<u16, f16, u32, _>(|a, b, _| half::max_f16(a, b)),
        (M::Max, T::Bf16) => handler::<u16, bf16, u32, _>(|a, b, _| half::max_bf16(a, b)),
        (M::Max, T::F16x2) => handler::<u32, u32, u32, _>(|a, b, _| half::max_f16x2(a, b)),
        (M::Max, T::Bf16x2) => handler::<u32, u32, u32, _>(|a, b, _| half::max_bf16x2(a, b)),
        _ => return None,
    })
}

pub(super) fn atomic<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let operation = i.modifiers.iter().copied().find(|m| {
        matches!(
            m,
            M::Add | M::Inc | M::Dec | M::Min | M::Max | M::And | M::Or | M::Xor | M::Exch | M::Cas
        )
    });
    let (Some(operation), Some(ty)) = (operation, i.modifiers.types().last()) else {
        return unsupported();
    };
    let named = place(i)?;
    let operands = b.body.operands(i);
    let (d, operands) = match (i.opcode, operands) {
        (Opcode::Atom, [d, rest @ ..]) => (*d, rest),
        (_, rest) => (Operand::Sink, rest),
    };
    // A cache policy may follow the values.
    let (address, x, y) = match *operands {
        [address, x, y, ..] if operation == M::Cas => (address, x, y),
        [address, x, ..] if operation != M::Cas => (address, x, x),
        _ => return invalid("expected an address and a value (two for `cas`)"),
    };
    let place = b.place_of(named, &address)?;
    let space = match place {
        TransferSpace::Global => atomics::GLOBAL,
        TransferSpace::Shared => atomics::SHARED,
        TransferSpace::Generic => atomics::GENERIC,
        _ => return invalid("this memory has no atomics"),
    };
    let Some(run) = pick(place != TransferSpace::Shared, operation, ty) else {
        return unsupported();
    };
    let width = repr(ty.size());
    let sources = b.elements(&x);
    let destinations = match d {
        Operand::Sink => vec![Operand::Sink; sources.len()],
        d => b.elements(&d),
    };
    if destinations.len() != sources.len() {
        return invalid("as many values should come back as go in");
    }
    let mut rows = Vec::with_capacity(3 * sources.len());
    for (d, x) in destinations.iter().zip(&sources) {
        let y = if operation == M::Cas { &y } else { x };
        rows.push(match d {
            Operand::Sink => NOWHERE,
            d => b.register(d, width)?,
        });
        rows.push(b.source(x, width, Some(ty))?);
        rows.push(b.source(y, width, Some(ty))?);
    }
    let Address { row, offset, flags } = b.address_operand(&address)?;
    let list = b.list(&rows);
    b.orders(i);
    b.classify(
        Class::Atomic(class_of(place)),
        ty.size() * sources.len() as u64,
    );
    b.emit(
        run,
        Operands::NONE
            .a(row)
            .b(list)
            .c(offset)
            .aux(flags | space << atomics::SPACE | (sources.len() as u32 - 1) << atomics::ELEMENTS),
    );
    Ok(())
}
