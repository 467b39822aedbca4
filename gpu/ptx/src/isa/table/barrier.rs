//! PTX ISA 9.7.13, barriers and fences.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn row(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Synchronization, opcode, modifiers, operands).by(by)
}

const fn fence(modifiers: &'static str, operands: &'static str) -> Row {
    row(By::Fence, Fence, modifiers, operands)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(By::Barrier, Bar, "sync", "s=u32 s=u32?"),
    row(By::Barrier, Bar, "cta sync", "s=u32 s=u32?").since(7, 8),
    row(By::Barrier, Bar, "arrive", "s=u32 s=u32").since(2, 0).on(20),
    row(By::Barrier, Bar, "cta arrive", "s=u32 s=u32").since(7, 8),
    row(By::Barrier, Bar, "red popc u32", "d=u32 s=u32 s=u32? q").since(2, 0).on(20),
    row(By::Barrier, Bar, "cta red popc u32", "d=u32 s=u32 s=u32? q").since(7, 8),
    row(By::Barrier, Bar, "red and|or pred", "p s=u32 s=u32? q").since(2, 0).on(20),
    row(By::Barrier, Bar, "cta red and|or pred", "p s=u32 s=u32? q").since(7, 8),
    row(By::WarpBarrier, Bar, "warp sync", "s=b32").since(6, 0).on(30),
    row(By::Barrier, Barrier, "sync aligned?", "s=u32 s=u32?").since(6, 0).on(30),
    row(By::Barrier, Barrier, "cta sync aligned?", "s=u32 s=u32?").since(7, 8),
    row(By::Barrier, Barrier, "arrive aligned?", "s=u32 s=u32").since(6, 0).on(30),
    row(By::Barrier, Barrier, "cta arrive aligned?", "s=u32 s=u32").since(7, 8),
    row(By::Barrier, Barrier, "red popc aligned? u32", "d=u32 s=u32 s=u32? q").since(6, 0).on(30),
    row(By::Barrier, Barrier, "cta red popc aligned? u32", "d=u32 s=u32 s=u32? q").since(7, 8),
    row(By::Barrier, Barrier, "red and|or aligned? pred", "p s=u32 s=u32? q").since(6, 0).on(30),
    row(By::Barrier, Barrier, "cta red and|or aligned? pred", "p s=u32 s=u32? q").since(7, 8),
    row(By::ClusterBarrier, Barrier, "cluster arrive aligned?", "").since(7, 8).on(90),
    row(By::ClusterBarrier, Barrier, "cluster arrive release|relaxed aligned?", "").since(8, 0).on(90),
    row(By::ClusterBarrier, Barrier, "cluster wait aligned?", "").since(7, 8).on(90),
    row(By::ClusterBarrier, Barrier, "cluster wait acquire aligned?", "").since(8, 0).on(90),
    row(By::Fence, Membar, "cta|gl|sys", ""),
    row(By::Fence, Membar, "proxy alias", "").since(7, 5).on(60),
    // `membar.proxy.async` is in the ISA's syntax, but ptxas 13 and the driver do not
    // have this instruction.
    fence("sc|acq_rel? cta|gpu|sys", "").since(6, 0).on(70),
    fence("sc|acq_rel? cluster", "").since(7, 8).on(90),
    // The ISA requires PTX 8.6 and sm_90. ptxas accepts these where it accepts the others
    // of that scope.
    fence("acquire|release cta|gpu|sys", "").since(6, 0).on(70),
    fence("acquire|release cluster", "").since(7, 8).on(90),
    fence("acquire sync_restrict::shared::cluster cluster", "").since(8, 6).on(90),
    fence("release sync_restrict::shared::cta cluster", "").since(8, 6).on(90),
    fence("mbarrier_init release cluster", "").since(8, 0).on(90),
    fence("proxy alias", "").since(7, 5).on(70),
    fence("proxy async", "").since(8, 0).on(90),
    fence("proxy async global|shared::cta|shared::cluster", "").since(8, 0).on(90),
    fence("proxy tensormap::generic release SCOPE", "").since(8, 3).on(90),
    fence("proxy tensormap::generic acquire SCOPE", "A i").since(8, 3).on(90),
    fence("proxy async::generic acquire sync_restrict::shared::cluster cluster", "").since(8, 6).on(90),
    fence("proxy async::generic release sync_restrict::shared::cta cluster", "").since(8, 6).on(90),
    row(By::GridDependency, Griddepcontrol, "launch_dependents|wait", "").since(7, 8).on(90),
];
