//! PTX ISA 9.7.12 control flow, and 9.7.19 miscellaneous.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn row(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::ControlFlow, opcode, modifiers, operands).by(by)
}

const fn other(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Miscellaneous, opcode, modifiers, operands).by(by)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(By::Branch, Bra, "uni?", "label"),
    row(By::IndexedBranch, Brx, "idx uni?", "s=u32 targets").since(6, 0).on(30),
    row(By::Call, Call, "uni?", "args callee args table?"),
    row(By::Return, Ret, "uni?", ""),
    row(By::Exit, Exit, "", ""),
    other(By::Breakpoint, Brkpt, "", ""),
    other(By::Trap, Trap, "", ""),
    other(By::Sleep, Nanosleep, "u32", "s=u32").since(6, 3).on(70),
    other(By::Hint, Pmevent, "", "i").since(1, 4),
    other(By::Hint, Pmevent, "mask", "i").since(3, 0).on(20),
    other(By::Hint, Setmaxnreg, "inc|dec sync aligned u32", "i").since(8, 0).families(&[90, 100, 110, 120]),
];
