//! The instructions that work on registers alone, by their spelling.
//!
//! A row is a spelling as PTX has it (or several, where modifiers change nothing) and the function that says what it
//! computes; operand widths follow from the function's types. What takes more than rows of registers (memory, control, lanes
//! meeting) is decoded by code, each subject in its own file beside this folder.

mod bits;
mod compare;
mod float;
mod integer;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::machine::alu;
use crate::machine::lane::Lane;
use crate::machine::op::Handler;

/// How an instruction's operands are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A destination row, then source rows.
    Rows,
    /// `setp`: one or two destination predicates, two source rows, perhaps a third predicate.
    Compare,
    /// As `Rows` with the carry flag; the flag is written where the spelling has `.cc`.
    Carry,
}

/// One instruction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// What runs it.
    pub(crate) run: Handler,
    /// How its operands are laid out.
    pub(crate) shape: Shape,
    /// Bytes of one lane of the destination's row.
    pub(crate) d: u64,
    /// Bytes of one lane of each source's row; 0 behind the last.
    pub(crate) sources: [u64; 4],
}

/// Bytes that one lane of a row of `T` takes.
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

fn test<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(f: F) -> Entry {
    Entry {
        shape: Shape::Compare,
        ..entry(alu::compare(f), 0, [width::<A>(), width::<B>(), 0, 0])
    }
}

/// As [`test`], for what is rare.
fn test_rare<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(f: F) -> Entry {
    Entry {
        shape: Shape::Compare,
        ..entry(alu::compare_rare(f), 0, [width::<A>(), width::<B>(), 0, 0])
    }
}

/// As [`one`], for what is rare.
fn one_rare<A: Lane, D: Lane, F: Fn(A) -> D + Copy>(f: F) -> Entry {
    entry(alu::unary_rare(f), width::<D>(), [width::<A>(), 0, 0, 0])
}

/// As [`two`], for what is rare.
fn two_rare<A: Lane, B: Lane, D: Lane, F: Fn(A, B) -> D + Copy>(f: F) -> Entry {
    entry(
        alu::binary_rare(f),
        width::<D>(),
        [width::<A>(), width::<B>(), 0, 0],
    )
}

/// As [`three`], for what is rare.
fn three_rare<A: Lane, B: Lane, C: Lane, D: Lane, F: Fn(A, B, C) -> D + Copy>(f: F) -> Entry {
    entry(
        alu::ternary_rare(f),
        width::<D>(),
        [width::<A>(), width::<B>(), width::<C>(), 0],
    )
}

/// Two sources and the carry flag; the third that the handler reads is not looked at.
fn carry2<A: Lane, F: Fn(A, A, A, bool) -> (A, bool) + Copy>(f: F) -> Entry {
    let w = width::<A>();
    Entry {
        shape: Shape::Carry,
        ..entry(alu::carry(f), w, [w, w, 0, 0])
    }
}

/// Three sources and the carry flag.
fn carry3<A: Lane, F: Fn(A, A, A, bool) -> (A, bool) + Copy>(f: F) -> Entry {
    let w = width::<A>();
    Entry {
        shape: Shape::Carry,
        ..entry(alu::carry(f), w, [w, w, w, 0])
    }
}

/// Rows of the table, grouped by how many sources they have.
pub(super) type Rows = HashMap<&'static str, Entry>;

macro_rules! rows {
    ($rows:ident; $($arity:ident { $($spellings:literal => $f:expr),* $(,)? })*) => {
        $($(
            let entry = $arity($f);
            for spelling in $spellings.split_whitespace() {
                let before = $rows.insert(spelling, entry);
                debug_assert!(before.is_none(), "{spelling} is listed twice");
            }
        )*)*
    };
}
use rows;

static TABLE: LazyLock<Rows> = LazyLock::new(|| {
    let mut rows = Rows::new();
    integer::rows(&mut rows);
    bits::rows(&mut rows);
    float::rows(&mut rows);
    compare::rows(&mut rows);
    rows
});

/// The instruction of this spelling, if it works on registers alone.
pub(crate) fn find(spelling: &str) -> Option<Entry> {
    TABLE.get(spelling).copied()
}
