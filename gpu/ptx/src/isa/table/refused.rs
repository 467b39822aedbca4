//! Instructions that are known but not modelled.

use crate::ast::Opcode::{self, *};
use crate::isa::{Row, Section};

const fn row(section: Section, opcode: Opcode, modifiers: &'static str, why: &'static str) -> Row {
    Row::new(section, opcode, modifiers, "*")
        .since(8, 0)
        .on(90)
        .refused(why)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(Section::Synchronization, Clusterlaunchcontrol, "*", "the cancelling of clusters is left out"),
    row(Section::TensorCore5, Tcgen05, "*", "tensor memory is left out; use `mma.sync`"),
];
