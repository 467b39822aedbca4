//! A running grid: the state that its cores share, and the distribution of blocks to the cores.
//!
//! Teams (blocks, or clusters of them) are distributed in order to as many cores as the host has
//! threads for. A core runs one team until it ends. If all of its warps spin, for instance on a
//! flag that a later block sets, the core puts the team aside and runs another one in between. So
//! blocks that wait for blocks end, if the flags are set.
//!
//! The launch's fault is the first one by the order of teams. Teams before the faulting one run to
//! their end, and teams after it are dropped.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::family::{Family, LaunchedGrids};
use super::output::Output;
use super::progress::Watchman;
use super::team::Team;
use crate::checks::{Finding, Footprint};
use crate::counters::Counters;
use crate::launch::{ExecutionSummary, Launch};
use crate::machine::checks::memory::bounds::ArrayBounds;
use crate::machine::checks::record::Steps;
use crate::machine::checks::report::findings::FindingKey;
use crate::machine::checks::watchers::Watchers;
use crate::machine::control::heap::Heap;
use crate::machine::core::Core;
use crate::machine::event::RawFault;
use crate::machine::program::{Function, PresetRow, Program};
use crate::memory::{Memory, Snapshot};
use crate::model::DeviceModel;

/// The most teams that one core keeps aside.
const RESIDENT: usize = 4096;

/// The state that all cores of a launch share.
pub(crate) struct Run<'l> {
    /// The code of the module.
    pub(in crate::machine) program: &'l Program,
    /// The kernel's function.
    pub(in crate::machine) function: &'l Function,
    /// Every function's preset rows, with the instance's addresses.
    pub(in crate::machine) rows: &'l [Vec<PresetRow>],
    /// The index of the kernel's function.
    pub(in crate::machine) entry: usize,
    /// The arguments of the launch.
    pub(in crate::machine) launch: &'l Launch<'l>,
    /// The cluster's shape in blocks.
    pub(in crate::machine) cluster: [u32; 3],
    /// The model of the device that it runs on.
    pub(in crate::machine) model: &'l DeviceModel,
    /// The device's memory.
    pub(in crate::machine) memory: &'l Memory,
    /// The memory that was live when the launch began.
    pub(in crate::machine) snapshot: Arc<Snapshot>,
    /// The textures and surfaces that existed when the launch began.
    pub(in crate::machine) images: Arc<crate::image::Snapshot>,
    /// The parameters, padded to words.
    pub(in crate::machine) params: Vec<u64>,
    /// The number of threads of a block.
    pub(in crate::machine) threads: u32,
    /// The shared address at which a block's shared memory starts.
    pub(in crate::machine) shared_start: u32,
    /// The size of a block's shared memory in bytes: scratch, static and dynamic.
    pub(in crate::machine) shared_bytes: u32,
    /// How many of these bytes belong to the part that the system reserves. They lie before the
    /// kernel's own, and `%reserved_smem_offset_1` is their start. Cooperative groups keep there
    /// what tiles of several warps exchange, and need 288 bytes.
    pub(in crate::machine) scratch: u32,
    /// The shared address at which dynamic shared memory starts.
    pub(in crate::machine) dynamic_shared: u64,
    /// The number of teams in the grid.
    pub(in crate::machine) teams: u64,
    /// The next team that has not begun.
    pub(in crate::machine) next: AtomicU64,
    /// The number of warp instructions left.
    pub(in crate::machine) budget: &'l AtomicI64,
    /// The first team that faulted. Teams after it need not run.
    pub(in crate::machine) failed: AtomicU64,
    /// The fault of that team.
    pub(in crate::machine) fault: Mutex<Option<Failure>>,
    /// Whether counters or checks look at operations before they run.
    pub(in crate::machine) is_checked: bool,
    /// The counters and checks of each operation, by its number. Empty if there are none.
    pub(in crate::machine) watchers: Arc<[Watchers]>,
    /// The bounds of each operation's shared array. Empty if they are not needed.
    pub(in crate::machine) arrays: &'l [ArrayBounds],
    /// Whether the module contains calls of `vprintf`.
    pub(in crate::machine) prints: bool,
    /// Output of each team, until it is the team's turn.
    pub(in crate::machine) output: Mutex<Output>,
    /// The heap for `malloc` in kernels.
    pub(in crate::machine) heap: &'l Heap,
    /// The findings of the checks.
    pub(in crate::machine) findings: Mutex<BTreeMap<FindingKey, Finding>>,
    /// The places of loads whose uninitialised bytes were used.
    pub(in crate::machine) used_reads: Mutex<BTreeSet<u32>>,
    /// The bytes of global memory that were accessed, if races are looked for.
    pub(super) footprint: Mutex<Footprint>,
    /// The width of a bank of shared memory, for the counters.
    pub(in crate::machine) bank_width: u64,
    /// The counters of all cores.
    pub(in crate::machine) counters: Mutex<Counters>,
    /// Sums of all cores.
    pub(in crate::machine) summary: Mutex<ExecutionSummary>,
    /// Whether all cores must stop, for a reason that belongs to no team.
    pub(in crate::machine) halt: AtomicBool,
    /// How many teams the device holds at a time: those for which the model's
    /// multiprocessors have room.
    pub(in crate::machine) resident: u64,
    /// The number of teams that have begun and not ended.
    pub(in crate::machine) begun: AtomicU64,
    /// The number of cores that have teams.
    pub(in crate::machine) working: AtomicUsize,
    /// The number of cores on which no team makes progress, and how often such a core has
    /// made progress again.
    pub(in crate::machine) frozen: AtomicUsize,
    pub(in crate::machine) thaws: AtomicUsize,
    /// Whether all cores stop because no team makes progress. The teams are kept.
    pub(in crate::machine) rests: AtomicBool,
    /// Whether a thread that makes no progress reads memory that the host, or another
    /// process, may write.
    pub(in crate::machine) awaits_host: AtomicBool,
    /// The launch that this grid belongs to.
    pub(in crate::machine) family: &'l Family<'l>,
    /// How many of the grids around it began in the middle of their parent.
    pub(in crate::machine) depth: u32,
    /// The thread that launched it, if a kernel did.
    pub(in crate::machine) parent: Option<&'l str>,
    /// The grids that its threads launched.
    pub(in crate::machine) launched: Mutex<LaunchedGrids>,
    /// The steps of the schedule, for the report.
    pub(super) steps: Mutex<Vec<String>>,
    /// What the warps executed, if the launch is recorded.
    pub(super) recorded: Mutex<Steps>,
}

/// A fault with its place.
#[derive(Debug, Clone)]
pub(in crate::machine) struct Failure {
    pub(in crate::machine) fault: Box<RawFault>,
    pub(in crate::machine) block: [u32; 3],
    /// The index of the warp in its block.
    pub(in crate::machine) warp: u32,
    /// The operations of the lane's open calls, innermost first.
    pub(in crate::machine) callers: Vec<u32>,
    pub(in crate::machine) team: u64,
}

impl Run<'_> {
    /// Returns how many bytes of a block's shared memory are the kernel's own.
    pub(in crate::machine) fn own_shared(&self) -> u32 {
        self.shared_bytes - self.scratch
    }

    /// Returns the shared address at which the kernel's own shared memory starts.
    pub(in crate::machine) fn first_array(&self) -> u64 {
        u64::from(self.shared_start + self.scratch)
    }

    /// Runs every team, on all of the host's cores if there are several teams.
    pub(in crate::machine) fn go(&self) {
        if self.launch.is_explored() {
            return self.explore();
        }
        let workers = rayon::current_num_threads()
            .min(usize::try_from(self.teams).unwrap_or(usize::MAX))
            .max(1);
        // The race check covers the whole launch, so it runs on one core. So does a launch whose
        // children may begin in the middle of it. With seed 0, children begin when it has ended, in
        // an order that does not depend on the cores.
        let begins_children = self.program.launches && self.launch.seed != 0;
        let alone = workers == 1 || self.launch.checks.race || begins_children;
        let mut core = Core::new(self);
        let mut teams = VecDeque::new();
        loop {
            // A core that has not begun makes progress later.
            let cores = if alone { 1 } else { workers };
            self.working.store(cores, Ordering::SeqCst);
            teams = match alone {
                true => self.work(&mut core, teams),
                false => self.work_together(workers, teams),
            };
            if teams.is_empty() {
                break;
            }
            // Only this thread waits, so that other launches have the cores.
            if let Err(failure) = core.await_release(&mut teams) {
                self.halt.store(true, Ordering::Relaxed);
                self.fail(failure);
                break;
            }
            self.rests.store(false, Ordering::Relaxed);
        }
        self.sum(core);
    }

    /// Runs these teams and those that have not begun on several cores, as [`Run::work`] does.
    fn work_together(&self, workers: usize, mut teams: VecDeque<Team>) -> VecDeque<Team> {
        let share = teams.len().div_ceil(workers);
        let left = Mutex::new(VecDeque::new());
        rayon::scope(|scope| {
            for _ in 0..workers {
                let rest = teams.split_off(share.min(teams.len()));
                let own = std::mem::replace(&mut teams, rest);
                let left = &left;
                scope.spawn(move |_| {
                    let mut core = Core::new(self);
                    let own = self.work(&mut core, own);
                    left.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .extend(own);
                    self.sum(core);
                });
            }
        });
        let mut left = left.into_inner().unwrap_or_else(PoisonError::into_inner);
        left.make_contiguous().sort_by_key(|team: &Team| team.index);
        left
    }

    /// Does one core's work: runs the teams that were put aside before, and those that have not
    /// begun, until there are no more. If no team of the launch makes progress, it returns those
    /// that have not ended.
    fn work(&self, core: &mut Core<'_>, mut aside: VecDeque<Team>) -> VecDeque<Team> {
        let mut watchman = Watchman::default();
        // Empty teams for reuse.
        let mut spare: Vec<Team> = Vec::new();
        while !self.rests.load(Ordering::Relaxed) {
            // A team that was put aside alternates with new ones, so that whatever it waits for can
            // happen. No team begins in place of one that is given up, because another core's
            // report may still need the number of teams that had not begun.
            let may_begin = aside.len() < RESIDENT && !self.halt.load(Ordering::Relaxed);
            let fresh = may_begin.then(|| self.take_team()).flatten();
            let mut team = match fresh {
                Some(index) => {
                    core.team = spare.pop().unwrap_or_default();
                    core.begin(index);
                    std::mem::take(&mut core.team)
                }
                None => match aside.pop_front() {
                    Some(team) => team,
                    None => break,
                },
            };
            let index = team.index;
            if index > self.failed.load(Ordering::Relaxed) || self.halt.load(Ordering::Relaxed) {
                self.begun.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            std::mem::swap(&mut core.team, &mut team);
            let ended = core.run_team();
            let team = std::mem::take(&mut core.team);
            match ended {
                Ok(true) => {
                    watchman.thaw(self);
                    self.end_team(core, &team);
                    spare.push(team);
                }
                Ok(false) => {
                    let stuck = team.progress.stuck;
                    aside.push_back(team);
                    if watchman.note(self, stuck && !self.has_room(), aside.len()) {
                        self.rests.store(true, Ordering::Relaxed);
                    }
                }
                Err(failure) => {
                    watchman.thaw(self);
                    self.drop_team(failure);
                }
            }
        }
        watchman.thaw(self);
        self.working.fetch_sub(1, Ordering::SeqCst);
        aside
    }

    /// Records the fault of a team that has begun.
    pub(in crate::machine) fn drop_team(&self, failure: Failure) {
        self.begun.fetch_sub(1, Ordering::Relaxed);
        self.fail(failure);
    }

    /// Records that all threads of a team have ended.
    pub(in crate::machine) fn end_team(&self, core: &mut Core<'_>, team: &Team) {
        self.begun.fetch_sub(1, Ordering::Relaxed);
        if self.prints {
            self.output().end(team.index, &self.launch.printf);
        }
        if self.launch.checks.race {
            for block in &team.blocks {
                core.checks.races.end(block.linear);
                core.checks.proxies.end(block.linear);
            }
        }
    }

    /// Adds a core's counters.
    pub(in crate::machine) fn sum(&self, mut core: Core<'_>) {
        core.drop_flags();
        let mut summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        *self.counters.lock().unwrap_or_else(PoisonError::into_inner) += core.tally.counters;
        for (block, steps) in std::mem::take(&mut core.checks.steps) {
            self.recorded().entry(block).or_default().extend(steps);
        }
        summary.instructions += core.tally.instructions;
        summary.global_read += core.tally.read;
        summary.global_written += core.tally.written;
        if self.launch.checks.race {
            let mut footprint = self
                .footprint
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            footprint.join(core.checks.races.footprint());
        }
    }

    /// Describes the teams that have not begun, for the report of a launch that cannot go on.
    pub(in crate::machine) fn not_begun(&self) -> Option<String> {
        let begun = self.next.load(Ordering::Relaxed).min(self.teams);
        (begun < self.teams).then(|| {
            format!(
                "{} of {} blocks or clusters have not begun: the device holds {} at a time, and others begin when one of them ends",
                self.teams - begun,
                self.teams,
                self.resident
            )
        })
    }

    /// Returns what the warps of cores that have ended executed.
    pub(super) fn recorded(&self) -> MutexGuard<'_, Steps> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the steps of the schedule, if it was explored and the launch has ended.
    pub(in crate::machine) fn steps(&self) -> MutexGuard<'_, Vec<String>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a team can begin now.
    pub(in crate::machine) fn has_room(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.teams
            && self.begun.load(Ordering::Relaxed) < self.resident
    }

    /// Takes a team that has not begun, if the device has room for one.
    pub(in crate::machine) fn take_team(&self) -> Option<u64> {
        let taken = self
            .begun
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |begun| {
                (begun < self.resident).then_some(begun + 1)
            });
        taken.ok()?;
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let fresh = index < self.teams && index <= self.failed.load(Ordering::Relaxed);
        if !fresh {
            self.begun.fetch_sub(1, Ordering::Relaxed);
        }
        fresh.then_some(index)
    }

    /// Records the fault of a team.
    pub(in crate::machine) fn fail(&self, failure: Failure) {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if fault.as_ref().is_none_or(|f| failure.team < f.team) {
            self.failed.fetch_min(failure.team, Ordering::Relaxed);
            *fault = Some(failure);
        }
    }

    /// Prints `text` of a thread of `team`.
    pub(in crate::machine) fn print(&self, team: u64, text: Vec<u8>) {
        self.output().print(team, text, &self.launch.printf);
    }

    /// Sets a condition of a graph. Returns whether the handle names one.
    pub(in crate::machine) fn set_condition(&self, handle: u64, value: u32) -> bool {
        (self.launch.conditions)(handle, value)
    }

    pub(super) fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
