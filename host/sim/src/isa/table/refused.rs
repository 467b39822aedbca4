//! Instructions that are known by name and not modelled.

use crate::isa::{Row, Section};
use crate::ptx::ast::Opcode::{self, *};

const fn row(section: Section, opcode: Opcode, modifiers: &'static str, why: &'static str) -> Row {
    Row::new(section, opcode, modifiers, "*")
        .since(8, 0)
        .on(90)
        .refused(why)
}

const TENSOR: &str = "tensor maps and copies through them (TMA) are not modelled";

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(Section::DataMovement, Cp, "async bulk tensor *", TENSOR),
    row(Section::DataMovement, Cp, "async bulk prefetch tensor *", TENSOR),
    row(Section::DataMovement, Cp, "reduce async bulk tensor *", TENSOR),
    row(Section::DataMovement, Tensormap, "*", TENSOR),
    row(Section::DataMovement, Multimem, "*", "multicast objects over several GPUs are not modelled"),
    row(Section::DataMovement, St, "bulk *", "`st.bulk` is not modelled"),
    row(Section::Synchronization, Clusterlaunchcontrol, "*", "cancelling clusters is not modelled"),
    row(Section::WarpgroupMatrix, Wgmma, "*", "warpgroup matrix instructions are not modelled; `mma.sync` is"),
    row(Section::TensorCore5, Tcgen05, "*", "fifth-generation tensor core instructions are not modelled; `mma.sync` is"),
];
