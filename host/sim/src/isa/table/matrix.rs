//! PTX ISA 9.7.14: matrices that a warp holds in its registers, `wmma`, `mma`, `ldmatrix` and company.
//!
//! A line for each shape and type whose fragments have different lengths.

use crate::isa::{Row, Section};
use crate::ptx::ast::Opcode::{self, *};

const fn matrix(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::WarpMatrix, opcode, modifiers, operands)
}

const fn wmma(modifiers: &'static str, operands: &'static str) -> Row {
    matrix(Wmma, modifiers, operands)
}

const fn mma(modifiers: &'static str, operands: &'static str) -> Row {
    matrix(Mma, modifiers, operands)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    // wmma: loads. A fragment's length depends on the shape and type.
    wmma("load a sync aligned row|col m16n16k16|m8n32k16|m32n8k16 WSPACE? f16", "D8=b32 A s=u32?").since(6, 0).on(70),
    wmma("load b sync aligned row|col m16n16k16|m8n32k16|m32n8k16 WSPACE? f16", "D8=b32 A s=u32?").since(6, 0).on(70),
    wmma("load a sync aligned row|col m16n16k16 WSPACE? u8|s8", "D2=b32 A s=u32?").since(6, 3).on(72),
    wmma("load a sync aligned row|col m8n32k16 WSPACE? u8|s8", "D1=b32 A s=u32?").since(6, 3).on(72),
    wmma("load a sync aligned row|col m32n8k16 WSPACE? u8|s8", "D4=b32 A s=u32?").since(6, 3).on(72),
    wmma("load b sync aligned row|col m16n16k16 WSPACE? u8|s8", "D2=b32 A s=u32?").since(6, 3).on(72),
    wmma("load b sync aligned row|col m8n32k16 WSPACE? u8|s8", "D4=b32 A s=u32?").since(6, 3).on(72),
    wmma("load b sync aligned row|col m32n8k16 WSPACE? u8|s8", "D1=b32 A s=u32?").since(6, 3).on(72),
    wmma("load a sync aligned row|col m16n16k16 WSPACE? bf16", "D4=b32 A s=u32?").since(7, 0).on(80),
    wmma("load a sync aligned row|col m8n32k16 WSPACE? bf16", "D2=b32 A s=u32?").since(7, 0).on(80),
    wmma("load a sync aligned row|col m32n8k16 WSPACE? bf16", "D8=b32 A s=u32?").since(7, 0).on(80),
    wmma("load b sync aligned row|col m16n16k16 WSPACE? bf16", "D4=b32 A s=u32?").since(7, 0).on(80),
    wmma("load b sync aligned row|col m8n32k16 WSPACE? bf16", "D8=b32 A s=u32?").since(7, 0).on(80),
    wmma("load b sync aligned row|col m32n8k16 WSPACE? bf16", "D2=b32 A s=u32?").since(7, 0).on(80),
    wmma("load a sync aligned row|col m16n16k8 WSPACE? tf32", "D4=b32 A s=u32?").since(7, 0).on(80),
    wmma("load b sync aligned row|col m16n16k8 WSPACE? tf32", "D4=b32 A s=u32?").since(7, 0).on(80),
    wmma("load a sync aligned row|col m8n8k4 WSPACE? f64", "D1=f64 A s=u32?").since(7, 0).on(80),
    wmma("load b sync aligned row|col m8n8k4 WSPACE? f64", "D1=f64 A s=u32?").since(7, 0).on(80),
    wmma("load a sync aligned row m8n8k32 WSPACE? u4|s4", "D1=b32 A s=u32?").since(6, 3).on(75),
    wmma("load b sync aligned col m8n8k32 WSPACE? u4|s4", "D1=b32 A s=u32?").since(6, 3).on(75),
    wmma("load a sync aligned row m8n8k128 WSPACE? b1", "D1=b32 A s=u32?").since(6, 3).on(75),
    wmma("load b sync aligned col m8n8k128 WSPACE? b1", "D1=b32 A s=u32?").since(6, 3).on(75),
    wmma("load c sync aligned row|col m16n16k16|m8n32k16|m32n8k16 WSPACE? f16", "D4=b32 A s=u32?").since(6, 0).on(70),
    wmma("load c sync aligned row|col m16n16k16|m8n32k16|m32n8k16 WSPACE? f32", "D8=f32 A s=u32?").since(6, 0).on(70),
    wmma("load c sync aligned row|col m16n16k16|m8n32k16|m32n8k16 WSPACE? s32", "D8=s32 A s=u32?").since(6, 3).on(72),
    wmma("load c sync aligned row|col m16n16k8 WSPACE? f32", "D8=f32 A s=u32?").since(7, 0).on(80),
    wmma("load c sync aligned row|col m8n8k4 WSPACE? f64", "D2=f64 A s=u32?").since(7, 0).on(80),
    wmma("load c sync aligned row|col m8n8k32|m8n8k128 WSPACE? s32", "D2=s32 A s=u32?").since(6, 3).on(75),
    wmma("store d sync aligned row|col m16n16k16|m8n32k16|m32n8k16 WSPACE? f16", "A S4=b32 s=u32?").since(6, 0).on(70),
    wmma("store d sync aligned row|col m16n16k16|m8n32k16|m32n8k16 WSPACE? f32", "A S8=f32 s=u32?").since(6, 0).on(70),
    wmma("store d sync aligned row|col m16n16k16|m8n32k16|m32n8k16 WSPACE? s32", "A S8=s32 s=u32?").since(6, 3).on(72),
    wmma("store d sync aligned row|col m16n16k8 WSPACE? f32", "A S8=f32 s=u32?").since(7, 0).on(80),
    wmma("store d sync aligned row|col m8n8k4 WSPACE? f64", "A S2=f64 s=u32?").since(7, 0).on(80),
    wmma("store d sync aligned row|col m8n8k32|m8n8k128 WSPACE? s32", "A S2=s32 s=u32?").since(6, 3).on(75),
    // wmma: multiply and add.
    wmma("mma sync aligned row|col row|col m16n16k16|m8n32k16|m32n8k16 f16 f16", "D4=b32 S8=b32 S8=b32 S4=b32").since(6, 0).on(70),
    wmma("mma sync aligned row|col row|col m16n16k16|m8n32k16|m32n8k16 f16 f32", "D4=b32 S8=b32 S8=b32 S8=f32").since(6, 0).on(70),
    wmma("mma sync aligned row|col row|col m16n16k16|m8n32k16|m32n8k16 f32 f16", "D8=f32 S8=b32 S8=b32 S4=b32").since(6, 0).on(70),
    wmma("mma sync aligned row|col row|col m16n16k16|m8n32k16|m32n8k16 f32 f32", "D8=f32 S8=b32 S8=b32 S8=f32").since(6, 0).on(70),
    wmma("mma sync aligned row|col row|col m16n16k16 s32 u8 u8 s32 satfinite?", "D8=s32 S2=b32 S2=b32 S8=s32").since(6, 3).on(72),
    wmma("mma sync aligned row|col row|col m16n16k16 s32 s8 s8 s32 satfinite?", "D8=s32 S2=b32 S2=b32 S8=s32").since(6, 3).on(72),
    wmma("mma sync aligned row|col row|col m8n32k16 s32 u8 u8 s32 satfinite?", "D8=s32 S1=b32 S4=b32 S8=s32").since(6, 3).on(72),
    wmma("mma sync aligned row|col row|col m8n32k16 s32 s8 s8 s32 satfinite?", "D8=s32 S1=b32 S4=b32 S8=s32").since(6, 3).on(72),
    wmma("mma sync aligned row|col row|col m32n8k16 s32 u8 u8 s32 satfinite?", "D8=s32 S4=b32 S1=b32 S8=s32").since(6, 3).on(72),
    wmma("mma sync aligned row|col row|col m32n8k16 s32 s8 s8 s32 satfinite?", "D8=s32 S4=b32 S1=b32 S8=s32").since(6, 3).on(72),
    wmma("mma sync aligned row|col row|col m16n16k16 f32 bf16 bf16 f32", "D8=f32 S4=b32 S4=b32 S8=f32").since(7, 0).on(80),
    wmma("mma sync aligned row|col row|col m8n32k16 f32 bf16 bf16 f32", "D8=f32 S2=b32 S8=b32 S8=f32").since(7, 0).on(80),
    wmma("mma sync aligned row|col row|col m32n8k16 f32 bf16 bf16 f32", "D8=f32 S8=b32 S2=b32 S8=f32").since(7, 0).on(80),
    wmma("mma sync aligned row|col row|col m16n16k8 f32 tf32 tf32 f32", "D8=f32 S4=b32 S4=b32 S8=f32").since(7, 0).on(80),
    wmma("mma sync aligned row|col row|col m8n8k4 FRND? f64 f64 f64 f64", "D2=f64 S1=f64 S1=f64 S2=f64").since(7, 0).on(80),
    wmma("mma sync aligned row col m8n8k32 s32 u4 u4 s32 satfinite?", "D2=s32 S1=b32 S1=b32 S2=s32").since(6, 3).on(75),
    wmma("mma sync aligned row col m8n8k32 s32 s4 s4 s32 satfinite?", "D2=s32 S1=b32 S1=b32 S2=s32").since(6, 3).on(75),
    wmma("mma xor popc sync aligned row col m8n8k128 s32 b1 b1 s32", "D2=s32 S1=b32 S1=b32 S2=s32").since(6, 3).on(75),
    wmma("mma and popc sync aligned row col m8n8k128 s32 b1 b1 s32", "D2=s32 S1=b32 S1=b32 S2=s32").since(7, 1).on(80),
    // mma.sync.
    mma("sync aligned m8n8k4 row|col row|col f16 f16 f16 f16", "D4=b32 S2=b32 S2=b32 S4=b32").since(6, 4).on(70),
    mma("sync aligned m16n8k8 row col f16 f16 f16 f16", "D2=b32 S2=b32 S1=b32 S2=b32").since(6, 5).on(75),
    mma("sync aligned m16n8k16 row col f16 f16 f16 f16", "D2=b32 S4=b32 S2=b32 S2=b32").since(7, 0).on(80),
    mma("sync aligned m8n8k4 row|col row|col f32 f16 f16 f16", "D8=f32 S2=b32 S2=b32 S4=b32").since(6, 4).on(70),
    mma("sync aligned m8n8k4 row|col row|col f32 f16 f16 f32", "D8=f32 S2=b32 S2=b32 S8=f32").since(6, 4).on(70),
    mma("sync aligned m16n8k8 row col f32 f16 f16 f32", "D4=f32 S2=b32 S1=b32 S4=f32").since(6, 5).on(75),
    mma("sync aligned m16n8k16 row col f32 f16 f16 f32", "D4=f32 S4=b32 S2=b32 S4=f32").since(7, 0).on(80),
    mma("sync aligned m16n8k4 row col f32 tf32 tf32 f32", "D4=f32 S2=b32 S1=b32 S4=f32").since(7, 0).on(80),
    mma("sync aligned m16n8k8 row col f32 tf32 tf32 f32", "D4=f32 S4=b32 S2=b32 S4=f32").since(7, 0).on(80),
    mma("sync aligned m16n8k8 row col f32 bf16 bf16 f32", "D4=f32 S2=b32 S1=b32 S4=f32").since(7, 0).on(80),
    mma("sync aligned m16n8k16 row col f32 bf16 bf16 f32", "D4=f32 S4=b32 S2=b32 S4=f32").since(7, 0).on(80),
    mma("sync aligned m16n8k16 row col f32 e4m3|e5m2 e4m3|e5m2 f32", "D4=f32 S2=b32 S1=b32 S4=f32").since(8, 7).on(89),
    mma("sync aligned m16n8k32 row col f32 e4m3|e5m2 e4m3|e5m2 f32", "D4=f32 S4=b32 S2=b32 S4=f32").since(8, 4).on(89),
    mma("sync aligned m16n8k16 row col f16 e4m3|e5m2 e4m3|e5m2 f16", "D2=b32 S2=b32 S1=b32 S2=b32").since(8, 7).on(89),
    mma("sync aligned m16n8k32 row col f16 e4m3|e5m2 e4m3|e5m2 f16", "D2=b32 S4=b32 S2=b32 S2=b32").since(8, 7).on(89),
    mma("sync aligned m8n8k4 row col f64 f64 f64 f64", "D2=f64 S1=f64 S1=f64 S2=f64").since(7, 0).on(80),
    mma("sync aligned m16n8k4 row col f64 f64 f64 f64", "D4=f64 S2=f64 S1=f64 S4=f64").since(7, 8).on(90),
    mma("sync aligned m16n8k8 row col f64 f64 f64 f64", "D4=f64 S4=f64 S2=f64 S4=f64").since(7, 8).on(90),
    mma("sync aligned m16n8k16 row col f64 f64 f64 f64", "D4=f64 S8=f64 S4=f64 S4=f64").since(7, 8).on(90),
    mma("sync aligned m8n8k16 row col satfinite? s32 u8|s8 u8|s8 s32", "D2=s32 S1=b32 S1=b32 S2=s32").since(6, 5).on(75),
    mma("sync aligned m16n8k16 row col satfinite? s32 u8|s8 u8|s8 s32", "D4=s32 S2=b32 S1=b32 S4=s32").since(7, 0).on(80),
    mma("sync aligned m16n8k32 row col satfinite? s32 u8|s8 u8|s8 s32", "D4=s32 S4=b32 S2=b32 S4=s32").since(7, 0).on(80),
    mma("sync aligned m8n8k32 row col satfinite? s32 u4|s4 u4|s4 s32", "D2=s32 S1=b32 S1=b32 S2=s32").since(6, 5).on(75),
    mma("sync aligned m16n8k32 row col satfinite? s32 u4|s4 u4|s4 s32", "D4=s32 S2=b32 S1=b32 S4=s32").since(7, 0).on(80),
    mma("sync aligned m16n8k64 row col satfinite? s32 u4|s4 u4|s4 s32", "D4=s32 S4=b32 S2=b32 S4=s32").since(7, 0).on(80),
    mma("sync aligned m8n8k128 row col s32 b1 b1 s32 xor popc", "D2=s32 S1=b32 S1=b32 S2=s32").since(7, 0).on(75),
    mma("sync aligned m8n8k128 row col s32 b1 b1 s32 and popc", "D2=s32 S1=b32 S1=b32 S2=s32").since(7, 1).on(80),
    mma("sync aligned m16n8k128 row col s32 b1 b1 s32 xor popc", "D4=s32 S2=b32 S1=b32 S4=s32").since(7, 0).on(80),
    mma("sync aligned m16n8k128 row col s32 b1 b1 s32 and popc", "D4=s32 S2=b32 S1=b32 S4=s32").since(7, 1).on(80),
    mma("sync aligned m16n8k256 row col s32 b1 b1 s32 xor popc", "D4=s32 S4=b32 S2=b32 S4=s32").since(7, 0).on(80),
    mma("sync aligned m16n8k256 row col s32 b1 b1 s32 and popc", "D4=s32 S4=b32 S2=b32 S4=s32").since(7, 1).on(80),
    mma("sp|sp::ordered_metadata *", "*").since(7, 1).on(80).refused("sparse matrices are left out"),
    mma("sync aligned m16n8k32|m16n8k64 row col KIND *", "*").since(8, 7).only(120).refused("block scales and mixed formats of 8, 6 and 4 bits are left out"),
    // Fragments and memory.
    matrix(Ldmatrix, "sync aligned m8n8 x1 trans? SHARED? b16", "D1=b32 A").since(6, 5).on(75),
    matrix(Ldmatrix, "sync aligned m8n8 x2 trans? SHARED? b16", "D2=b32 A").since(6, 5).on(75),
    matrix(Ldmatrix, "sync aligned m8n8 x4 trans? SHARED? b16", "D4=b32 A").since(6, 5).on(75),
    matrix(Ldmatrix, "sync aligned m16n16 x1 trans SHARED? b8", "D2=b32 A").since(8, 6).only(100),
    matrix(Ldmatrix, "sync aligned m16n16 x1 trans SHARED? b8x16 b6x16_p32|b4x16_p64", "D2=b32 A").since(8, 6).only(100),
    matrix(Ldmatrix, "sync aligned m16n16 x2 trans SHARED? b8", "D4=b32 A").since(8, 6).only(100),
    matrix(Ldmatrix, "sync aligned m16n16 x2 trans SHARED? b8x16 b6x16_p32|b4x16_p64", "D4=b32 A").since(8, 6).only(100),
    matrix(Ldmatrix, "sync aligned m8n16 x1 SHARED? b8x16 b6x16_p32|b4x16_p64", "D1=b32 A").since(8, 6).only(100),
    matrix(Ldmatrix, "sync aligned m8n16 x2 SHARED? b8x16 b6x16_p32|b4x16_p64", "D2=b32 A").since(8, 6).only(100),
    matrix(Ldmatrix, "sync aligned m8n16 x4 SHARED? b8x16 b6x16_p32|b4x16_p64", "D4=b32 A").since(8, 6).only(100),
    matrix(Stmatrix, "sync aligned m8n8 x1 trans? SHARED? b16", "A S1=b32").since(7, 8).on(90),
    matrix(Stmatrix, "sync aligned m16n8 x1 trans SHARED? b8", "A S1=b32").since(8, 6).only(100),
    matrix(Stmatrix, "sync aligned m8n8 x2 trans? SHARED? b16", "A S2=b32").since(7, 8).on(90),
    matrix(Stmatrix, "sync aligned m16n8 x2 trans SHARED? b8", "A S2=b32").since(8, 6).only(100),
    matrix(Stmatrix, "sync aligned m8n8 x4 trans? SHARED? b16", "A S4=b32").since(7, 8).on(90),
    matrix(Stmatrix, "sync aligned m16n8 x4 trans SHARED? b8", "A S4=b32").since(8, 6).only(100),
    matrix(Movmatrix, "sync aligned m8n8 trans b16", "d=b32 s=b32").since(7, 8).on(75),
];
