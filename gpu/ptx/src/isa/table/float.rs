//! PTX ISA 9.7.3 and 9.7.5: `.f32`, `.f64`, and `.f32` with a half-precision operand.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn row(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Float, opcode, modifiers, operands).by(By::Registers)
}

const fn mixed(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::MixedPrecision, opcode, modifiers, operands)
        .by(By::Registers)
        .since(8, 6)
        .on(100)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(Testp, "TESTP f32|f64", "p s=0").by(By::TestNumber).since(2, 0).on(20),
    row(Copysign, "f32|f64", "d=0 s=0 s=0").since(2, 0).on(20),
    row(Add, "FRND? ftz? sat? f32", "d=0 s=0 s=0"),
    row(Add, "FRND? f64", "d=0 s=0 s=0"),
    row(Add, "FRND? ftz? f32x2", "d=0 s=0 s=0").since(8, 6).on(100),
    row(Sub, "FRND? ftz? sat? f32", "d=0 s=0 s=0"),
    row(Sub, "FRND? f64", "d=0 s=0 s=0"),
    row(Sub, "FRND? ftz? f32x2", "d=0 s=0 s=0").since(8, 6).on(100),
    row(Mul, "FRND? ftz? sat? f32", "d=0 s=0 s=0"),
    row(Mul, "FRND? f64", "d=0 s=0 s=0"),
    row(Mul, "FRND? ftz? f32x2", "d=0 s=0 s=0").since(8, 6).on(100),
    row(Fma, "FRND ftz? sat? f32", "d=0 s=0 s=0 s=0").on(20),
    row(Fma, "FRND f64", "d=0 s=0 s=0 s=0").since(1, 4).on(13),
    row(Fma, "FRND ftz? f32x2", "d=0 s=0 s=0 s=0").since(8, 6).on(100),
    row(Mad, "FRND ftz? sat? f32", "d=0 s=0 s=0 s=0").on(20),
    row(Mad, "FRND f64", "d=0 s=0 s=0 s=0").since(1, 4).on(13),
    row(Div, "approx|full ftz? f32", "d=0 s=0 s=0"),
    row(Div, "FRND ftz? f32", "d=0 s=0 s=0").on(20),
    row(Div, "FRND f64", "d=0 s=0 s=0"),
    row(Abs, "ftz? f32", "d=0 s=0"),
    row(Abs, "f64", "d=0 s=0"),
    row(Neg, "ftz? f32", "d=0 s=0"),
    row(Neg, "f64", "d=0 s=0"),
    row(Min, "ftz? f32", "d=0 s=0 s=0"),
    row(Min, "ftz? NaN f32", "d=0 s=0 s=0").since(7, 0).on(80),
    row(Min, "ftz? NaN? xorsign.abs f32", "d=0 s=0 s=0").since(7, 2).on(86),
    row(Min, "ftz? NaN? abs? f32", "d=0 s=0 s=0 s=0").since(8, 8).on(100),
    row(Min, "f64", "d=0 s=0 s=0"),
    row(Max, "ftz? f32", "d=0 s=0 s=0"),
    row(Max, "ftz? NaN f32", "d=0 s=0 s=0").since(7, 0).on(80),
    row(Max, "ftz? NaN? xorsign.abs f32", "d=0 s=0 s=0").since(7, 2).on(86),
    row(Max, "ftz? NaN? abs? f32", "d=0 s=0 s=0 s=0").since(8, 8).on(100),
    row(Max, "f64", "d=0 s=0 s=0"),
    row(Rcp, "approx|FRND ftz? f32", "d=0 s=0"),
    row(Rcp, "FRND f64", "d=0 s=0"),
    row(Rcp, "approx ftz f64", "d=0 s=0").since(2, 1).on(20),
    row(Sqrt, "approx|FRND ftz? f32", "d=0 s=0"),
    row(Sqrt, "FRND f64", "d=0 s=0"),
    row(Rsqrt, "approx ftz? f32", "d=0 s=0"),
    row(Rsqrt, "approx f64", "d=0 s=0"),
    row(Rsqrt, "approx ftz f64", "d=0 s=0").since(4, 0).on(20),
    row(Sin, "approx ftz? f32", "d=0 s=0"),
    row(Cos, "approx ftz? f32", "d=0 s=0"),
    row(Lg2, "approx ftz? f32", "d=0 s=0"),
    row(Ex2, "approx ftz? f32", "d=0 s=0"),
    row(Tanh, "approx f32", "d=0 s=0").since(7, 0).on(75),
    mixed(Add, "FRND? sat? f32 f16|bf16", "d=0 s=1 s=0"),
    mixed(Sub, "FRND? sat? f32 f16|bf16", "d=0 s=1 s=0"),
    mixed(Fma, "FRND sat? f32 f16|bf16", "d=0 s=1 s=1 s=0"),
];
