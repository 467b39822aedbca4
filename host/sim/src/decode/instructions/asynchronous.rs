//! `cp.async`, `cp.async.bulk`, `cp.reduce.async.bulk`, `st.async`,
//! `st.bulk`, `red.async`, `mbarrier`.
//!
//! PTX ISA, "Data Movement and Conversion: Asynchronous copy" and "Parallel Synchronization and
//! Communication: mbarrier". Cache operators, prefetch sizes and cache policies are hints, and so
//! is the time limit of `try_wait`.

use super::memory::{Address, place};
use crate::decode::builder::{Builder, Operands};
use crate::decode::problem::{Result, invalid, unsupported};
use crate::machine::asynchronous::bulk::{self, BulkSite, BulkSource, joining};
use crate::machine::asynchronous::pending::Join;
use crate::machine::asynchronous::{self as run, Addressed, CopySite, Read, wait};
use crate::machine::compute::alu;
use crate::machine::meeting::mbarrier::{self, NOWHERE, how};
use crate::machine::memory::flag;
use crate::machine::memory::state_space::NamedSpace;
use crate::machine::memory::transfer::TransferSpace;
use crate::machine::program::Value;
use crate::ptx::ast::{Instruction, Modifier as M, Opcode, Operand, Type};
use crate::semantics::mbarrier::pending_count;
use crate::semantics::{atomic, float, half, int};

/// Returns the spaces among an instruction's modifiers, in order.
pub(super) fn spaces(i: &Instruction) -> impl Iterator<Item = NamedSpace> + '_ {
    i.modifiers.iter().filter_map(|word| match word {
        M::Global => Some(NamedSpace::Global),
        M::Shared | M::SharedCta | M::SharedCluster => Some(NamedSpace::Shared),
        _ => None,
    })
}

pub(super) fn addressed<'a>(
    b: &mut Builder<'a, '_>,
    operand: &Operand<'a>,
    space: NamedSpace,
) -> Result<Addressed> {
    let Address { row, offset, flags } = b.address_operand(operand)?;
    Ok(Addressed {
        row,
        offset,
        narrow: flags & flag::NARROW != 0,
        space,
    })
}

/// Decodes `st.bulk` into an operation of the machine.
pub(super) fn fill<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [to, size, Operand::Int(0)] = b.body.operands(i) else {
        return invalid("`st.bulk` takes an address, a size, and the constant 0 to store");
    };
    if let Operand::Int(bytes) = size
        && bytes % 8 != 0
    {
        return invalid(format!(
            "a size of {bytes} bytes, which is no multiple of 8"
        ));
    }
    let Address { row, offset, flags } = b.address_operand(to)?;
    let wide = b.register_size(size) == Some(8);
    let size = b.source(size, if wide { 8 } else { 4 }, None)?;
    let set = |is, flag| if is { flag } else { 0 };
    b.emit(
        bulk::fill,
        Operands::NONE.a(row).b(size).c(offset).aux(
            flags
                | set(
                    b.place_of(place(i)?, to)? == TransferSpace::Generic,
                    bulk::fills::GENERIC,
                )
                | set(wide, bulk::fills::WIDE),
        ),
    );
    Ok(())
}

/// Decodes `cp.async.ca` and `.cg` into an operation of the machine.
pub(super) fn copy<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [to, from, size, rest @ ..] = b.body.operands(i) else {
        return invalid("`cp.async` takes two addresses and a size");
    };
    let bytes = match *size {
        Operand::Int(16) => 16,
        Operand::Int(bytes @ (4 | 8)) if !i.modifiers.has(M::Cg) => bytes as u8,
        _ => return invalid("`cp.async.ca` copies 4, 8 or 16 bytes, `cp.async.cg` copies 16"),
    };
    let policy = usize::from(i.modifiers.has(M::L2CacheHint));
    let read = match rest.split_at_checked(rest.len().saturating_sub(policy)) {
        Some(([], _)) => Read::All,
        Some(([operand], _)) => match b.predicate(operand) {
            Ok(p) if !matches!(operand, Operand::Int(_)) => Read::Unless(p),
            _ => Read::Row(b.source(operand, 4, None)?),
        },
        _ => return invalid("more operands than `cp.async` takes"),
    };
    let site = CopySite {
        to: addressed(b, to, NamedSpace::Shared)?,
        from: addressed(b, from, NamedSpace::Global)?,
        bytes,
        read,
    };
    b.through_l1(i.modifiers.has(M::Ca));
    let aux = b.code.copies.push(site);
    b.emit(run::copy, Operands::NONE.aux(aux));
    Ok(())
}

/// Decodes `cp.async.commit_group` and `cp.async.bulk.commit_group` into an operation
/// of the machine.
pub(super) fn commit(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    let aux = u32::from(i.modifiers.has(M::Bulk));
    b.emit(run::commit, Operands::NONE.aux(aux));
    Ok(())
}

/// Decodes `cp.async.wait_group`, `.wait_all`, `cp.async.bulk.wait_group`.
pub(super) fn wait_for(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    let has = |word| i.modifiers.has(word);
    let left = match b.body.operands(i) {
        [] => 0,
        [Operand::Int(left)] if (0..1 << 31).contains(left) => *left as u32,
        _ => return invalid("the number of groups is a constant"),
    };
    let aux = match (has(M::WaitAll), has(M::Bulk), has(M::Read)) {
        (true, ..) => wait::ALL,
        (_, true, true) => wait::BULK_READ,
        (_, true, false) => wait::BULK,
        _ => wait::GROUPS,
    };
    b.emit(run::wait_for, Operands::NONE.b(left).aux(aux));
    Ok(())
}

/// Returns the address of an mbarrier, with its flags.
fn object<'a>(b: &mut Builder<'a, '_>, i: &Instruction, operand: &Operand<'a>) -> Result<Address> {
    let mut address = b.address_operand(operand)?;
    if b.place_of(place(i)?, operand)? == TransferSpace::Generic {
        address.flags |= how::GENERIC;
    }
    Ok(address)
}

/// Decodes `cp.async.mbarrier.arrive` into an operation of the machine.
pub(super) fn arrive<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [address] = b.operands(i)?;
    let Address { row, offset, flags } = object(b, i, address)?;
    b.emit(
        run::arrive,
        Operands::NONE
            .a(row)
            .b(u32::from(i.modifiers.has(M::Noinc)))
            .c(offset)
            .aux(flags),
    );
    Ok(())
}

/// Returns how a reduction combines elements. As measured on an H200, it keeps subnormal f32
/// values, also in global memory, where `atom` flushes them.
fn join(i: &Instruction) -> Option<(Join, usize)> {
    join_of(operation(i)?, i.modifiers.types().last()?)
}

/// Returns the operation of a reduction.
pub(super) fn operation(i: &Instruction) -> Option<M> {
    i.modifiers.iter().copied().find(|m| {
        matches!(
            m,
            M::Add | M::Inc | M::Dec | M::Min | M::Max | M::And | M::Or | M::Xor
        )
    })
}

/// Returns the same as [`join`], for an operation and a type.
pub(super) fn join_of(operation: M, ty: Type) -> Option<(Join, usize)> {
    use ::half::{bf16, f16};
    use Type as T;
    Some(match (operation, ty) {
        (M::Add, T::U32 | T::S32) => joining::<u32, u32, u32, _>(int::add_u32),
        (M::Add, T::U64 | T::S64) => joining::<u64, u64, u64, _>(int::add_u64),
        (M::Add, T::F32) => joining::<u32, f32, u32, _>(float::add_rn_f32),
        (M::Add, T::F64) => joining::<u64, f64, u64, _>(float::add_rn_f64),
        (M::Add, T::F16) => joining::<u16, f16, u32, _>(half::add_rn_f16),
        (M::Add, T::Bf16) => joining::<u16, bf16, u32, _>(half::add_rn_bf16),
        (M::Inc, T::U32) => joining::<u32, u32, u32, _>(atomic::inc_u32),
        (M::Dec, T::U32) => joining::<u32, u32, u32, _>(atomic::dec_u32),
        (M::Min, T::U32) => joining::<u32, u32, u32, _>(int::min_u32),
        (M::Max, T::U32) => joining::<u32, u32, u32, _>(int::max_u32),
        (M::Min, T::S32) => joining::<u32, i32, u32, _>(int::min_s32),
        (M::Max, T::S32) => joining::<u32, i32, u32, _>(int::max_s32),
        (M::Min, T::U64) => joining::<u64, u64, u64, _>(int::min_u64),
        (M::Max, T::U64) => joining::<u64, u64, u64, _>(int::max_u64),
        (M::Min, T::S64) => joining::<u64, i64, u64, _>(int::min_s64),
        (M::Max, T::S64) => joining::<u64, i64, u64, _>(int::max_s64),
        (M::Min, T::F16) => joining::<u16, f16, u32, _>(half::min_f16),
        (M::Max, T::F16) => joining::<u16, f16, u32, _>(half::max_f16),
        (M::Min, T::Bf16) => joining::<u16, bf16, u32, _>(half::min_bf16),
        (M::Max, T::Bf16) => joining::<u16, bf16, u32, _>(half::max_bf16),
        (M::And, T::B32) => joining::<u32, u32, u32, _>(|a: u32, b: u32| a & b),
        (M::Or, T::B32) => joining::<u32, u32, u32, _>(|a: u32, b: u32| a | b),
        (M::Xor, T::B32) => joining::<u32, u32, u32, _>(|a: u32, b: u32| a ^ b),
        (M::And, T::B64) => joining::<u64, u64, u64, _>(|a: u64, b: u64| a & b),
        (M::Or, T::B64) => joining::<u64, u64, u64, _>(|a: u64, b: u64| a | b),
        (M::Xor, T::B64) => joining::<u64, u64, u64, _>(|a: u64, b: u64| a ^ b),
        _ => return None,
    })
}

fn emit_bulk(b: &mut Builder<'_, '_>, site: BulkSite) {
    let aux = b.code.bulks.push(site);
    b.out.reads_asynchronously = true;
    b.emit(bulk::start, Operands::NONE.aux(aux));
}

/// Decodes `cp.async.bulk` and `cp.reduce.async.bulk` into an operation of the machine.
pub(super) fn bulk<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let has = |word| i.modifiers.has(word);
    let mut named = spaces(i);
    let (Some(to_space), Some(from_space)) = (named.next(), named.next()) else {
        return unsupported();
    };
    let [to, from, size, rest @ ..] = b.body.operands(i) else {
        return invalid("a bulk copy takes two addresses and a size");
    };
    let mut rest = rest.iter();
    let mut next = |wanted: bool| match (wanted, wanted.then(|| rest.next()).flatten()) {
        (true, None) => invalid("an operand is missing"),
        (_, operand) => Ok(operand),
    };
    let mbarrier = next(has(M::MbarrierCompleteTxBytes))?;
    let blocks = next(has(M::MulticastCluster))?;
    let _policy = next(has(M::L2CacheHint))?;
    let mask = next(has(M::CpMask))?;
    let join = match i.modifiers.first() {
        Some(M::Reduce) => Some(join(i).map_or_else(unsupported, Ok)?),
        _ => None,
    };
    let mut row = |operand: Option<&Operand<'a>>| {
        operand
            .map(|operand| b.source(operand, 4, None))
            .transpose()
    };
    let (blocks, mask) = (row(blocks)?, row(mask)?);
    let mbarrier = mbarrier.map(|m| addressed(b, m, to_space)).transpose()?;
    let site = BulkSite {
        to: addressed(b, to, to_space)?,
        from: BulkSource::Memory(addressed(b, from, from_space)?, b.source(size, 4, None)?),
        align: 16,
        join,
        mbarrier,
        blocks,
        mask,
    };
    emit_bulk(b, site);
    Ok(())
}

/// Decodes `st.async` and `red.async` into an operation of the machine.
pub(super) fn from_registers<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let ([to, value, mbarrier], Some(ty)) = (b.body.operands(i), i.modifiers.types().last()) else {
        return invalid("expected an address, a value and an mbarrier");
    };
    let space = spaces(i).next().unwrap_or(NamedSpace::GenericShared);
    let join = match i.opcode {
        Opcode::Red => Some(join(i).map_or_else(unsupported, Ok)?),
        _ => None,
    };
    let width = ty.size();
    let mut rows = Vec::new();
    for element in &b.elements(value) {
        rows.push(b.source(element, width, Some(ty))?);
    }
    let align = width * rows.len() as u64;
    let site = BulkSite {
        to: addressed(b, to, space)?,
        from: BulkSource::Rows(rows, width as usize),
        align,
        join,
        mbarrier: Some(addressed(b, mbarrier, space)?),
        blocks: None,
        mask: None,
    };
    emit_bulk(b, site);
    Ok(())
}

/// Decodes `mbarrier.pending_count` into an operation of the machine.
pub(super) fn mbarrier_count<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, state] = b.operands(i)?;
    let (a, d) = (b.source(state, 8, None)?, b.destination(d, 4)?);
    b.emit(
        alu::unary_rare(|state: u64| pending_count(state)),
        Operands::to(d).a(a),
    );
    Ok(())
}

/// Returns the flags whose words the instruction has.
fn flags(i: &Instruction, pairs: &[(M, u32)]) -> u32 {
    let set = pairs.iter().filter(|(word, _)| i.modifiers.has(*word));
    set.fold(0, |all, (_, flag)| all | flag)
}

/// Decodes `mbarrier.test_wait` and `.try_wait` into an operation of the machine.
pub(super) fn mbarrier_wait<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, address, state, ..] = b.body.operands(i) else {
        return invalid("a wait takes a predicate, an address and a state or parity");
    };
    let width = if i.modifiers.has(M::Parity) { 4 } else { 8 };
    let state = b.source(state, width, None)?;
    let at = object(b, i, address)?;
    let d = b.predicate_destination(d)?;
    let how = flags(
        i,
        &[
            (M::TryWait, how::TRY),
            (M::Parity, how::PARITY),
            (M::Relaxed, how::RELAXED),
        ],
    );
    b.emit(
        mbarrier::wait,
        Operands::to(d)
            .a(at.row)
            .b(state)
            .c(at.offset)
            .aux(at.flags | how),
    );
    Ok(())
}

/// Decodes `mbarrier.init`, `.inval`, `.arrive`, `.arrive_drop`, `.expect_tx`, `.complete_tx`.
pub(super) fn mbarrier<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let has = |word| i.modifiers.has(word);
    let operands = b.body.operands(i);
    let arrives = has(M::Arrive) || has(M::ArriveDrop);
    let (d, address, count) = match (arrives, operands) {
        (true, [d, address, rest @ ..]) => (d, address, rest.first()),
        (false, [address, rest @ ..]) => (&Operand::Sink, address, rest.first()),
        _ => return invalid("expected an address"),
    };
    let count = match count {
        Some(count) => b.source(count, 4, None)?,
        None => b.constant(Value::Bits(1), 4)?,
    };
    let d = match d {
        Operand::Sink => NOWHERE,
        d => b.register(d, 8)?,
    };
    let at = object(b, i, address)?;
    let (run, how): (crate::machine::op::Handler, u32) = match () {
        () if has(M::Init) => (mbarrier::init, 0),
        () if has(M::Inval) => (mbarrier::invalidate, 0),
        () if arrives => (
            mbarrier::arrive,
            flags(
                i,
                &[
                    (M::ArriveDrop, how::DROP),
                    (M::ExpectTx, how::EXPECT),
                    (M::NoComplete, how::NO_COMPLETE),
                    (M::Relaxed, how::RELAXED),
                ],
            ),
        ),
        () => (
            mbarrier::transaction,
            flags(i, &[(M::CompleteTx, how::COMPLETE)]),
        ),
    };
    b.emit(
        run,
        Operands::to(d)
            .a(at.row)
            .b(count)
            .c(at.offset)
            .aux(at.flags | how),
    );
    Ok(())
}
