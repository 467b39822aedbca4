//! `setp`, `set`, `testp`, and `lop3` with a predicate.
//!
//! PTX ISA 9.7.3 (`testp`), 9.7.6, 9.7.7, 9.7.8 (`lop3.BoolOp`). A comparison of two numbers is a
//! row of the table. Instructions that are composed of comparisons take several operations: pairs
//! of halves are compared one by one, and `set` chooses between two constants. Results for a later
//! operation of the same instruction go to predicates of the decoder's own, because the
//! instruction's predicates may be its guard or its third operand. The instruction's own registers
//! are written last, both predicates at once.

use crate::decode::builder::{Builder, Operands, literal_type};
use crate::decode::problem::{Result, invalid, unsupported};
use crate::decode::table::{self, Entry};
use crate::machine::compute::alu::{self, combine};
use crate::machine::program::Value;
use crate::ptx::ast::{Instruction, Modifier as M, Operand, Type};

/// The table's `setp` for the words of a `setp` or `set`, and how its result is combined with
/// a third predicate.
struct Comparison {
    entry: Entry,
    with: u32,
}

/// Returns the comparison for an instruction's words, with values of type `ty`.
fn comparison(i: &Instruction, ty: Type) -> Option<Comparison> {
    let mut spelling = "setp".to_string();
    let mut with = combine::NONE;
    // The Boolean operation comes after the comparison and is not part of the table's spelling.
    // Neither is the result type of `set`.
    for word in i.modifiers.iter() {
        match word {
            M::And => with = combine::AND,
            M::Or => with = combine::OR,
            M::Xor => with = combine::XOR,
            word if Type::of(*word).is_some() => {}
            word => {
                spelling.push('.');
                spelling.push_str(word.name());
            }
        }
    }
    let entry = table::find(&format!("{spelling}.{}", ty.name()))?;
    Some(Comparison { entry, with })
}

/// Returns the type of each half of a pair.
fn half_of(ty: Type) -> Option<Type> {
    match ty {
        Type::F16x2 => Some(Type::F16),
        Type::Bf16x2 => Some(Type::Bf16),
        _ => None,
    }
}

/// The rows and the predicate that a comparison reads.
#[derive(Clone, Copy)]
struct Sources {
    a: u32,
    b: u32,
    c: u32,
}

fn sources<'a>(
    b: &mut Builder<'a, '_>,
    i: &Instruction,
    comparison: &Comparison,
) -> Result<Sources> {
    let (x, y, c) = match (comparison.with, b.body.operands(i)) {
        (combine::NONE, [_, x, y]) => (x, y, None),
        (1.., [_, x, y, c]) => (x, y, Some(c)),
        _ => {
            return invalid(
                "a comparison takes a destination, two operands, and with .and, .or, .xor a predicate",
            );
        }
    };
    let widths = comparison.entry.sources;
    Ok(Sources {
        a: b.source(x, widths[0], literal_type(i))?,
        b: b.source(y, widths[1], literal_type(i))?,
        c: c.map_or(Ok(0), |c| b.predicate(c))?,
    })
}

/// Adds the comparison itself, with the result in `d`. If `second` is not 0, that predicate
/// gets the complement.
fn compare(b: &mut Builder<'_, '_>, comparison: &Comparison, from: Sources, d: u32, second: u32) {
    let Sources { a, b: y, c } = from;
    b.emit(
        comparison.entry.run,
        Operands::to(d)
            .a(a)
            .b(y)
            .c(c)
            .aux(comparison.with | second << combine::SECOND),
    );
}

/// Adds comparisons of the low and of the high halves, with their results in predicates of
/// the decoder's own.
fn compare_halves(
    b: &mut Builder<'_, '_>,
    comparison: &Comparison,
    from: Sources,
) -> Result<[u32; 2]> {
    let [low, high] = b.scratch_predicates();
    compare(b, comparison, from, low, 0);
    let mut upper = from;
    for row in [&mut upper.a, &mut upper.b] {
        let d = b.scratch(4)?;
        b.emit(alu::unary(|a: u32| a >> 16), Operands::to(d).a(*row));
        *row = d;
    }
    compare(b, comparison, upper, high, 0);
    Ok([low, high])
}

/// Returns the destinations `p|q`, or `p` alone.
fn destinations<'a>(b: &Builder<'a, '_>, d: &Operand<'a>) -> Result<(u32, Option<u32>)> {
    let (d, second) = match *d {
        Operand::Pair(d, second) => {
            let place =
                |r: Option<u32>| r.map_or(Ok(b.no_predicate()), |r| b.predicate_register(r));
            (place(d)?, Some(place(second)?))
        }
        ref d => (b.predicate_destination(d)?, None),
    };
    if second.is_some_and(|second| second >= 1 << 24) {
        return invalid("more predicates than the machine has room for");
    }
    Ok((d, second))
}

pub(super) fn setp(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    let (Some(ty), [to, ..]) = (i.modifiers.types().last(), b.body.operands(i)) else {
        return invalid("no type or no operands");
    };
    let half = half_of(ty);
    let Some(comparison) = comparison(i, half.unwrap_or(ty)) else {
        return unsupported();
    };
    let from = sources(b, i, &comparison)?;
    let (d, second) = destinations(b, to)?;
    if half.is_none() {
        compare(b, &comparison, from, d, second.unwrap_or(0));
        return Ok(());
    }
    let [low, high] = compare_halves(b, &comparison, from)?;
    b.emit(
        alu::two_predicates,
        Operands::to(d)
            .a(low)
            .b(high)
            .aux(second.unwrap_or(b.no_predicate())),
    );
    Ok(())
}

/// Decodes `set`. True is all ones for an integer type, and one for a float.
pub(super) fn set(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    let types: Vec<Type> = i.modifiers.types().collect();
    let (&[to, ty], [d, ..]) = (&types[..], b.body.operands(i)) else {
        return invalid("`set` has two types");
    };
    let half = half_of(ty);
    let Some(comparison) = comparison(i, half.unwrap_or(ty)) else {
        return unsupported();
    };
    let from = sources(b, i, &comparison)?;
    let d = b.destination(d, 4)?;
    let yes = match (to, half) {
        (Type::F32, _) => 0x3f80_0000,
        (Type::F16 | Type::F16x2, _) => 0x3c00,
        (Type::Bf16 | Type::Bf16x2, _) => 0x3f80,
        (Type::U32 | Type::S32, None) => 0xffff_ffff,
        (Type::U16 | Type::S16 | Type::U32 | Type::S32, _) => 0xffff,
        _ => return unsupported(),
    };
    if half.is_none() {
        let [holds, _] = b.scratch_predicates();
        compare(b, &comparison, from, holds, 0);
        return choose(b, d, holds, yes);
    }
    let [low, high] = compare_halves(b, &comparison, from)?;
    let (x, y) = (b.scratch(4)?, b.scratch(4)?);
    choose(b, x, low, yes)?;
    choose(b, y, high, yes << 16)?;
    b.emit(
        alu::binary_rare(|a: u32, b: u32| a | b),
        Operands::to(d).a(x).b(y),
    );
    Ok(())
}

/// Adds `d = p ? yes : 0`.
fn choose(b: &mut Builder<'_, '_>, d: u32, p: u32, yes: u32) -> Result<()> {
    let a = b.constant(Value::Bits(yes.into()), 4)?;
    let zero = b.constant(Value::Bits(0), 4)?;
    b.emit(alu::choose::<u32>(), Operands::to(d).a(a).b(zero).c(p));
    Ok(())
}

pub(super) fn testp<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let (Some(entry), [d, a]) = (table::find(&i.spelling()), b.body.operands(i)) else {
        return unsupported();
    };
    let a = b.source(a, entry.sources[0], literal_type(i))?;
    let d = b.predicate_destination(d)?;
    b.emit(entry.run, Operands::to(d).a(a).b(a));
    Ok(())
}

/// Decodes `lop3.or.b32 d|p, a, b, c, table, q`. In addition to the value, it tests whether the
/// value is not zero, and combines the result with `q`.
pub(super) fn lop3<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [to, x, y, z, table, q] = b.operands(i)?;
    let (Operand::Pair(to, p), Some(entry), Some(not_zero)) =
        (*to, table::find("lop3.b32"), table::find("setp.ne.b32"))
    else {
        return unsupported();
    };
    let value = b.scratch(4)?;
    let o = Operands::to(value)
        .a(b.source(x, 4, None)?)
        .b(b.source(y, 4, None)?)
        .c(b.source(z, 4, None)?)
        .aux(b.source(table, 4, None)?);
    let zero = b.constant(Value::Bits(0), 4)?;
    let c = b.predicate(q)?;
    b.emit(entry.run, o);
    if let Some(to) = to {
        let d = b.register(&Operand::Register(to), 4)?;
        b.emit(alu::unary(|a: u32| a), Operands::to(d).a(value));
    }
    if let Some(p) = p {
        let d = b.predicate_register(p)?;
        let with = if i.modifiers.has(M::And) {
            combine::AND
        } else {
            combine::OR
        };
        b.emit(
            not_zero.run,
            Operands::to(d).a(value).b(zero).c(c).aux(with),
        );
    }
    Ok(())
}
