//! PTX ISA 9.7.9 and 9.7.13: instructions that exchange values between the lanes of a warp.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn row(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Synchronization, opcode, modifiers, operands).by(by)
}

const fn shuffle(modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::DataMovement, Shfl, modifiers, operands).by(By::Shuffle)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    shuffle("sync up|down|bfly|idx b32", "d|p?=b32 s=b32 s=b32 s=b32 s=b32").since(6, 0).on(30),
    shuffle("up|down|bfly|idx b32", "d|p?=b32 s=b32 s=b32 s=b32").since(3, 0).on(30).gone(6, 4, 70),
    row(By::Vote, Vote, "sync all|any|uni pred", "p q s=b32").since(6, 0).on(30),
    row(By::Vote, Vote, "sync ballot b32", "d=b32 q s=b32").since(6, 0).on(30),
    row(By::Vote, Vote, "all|any|uni pred", "p q").since(1, 2).gone(6, 4, 70),
    row(By::Vote, Vote, "ballot b32", "d=b32 q").since(2, 0).on(20).gone(6, 4, 70),
    row(By::Match, Match, "any sync b32|b64", "d=b32 s=0 s=b32").since(6, 0).on(70),
    row(By::Match, Match, "all sync b32|b64", "d|p?=b32 s=0 s=b32").since(6, 0).on(70),
    row(By::ActiveLanes, Activemask, "b32", "d=b32").since(6, 2).on(30),
    row(By::Redux, Redux, "sync add|min|max u32|s32", "d=0 s=0 s=b32").since(7, 0).on(80),
    row(By::Redux, Redux, "sync and|or|xor b32", "d=0 s=0 s=b32").since(7, 0).on(80),
    row(By::Redux, Redux, "sync min|max abs? NaN? f32", "d=0 s=0 s=b32").since(8, 6).only(100),
    row(By::Elect, Elect, "sync", "d|p=b32 s=b32").since(8, 0).on(90),
];
