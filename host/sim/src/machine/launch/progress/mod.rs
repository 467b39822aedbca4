//! Progress: finds a launch that will never end by its behaviour, not by its running time.
//!
//! A team that has run for long is probed: its warps run in short rounds, and the probe looks at
//! each operation before it runs. If nothing in memory changes and the team returns to an earlier
//! state (registers, places in the code, local and shared memory, barriers), it will do the same
//! for ever, unless another team changes memory. If that holds for every running team, and no other
//! can begin, the launch cannot go on. That is a deadlock by spinning, and the report lists what
//! each thread reads. A device holds as many blocks at a time as its model allows, and others begin
//! when one has ended. So a wait for a block that cannot begin is found too.
//!
//! A thread at a place from which no branch leads to the kernel's end never gets there, whatever it
//! changes on the way. That is checked at the same time.
//!
//! Threads that read global memory may be released from outside of the launch: by another launch, a
//! copy or the host. Such a launch looks again until nothing outside can change memory any more
//! ([`Outside`](crate::launch::outside::Outside)). A team whose threads read no global memory
//! cannot be released, and is reported at once. Memory that the host sees too may be changed by
//! threads that are not known. Threads that read it are given some more seconds.
//!
//! Found: spinning on a flag that is never set, locks that are never free, a program's own barriers
//! that count wrong, loops without an exit. Missed: loops that change something in every round,
//! such as a counter or a clock, and whose exit condition never holds; loops that call functions.
//! Those use up the launch's budget. Never reported: code that makes progress and may end, however
//! slowly. Rounds of a probe are fair to all lanes, as GPUs are.
//!
//! | file | what it is |
//! | --- | --- |
//! | `probe` | the observations of a probe |
//! | `endless` | loops without an exit |
//! | `watchman` | whether the teams of any core make progress |
//! | `release` | waits for something outside of the launch |
//! | `report` | the waiting threads, and what they wait for |

mod endless;
mod probe;
mod release;
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

/// The number of rounds of a probe.
const ROUNDS: usize = 16;
/// The jumps of a warp in one of these rounds.
const FUEL: i64 = 1024;
/// Decisions after which a group stands back in a probe.
const PATIENCE: u32 = 64;
/// The number of warp instructions of a team before it is first probed, if it polls memory that
/// other teams may change.
const POLLING: u64 = 1 << 18;
/// The same number for other teams. A probe costs a thousandth of this many.
const COMPUTING: u64 = 1 << 23;
/// The factor between the times of two probes.
const LATER: u64 = 4;

/// The last read of a spinning warp, which shows what it waits for.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct Poll {
    op: *const Op,
    lane: usize,
    address: u64,
    shared: bool,
    bytes: u8,
}

/// The state of the progress check of a team.
#[derive(Default)]
pub(in crate::machine) struct Progress {
    /// The number of warp instructions so far.
    ran: u64,
    /// The number of warp instructions at which it is probed next.
    next: u64,
    /// Whether the team repeats its states. It then runs only in probes.
    pub(in crate::machine) stuck: bool,
    /// The last reads of its warps, by block and warp. Only probes record them.
    polls: BTreeMap<(usize, usize), Poll>,
    /// Whether the last probe has seen a read of global memory.
    pub(in crate::machine) reads_global: bool,
}

impl Core<'_> {
    /// Adds to the team's instructions, and returns whether to probe it now. `polls` is whether it
    /// has read memory that others may write.
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

    /// Runs the team for some rounds and returns whether it repeats its states.
    #[cold]
    pub(in crate::machine) fn probe(&mut self) -> Result<bool, Failure> {
        let warps = self.team.blocks[0].warps.len();
        let total = warps * self.team.blocks.len();
        self.team.progress.polls.clear();
        self.team.progress.reads_global = false;
        self.checks.probe = Some(Box::default());
        let effects = self.turn.effects;
        let before = (self.tally.instructions, self.tally.read, self.tally.written);
        let mut seen = HashSet::new();
        let mut circles = false;
        for _ in 0..ROUNDS {
            // Suspended waits try again, and pending operations are performed.
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
                (self.turn.fuel, self.turn.patience) = (FUEL, PATIENCE);
                if let TurnEnd::Faults(fault) = self.run_warp::<true>() {
                    self.checks.probe = None;
                    return Err(self.failure(*fault));
                }
            }
            self.settle();
            let changed = self.checks.probe.as_ref().is_none_or(|probe| probe.changed);
            if changed || self.turn.effects != effects {
                break;
            }
            if !seen.insert(self.state()) {
                circles = true;
                break;
            }
        }
        self.checks.probe = None;
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
                // How often a launch is probed while it waits does not change its sums.
                (self.tally.instructions, self.tally.read, self.tally.written) = before;
                Ok(true)
            }
            false => self.endless().map_or(Ok(false), Err),
        }
    }

    /// Records whether the team, which is stuck, reads memory that the host or another
    /// process may write.
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
