//! PTX ISA 9.7.1: integer arithmetic.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn row(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Integer, opcode, modifiers, operands).by(By::Registers)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(Add, "INT", "d=0 s=0 s=0"),
    row(Add, "sat s32", "d=0 s=0 s=0"),
    row(Add, "u16x2|s16x2", "d=0 s=0 s=0").since(8, 0).on(90),
    row(Sub, "INT", "d=0 s=0 s=0"),
    row(Sub, "sat s32", "d=0 s=0 s=0"),
    row(Mul, "hi|lo INT", "d=0 s=0 s=0"),
    row(Mul, "wide u16|u32|s16|s32", "d=0*2 s=0 s=0"),
    row(Mad, "hi|lo INT", "d=0 s=0 s=0 s=0"),
    row(Mad, "wide u16|u32|s16|s32", "d=0*2 s=0 s=0 s=0*2"),
    row(Mad, "hi sat s32", "d=0 s=0 s=0 s=0"),
    row(Mul24, "hi|lo u32|s32", "d=0 s=0 s=0"),
    row(Mad24, "hi|lo u32|s32", "d=0 s=0 s=0 s=0"),
    row(Mad24, "hi sat s32", "d=0 s=0 s=0 s=0"),
    row(Sad, "INT", "d=0 s=0 s=0 s=0"),
    row(Div, "INT", "d=0 s=0 s=0"),
    row(Rem, "INT", "d=0 s=0 s=0"),
    row(Abs, "s16|s32|s64", "d=0 s=0"),
    row(Neg, "s16|s32|s64", "d=0 s=0"),
    row(Min, "INT", "d=0 s=0 s=0"),
    row(Min, "u16x2|s16x2", "d=0 s=0 s=0").since(8, 0).on(90),
    row(Min, "relu s16x2|s32", "d=0 s=0 s=0").since(8, 0).on(90),
    row(Max, "INT", "d=0 s=0 s=0"),
    row(Max, "u16x2|s16x2", "d=0 s=0 s=0").since(8, 0).on(90),
    row(Max, "relu s16x2|s32", "d=0 s=0 s=0").since(8, 0).on(90),
    row(Popc, "b32|b64", "d=u32 s=0").since(2, 0).on(20),
    row(Clz, "b32|b64", "d=u32 s=0").since(2, 0).on(20),
    row(Bfind, "shiftamt? u32|u64|s32|s64", "d=u32 s=0").since(2, 0).on(20),
    row(Fns, "b32", "d=b32 s=b32 s=b32 s=s32").since(6, 0).on(30),
    row(Brev, "b32|b64", "d=0 s=0").since(2, 0).on(20),
    row(Bfe, "u32|u64|s32|s64", "d=0 s=0 s=u32 s=u32").since(2, 0).on(20),
    row(Bfi, "b32|b64", "d=0 s=0 s=0 s=u32 s=u32").since(2, 0).on(20),
    row(Szext, "clamp|wrap u32|s32", "d=0 s=0 s=u32").since(7, 6).on(70),
    row(Bmsk, "clamp|wrap b32", "d=b32 s=b32 s=b32").since(7, 6).on(70),
    row(Dp4a, "u32|s32 u32|s32", "d=b32 s=b32 s=b32 s=b32").since(5, 0).on(61),
    row(Dp2a, "lo|hi u32|s32 u32|s32", "d=b32 s=b32 s=b32 s=b32").since(5, 0).on(61),
];
