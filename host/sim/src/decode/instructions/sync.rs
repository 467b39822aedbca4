//! Instructions that synchronise threads or exchange values between them: `bar`, `barrier`, `shfl`,
//! `vote`, `match`, `redux`, `activemask`, `elect`, fences.

use crate::decode::builder::{Builder, Operands};
use crate::decode::problem::{Result, invalid, unsupported};
use crate::machine::compute::{alu, misc};
use crate::machine::meeting::barrier::{self as block, kind};
use crate::machine::meeting::cluster;
use crate::machine::meeting::exchange::{self, WHO_RUNS, extreme, mode};
use crate::machine::program::{Class, Value};
use crate::ptx::ast::{Instruction, Modifier as M, Opcode, Operand, Type};
use crate::semantics::int;

pub(super) fn activemask<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d] = b.operands(i)?;
    let d = b.destination(d, 4)?;
    b.emit(exchange::activemask, Operands::to(d));
    Ok(())
}

/// Decodes `membar` and `fence` into an operation of the machine.
pub(super) fn fence(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    // Proxies and objects are always seen in program order here, and such fences do not
    // order ordinary accesses.
    let other = [
        M::Proxy,
        M::MbarrierInit,
        M::SyncRestrictSharedCta,
        M::SyncRestrictSharedCluster,
    ];
    let run = if i.modifiers.has(M::Proxy) && i.modifiers.has(M::Async) {
        misc::proxy_fence
    } else if other.iter().any(|&word| i.modifiers.has(word)) {
        misc::nothing
    } else {
        b.fences(i);
        misc::fence
    };
    let aux = u32::from(i.modifiers.has(M::Cta));
    b.emit(run, Operands::NONE.aux(aux));
    Ok(())
}

pub(super) fn nanosleep(b: &mut Builder<'_, '_>, _: &Instruction) -> Result<()> {
    b.emit(misc::nanosleep, Operands::NONE);
    Ok(())
}

/// Decodes `griddepcontrol` into an operation of the machine.
pub(super) fn grid_dependency(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    let aux = u32::from(i.modifiers.has(M::Wait));
    b.emit(misc::grid_dependency, Operands::NONE.aux(aux));
    Ok(())
}

/// Decodes `bar.warp.sync` into an operation of the machine.
pub(super) fn warp_barrier<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [mask] = b.operands(i)?;
    let mask = b.source(mask, 4, None)?;
    b.meets(i, &[], &[(mask, 4)]);
    b.emit(exchange::warp_barrier, Operands::NONE.b(mask));
    Ok(())
}

/// Decodes `barrier.cluster.arrive` and `.wait` into an operation of the machine.
pub(super) fn cluster_barrier(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    let run = if i.modifiers.has(M::Arrive) {
        cluster::arrive
    } else {
        cluster::wait
    };
    let aligned = i.modifiers.has(M::Aligned);
    let flag = |is, flag| if is { flag } else { 0 };
    let relaxed = i.modifiers.has(M::Relaxed);
    let aux = flag(aligned, cluster::ALIGNED) | flag(relaxed, cluster::RELAXED);
    b.emit(run, Operands::NONE.aux(aux));
    Ok(())
}

/// Decodes `bar` and `barrier`: `.sync`, `.arrive`, `.red`.
pub(super) fn barrier<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let operands = b.body.operands(i);
    // `bar` is `barrier.aligned`.
    let aligned = i.opcode == Opcode::Bar || i.modifiers.has(M::Aligned);
    let mut aux = if aligned { kind::ALIGNED } else { 0 };
    let zero = b.constant(Value::Bits(0), 4)?;
    b.classify(Class::Barrier, 0);
    if i.modifiers.has(M::Red) {
        let what = match () {
            () if i.modifiers.has(M::Popc) => kind::POPC,
            () if i.modifiers.has(M::And) => kind::AND,
            () if i.modifiers.has(M::Or) => kind::OR,
            () => return unsupported(),
        };
        let (d, number, count, p) = match operands {
            [d, number, p] => (d, number, None, p),
            [d, number, count, p] => (d, number, Some(count), p),
            _ => {
                return invalid(
                    "`bar.red` takes a destination, a barrier, perhaps a count, and a predicate",
                );
            }
        };
        let d = if what == kind::POPC {
            b.destination(d, 4)?
        } else {
            b.predicate_destination(d)?
        };
        let a = b.source(number, 4, None)?;
        let c = b.predicate(p)?;
        let mut count_row = zero;
        if let Some(count) = count {
            count_row = b.source(count, 4, None)?;
            aux |= kind::COUNTED;
        }
        b.emit(
            block::barrier,
            Operands::to(d).a(a).b(count_row).c(c).aux(aux | what),
        );
        return Ok(());
    }
    let what = if i.modifiers.has(M::Arrive) {
        kind::ARRIVE
    } else {
        kind::SYNC
    };
    let (number, count) = match operands {
        [number] => (number, None),
        [number, count] => (number, Some(count)),
        _ => return invalid("a barrier takes a number and perhaps a count"),
    };
    let a = b.source(number, 4, None)?;
    let mut count_row = zero;
    if let Some(count) = count {
        count_row = b.source(count, 4, None)?;
        aux |= kind::COUNTED;
    }
    b.emit(
        block::barrier,
        Operands::NONE.a(a).b(count_row).aux(aux | what),
    );
    Ok(())
}

pub(super) fn shuffle<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let operands = b.body.operands(i);
    let (d, a, lane, clamp, members) = match *operands {
        [d, a, lane, clamp, members] => (d, a, lane, clamp, b.source(&members, 4, None)?),
        [d, a, lane, clamp] => (d, a, lane, clamp, WHO_RUNS),
        _ => return invalid("`shfl` takes four operands, with `.sync` five"),
    };
    let mode = match () {
        () if i.modifiers.has(M::Up) => mode::UP,
        () if i.modifiers.has(M::Down) => mode::DOWN,
        () if i.modifiers.has(M::Bfly) => mode::BFLY,
        () if i.modifiers.has(M::Idx) => mode::IDX,
        () => return unsupported(),
    };
    let nobody = b.no_predicate();
    let (d, predicate) = match d {
        Operand::Pair(d, p) => {
            let d = d.map_or(Operand::Sink, Operand::Register);
            (
                b.destination(&d, 4)?,
                p.map_or(Ok(nobody), |p| b.predicate_register(p))?,
            )
        }
        d => (b.destination(&d, 4)?, nobody),
    };
    let a = b.source(&a, 4, None)?;
    let lane = b.source(&lane, 4, None)?;
    let c = b.source(&clamp, 4, None)?;
    if members != WHO_RUNS {
        let sources = [a, lane, c, members].map(|row| (row, 4));
        b.meets(i, &[(d, 4), (predicate, 0)], &sources);
    }
    let list = b.list(&[members, predicate]);
    b.emit(
        exchange::shuffle(),
        Operands::to(d).a(a).b(lane).c(c).aux(list << 2 | mode),
    );
    Ok(())
}

pub(super) fn vote<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let operands = b.body.operands(i);
    let (d, p, members) = match *operands {
        [d, p, members] => (d, p, b.source(&members, 4, None)?),
        [d, p] => (d, p, WHO_RUNS),
        _ => return invalid("`vote` takes a destination and a predicate, with `.sync` a mask"),
    };
    let mut a = b.predicate(&p)?;
    if members != WHO_RUNS && a <= 1 {
        // The operand is a constant. Lanes that use the other forms pass a predicate, and need a
        // place for it.
        let [d, _] = b.scratch_predicates();
        let constant = Operands::to(d).a(a);
        b.emit(alu::predicate(|a, _| a), constant);
        a = d;
    }
    if i.modifiers.has(M::Ballot) {
        let d = b.destination(&d, 4)?;
        if members != WHO_RUNS {
            b.meets(i, &[(d, 4)], &[(a, 0), (members, 4)]);
        }
        b.emit(exchange::ballot, Operands::to(d).a(a).b(members));
        return Ok(());
    }
    let run = match () {
        () if i.modifiers.has(M::All) => exchange::vote(|truths, members| truths == members),
        () if i.modifiers.has(M::Any) => exchange::vote(|truths, _| truths != 0),
        () if i.modifiers.has(M::Uni) => {
            exchange::vote(|truths, members| truths == members || truths == 0)
        }
        () => return unsupported(),
    };
    let d = b.predicate_destination(&d)?;
    if members != WHO_RUNS {
        b.meets(i, &[(d, 0)], &[(a, 0), (members, 4)]);
    }
    b.emit(run, Operands::to(d).a(a).b(members));
    Ok(())
}

pub(super) fn matches<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, a, members] = *b.operands(i)?;
    let wide = i.modifiers.has(M::B64);
    let nobody = b.no_predicate();
    let (d, predicate) = match d {
        Operand::Pair(d, p) => {
            let d = d.map_or(Operand::Sink, Operand::Register);
            (
                b.destination(&d, 4)?,
                p.map_or(Ok(nobody), |p| b.predicate_register(p))?,
            )
        }
        d => (b.destination(&d, 4)?, nobody),
    };
    let run = match (i.modifiers.has(M::Any), wide) {
        (true, false) => exchange::match_any::<u32>(),
        (true, true) => exchange::match_any::<u64>(),
        (false, false) => exchange::match_all::<u32>(),
        (false, true) => exchange::match_all::<u64>(),
    };
    let a = b.source(&a, if wide { 8 } else { 4 }, None)?;
    let members = b.source(&members, 4, None)?;
    let width = if wide { 8 } else { 4 };
    b.meets(i, &[(d, 4), (predicate, 0)], &[(a, width), (members, 4)]);
    b.emit(run, Operands::to(d).a(a).b(members).aux(predicate));
    Ok(())
}

pub(super) fn redux<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, a, members] = *b.operands(i)?;
    let ty = i.modifiers.types().last();
    let run = match (i.modifiers.iter().find(|m| **m != M::Sync), ty) {
        (Some(M::Add), Some(Type::U32 | Type::S32)) => exchange::redux(int::add_u32),
        (Some(M::Min), Some(Type::U32)) => exchange::redux(int::min_u32),
        (Some(M::Max), Some(Type::U32)) => exchange::redux(int::max_u32),
        (Some(M::Min), Some(Type::S32)) => exchange::redux(int::min_s32),
        (Some(M::Max), Some(Type::S32)) => exchange::redux(int::max_s32),
        (Some(M::And), Some(Type::B32)) => exchange::redux(|a: u32, b: u32| a & b),
        (Some(M::Or), Some(Type::B32)) => exchange::redux(|a: u32, b: u32| a | b),
        (Some(M::Xor), Some(Type::B32)) => exchange::redux(|a: u32, b: u32| a ^ b),
        (Some(M::Min | M::Max), Some(Type::F32)) => exchange::redux_float,
        _ => return unsupported(),
    };
    let a = b.source(&a, 4, None)?;
    let members = b.source(&members, 4, None)?;
    let d = b.destination(&d, 4)?;
    b.meets(i, &[(d, 4)], &[(a, 4), (members, 4)]);
    let flag = |word, flag| if i.modifiers.has(word) { flag } else { 0 };
    let aux = flag(M::Max, extreme::MAX)
        | flag(M::Abs, extreme::ABS)
        | flag(M::PropagateNan, extreme::NAN);
    b.emit(run, Operands::to(d).a(a).b(members).aux(aux));
    Ok(())
}

pub(super) fn elect<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [Operand::Pair(leader, p), members] = *b.body.operands(i) else {
        return invalid("`elect.sync` takes a register and a predicate, and a mask");
    };
    let d = p.map_or(Ok(b.no_predicate()), |p| b.predicate_register(p))?;
    let aux = match leader {
        Some(register) => b.register(&Operand::Register(register), 4)?,
        None => b.scratch(4)?,
    };
    let members = b.source(&members, 4, None)?;
    b.meets(i, &[(d, 0), (aux, 4)], &[(members, 4)]);
    b.emit(exchange::elect, Operands::to(d).b(members).aux(aux));
    Ok(())
}
