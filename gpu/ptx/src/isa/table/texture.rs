//! PTX ISA 9.7.10 and 9.7.11: textures and surfaces.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn texture(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Texture, opcode, modifiers, operands).by(by)
}

const fn surface(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Surface, opcode, modifiers, operands).by(by)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    texture(By::TextureFetch, Tex, "1d|2d|3d|a1d|a2d v4 TEXTYPE s32", "D4|p?=0 T e=s32?"),
    texture(By::TextureFetch, Tex, "1d|2d|a1d|a2d v4 TEXTYPE f32", "D4|p?=0 T e=s32? s=f32?"),
    texture(By::TextureFetch, Tex, "3d v4 TEXTYPE f32", "D4|p?=0 T e=s32?"),
    texture(By::TextureFetch, Tex, "cube|acube v4 TEXTYPE f32", "D4|p?=0 T s=f32?").since(3, 0).on(20),
    texture(By::TextureFetch, Tex, "base 1d|2d|3d|a1d|a2d v4 TEXTYPE s32", "D4|p?=0 T e=s32?").since(3, 1).on(20),
    texture(By::TextureFetch, Tex, "base 1d|2d|a1d|a2d v4 TEXTYPE f32", "D4|p?=0 T e=s32? s=f32?").since(3, 1).on(20),
    texture(By::TextureFetch, Tex, "base 3d v4 TEXTYPE f32", "D4|p?=0 T e=s32?").since(3, 1).on(20),
    texture(By::TextureFetch, Tex, "base cube|acube v4 TEXTYPE f32", "D4|p?=0 T s=f32?").since(3, 1).on(20),
    texture(By::TextureFetch, Tex, "level 1d|2d|3d|a1d|a2d v4 TEXTYPE s32", "D4|p?=0 T s=1 e=s32?").since(3, 1).on(20),
    texture(By::TextureFetch, Tex, "level 1d|2d|a1d|a2d v4 TEXTYPE f32", "D4|p?=0 T s=1 e=s32? s=f32?").since(3, 1).on(20),
    texture(By::TextureFetch, Tex, "level 3d v4 TEXTYPE f32", "D4|p?=0 T s=1 e=s32?").since(3, 1).on(20),
    texture(By::TextureFetch, Tex, "level cube|acube v4 TEXTYPE f32", "D4|p?=0 T s=1 s=f32?").since(3, 1).on(20),
    texture(By::TextureFetch, Tex, "grad 1d|2d|a1d|a2d v4 TEXTYPE f32", "D4|p?=0 T grad grad e=s32? s=f32?").since(3, 1).on(20),
    texture(By::TextureFetch, Tex, "grad 3d v4 TEXTYPE f32", "D4|p?=0 T grad grad e=s32?").since(3, 1).on(20),
    texture(By::TextureFetch, Tex, "grad cube|acube v4 TEXTYPE f32", "D4|p?=0 T grad grad s=f32?").since(4, 3).on(20),
    texture(By::TextureFetch, Tex, "1d|2d|3d|a1d|a2d v2 f16x2 s32", "D2|p?=0 T e=s32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "1d|2d|a1d|a2d v2 f16x2 f32", "D2|p?=0 T e=s32? s=f32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "3d v2 f16x2 f32", "D2|p?=0 T e=s32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "cube|acube v2 f16x2 f32", "D2|p?=0 T s=f32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "base 1d|2d|3d|a1d|a2d v2 f16x2 s32", "D2|p?=0 T e=s32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "base 1d|2d|a1d|a2d v2 f16x2 f32", "D2|p?=0 T e=s32? s=f32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "base 3d v2 f16x2 f32", "D2|p?=0 T e=s32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "base cube|acube v2 f16x2 f32", "D2|p?=0 T s=f32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "level 1d|2d|3d|a1d|a2d v2 f16x2 s32", "D2|p?=0 T s=1 e=s32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "level 1d|2d|a1d|a2d v2 f16x2 f32", "D2|p?=0 T s=1 e=s32? s=f32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "level 3d v2 f16x2 f32", "D2|p?=0 T s=1 e=s32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "level cube|acube v2 f16x2 f32", "D2|p?=0 T s=1 s=f32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "grad 1d|2d|a1d|a2d v2 f16x2 f32", "D2|p?=0 T grad grad e=s32? s=f32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "grad 3d v2 f16x2 f32", "D2|p?=0 T grad grad e=s32?").since(4, 2).on(53),
    texture(By::TextureFetch, Tex, "grad cube|acube v2 f16x2 f32", "D2|p?=0 T grad grad s=f32?").since(4, 3).on(53),
    texture(By::TextureFetch, Tex, "base? 2dms|a2dms v4 TEXTYPE s32", "*").since(3, 2).on(30).refused("textures of several samples are left out"),
    texture(By::TextureFetch, Tld4, "r|g|b|a 2d|a2d v4 u32|s32|f32 f32", "D4|p?=0 T e=s32? s=f32?").since(2, 2).on(20),
    texture(By::TextureFetch, Tld4, "r|g|b|a cube|acube v4 u32|s32|f32 f32", "D4|p?=0 T s=f32?").since(2, 2).on(20),
    texture(By::ImageQuery, Txq, "level width|height|depth b32", "d=b32 A s=u32").since(4, 3).on(30),
    texture(By::ImageQuery, Txq, "TXQ b32", "d=b32 A"),
    texture(By::ImageType, Istypep, "texref|samplerref|surfref", "p m=b64").since(4, 0).on(30),
    surface(By::SurfaceLoad, Suld, "b 1d|2d|3d|a1d|a2d ca|cg|cs|cv? SUVEC trap|clamp|zero", "D=0+ T").since(1, 5),
    surface(By::SurfaceStore, Sust, "b 1d|2d|3d|a1d|a2d cs|cg|wb|wt? SUVEC trap|clamp|zero", "T S=0+").since(1, 5),
    surface(By::SurfaceStore, Sust, "p 1d|2d|3d cs|cg|wb|wt? VEC? b32 trap|clamp|zero", "T S=0").since(2, 0).on(20),
    surface(By::SurfaceReduce, Sured, "b add 1d|2d|3d u64 trap|clamp|zero", "T s=0").since(3, 0).on(20),
    surface(By::SurfaceReduce, Sured, "b add|min|max 1d|2d|3d u32|s32 trap|clamp|zero", "T s=0").since(3, 0).on(20),
    surface(By::SurfaceReduce, Sured, "b and|or 1d|2d|3d b32 trap|clamp|zero", "T s=0").since(3, 0).on(20),
    surface(By::SurfaceReduce, Sured, "p add|min|max|and|or 1d|2d|3d b32 trap|clamp|zero", "T s=0").since(3, 0).on(20),
    surface(By::ImageQuery, Suq, "SUQ b32", "d=b32 A").since(1, 5),
];
