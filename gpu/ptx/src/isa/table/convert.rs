//! PTX ISA 9.7.9, `cvt` and `cvt.pack`.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn row(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::DataMovement, opcode, modifiers, operands).by(by)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(By::Convert, Cvt, "CVTINT CVTINT", "d=0+ m=1+"),
    // Saturation is allowed only where a value can be out of range. ptxas requires that; the ISA
    // does not mention it.
    row(By::Convert, Cvt, "sat u8 s8|u16|s16|u32|s32|u64|s64", "d=0+ m=1+"),
    row(By::Convert, Cvt, "sat s8 u8|u16|s16|u32|s32|u64|s64", "d=0+ m=1+"),
    row(By::Convert, Cvt, "sat u16 s8|s16|u32|s32|u64|s64", "d=0+ m=1+"),
    row(By::Convert, Cvt, "sat s16 u16|u32|s32|u64|s64", "d=0+ m=1+"),
    row(By::Convert, Cvt, "sat u32 s8|s16|s32|u64|s64", "d=0+ m=1+"),
    row(By::Convert, Cvt, "sat s32 u32|u64|s64", "d=0+ m=1+"),
    row(By::Convert, Cvt, "sat u64 s8|s16|s32|s64", "d=0+ m=1+"),
    row(By::Convert, Cvt, "sat s64 u64", "d=0+ m=1+"),
    row(By::Convert, Cvt, "IRND ftz? sat? CVTINT f32", "d=0+ s=1+"),
    row(By::Convert, Cvt, "IRND sat? CVTINT f16|f64", "d=0+ s=1+"),
    row(By::Convert, Cvt, "IRND INT bf16", "d=0+ s=1").since(7, 8).on(90),
    row(By::Convert, Cvt, "FRND sat? f16|f32|f64 CVTINT", "d=0+ m=1+"),
    row(By::Convert, Cvt, "FRND bf16 INT", "d=0 s=1+").since(7, 8).on(90),
    row(By::Convert, Cvt, "FRND ftz? sat? f32 f64", "d=0+ s=1+"),
    row(By::Convert, Cvt, "FRND ftz? sat? f16 f32", "d=0+ s=1+"),
    row(By::Convert, Cvt, "FRND sat? f16 f64", "d=0+ s=1+"),
    row(By::Convert, Cvt, "ftz? sat? f32 f16", "d=0+ s=1+"),
    row(By::Convert, Cvt, "sat? f64 f16", "d=0+ s=1+"),
    row(By::Convert, Cvt, "ftz? sat? f64 f32", "d=0+ s=1+"),
    row(By::Convert, Cvt, "IRND? sat? f16 f16", "d=0+ s=1+"),
    row(By::Convert, Cvt, "IRND? ftz? sat? f32 f32", "d=0+ s=1+"),
    row(By::Convert, Cvt, "IRND? sat? f64 f64", "d=0+ s=1+"),
    row(By::Convert, Cvt, "IRND bf16 bf16", "d=0 s=1").since(7, 8).on(90),
    row(By::Convert, Cvt, "rn|rz relu? bf16 f32", "d=0 s=1").since(7, 0).on(80),
    // The ISA requires PTX 7.8 and sm_90. ptxas accepts it where it accepts bf16.
    row(By::Convert, Cvt, "rm|rp bf16 f32", "d=0 s=1").since(7, 0).on(80),
    row(By::Convert, Cvt, "FRND bf16 f64", "d=0 s=1").since(7, 8).on(90),
    row(By::Convert, Cvt, "FRND? bf16 f16", "d=0 s=1").since(7, 8).on(90),
    row(By::Convert, Cvt, "FRND? f16 bf16", "d=0 s=1").since(7, 8).on(90),
    row(By::Convert, Cvt, "f32 bf16", "d=0 s=1").since(7, 1).on(80),
    row(By::Convert, Cvt, "ftz f32 bf16", "d=0 s=1").since(7, 8).on(90),
    row(By::Convert, Cvt, "f64 bf16", "d=0 s=1").since(7, 8).on(90),
    row(By::Convert, Cvt, "rn|rz relu f16 f32", "d=0+ s=1+").since(7, 0).on(80),
    row(By::Convert, Cvt, "rn|rz satfinite f16 f32", "d=0+ s=1+").since(8, 1).on(75),
    row(By::Convert, Cvt, "rn|rz relu satfinite f16 f32", "d=0+ s=1+").since(8, 1).on(80),
    row(By::Convert, Cvt, "rn|rz relu? satfinite bf16 f32", "d=0 s=1").since(8, 1).on(80),
    row(By::Registers, Cvt, "rn|rz relu? f16x2|bf16x2 f32", "d=0 s=1 s=1").since(7, 0).on(80),
    row(By::Registers, Cvt, "rn|rz relu? satfinite f16x2|bf16x2 f32", "d=0 s=1 s=1").since(8, 1).on(80),
    row(By::Registers, Cvt, "rs relu? satfinite? f16x2|bf16x2 f32", "d=0 s=1 s=1 s=b32").since(8, 7).only(100).exact(),
    row(By::Registers, Cvt, "rna tf32 f32", "d=0 s=1").since(7, 0).on(80),
    row(By::Registers, Cvt, "rna satfinite tf32 f32", "d=0 s=1").since(8, 1).on(80),
    row(By::Registers, Cvt, "rn|rz relu? tf32 f32", "d=0 s=1").since(7, 8).on(90),
    row(By::Registers, Cvt, "rn|rz satfinite relu? tf32 f32", "d=0 s=1").since(8, 6).on(100),
    row(By::Registers, Cvt, "rn satfinite relu? e4m3x2|e5m2x2 f32", "d=0 s=1 s=1").since(7, 8).on(90),
    row(By::Registers, Cvt, "rn satfinite relu? e4m3x2|e5m2x2 f32", "d=0 s=1 s=1").since(8, 1).on(89),
    row(By::Registers, Cvt, "rn satfinite relu? e4m3x2|e5m2x2 f16x2", "d=0 s=1").since(7, 8).on(90),
    row(By::Registers, Cvt, "rn satfinite relu? e4m3x2|e5m2x2 f16x2", "d=0 s=1").since(8, 1).on(89),
    row(By::Registers, Cvt, "rn relu? f16x2 e4m3x2|e5m2x2", "d=0 s=1").since(7, 8).on(90),
    row(By::Registers, Cvt, "rn relu? f16x2 e4m3x2|e5m2x2", "d=0 s=1").since(8, 1).on(89),
    row(By::Registers, Cvt, "rn satfinite relu? e2m1x2 f32", "d=b8 s=1 s=1").since(8, 6).families(&[100, 110, 120]),
    row(By::Registers, Cvt, "rn satfinite relu? e2m3x2|e3m2x2 f32", "d=0 s=1 s=1").since(8, 6).families(&[100, 110, 120]),
    row(By::Registers, Cvt, "rn relu? f16x2 e2m1x2", "d=0 s=b8").since(8, 6).families(&[100, 110, 120]),
    row(By::Registers, Cvt, "rn relu? f16x2 e2m3x2|e3m2x2", "d=0 s=1").since(8, 6).families(&[100, 110, 120]),
    row(By::Registers, Cvt, "rz|rp satfinite? ue8m0x2 f32", "d=0 s=1 s=1").since(8, 6).families(&[100, 110, 120]),
    row(By::Registers, Cvt, "rz|rp satfinite? ue8m0x2 bf16x2", "d=0 s=1").since(8, 6).families(&[100, 110, 120]),
    row(By::Registers, Cvt, "rn bf16x2 ue8m0x2", "d=0 s=1").since(8, 6).families(&[100, 110, 120]),
    row(By::ConvertFour, Cvt, "rs relu? satfinite e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4 f32", "d=0 S4=f32 s=b32").since(8, 7).only(100).exact(),
    row(By::Registers, Cvt, "pack sat u16|s16 s32", "d=b32 s=1 s=1").since(6, 5).on(72),
    row(By::Registers, Cvt, "pack sat u8|s8 s32 b32", "d=b32 s=1 s=1 s=b32").since(6, 5).on(72),
    row(By::Registers, Cvt, "pack sat u2|s2|u4|s4 s32 b32", "d=b32 s=s32 s=s32 s=b32").since(6, 5).on(75),
];
