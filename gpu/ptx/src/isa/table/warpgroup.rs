//! PTX ISA 9.7.15: matrices of warpgroups. The ISA requires `.aligned`; ptxas does not.

use crate::ast::Opcode::Wgmma;
use crate::isa::{Decoder as By, Row, Section};

const fn row(by: By, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::WarpgroupMatrix, Wgmma, modifiers, operands)
        .by(by)
        .since(8, 0)
        .only(90)
        .gone(8, 0, 100)
}

const fn sparse(modifiers: &'static str, operands: &'static str) -> Row {
    row(By::WarpgroupMultiply, modifiers, operands).since(8, 2)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(By::WarpgroupOrder, "fence sync aligned?", ""),
    row(By::WarpgroupOrder, "commit_group sync aligned?", ""),
    row(By::WarpgroupOrder, "wait_group sync aligned?", "i"),
    // The operands are D, A's descriptor or registers, B's descriptor, whether D is added; then
    // signs and transpositions.
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG16 f16 f16 f16", "W=b32 s=b64 s=b64 pred i i i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG16 f16 f16 f16", "W=b32 S4=b32 s=b64 pred i i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG16 f32 f16 f16", "W=f32 s=b64 s=b64 pred i i i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG16 f32 f16 f16", "W=f32 S4=b32 s=b64 pred i i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG16 f32 bf16 bf16", "W=f32 s=b64 s=b64 pred i i i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG16 f32 bf16 bf16", "W=f32 S4=b32 s=b64 pred i i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG8 f32 tf32 tf32", "W=f32 s=b64 s=b64 pred i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG8 f32 tf32 tf32", "W=f32 S4=b32 s=b64 pred i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG32 f16 e4m3|e5m2 e4m3|e5m2", "W=b32 s=b64 s=b64 pred i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG32 f16 e4m3|e5m2 e4m3|e5m2", "W=b32 S4=b32 s=b64 pred i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG32 f32 e4m3|e5m2 e4m3|e5m2", "W=f32 s=b64 s=b64 pred i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WG32 f32 e4m3|e5m2 e4m3|e5m2", "W=f32 S4=b32 s=b64 pred i i"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WGI32 satfinite? s32 s8.s8|u8.u8", "W=s32 s=b64 s=b64 pred"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WGI32 satfinite? s32 s8.s8|u8.u8", "W=s32 S4=b32 s=b64 pred"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WGI256 s32 b1 b1 and popc", "W=s32 s=b64 s=b64 pred"),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WGI256 s32 b1 b1 and popc", "W=s32 S4=b32 s=b64 pred"),
    // The same forms, with metadata and the selector of the lanes that have it.
    sparse("mma_async sp sync aligned? WG32 f16 f16 f16", "W=b32 s=b64 s=b64 s=b32 i pred i i i i"),
    sparse("mma_async sp sync aligned? WG32 f16 f16 f16", "W=b32 S4=b32 s=b64 s=b32 i pred i i i"),
    sparse("mma_async sp sync aligned? WG32 f32 f16 f16", "W=f32 s=b64 s=b64 s=b32 i pred i i i i"),
    sparse("mma_async sp sync aligned? WG32 f32 f16 f16", "W=f32 S4=b32 s=b64 s=b32 i pred i i i"),
    sparse("mma_async sp sync aligned? WG32 f32 bf16 bf16", "W=f32 s=b64 s=b64 s=b32 i pred i i i i"),
    sparse("mma_async sp sync aligned? WG32 f32 bf16 bf16", "W=f32 S4=b32 s=b64 s=b32 i pred i i i"),
    sparse("mma_async sp sync aligned? WG16 f32 tf32 tf32", "W=f32 s=b64 s=b64 s=b32 i pred i i"),
    sparse("mma_async sp sync aligned? WG16 f32 tf32 tf32", "W=f32 S4=b32 s=b64 s=b32 i pred i i"),
    sparse("mma_async sp sync aligned? WG64 f16 e4m3|e5m2 e4m3|e5m2", "W=b32 s=b64 s=b64 s=b32 i pred i i"),
    sparse("mma_async sp sync aligned? WG64 f16 e4m3|e5m2 e4m3|e5m2", "W=b32 S4=b32 s=b64 s=b32 i pred i i"),
    sparse("mma_async sp sync aligned? WG64 f32 e4m3|e5m2 e4m3|e5m2", "W=f32 s=b64 s=b64 s=b32 i pred i i"),
    sparse("mma_async sp sync aligned? WG64 f32 e4m3|e5m2 e4m3|e5m2", "W=f32 S4=b32 s=b64 s=b32 i pred i i"),
    sparse("mma_async sp sync aligned? WGI64 satfinite? s32 s8.s8|u8.u8", "W=s32 s=b64 s=b64 s=b32 i pred"),
    sparse("mma_async sp sync aligned? WGI64 satfinite? s32 s8.s8|u8.u8", "W=s32 S4=b32 s=b64 s=b32 i pred"),
    // Signed bytes combined with unsigned bytes came in a later version.
    row(By::WarpgroupMultiply, "mma_async sync aligned? WGI32 satfinite? s32 s8.u8|u8.s8", "W=s32 s=b64 s=b64 pred").since(8, 4),
    row(By::WarpgroupMultiply, "mma_async sync aligned? WGI32 satfinite? s32 s8.u8|u8.s8", "W=s32 S4=b32 s=b64 pred").since(8, 4),
    sparse("mma_async sp sync aligned? WGI64 satfinite? s32 s8.u8|u8.s8", "W=s32 s=b64 s=b64 s=b32 i pred").since(8, 4),
    sparse("mma_async sp sync aligned? WGI64 satfinite? s32 s8.u8|u8.s8", "W=s32 S4=b32 s=b64 s=b32 i pred").since(8, 4),
];
