//! PTX ISA 9.7.18: video instructions, scalar and SIMD.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn scalar(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Video, opcode, modifiers, operands)
        .by(By::Video)
        .since(2, 0)
        .on(20)
}

const fn simd(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Video, opcode, modifiers, operands)
        .by(By::Video)
        .since(3, 0)
        .on(30)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    // The forms of a result: alone, with a second operation after it, and merged into a part of
    // the third operand.
    scalar(Vadd, "VTYPE VTYPE VTYPE sat?", "d=u32 v=u32 v=u32"),
    scalar(Vadd, "VTYPE VTYPE VTYPE sat? VTHEN", "d=u32 v=u32 v=u32 s=u32"),
    scalar(Vadd, "VTYPE VTYPE VTYPE sat?", "dv=u32 v=u32 v=u32 s=u32"),
    scalar(Vsub, "VTYPE VTYPE VTYPE sat?", "d=u32 v=u32 v=u32"),
    scalar(Vsub, "VTYPE VTYPE VTYPE sat? VTHEN", "d=u32 v=u32 v=u32 s=u32"),
    scalar(Vsub, "VTYPE VTYPE VTYPE sat?", "dv=u32 v=u32 v=u32 s=u32"),
    scalar(Vabsdiff, "VTYPE VTYPE VTYPE sat?", "d=u32 v=u32 v=u32"),
    scalar(Vabsdiff, "VTYPE VTYPE VTYPE sat? VTHEN", "d=u32 v=u32 v=u32 s=u32"),
    scalar(Vabsdiff, "VTYPE VTYPE VTYPE sat?", "dv=u32 v=u32 v=u32 s=u32"),
    scalar(Vmin, "VTYPE VTYPE VTYPE sat?", "d=u32 v=u32 v=u32"),
    scalar(Vmin, "VTYPE VTYPE VTYPE sat? VTHEN", "d=u32 v=u32 v=u32 s=u32"),
    scalar(Vmin, "VTYPE VTYPE VTYPE sat?", "dv=u32 v=u32 v=u32 s=u32"),
    scalar(Vmax, "VTYPE VTYPE VTYPE sat?", "d=u32 v=u32 v=u32"),
    scalar(Vmax, "VTYPE VTYPE VTYPE sat? VTHEN", "d=u32 v=u32 v=u32 s=u32"),
    scalar(Vmax, "VTYPE VTYPE VTYPE sat?", "dv=u32 v=u32 v=u32 s=u32"),
    scalar(Vshl, "VTYPE VTYPE u32 sat? clamp|wrap", "d=u32 v=u32 v=u32"),
    scalar(Vshl, "VTYPE VTYPE u32 sat? clamp|wrap VTHEN", "d=u32 v=u32 v=u32 s=u32"),
    scalar(Vshl, "VTYPE VTYPE u32 sat? clamp|wrap", "dv=u32 v=u32 v=u32 s=u32"),
    scalar(Vshr, "VTYPE VTYPE u32 sat? clamp|wrap", "d=u32 v=u32 v=u32"),
    scalar(Vshr, "VTYPE VTYPE u32 sat? clamp|wrap VTHEN", "d=u32 v=u32 v=u32 s=u32"),
    scalar(Vshr, "VTYPE VTYPE u32 sat? clamp|wrap", "dv=u32 v=u32 v=u32 s=u32"),
    scalar(Vmad, "VTYPE VTYPE VTYPE sat? shr7|shr15?", "d=u32 -v=u32 -v=u32 s=u32"),
    scalar(Vmad, "VTYPE VTYPE VTYPE sat? shr7|shr15?", "d=u32 v=u32 v=u32 -s=u32"),
    scalar(Vmad, "VTYPE VTYPE VTYPE po sat? shr7|shr15?", "d=u32 v=u32 v=u32 s=u32"),
    scalar(Vset, "VTYPE VTYPE SCMP", "d=u32 v=u32 v=u32"),
    scalar(Vset, "VTYPE VTYPE SCMP VTHEN", "d=u32 v=u32 v=u32 s=u32"),
    scalar(Vset, "VTYPE VTYPE SCMP", "dv=u32 v=u32 v=u32 s=u32"),
    simd(Vadd2, "VTYPE VTYPE VTYPE sat?", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vadd2, "VTYPE VTYPE VTYPE add", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vsub2, "VTYPE VTYPE VTYPE sat?", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vsub2, "VTYPE VTYPE VTYPE add", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vavrg2, "VTYPE VTYPE VTYPE sat?", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vavrg2, "VTYPE VTYPE VTYPE add", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vabsdiff2, "VTYPE VTYPE VTYPE sat?", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vabsdiff2, "VTYPE VTYPE VTYPE add", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vmin2, "VTYPE VTYPE VTYPE sat?", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vmin2, "VTYPE VTYPE VTYPE add", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vmax2, "VTYPE VTYPE VTYPE sat?", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vmax2, "VTYPE VTYPE VTYPE add", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vset2, "VTYPE VTYPE SCMP add?", "dv2=u32 v2=u32 v2=u32 r=u32"),
    simd(Vadd4, "VTYPE VTYPE VTYPE sat?", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vadd4, "VTYPE VTYPE VTYPE add", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vsub4, "VTYPE VTYPE VTYPE sat?", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vsub4, "VTYPE VTYPE VTYPE add", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vavrg4, "VTYPE VTYPE VTYPE sat?", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vavrg4, "VTYPE VTYPE VTYPE add", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vabsdiff4, "VTYPE VTYPE VTYPE sat?", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vabsdiff4, "VTYPE VTYPE VTYPE add", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vmin4, "VTYPE VTYPE VTYPE sat?", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vmin4, "VTYPE VTYPE VTYPE add", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vmax4, "VTYPE VTYPE VTYPE sat?", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vmax4, "VTYPE VTYPE VTYPE add", "dv4=u32 v4=u32 v4=u32 r=u32"),
    simd(Vset4, "VTYPE VTYPE SCMP add?", "dv4=u32 v4=u32 v4=u32 r=u32"),
];
