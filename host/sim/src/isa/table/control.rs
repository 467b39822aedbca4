//! PTX ISA 9.7.12 control flow, and 9.7.19 miscellaneous.

use crate::isa::{Row, Section};
use crate::ptx::ast::Opcode::{self, *};

const fn row(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::ControlFlow, opcode, modifiers, operands)
}

const fn other(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Miscellaneous, opcode, modifiers, operands)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(Bra, "uni?", "label"),
    row(Brx, "idx uni?", "s=u32 targets").since(6, 0).on(30),
    row(Call, "uni?", "args callee args table?"),
    row(Ret, "uni?", ""),
    row(Exit, "", ""),
    other(Brkpt, "", ""),
    other(Trap, "", ""),
    other(Nanosleep, "u32", "s=u32").since(6, 3).on(70),
    other(Pmevent, "", "i").since(1, 4),
    other(Pmevent, "mask", "i").since(3, 0).on(20),
    other(Setmaxnreg, "inc|dec sync aligned u32", "i").since(8, 0).families(&[90, 100, 110, 120]),
];
