//! PTX ISA 9.7.13, barriers and fences.

use crate::isa::{Row, Section};
use crate::ptx::ast::Opcode::{self, *};

const fn row(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Synchronization, opcode, modifiers, operands)
}

const fn fence(modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Synchronization, Fence, modifiers, operands)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(Bar, "sync", "s=u32 s=u32?"),
    row(Bar, "cta sync", "s=u32 s=u32?").since(7, 8),
    row(Bar, "arrive", "s=u32 s=u32").since(2, 0).on(20),
    row(Bar, "cta arrive", "s=u32 s=u32").since(7, 8),
    row(Bar, "red popc u32", "d=u32 s=u32 s=u32? q").since(2, 0).on(20),
    row(Bar, "cta red popc u32", "d=u32 s=u32 s=u32? q").since(7, 8),
    row(Bar, "red and|or pred", "p s=u32 s=u32? q").since(2, 0).on(20),
    row(Bar, "cta red and|or pred", "p s=u32 s=u32? q").since(7, 8),
    row(Bar, "warp sync", "s=b32").since(6, 0).on(30),
    row(Barrier, "sync aligned?", "s=u32 s=u32?").since(6, 0).on(30),
    row(Barrier, "cta sync aligned?", "s=u32 s=u32?").since(7, 8),
    row(Barrier, "arrive aligned?", "s=u32 s=u32").since(6, 0).on(30),
    row(Barrier, "cta arrive aligned?", "s=u32 s=u32").since(7, 8),
    row(Barrier, "red popc aligned? u32", "d=u32 s=u32 s=u32? q").since(6, 0).on(30),
    row(Barrier, "cta red popc aligned? u32", "d=u32 s=u32 s=u32? q").since(7, 8),
    row(Barrier, "red and|or aligned? pred", "p s=u32 s=u32? q").since(6, 0).on(30),
    row(Barrier, "cta red and|or aligned? pred", "p s=u32 s=u32? q").since(7, 8),
    row(Barrier, "cluster arrive aligned?", "").since(7, 8).on(90),
    row(Barrier, "cluster arrive release|relaxed aligned?", "").since(8, 0).on(90),
    row(Barrier, "cluster wait aligned?", "").since(7, 8).on(90),
    row(Barrier, "cluster wait acquire aligned?", "").since(8, 0).on(90),
    row(Membar, "cta|gl|sys", ""),
    row(Membar, "proxy alias", "").since(7, 5).on(60),
    // `membar.proxy.async` stands in the ISA's syntax; ptxas 13 and the driver know no such instruction.
    fence("sc|acq_rel? cta|gpu|sys", "").since(6, 0).on(70),
    fence("sc|acq_rel? cluster", "").since(7, 8).on(90),
    fence("acquire|release SCOPE", "").since(8, 6).on(90),
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
    row(Griddepcontrol, "launch_dependents|wait", "").since(7, 8).on(90),
];
