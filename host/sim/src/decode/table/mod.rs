//! The instructions that work on registers alone, by their spelling.
//!
//! A row is a spelling in PTX (or several, if modifiers change nothing) and the function that
//! computes its result. The operand widths follow from the function's types. Instructions that need
//! more than rows of registers (memory, control flow, exchange between lanes) are decoded by code,
//! in one file for each subject.
//!
//! As a rule the function has the spelling's name, and then the row is that name in [`named!`]. The
//! others are in [`rows!`] and [`forms!`].
//!
//! A word with `?` is optional: `add.rz.ftz?.sat?.f32` is four spellings. A row of [`rows!`] has
//! one function for all of them. A row of [`forms!`] has a function for each: without the words,
//! with the first, with the second, with both, and so on. The order is that of a binary number
//! whose lowest bit is the first word.

mod approx;
mod bits;
mod compare;
mod convert;
mod directed;
mod extremes;
mod float;
mod half;
mod integer;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::machine::compute::alu;
use crate::machine::lane::Lane;
use crate::machine::op::Handler;
use crate::ptx::ast::{Modifier, Opcode};

/// The layout of an instruction's operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A destination row, then source rows.
    Rows,
    /// `setp`: one or two destination predicates, two source rows, and an optional third predicate.
    Compare,
    /// `testp`: a destination predicate and one source row, which the handler reads as both sources
    /// of a comparison.
    Property,
    /// Like `Rows`, with the carry flag. The flag is written if the spelling has `.cc`.
    Carry,
}

/// One instruction of the table and its handler.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// The handler of the instruction.
    pub(crate) run: Handler,
    /// The layout of its operands.
    pub(crate) shape: Shape,
    /// Bytes of one lane of the destination's row.
    pub(crate) d: u64,
    /// Bytes of one lane of each source's row; 0 after the last source.
    pub(crate) sources: [u64; 4],
}

/// Returns the bytes of one lane of a row of `T`.
const fn width<T: Lane>() -> u64 {
    size_of::<T::Repr>() as u64
}

const fn entry(run: Handler, d: u64, sources: [u64; 4]) -> Entry {
    Entry {
        run,
        shape: Shape::Rows,
        d,
        sources,
    }
}

fn one<A: Lane, D: Lane, F: Fn(A) -> D + Copy>(f: F) -> Entry {
    entry(alu::unary(f), width::<D>(), [width::<A>(), 0, 0, 0])
}

fn two<A: Lane, B: Lane, D: Lane, F: Fn(A, B) -> D + Copy>(f: F) -> Entry {
    entry(
        alu::binary(f),
        width::<D>(),
        [width::<A>(), width::<B>(), 0, 0],
    )
}

fn three<A: Lane, B: Lane, C: Lane, D: Lane, F: Fn(A, B, C) -> D + Copy>(f: F) -> Entry {
    entry(
        alu::ternary(f),
        width::<D>(),
        [width::<A>(), width::<B>(), width::<C>(), 0],
    )
}

fn four<A: Lane, B: Lane, C: Lane, E: Lane, D: Lane, F: Fn(A, B, C, E) -> D + Copy>(f: F) -> Entry {
    entry(
        alu::quaternary(f),
        width::<D>(),
        [width::<A>(), width::<B>(), width::<C>(), width::<E>()],
    )
}

/// Like [`four`], for rare instructions.
fn four_rare<A: Lane, B: Lane, C: Lane, E: Lane, D: Lane, F: Fn(A, B, C, E) -> D + Copy>(
    f: F,
) -> Entry {
    entry(
        alu::quaternary_rare(f),
        width::<D>(),
        [width::<A>(), width::<B>(), width::<C>(), width::<E>()],
    )
}

fn test<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(f: F) -> Entry {
    Entry {
        shape: Shape::Compare,
        ..entry(alu::compare(f), 0, [width::<A>(), width::<B>(), 0, 0])
    }
}

/// Like [`test`], for rare instructions.
fn test_rare<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(f: F) -> Entry {
    Entry {
        shape: Shape::Compare,
        ..entry(alu::compare_rare(f), 0, [width::<A>(), width::<B>(), 0, 0])
    }
}

/// An entry for a test of one value.
fn property<A: Lane, F: Fn(A, A) -> bool + Copy>(f: F) -> Entry {
    Entry {
        shape: Shape::Property,
        ..entry(alu::compare_rare(f), 0, [width::<A>(), 0, 0, 0])
    }
}

/// Like [`one`], for rare instructions.
fn one_rare<A: Lane, D: Lane, F: Fn(A) -> D + Copy>(f: F) -> Entry {
    entry(alu::unary_rare(f), width::<D>(), [width::<A>(), 0, 0, 0])
}

/// Like [`two`], for rare instructions.
fn two_rare<A: Lane, B: Lane, D: Lane, F: Fn(A, B) -> D + Copy>(f: F) -> Entry {
    entry(
        alu::binary_rare(f),
        width::<D>(),
        [width::<A>(), width::<B>(), 0, 0],
    )
}

/// Like [`three`], for rare instructions.
fn three_rare<A: Lane, B: Lane, C: Lane, D: Lane, F: Fn(A, B, C) -> D + Copy>(f: F) -> Entry {
    entry(
        alu::ternary_rare(f),
        width::<D>(),
        [width::<A>(), width::<B>(), width::<C>(), 0],
    )
}

/// An entry with two sources and the carry flag. The handler ignores its third source.
fn carry2<A: Lane, F: Fn(A, A, A, bool) -> (A, bool) + Copy>(f: F) -> Entry {
    let w = width::<A>();
    Entry {
        shape: Shape::Carry,
        ..entry(alu::carry(f), w, [w, w, 0, 0])
    }
}

/// An entry with three sources and the carry flag.
fn carry3<A: Lane, F: Fn(A, A, A, bool) -> (A, bool) + Copy>(f: F) -> Entry {
    let w = width::<A>();
    Entry {
        shape: Shape::Carry,
        ..entry(alu::carry(f), w, [w, w, w, 0])
    }
}

/// The table: instructions by their spelling.
pub(super) type Rows = HashMap<String, Entry>;

/// Returns the spellings that a row's text stands for: its words, each with every choice of
/// the optional parts.
fn spellings(text: &str) -> impl Iterator<Item = Vec<String>> + '_ {
    text.split_whitespace().map(|word| {
        let choices = word.matches('?').count();
        let spelling = |chosen: usize| {
            let mut optional = 0..;
            let parts = word
                .split('.')
                .filter_map(|part| match part.strip_suffix('?') {
                    None => Some(part),
                    Some(part) => optional
                        .next()
                        .filter(|&i| chosen >> i & 1 != 0)
                        .map(|_: usize| part),
                });
            parts.collect::<Vec<_>>().join(".")
        };
        (0..1 << choices).map(spelling).collect()
    })
}

/// Adds the spellings of `text`, with one entry for all, or with one for each choice
/// of optional words.
fn add(rows: &mut Rows, text: &str, entries: &[Entry]) {
    for forms in spellings(text) {
        debug_assert!(
            entries.len() == 1 || entries.len() == forms.len(),
            "{text}: a function for each form, or one for all"
        );
        for (form, entry) in forms.into_iter().zip(entries.iter().cycle()) {
            debug_assert!(!rows.contains_key(&form), "{form} is listed twice");
            rows.insert(form, *entry);
        }
    }
}

/// Adds rows with one function each, grouped by their number of sources.
macro_rules! rows {
    ($rows:ident; $($arity:ident { $($spellings:literal => $f:expr),* $(,)? })*) => {
        $($(super::add($rows, $spellings, &[$arity($f)]);)*)*
    };
}
use rows;

/// Adds rows whose functions have the names of their spellings, with `_` in place of each dot.
macro_rules! named {
    ($rows:ident; $($arity:ident { $($name:ident)* })*) => {
        $($(super::add($rows, &stringify!($name).replace('_', "."), &[$arity($name)]);)*)*
    };
}
use named;

/// Adds rows with a function for each choice of optional words.
macro_rules! forms {
    ($rows:ident; $($arity:ident { $($spellings:literal => $($f:expr),+;)* })*) => {
        $($(super::add($rows, $spellings, &[$($arity($f)),+]);)*)*
    };
}
use forms;

/// Returns the table, which is made at the first call. (It is made by a function because the names
/// in a static's initial value are compiled into every program of this crate, even into unit tests
/// that use none of it.)
fn table() -> &'static Rows {
    static TABLE: OnceLock<Rows> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut rows = Rows::new();
        integer::rows(&mut rows);
        bits::rows(&mut rows);
        float::rows(&mut rows);
        directed::rows(&mut rows);
        extremes::rows(&mut rows);
        approx::rows(&mut rows);
        half::rows(&mut rows);
        compare::rows(&mut rows);
        convert::rows(&mut rows);
        rows
    })
}

/// Returns the table's key of an instruction with `operands` operands: its spelling, and its
/// sources if several instructions share one spelling.
pub(super) fn key(opcode: Opcode, modifiers: &[Modifier], operands: usize) -> String {
    let mut key = opcode.name().to_string();
    for word in modifiers {
        key.push('.');
        key.push_str(word.name());
    }
    if matches!(opcode, Opcode::Min | Opcode::Max) && operands == 4 {
        key.push_str("(a,b,c)");
    }
    key
}

/// Returns the instruction of this spelling, if it works on registers alone.
pub(crate) fn find(spelling: &str) -> Option<Entry> {
    table().get(spelling).copied()
}

/// Returns every key of the table.
pub(crate) fn keys() -> impl Iterator<Item = &'static str> {
    table().keys().map(String::as_str)
}
