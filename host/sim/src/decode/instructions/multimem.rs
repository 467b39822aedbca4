//! `multimem.ld_reduce`, `multimem.st`, `multimem.red`.
//!
//! PTX ISA 9.7.9 "multimem". Without an order, these accesses are weak, except for `red`, which is
//! relaxed like `red` on the memory of one device.

use super::memory::{Address, place};
use crate::decode::builder::{Builder, Operands};
use crate::decode::operand::repr;
use crate::decode::problem::{Result, invalid, unsupported};
use crate::machine::memory::atomics;
use crate::machine::memory::flag;
use crate::machine::memory::multimem::{self as run, MultimemAction, MultimemSite};
use crate::machine::memory::transfer::{NOWHERE, TransferSpace};
use crate::machine::program::{Class, SpaceClass};
use crate::ptx::ast::{Instruction, Modifier as M, Operand};
use crate::semantics::multimem::Fold;

pub(super) fn multimem<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let has = |word| i.modifiers.has(word);
    let Some(ty) = i.modifiers.types().last() else {
        return unsupported();
    };
    let operations = [M::Add, M::Min, M::Max, M::And, M::Or, M::Xor];
    let operation = operations.into_iter().find(|&word| has(word));
    let fold = operation.map(|operation| Fold {
        operation,
        ty,
        wide: has(M::AccF32) || has(M::AccF16),
    });
    let (action, class) = match fold {
        Some(fold) if has(M::LdReduce) => (MultimemAction::Load(fold), Class::Load as fn(_) -> _),
        Some(fold) => (MultimemAction::Reduce(fold), Class::Atomic as fn(_) -> _),
        None => (MultimemAction::Store, Class::Store as fn(_) -> _),
    };
    let (values, address) = match (action, b.body.operands(i)) {
        (MultimemAction::Load(_), [values, address]) => (*values, *address),
        (_, [address, values]) => (*values, *address),
        _ => return invalid("expected an address and a value"),
    };
    let generic = match b.place_of(place(i)?, &address)? {
        TransferSpace::Global => false,
        TransferSpace::Generic => true,
        _ => return invalid("a multicast address is of global memory"),
    };
    let width = repr(ty.size());
    let elements = b.elements(&values);
    let mut rows = Vec::with_capacity(elements.len());
    for element in &elements {
        rows.push(match (action, element) {
            (MultimemAction::Load(_), Operand::Sink) => NOWHERE,
            (MultimemAction::Load(_), element) => b.register(element, width)?,
            (_, element) => b.source(element, width, Some(ty))?,
        });
    }
    let Address { row, offset, flags } = b.address_operand(&address)?;
    let last = rows.len() as u32 - 1;
    let shift = match action {
        MultimemAction::Reduce(_) => atomics::ELEMENTS,
        _ => flag::ELEMENTS,
    };
    let strong = [M::Relaxed, M::Acquire, M::Release].into_iter().any(has);
    let spins = if strong { flag::SPINS } else { 0 };
    let site = b.code.multimems.push(MultimemSite {
        action,
        rows,
        bytes: ty.size() as u32,
        generic,
    });
    b.orders(i);
    b.multicast();
    b.classify(class(SpaceClass::Global), ty.size() * elements.len() as u64);
    b.emit(
        run::multimem,
        Operands::NONE
            .a(row)
            .b(site)
            .c(offset)
            .aux(flags | spins | last << shift),
    );
    Ok(())
}
