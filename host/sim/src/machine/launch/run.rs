//! A grid that runs: what its cores share, and how blocks are handed to them.
//!
//! Teams (blocks, or clusters of them) are given out in order to as many cores as the host has
//! threads for. A core runs one team until it ends; when all that its warps do is spin, for
//! instance on a flag that a later block sets, it puts the team aside and runs another in between,
//! so that blocks that wait for blocks end as long as the flags come.
//!
//! The first fault by the teams' order is the launch's: teams before it run to their end, those
//! behind it are dropped.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::family::{Family, LaunchedGrids};
use super::output::Output;
use super::progress::Watchman;
use super::team::Team;
use crate::checks::{Finding, Footprint};
use crate::counters::Counters;
use crate::launch::{ExecutionSummary, Launch};
use crate::machine::control::heap::Heap;
use crate::machine::core::Core;
use crate::machine::event::RawFault;
use crate::machine::program::{Function, PresetRow, Program};
use crate::machine::watch::bounds::ArrayBounds;
use crate::machine::watch::findings::FindingKey;
use crate::machine::watch::watchers::Watchers;
use crate::memory::{Memory, Snapshot};
use crate::model::DeviceModel;

/// Teams that one core keeps aside at most.
const RESIDENT: usize = 4096;

/// What all cores of a launch share.
pub(crate) struct Run<'l> {
    /// The code of the module.
    pub(in crate::machine) program: &'l Program,
    /// The kernel's function.
    pub(in crate::machine) function: &'l Function,
    /// Every function's constant rows, with the instance's addresses.
    pub(in crate::machine) rows: &'l [Vec<PresetRow>],
    /// The index of the kernel's function.
    pub(in crate::machine) entry: usize,
    /// What was asked for.
    pub(in crate::machine) launch: &'l Launch<'l>,
    /// Extents of a cluster.
    pub(in crate::machine) cluster: [u32; 3],
    /// The model of the device that it runs on.
    pub(in crate::machine) model: &'l DeviceModel,
    /// The device's memory.
    pub(in crate::machine) memory: &'l Memory,
    /// What was live when the launch began.
    pub(in crate::machine) snapshot: Arc<Snapshot>,
    /// The textures and surfaces that there were when the launch began.
    pub(in crate::machine) images: Arc<crate::image::Snapshot>,
    /// The parameters, padded to words.
    pub(in crate::machine) params: Vec<u64>,
    /// Threads of a block.
    pub(in crate::machine) threads: u32,
    /// The shared address at which a block's shared memory starts.
    pub(in crate::machine) shared_start: u32,
    /// Bytes of shared memory of a block: scratch, static and dynamic.
    pub(in crate::machine) shared_bytes: u32,
    /// How many of them belong to what the system reserves, and stand before the kernel's own:
    /// `%reserved_smem_offset_1` is where they begin. Cooperative groups keep there what tiles of
    /// several warps exchange, and count on 288 bytes.
    pub(in crate::machine) scratch: u32,
    /// The shared address of dynamic shared memory.
    pub(in crate::machine) dynamic_shared: u64,
    /// Teams in the grid.
    pub(in crate::machine) teams: u64,
    /// The next team that nobody runs.
    pub(in crate::machine) next: AtomicU64,
    /// Warp instructions left.
    pub(in crate::machine) budget: &'l AtomicI64,
    /// The first team that faulted; those behind it need not run.
    pub(in crate::machine) failed: AtomicU64,
    /// What it faulted with.
    pub(in crate::machine) fault: Mutex<Option<Failure>>,
    /// Whether something looks at each operation before it runs: counters, checks.
    pub(in crate::machine) watches: bool,
    /// What looks at each, by its number; empty where nothing does.
    pub(in crate::machine) watchers: Arc<[Watchers]>,
    /// Where each operation's shared array lies; empty where nobody asks.
    pub(in crate::machine) arrays: &'l [ArrayBounds],
    /// Whether the module prints at all.
    pub(in crate::machine) prints: bool,
    /// What was printed, by team, until it is its turn.
    pub(in crate::machine) output: Mutex<Output>,
    /// The heap for `malloc` in kernels.
    pub(in crate::machine) heap: &'l Heap,
    /// What checks found.
    pub(in crate::machine) findings: Mutex<BTreeMap<FindingKey, Finding>>,
    /// Which bytes of global memory were accessed, where races are looked for.
    pub(super) footprint: Mutex<Footprint>,
    /// The width of a bank of shared memory, for the counters.
    pub(in crate::machine) bank_width: u64,
    /// Counts of all cores.
    pub(in crate::machine) counters: Mutex<Counters>,
    /// Sums of all cores.
    pub(in crate::machine) summary: Mutex<ExecutionSummary>,
    /// A core found that it cannot go on for a reason that is no team's: nobody goes on.
    pub(in crate::machine) halt: AtomicBool,
    /// Teams that the device holds at a time: those that the model's multiprocessors have room for.
    pub(in crate::machine) resident: u64,
    /// Teams that have begun and not ended.
    pub(in crate::machine) begun: AtomicU64,
    /// Cores that have teams.
    pub(in crate::machine) working: AtomicUsize,
    /// Cores on which no team makes progress, and how often such a core has made progress again.
    pub(in crate::machine) frozen: AtomicUsize,
    pub(in crate::machine) thaws: AtomicUsize,
    /// Whether a thread that makes no progress reads what the host, or another process, may write.
    pub(in crate::machine) awaits_host: AtomicBool,
    /// The launch that this grid belongs to.
    pub(in crate::machine) family: &'l Family<'l>,
    /// Of the grids that are open around it, how many began in the middle of their parent.
    pub(in crate::machine) depth: u32,
    /// Who launched it, where a kernel did.
    pub(in crate::machine) parent: Option<&'l str>,
    /// What its threads launched.
    pub(in crate::machine) launched: Mutex<LaunchedGrids>,
    /// The steps of the schedule, for the report.
    pub(super) steps: Mutex<Vec<String>>,
}

/// A fault with its place.
#[derive(Debug, Clone)]
pub(in crate::machine) struct Failure {
    pub(in crate::machine) fault: Box<RawFault>,
    pub(in crate::machine) block: [u32; 3],
    /// The warp in it.
    pub(in crate::machine) warp: u32,
    /// The calls that the lane has open, innermost first.
    pub(in crate::machine) callers: Vec<u32>,
    pub(in crate::machine) team: u64,
}

impl Run<'_> {
    /// Bytes of a block's shared memory that are the kernel's own.
    pub(in crate::machine) fn own_shared(&self) -> u32 {
        self.shared_bytes - self.scratch
    }

    /// The shared address at which the kernel's own shared memory starts.
    pub(in crate::machine) fn first_array(&self) -> u64 {
        u64::from(self.shared_start + self.scratch)
    }

    /// Runs every team, on the host's cores where there are several teams.
    pub(in crate::machine) fn go(&self) {
        if self.launch.is_explored() {
            return self.explore();
        }
        let workers = rayon::current_num_threads()
            .min(usize::try_from(self.teams).unwrap_or(usize::MAX))
            .max(1);
        // The race check knows the whole launch: it runs on one core. So does what may launch
        // children that begin in the middle of it; with seed 0 they begin when it has ended, in an
        // order that no core decides.
        let begins_children = self.program.launches && self.launch.seed != 0;
        if workers == 1 || self.launch.checks.race || begins_children {
            self.work();
        } else {
            rayon::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(|_| self.work());
                }
            });
        }
    }

    /// One core's work: teams until there are no more.
    fn work(&self) {
        let mut core = Core::new(self);
        let mut watchman = Watchman::default();
        self.working.fetch_add(1, Ordering::SeqCst);
        // Teams that were put aside, and empty ones to be used again.
        let (mut aside, mut spare): (std::collections::VecDeque<Team>, Vec<Team>) =
            Default::default();
        loop {
            // A team that was put aside alternates with new ones, so that what it waits for can
            // come. None begins in place of one that is given up: another core's report may say yet
            // how many had not begun.
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
                    self.end_team(&mut core, &team);
                    spare.push(team);
                }
                Ok(false) => {
                    let stuck = team.progress.stuck;
                    aside.push_back(team);
                    if watchman.note(self, stuck && !self.has_room(), aside.len()) {
                        let failure = core.no_future(aside.iter_mut());
                        self.halt.store(true, Ordering::Relaxed);
                        self.fail(failure);
                    }
                }
                Err(failure) => {
                    self.begun.fetch_sub(1, Ordering::Relaxed);
                    watchman.thaw(self);
                    self.fail(failure);
                }
            }
        }
        self.sum(core);
        watchman.thaw(self);
        self.working.fetch_sub(1, Ordering::SeqCst);
    }

    /// Takes note of a team whose threads have all ended.
    pub(in crate::machine) fn end_team(&self, core: &mut Core<'_>, team: &Team) {
        self.begun.fetch_sub(1, Ordering::Relaxed);
        if self.prints {
            self.output().end(team.index, &self.launch.printf);
        }
        if self.launch.checks.race {
            for block in &team.blocks {
                core.races.end(block.linear);
                core.proxies.end(block.linear);
            }
        }
    }

    /// Adds what a core counted.
    pub(in crate::machine) fn sum(&self, core: Core<'_>) {
        let mut summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        *self.counters.lock().unwrap_or_else(PoisonError::into_inner) += core.counters;
        summary.instructions += core.instructions;
        summary.global_read += core.read;
        summary.global_written += core.written;
        if self.launch.checks.race {
            let mut footprint = self
                .footprint
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            footprint.join(core.races.footprint());
        }
    }

    /// Of teams that have not begun, for the report of a launch that has no future.
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

    /// The steps of the schedule, where it is not the plain one and the launch has ended.
    pub(in crate::machine) fn steps(&self) -> MutexGuard<'_, Vec<String>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a team can begin now.
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

    /// A team ended badly.
    pub(in crate::machine) fn fail(&self, failure: Failure) {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if fault.as_ref().is_none_or(|f| failure.team < f.team) {
            self.failed.fetch_min(failure.team, Ordering::Relaxed);
            *fault = Some(failure);
        }
    }

    /// Takes what a thread of `team` printed.
    pub(in crate::machine) fn print(&self, team: u64, text: Vec<u8>) {
        self.output().print(team, text, &self.launch.printf);
    }

    /// Sets a condition of a graph, and says whether there is one of this handle.
    pub(in crate::machine) fn set_condition(&self, handle: u64, value: u32) -> bool {
        (self.launch.conditions)(handle, value)
    }

    pub(super) fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
