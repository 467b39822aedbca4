//! PTX ISA 9.7.8: logic and shift.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn row(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Logic, opcode, modifiers, operands).by(by)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(By::Registers, And, "b16|b32|b64", "d=0 s=0 s=0"),
    row(By::LogicOfPredicates, And, "pred", "p pred pred"),
    row(By::Registers, Or, "b16|b32|b64", "d=0 s=0 s=0"),
    row(By::LogicOfPredicates, Or, "pred", "p pred pred"),
    row(By::Registers, Xor, "b16|b32|b64", "d=0 s=0 s=0"),
    row(By::LogicOfPredicates, Xor, "pred", "p pred pred"),
    row(By::Registers, Not, "b16|b32|b64", "d=0 s=0"),
    row(By::LogicOfPredicates, Not, "pred", "p pred"),
    row(By::Registers, Cnot, "b16|b32|b64", "d=0 s=0"),
    row(By::Registers, Lop3, "b32", "d=b32 s=b32 s=b32 s=b32 i").since(4, 3).on(50),
    row(By::LogicWithTest, Lop3, "or|and b32", "d|p=b32 s=b32 s=b32 s=b32 i pred").since(8, 2).on(70),
    row(By::Registers, Shf, "l|r clamp|wrap b32", "d=b32 s=b32 s=b32 s=u32").since(3, 1).on(32),
    row(By::Registers, Shl, "b16|b32|b64", "d=0 s=0 s=u32"),
    row(By::Registers, Shr, "b16|b32|b64|INT", "d=0 s=0 s=u32"),
];
