//! PTX ISA 9.7.8: logic and shift.

use crate::isa::{Row, Section};
use crate::ptx::ast::Opcode::{self, *};

const fn row(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Logic, opcode, modifiers, operands)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(And, "b16|b32|b64", "d=0 s=0 s=0"),
    row(And, "pred", "p pred pred"),
    row(Or, "b16|b32|b64", "d=0 s=0 s=0"),
    row(Or, "pred", "p pred pred"),
    row(Xor, "b16|b32|b64", "d=0 s=0 s=0"),
    row(Xor, "pred", "p pred pred"),
    row(Not, "b16|b32|b64", "d=0 s=0"),
    row(Not, "pred", "p pred"),
    row(Cnot, "b16|b32|b64", "d=0 s=0"),
    row(Lop3, "b32", "d=b32 s=b32 s=b32 s=b32 i").since(4, 3).on(50),
    row(Lop3, "or|and b32", "d|p=b32 s=b32 s=b32 s=b32 i pred").since(8, 2).on(70),
    row(Shf, "l|r clamp|wrap b32", "d=b32 s=b32 s=b32 s=u32").since(3, 1).on(32),
    row(Shl, "b16|b32|b64", "d=0 s=0 s=u32"),
    row(Shr, "b16|b32|b64|INT", "d=0 s=0 s=u32"),
];
