//! PTX ISA 9.7.2: extended precision, through the carry flag `CC.CF`.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn row(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::ExtendedPrecision, opcode, modifiers, operands).by(By::Registers)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(Add, "cc u32|s32", "d=0 s=0 s=0").since(1, 2),
    row(Add, "cc u64|s64", "d=0 s=0 s=0").since(4, 3),
    row(Addc, "cc? u32|s32", "d=0 s=0 s=0").since(1, 2),
    row(Addc, "cc? u64|s64", "d=0 s=0 s=0").since(4, 3),
    row(Sub, "cc u32|s32", "d=0 s=0 s=0").since(1, 2),
    row(Sub, "cc u64|s64", "d=0 s=0 s=0").since(4, 3),
    row(Subc, "cc? u32|s32", "d=0 s=0 s=0").since(1, 2),
    row(Subc, "cc? u64|s64", "d=0 s=0 s=0").since(4, 3),
    row(Mad, "hi|lo cc u32|s32", "d=0 s=0 s=0 s=0").since(3, 0).on(20),
    row(Mad, "hi|lo cc u64|s64", "d=0 s=0 s=0 s=0").since(4, 3).on(20),
    row(Madc, "hi|lo cc? u32|s32", "d=0 s=0 s=0 s=0").since(3, 0).on(20),
    row(Madc, "hi|lo cc? u64|s64", "d=0 s=0 s=0 s=0").since(4, 3).on(20),
];
