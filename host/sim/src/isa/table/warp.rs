//! PTX ISA 9.7.9 and 9.7.13: instructions by which lanes of a warp talk to each other.

use crate::isa::{Row, Section};
use crate::ptx::ast::Opcode::{self, *};

const fn row(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Synchronization, opcode, modifiers, operands)
}

const fn shuffle(modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::DataMovement, Shfl, modifiers, operands)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    shuffle("sync up|down|bfly|idx b32", "d|p?=b32 s=b32 s=b32 s=b32 s=b32").since(6, 0).on(30),
    shuffle("up|down|bfly|idx b32", "d|p?=b32 s=b32 s=b32 s=b32").since(3, 0).on(30).gone(6, 4, 70),
    row(Vote, "sync all|any|uni pred", "p q s=b32").since(6, 0).on(30),
    row(Vote, "sync ballot b32", "d=b32 q s=b32").since(6, 0).on(30),
    row(Vote, "all|any|uni pred", "p q").since(1, 2).gone(6, 4, 70),
    row(Vote, "ballot b32", "d=b32 q").since(2, 0).on(20).gone(6, 4, 70),
    row(Match, "any sync b32|b64", "d=b32 s=0 s=b32").since(6, 0).on(70),
    row(Match, "all sync b32|b64", "d|p?=b32 s=0 s=b32").since(6, 0).on(70),
    row(Activemask, "b32", "d=b32").since(6, 2).on(30),
    row(Redux, "sync add|min|max u32|s32", "d=0 s=0 s=b32").since(7, 0).on(80),
    row(Redux, "sync and|or|xor b32", "d=0 s=0 s=b32").since(7, 0).on(80),
    row(Redux, "sync min|max abs? NaN? f32", "d=0 s=0 s=b32").since(8, 6).only(100),
    row(Elect, "sync", "d|p=b32 s=b32").since(8, 0).on(90),
];
