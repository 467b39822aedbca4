//! Copies that no thread waits for, and mbarriers whose transactions do not add up to the bytes
//! that they expect.
//!
//! Both are checked when the blocks of a cluster have ended, since bytes may arrive before an
//! mbarrier expects them, and a wait may come late. PTX ISA, "Asynchronous Operations", "mbarrier:
//! Tracking asynchronous operations".

use crate::checks::FindingKind;
use crate::machine::asynchronous::pending::{CompletionSignal, PendingEffect};
use crate::machine::core::Core;
use crate::machine::meeting::mbarrier::MbarrierPlace;
use crate::machine::op::Op;
use crate::semantics::mbarrier::Mbarrier;

/// The latest transaction on an mbarrier: the operation, and the thread that began it
/// (block, warp, lane).
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct LastTransaction {
    home: MbarrierPlace,
    op: *const Op,
    by: (usize, u32, u32),
}

impl Core<'_> {
    /// Subtracts bytes that have arrived from the mbarrier's pending count
    /// of bytes (`complete_tx`).
    pub(in crate::machine) fn complete_transaction(
        &mut self,
        home: MbarrierPlace,
        op: *const Op,
        by: (usize, u32, u32),
    ) {
        if self.run.launch.checks.sync {
            let latest = LastTransaction { home, op, by };
            let transactions = &mut self.team.transactions;
            match transactions.iter_mut().find(|it| it.home == home) {
                Some(it) => *it = latest,
                None => transactions.push(latest),
            }
        }
    }

    /// Reports the team's unfinished copies and mbarriers, after the team has ended.
    pub(in crate::machine) fn check_left(&mut self) {
        if !self.run.launch.checks.sync {
            return;
        }
        self.check_warpgroups();
        for pending in std::mem::take(&mut self.team.pending) {
            let bytes = match pending.effect {
                PendingEffect::Copy(it) => it.bytes,
                PendingEffect::Tensor(it) => it.bytes as usize,
                PendingEffect::Arrive(_) => continue,
            };
            if let CompletionSignal::Mbarrier(home) = pending.until {
                let at = self.name(home);
                let (block, warp, lane) = pending.by;
                self.note_by(FindingKind::Unawaited, pending.op, (block, warp, lane as usize), || {
                    Some((
                        format!("no thread waits for {bytes} bytes that are still on their way when the block ends"),
                        vec![format!("their completion is signalled to {at}")],
                    ))
                });
            }
        }
        for LastTransaction { home, op, by } in std::mem::take(&mut self.team.transactions) {
            // The memory may have been reused for something that is not an mbarrier object.
            let left = self
                .mbarrier_now(home)
                .map_or(0, |object: Mbarrier| object.bytes);
            if left == 0 {
                continue;
            }
            let at = self.name(home);
            self.note_by(
                FindingKind::Unexpected,
                op,
                (by.0, by.1, by.2 as usize),
                || {
                    let what = match left < 0 {
                        true => {
                            format!("an mbarrier receives {} bytes more than it expects", -left)
                        }
                        false => {
                            format!("an mbarrier expects {left} bytes more than it receives")
                        }
                    };
                    Some((
                        what,
                        vec![format!(
                            "it is {at}; these were the last bytes that it received"
                        )],
                    ))
                },
            );
        }
    }

    /// Describes an mbarrier for a note.
    fn name(&self, home: MbarrierPlace) -> String {
        let [x, y, z] = self.team.blocks[home.rank].id;
        format!(
            "the mbarrier at shared address {:#x} of block ({x},{y},{z})",
            home.at
        )
    }
}
