//! PTX ISA 9.7.9, `multimem`: one address for memory of several GPUs.
//!
//! The types of each operation are those that ptxas 13.0 accepts. Every combination was tested.

use crate::ast::Opcode::Multimem;
use crate::isa::{Decoder as By, Row, Section};

const fn row(modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::DataMovement, Multimem, modifiers, operands)
        .by(By::Multimem)
        .since(8, 1)
        .on(90)
}

/// Numbers of 8 bits, which the families of sm_100 and sm_110 have.
const fn narrow(modifiers: &'static str, operands: &'static str) -> Row {
    row(modifiers, operands).since(8, 6).families(&[100, 110])
}

/// Numbers of 8 bits for sm_120a and sm_121a, but not for all targets of that family.
const fn narrow_120(modifiers: &'static str, operands: &'static str) -> Row {
    row(modifiers, operands)
        .since(8, 7)
        .families(&[120])
        .exact()
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row("ld_reduce MREAD? global? min|max|add u32|s32|u64", "d=0 A"),
    row("ld_reduce MREAD? global? min|max s64", "d=0 A"),
    row("ld_reduce MREAD? global? and|or|xor b32|b64", "d=0 A"),
    row("ld_reduce MREAD? global? add f32|f64", "d=0 A"),
    row("ld_reduce MREAD? global? add VEC f32", "D=0 A"),
    row("ld_reduce MREAD? global? min|max|add f16x2|bf16x2", "d=0 A"),
    row("ld_reduce MREAD? global? min|max|add HALVES", "D=0 A"),
    row("ld_reduce MREAD? global? add acc::f32 f16x2|bf16x2", "d=0 A").since(8, 2),
    row("ld_reduce MREAD? global? add acc::f32 HALVES", "D=0 A").since(8, 2),
    narrow("ld_reduce MREAD? global? min|max e4m3x4|e5m2x4", "d=0 A"),
    narrow("ld_reduce MREAD? global? min|max BYTES", "D=0 A"),
    narrow("ld_reduce MREAD? global? add acc::f16? e4m3x4|e5m2x4", "d=0 A"),
    narrow("ld_reduce MREAD? global? add acc::f16? BYTES", "D=0 A"),
    narrow_120("ld_reduce MREAD? global? min|max e4m3x4|e5m2x4", "d=0 A"),
    narrow_120("ld_reduce MREAD? global? min|max BYTES", "D=0 A"),
    narrow_120("ld_reduce MREAD? global? add acc::f16? e4m3x4|e5m2x4", "d=0 A"),
    narrow_120("ld_reduce MREAD? global? add acc::f16? BYTES", "D=0 A"),
    row("st MWRITE? global? b32|b64|u32|u64|s32|s64|f32|f64|f16x2|bf16x2", "A s=0"),
    row("st MWRITE? global? VEC f32", "A S=0"),
    row("st MWRITE? global? HALVES", "A S=0"),
    narrow("st MWRITE? global? e4m3x4|e5m2x4", "A s=0"),
    narrow("st MWRITE? global? BYTES", "A S=0"),
    narrow_120("st MWRITE? global? e4m3x4|e5m2x4", "A s=0"),
    narrow_120("st MWRITE? global? BYTES", "A S=0"),
    row("red MCHANGE? global? min|max|add u32|s32|u64", "A s=0"),
    row("red MCHANGE? global? min|max s64", "A s=0"),
    row("red MCHANGE? global? and|or|xor b32|b64", "A s=0"),
    row("red MCHANGE? global? add f32|f64|f16x2|bf16x2", "A s=0"),
    row("red MCHANGE? global? add VEC f32", "A S=0"),
    row("red MCHANGE? global? min|max|add HALVES", "A S=0"),
];
