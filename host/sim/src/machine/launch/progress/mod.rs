//! Progress: a launch that will never end is found by what it does, not by how long it takes.
//!
//! A team that has run for long is probed: its warps run in short rounds, looked at before each
//! operation. Where nothing in memory changes and the team comes back to a state in which it was
//! before (registers, places in the code, local and shared memory, barriers), it will do the same
//! for ever, unless another team changes memory. When that holds of every team that runs, and no
//! other can begin, the launch has no future: that is a deadlock by spinning, and the report says
//! who reads what. A device holds as many blocks at a time as its model says, and others begin when
//! one has ended; so a wait for a block that cannot begin is found too.
//!
//! A thread from whose place no branch leads to the kernel's end never comes there, whatever it
//! changes on the way. That is looked for at the same time.
//!
//! Memory that the host sees too may change at any time: threads that read it are given some
//! seconds, from when nothing moves any more.
//!
//! Found: spinning on a flag that nobody sets, locks that are never free, barriers of one's own
//! that count wrong, loops without a way out. Missed: loops that change something in every round, a
//! counter or a clock, say, and have a condition to end by that never holds, or call functions;
//! those use up the launch's budget. Never reported: what makes progress and may end, however
//! slowly. Rounds of a probe are fair to all lanes, as GPUs are.
//!
//! | file | what it is |
//! | --- | --- |
//! | `probe` | what a probe looks at |
//! | `endless` | loops without a way out |
//! | `watchman` | whether any core's teams make progress |
//! | `report` | who waits for what |

mod endless;
mod probe;
mod report;
mod watchman;

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::Ordering;

use super::run::Failure;
use crate::machine::core::Core;
use crate::machine::op::Op;
use crate::machine::schedule::TurnEnd;
use crate::memory::AllocationKind;

pub(in crate::machine) use probe::Probe;
pub(in crate::machine) use watchman::Watchman;

/// Rounds of a probe.
const ROUNDS: usize = 16;
/// Jumps of a warp in one of them.
const FUEL: i64 = 1024;
/// Decisions after which a group stands back in a probe.
const PATIENCE: u32 = 64;
/// Warp instructions of a team before it is first probed, where it polls memory that other teams
/// may change.
const POLLING: u64 = 1 << 18;
/// The same of other teams: a probe costs a thousandth of this many.
const COMPUTING: u64 = 1 << 23;
/// How much longer each time.
const LATER: u64 = 4;

/// The last access of a warp that reads: what a spinning warp waits for.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct Poll {
    op: *const Op,
    lane: usize,
    address: u64,
    shared: bool,
    bytes: u8,
}

/// What is known of a team's progress.
#[derive(Default)]
pub(in crate::machine) struct Progress {
    /// Warp instructions so far.
    ran: u64,
    /// At how many of them it is probed next.
    next: u64,
    /// Whether it was found to run in circles, since when it only runs in probes.
    pub(in crate::machine) stuck: bool,
    /// What its warps read last, by block and warp; from probes only.
    polls: BTreeMap<(usize, usize), Poll>,
}

impl Core<'_> {
    /// Adds to what the team has run; says whether to probe it now. `polls`: whether it has read
    /// what others may write.
    pub(in crate::machine) fn probe_is_due(&mut self, ran: u64, polls: bool) -> bool {
        let progress = &mut self.team.progress;
        progress.ran += ran;
        let after = progress.next.max(if polls { POLLING } else { COMPUTING });
        let due = progress.ran >= after;
        if due {
            progress.next = progress.ran * LATER;
        }
        due
    }

    /// Runs the team for some rounds and says whether it runs in circles.
    #[cold]
    pub(in crate::machine) fn probe(&mut self) -> Result<bool, Failure> {
        let warps = self.team.blocks[0].warps.len();
        let total = warps * self.team.blocks.len();
        self.team.progress.polls.clear();
        self.probe = Some(Box::default());
        let effects = self.effects;
        let mut seen = HashSet::new();
        let mut circles = false;
        for _ in 0..ROUNDS {
            // Suspended waits try again, and what is pending happens.
            self.expire();
            if !matches!(self.complete_all(), Ok(false)) {
                break;
            }
            for at in 0..total {
                let (block, warp) = (at / warps, at % warps);
                if !self.team.blocks[block].warps[warp].ready() {
                    continue;
                }
                self.enter(block, warp);
                (self.fuel, self.patience) = (FUEL, PATIENCE);
                if let TurnEnd::Faults(fault) = self.run_warp::<true>() {
                    self.probe = None;
                    return Err(self.failure(*fault));
                }
            }
            self.settle();
            let changed = self.probe.as_ref().is_none_or(|probe| probe.changed);
            if changed || self.effects != effects {
                break;
            }
            if !seen.insert(self.state()) {
                circles = true;
                break;
            }
        }
        self.probe = None;
        let anyone = self
            .team
            .blocks
            .iter()
            .flat_map(|b| &b.warps)
            .any(|w| w.ready());
        self.team.progress.stuck = circles && anyone;
        match self.team.progress.stuck {
            true => {
                self.look_for_host();
                Ok(true)
            }
            false => self.endless().map_or(Ok(false), Err),
        }
    }

    /// Notes whether the team, which is stuck, reads what the host or another process may write.
    fn look_for_host(&self) {
        let memory = &self.run.memory;
        let of_host = |poll: &Poll| {
            let found = (!poll.shared).then(|| memory.find(poll.address)).flatten();
            found.is_some_and(|it| it.kind.on_host() || it.kind == AllocationKind::Opened)
        };
        let known = self.run.awaits_host.load(Ordering::Relaxed);
        if !known && self.team.progress.polls.values().any(of_host) {
            self.run.awaits_host.store(true, Ordering::Relaxed);
        }
    }
}
