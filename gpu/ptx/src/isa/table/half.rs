//! PTX ISA 9.7.4: `.f16`, `.bf16` and two of them in a register.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn f16(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Half, opcode, modifiers, operands)
        .by(By::Registers)
        .since(4, 2)
        .on(53)
}

const fn bf16(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Half, opcode, modifiers, operands)
        .by(By::Registers)
        .since(7, 8)
        .on(90)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    f16(Add, "rn? ftz? sat? f16|f16x2", "d=0 s=0 s=0"),
    bf16(Add, "rn? bf16|bf16x2", "d=0 s=0 s=0"),
    f16(Sub, "rn? ftz? sat? f16|f16x2", "d=0 s=0 s=0"),
    bf16(Sub, "rn? bf16|bf16x2", "d=0 s=0 s=0"),
    f16(Mul, "rn? ftz? sat? f16|f16x2", "d=0 s=0 s=0"),
    bf16(Mul, "rn? bf16|bf16x2", "d=0 s=0 s=0"),
    f16(Fma, "rn ftz? sat? f16|f16x2", "d=0 s=0 s=0 s=0"),
    f16(Fma, "rn ftz? relu f16|f16x2", "d=0 s=0 s=0 s=0").since(7, 0).on(80),
    bf16(Fma, "rn relu? bf16|bf16x2", "d=0 s=0 s=0 s=0").since(7, 0).on(80),
    bf16(Fma, "rn oob relu? f16|f16x2|bf16|bf16x2", "d=0 s=0 s=0 s=0").since(8, 1),
    f16(Neg, "ftz? f16|f16x2", "d=0 s=0").since(6, 0),
    bf16(Neg, "bf16|bf16x2", "d=0 s=0").since(7, 0).on(80),
    f16(Abs, "ftz? f16|f16x2", "d=0 s=0").since(6, 5),
    bf16(Abs, "bf16|bf16x2", "d=0 s=0").since(7, 0).on(80),
    f16(Min, "ftz? NaN? f16|f16x2", "d=0 s=0 s=0").since(7, 0).on(80),
    f16(Min, "ftz? NaN? xorsign.abs f16|f16x2", "d=0 s=0 s=0").since(7, 2).on(86),
    bf16(Min, "NaN? bf16|bf16x2", "d=0 s=0 s=0").since(7, 0).on(80),
    bf16(Min, "NaN? xorsign.abs bf16|bf16x2", "d=0 s=0 s=0").since(7, 2).on(86),
    f16(Max, "ftz? NaN? f16|f16x2", "d=0 s=0 s=0").since(7, 0).on(80),
    f16(Max, "ftz? NaN? xorsign.abs f16|f16x2", "d=0 s=0 s=0").since(7, 2).on(86),
    bf16(Max, "NaN? bf16|bf16x2", "d=0 s=0 s=0").since(7, 0).on(80),
    bf16(Max, "NaN? xorsign.abs bf16|bf16x2", "d=0 s=0 s=0").since(7, 2).on(86),
    f16(Tanh, "approx f16|f16x2", "d=0 s=0").since(7, 0).on(75),
    bf16(Tanh, "approx bf16|bf16x2", "d=0 s=0"),
    f16(Ex2, "approx f16|f16x2", "d=0 s=0").since(7, 0).on(75),
    bf16(Ex2, "approx ftz bf16|bf16x2", "d=0 s=0"),
];
