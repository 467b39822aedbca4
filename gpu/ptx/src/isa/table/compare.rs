//! PTX ISA 9.7.6 and 9.7.7: comparison and selection.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn row(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Comparison, opcode, modifiers, operands).by(by)
}

const fn half(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::HalfComparison, opcode, modifiers, operands)
        .by(by)
        .since(4, 2)
        .on(53)
}

const fn bf16(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::HalfComparison, opcode, modifiers, operands)
        .by(by)
        .since(7, 8)
        .on(90)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(By::CompareToPredicate, Setp, "eq|ne b16|b32|b64", "pp s=0 s=0"),
    row(By::CompareToPredicate, Setp, "eq|ne BOOL b16|b32|b64", "pp s=0 s=0 q"),
    row(By::CompareToPredicate, Setp, "UCMP UINT", "pp s=0 s=0"),
    row(By::CompareToPredicate, Setp, "SCMP SINT", "pp s=0 s=0"),
    row(By::CompareToPredicate, Setp, "UCMP BOOL UINT", "pp s=0 s=0 q"),
    row(By::CompareToPredicate, Setp, "SCMP BOOL SINT", "pp s=0 s=0 q"),
    row(By::CompareToPredicate, Setp, "FCMP ftz? f32", "pp s=0 s=0"),
    row(By::CompareToPredicate, Setp, "FCMP BOOL ftz? f32", "pp s=0 s=0 q"),
    row(By::CompareToPredicate, Setp, "FCMP f64", "pp s=0 s=0"),
    row(By::CompareToPredicate, Setp, "FCMP BOOL f64", "pp s=0 s=0 q"),
    row(By::CompareToNumber, Set, "eq|ne u32|s32|f32 b16|b32|b64", "d=0 s=1 s=1"),
    row(By::CompareToNumber, Set, "eq|ne BOOL u32|s32|f32 b16|b32|b64", "d=0 s=1 s=1 q"),
    row(By::CompareToNumber, Set, "UCMP u32|s32|f32 UINT", "d=0 s=1 s=1"),
    row(By::CompareToNumber, Set, "SCMP u32|s32|f32 SINT", "d=0 s=1 s=1"),
    row(By::CompareToNumber, Set, "UCMP BOOL u32|s32|f32 UINT", "d=0 s=1 s=1 q"),
    row(By::CompareToNumber, Set, "SCMP BOOL u32|s32|f32 SINT", "d=0 s=1 s=1 q"),
    row(By::CompareToNumber, Set, "FCMP ftz? u32|s32|f32 f32", "d=0 s=1 s=1"),
    row(By::CompareToNumber, Set, "FCMP BOOL ftz? u32|s32|f32 f32", "d=0 s=1 s=1 q"),
    row(By::CompareToNumber, Set, "FCMP u32|s32|f32 f64", "d=0 s=1 s=1"),
    row(By::CompareToNumber, Set, "FCMP BOOL u32|s32|f32 f64", "d=0 s=1 s=1 q"),
    row(By::SelectByPredicate, Selp, "b16|b32|b64|INT|f32|f64", "d=0 s=0 s=0 pred"),
    row(By::SelectBySign, Slct, "b16|b32|b64|INT|f32|f64 s32", "d=0 s=0 s=0 s=1"),
    row(By::SelectBySign, Slct, "ftz? b16|b32|b64|INT|f32|f64 f32", "d=0 s=0 s=0 s=1"),
    half(By::CompareToPredicate, Setp, "FCMP ftz? f16", "pp s=0 s=0"),
    half(By::CompareToPredicate, Setp, "FCMP BOOL ftz? f16", "pp s=0 s=0 q"),
    half(By::CompareToPredicate, Setp, "FCMP ftz? f16x2", "p|p s=0 s=0"),
    half(By::CompareToPredicate, Setp, "FCMP BOOL ftz? f16x2", "p|p s=0 s=0 q"),
    bf16(By::CompareToPredicate, Setp, "FCMP bf16", "pp s=0 s=0"),
    bf16(By::CompareToPredicate, Setp, "FCMP BOOL bf16", "pp s=0 s=0 q"),
    bf16(By::CompareToPredicate, Setp, "FCMP bf16x2", "p|p s=0 s=0"),
    bf16(By::CompareToPredicate, Setp, "FCMP BOOL bf16x2", "p|p s=0 s=0 q"),
    half(By::CompareToNumber, Set, "FCMP ftz? f16 f16", "d=0 s=1 s=1"),
    half(By::CompareToNumber, Set, "FCMP ftz? u16|s16|u32|s32 f16", "d=0 s=1 s=1").since(6, 5),
    half(By::CompareToNumber, Set, "FCMP BOOL ftz? f16 f16", "d=0 s=1 s=1 q"),
    half(By::CompareToNumber, Set, "FCMP BOOL ftz? u16|s16|u32|s32 f16", "d=0 s=1 s=1 q").since(6, 5),
    half(By::CompareToNumber, Set, "FCMP ftz? f16 f32", "d=0 s=1 s=1"),
    half(By::CompareToNumber, Set, "FCMP f16 f64", "d=0 s=1 s=1"),
    half(By::CompareToNumber, Set, "FCMP BOOL ftz? f16 f32", "d=0 s=1 s=1 q"),
    half(By::CompareToNumber, Set, "FCMP BOOL f16 f64", "d=0 s=1 s=1 q"),
    half(By::CompareToNumber, Set, "UCMP f16 UINT", "d=0 s=1 s=1"),
    half(By::CompareToNumber, Set, "SCMP f16 SINT", "d=0 s=1 s=1"),
    half(By::CompareToNumber, Set, "UCMP BOOL f16 UINT", "d=0 s=1 s=1 q"),
    half(By::CompareToNumber, Set, "SCMP BOOL f16 SINT", "d=0 s=1 s=1 q"),
    half(By::CompareToNumber, Set, "eq|ne f16 b16|b32|b64", "d=0 s=1 s=1"),
    half(By::CompareToNumber, Set, "eq|ne BOOL f16 b16|b32|b64", "d=0 s=1 s=1 q"),
    half(By::CompareToNumber, Set, "FCMP ftz? f16x2 f16x2", "d=b32 s=b32 s=b32"),
    half(By::CompareToNumber, Set, "FCMP ftz? u32|s32 f16x2", "d=b32 s=b32 s=b32").since(6, 5),
    half(By::CompareToNumber, Set, "FCMP BOOL ftz? f16x2 f16x2", "d=b32 s=b32 s=b32 q"),
    half(By::CompareToNumber, Set, "FCMP BOOL ftz? u32|s32 f16x2", "d=b32 s=b32 s=b32 q").since(6, 5),
    bf16(By::CompareToNumber, Set, "FCMP u16|s16|u32|s32|bf16 bf16", "d=0 s=1 s=1"),
    bf16(By::CompareToNumber, Set, "FCMP BOOL u16|s16|u32|s32|bf16 bf16", "d=0 s=1 s=1 q"),
    bf16(By::CompareToNumber, Set, "FCMP bf16 f16|f32|f64", "d=0 s=1 s=1"),
    bf16(By::CompareToNumber, Set, "FCMP BOOL bf16 f16|f32|f64", "d=0 s=1 s=1 q"),
    bf16(By::CompareToNumber, Set, "UCMP bf16 UINT", "d=0 s=1 s=1"),
    bf16(By::CompareToNumber, Set, "SCMP bf16 SINT", "d=0 s=1 s=1"),
    bf16(By::CompareToNumber, Set, "UCMP BOOL bf16 UINT", "d=0 s=1 s=1 q"),
    bf16(By::CompareToNumber, Set, "SCMP BOOL bf16 SINT", "d=0 s=1 s=1 q"),
    bf16(By::CompareToNumber, Set, "eq|ne bf16 b16|b32|b64", "d=0 s=1 s=1"),
    bf16(By::CompareToNumber, Set, "eq|ne BOOL bf16 b16|b32|b64", "d=0 s=1 s=1 q"),
    bf16(By::CompareToNumber, Set, "FCMP bf16x2|u32|s32 bf16x2", "d=b32 s=b32 s=b32"),
    bf16(By::CompareToNumber, Set, "FCMP BOOL bf16x2|u32|s32 bf16x2", "d=b32 s=b32 s=b32 q"),
];
