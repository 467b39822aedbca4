//! `atom` and `red`.
//!
//! PTX ISA, "Parallel Synchronization and Communication Instructions: atom, red". `.sem` and `.scope` are not looked at: the
//! machine's atomics are sequentially consistent for the whole system. Measured on an H200: `add.f32` on global memory
//! flushes subnormals to zero, on shared memory it does not.

use super::function::{Builder, Operands, Result, because, invalid, unsupported};
use super::memory::{Address, class_of, place};
use super::operand::repr;
use super::program::Class;
use crate::machine::atomics::{self, atomic as handler};
use crate::machine::op::Handler;
use crate::machine::transfer::{NOWHERE, Place};
use crate::ptx::ast::{Instruction, Modifier as M, Opcode, Operand, Type};
use crate::semantics::{float, int};

/// The handler for one operation at one type.
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
        (M::Inc, T::U32) => {
            handler::<u32, u32, u32, _>(|old, b, _| if old >= b { 0 } else { old + 1 })
        }
        (M::Dec, T::U32) => {
            handler::<u32, u32, u32, _>(|old, b, _| if old == 0 || old > b { b } else { old - 1 })
        }
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
        (M::Cas, T::B16) => handler::<u16, u16, u32, _>(|old, b, c| if old == b { c } else { old }),
        (M::Cas, T::B32) => handler::<u32, u32, u32, _>(|old, b, c| if old == b { c } else { old }),
        (M::Cas, T::B64) => handler::<u64, u64, u64, _>(|old, b, c| if old == b { c } else { old }),
        (M::Cas, T::B128) => {
            handler::<u128, u128, u128, _>(|old, b, c| if old == b { c } else { old })
        }
        _ => return None,
    })
}

pub(super) fn atomic<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    if i.modifiers
        .iter()
        .any(|m| matches!(m, M::V2 | M::V4 | M::V8))
    {
        return because("vector atomics");
    }
    if i.modifiers.has(M::Async) {
        return because("asynchronous reductions");
    }
    let operation = i.modifiers.iter().copied().find(|m| {
        matches!(
            m,
            M::Add | M::Inc | M::Dec | M::Min | M::Max | M::And | M::Or | M::Xor | M::Exch | M::Cas
        )
    });
    let (Some(operation), Some(ty)) = (operation, i.modifiers.types().last()) else {
        return unsupported();
    };
    let place = place(i)?;
    let operands = b.body.operands(i);
    let (d, operands) = match (i.opcode, operands) {
        (Opcode::Atom, [d, rest @ ..]) => (*d, rest),
        (_, rest) => (Operand::Sink, rest),
    };
    let (address, x, y) = match *operands {
        [address, x] if operation != M::Cas => (address, x, x),
        [address, x, y] if operation == M::Cas => (address, x, y),
        [_, _, _] | [_, _, _, _] => return because("cache hints on atomics"),
        _ => return invalid("an address and a value (two for `cas`) should stand here"),
    };
    let space = match place {
        Place::Global => atomics::GLOBAL,
        Place::Shared => atomics::SHARED,
        Place::Generic => atomics::GENERIC,
        _ => return invalid("this memory has no atomics"),
    };
    let Some(run) = pick(place != Place::Shared, operation, ty) else {
        return unsupported();
    };
    let width = repr(ty.size());
    let (x, y) = (
        b.source(&x, width, Some(ty))?,
        b.source(&y, width, Some(ty))?,
    );
    let d = if d == Operand::Sink {
        NOWHERE
    } else {
        b.register(&d, width)?
    };
    let Address { row, offset, flags } = b.address_operand(&address)?;
    let list = b.list(&[x, y]);
    b.releases(i.modifiers.has(M::Release) || i.modifiers.has(M::AcqRel));
    b.classify(Class::Atomic(class_of(place)), ty.size());
    b.emit(
        run,
        Operands {
            d,
            a: row,
            b: list,
            c: offset,
            aux: flags | space << atomics::SPACE,
        },
    );
    Ok(())
}
