//! `barrier.cluster`: threads of all blocks of a cluster wait for each other.
//!
//! PTX ISA, "Parallel Synchronization and Communication Instructions: barrier.cluster". A phase
//! ends when every thread of the cluster that has not ended has arrived. The blocks of a cluster
//! run on one host thread, in the program's order. An arrival that is `.relaxed` releases only what
//! earlier fences have released, which matters to the race check and to weak memory only. A launch
//! without clusters has clusters of one block. Reported: a thread that arrives twice in one phase
//! or waits without having arrived (both undefined in the ISA), and, if the check is on, lanes of
//! one warp that reach an `.aligned` barrier separately. The team reports a wait without end.

use crate::machine::core::Core;
use crate::machine::event::{Event, FaultKind, Wait};
use crate::machine::launch::team::Block;
use crate::machine::op::Op;

/// `aux` of an `.aligned` instruction.
pub(crate) const ALIGNED: u32 = 1;
/// `aux` of an arrival that releases nothing.
pub(crate) const RELAXED: u32 = 2;

/// `barrier.cluster.arrive`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn arrive(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame; another operation follows it.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    if mask == 0 {
        return next;
    }
    core.look_aligned(op, mask);
    let warp = core.warp();
    let twice = mask & (warp.cluster_arrived | warp.cluster_passed);
    if twice != 0 {
        let message = "a thread arrives at the cluster's barrier again before it has waited".into();
        let help = "put a `barrier.cluster.wait` between two `barrier.cluster.arrive`";
        let lane = twice.trailing_zeros() as usize;
        return core.fault(op, lane, FaultKind::Illegal { message, help });
    }
    warp.cluster_arrived |= mask;
    // SAFETY: as above.
    warp.cluster_relaxed |= unsafe { (*op).aux } & RELAXED != 0;
    core.team.meets = true;
    core.complete_cluster();
    next
}

/// `barrier.cluster.wait`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn wait(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    core.look_aligned(op, mask);
    let warp = core.warp();
    let through = mask & warp.cluster_passed;
    let waiting = mask & warp.cluster_arrived;
    let neither = mask & !through & !waiting;
    if neither != 0 {
        let message = "a thread waits at the cluster's barrier and has not arrived".into();
        let help = "put a `barrier.cluster.arrive` before each `barrier.cluster.wait`";
        let lane = neither.trailing_zeros() as usize;
        return core.fault(op, lane, FaultKind::Illegal { message, help });
    }
    warp.cluster_passed &= !through;
    if waiting == 0 {
        return next;
    }
    let all = core.active;
    core.active = waiting;
    core.park(next, Wait::Cluster);
    core.active = all & !waiting;
    if core.active == 0 {
        return core.stop(Event::Ended);
    }
    core.stop(Event::Jump(next))
}

impl Core<'_> {
    fn look_aligned(&mut self, op: *const Op, mask: u32) {
        // SAFETY: `op` is a barrier of the running frame.
        let aligned = unsafe { (*op).aux } & ALIGNED != 0;
        if mask != 0 && aligned && (mask != self.active || self.diverged) {
            self.aligned_apart(op, mask);
        }
    }

    /// Returns how many threads of the cluster have arrived, and how many are live.
    pub(in crate::machine) fn cluster_count(&self) -> (u32, u32) {
        let blocks = &self.team.blocks;
        let warps = blocks.iter().flat_map(|block| &block.warps);
        let arrived = warps.map(|warp| warp.cluster_arrived.count_ones()).sum();
        (arrived, blocks.iter().map(|block| block.live).sum())
    }

    /// Ends the phase if every live thread has arrived. A thread that has ended no longer counts.
    pub(in crate::machine) fn complete_cluster(&mut self) {
        if !self.team.meets {
            return;
        }
        let (arrived, live) = self.cluster_count();
        if arrived == 0 || arrived < live {
            return;
        }
        self.team.expiries = 0;
        if self.run.launch.checks.race {
            let blocks = self.team.blocks.iter();
            let relaxed = blocks.clone().flat_map(|b| &b.warps);
            if relaxed.into_iter().any(|warp| warp.cluster_relaxed) {
                let of = |b: &Block| b.warps.iter().map(|warp| warp.cluster_relaxed).collect();
                let blocks: Vec<_> = blocks.map(|b| (b.linear, of(b))).collect();
                self.checks.races.cluster_relaxed(&blocks);
            } else {
                let blocks: Vec<_> = blocks.map(|b| (b.linear, b.warps.len() as u32)).collect();
                self.checks.races.cluster(&blocks);
            }
        }
        if self.explore.is_some() {
            self.meet_team_explored();
        }
        for warp in self.team.blocks.iter_mut().flat_map(|b| &mut b.warps) {
            warp.cluster_passed |= std::mem::take(&mut warp.cluster_arrived);
            warp.cluster_relaxed = false;
            for group in warp.groups.iter_mut().filter(|g| g.wait == Wait::Cluster) {
                group.wait = Wait::Ready;
                warp.cluster_passed &= !group.mask;
            }
        }
    }
}
