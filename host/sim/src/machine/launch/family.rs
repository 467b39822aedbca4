//! A launch and all the grids that it launches: the order in which grids run.
//!
//! CUDA programming guide, "CUDA Dynamic Parallelism", "Device Runtime Streams". A grid completes
//! after its blocks, then its children, and then the grids in its tail stream, one after another,
//! each with everything that it launched. Children of one stream run one after another. A block has
//! a stream, a thread can have one, and each fire-and-forget child has its own.
//!
//! The guide leaves the order of grids open. Seed 0 takes the latest order: children begin when
//! their parent's blocks have ended. Other seeds let some children begin at once, in the middle of
//! their parent, and shuffle the streams. This shows a child that relies on values that its parent
//! has not written yet. If children may begin in the middle, grids run on one core, so that a seed
//! has one result. With seed 0 blocks run on all cores, and children begin in the order of their
//! blocks. One thing is not repeatable then: if a grid needs more slots than there are, the order
//! in which threads come decides which launch finds no free slot, as on a GPU.
//!
//! A launch has a slot from the allocation of its buffer until its child, and all that the child
//! launched, are complete. There are as many slots as the host allows. An H200 (2026-11-21)
//! behaves in the same way: grids nest 2048 deep, and not one deeper, if 2048 launches may be
//! pending. The limit of 24 levels that the guide gives for CUDA's first device runtime does not
//! exist there. A GPU whose children begin early frees slots early. Here a launch that needs such
//! an early slot fails.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::grid::{budget, grid};
use super::run::Run;
use super::team::mix;
use crate::checks::{Finding, Footprint};
use crate::counters::Counters;
use crate::image::Images;
use crate::launch::recording::Recording;
use crate::launch::{ExecutionSummary, Launch, Report};
use crate::machine::checks::report::findings::FindingKey;
use crate::machine::control::heap::Heap;
use crate::machine::program::{PresetRow, Program};
use crate::memory::{AllocationKind, Memory};
use crate::model::DeviceModel;
use crate::report::Fault;
use crate::report::LaunchError;

/// The number of launches that may be pending if the host does
/// not set `cudaLimitDevRuntimePendingLaunchCount`.
const PENDING: u32 = 2048;
/// The most grids that begin in the middle of one another. Each takes room on the host's stack.
/// Deeper ones wait for their parents.
const DEEPEST: u32 = 24;
/// The alignment of a parameter buffer, in bytes.
const ALIGN: u64 = 16;
/// The size in bytes of a cooperative launch's workspace, which holds its size and the word of the
/// grid's barrier. Source: CUDA's `driver_abi.h`.
const WORKSPACE: u64 = 8;

/// The state that all grids of one launch share.
pub(crate) struct Family<'l> {
    /// The model of the device that it runs on.
    pub(in crate::machine) model: &'l DeviceModel,
    pub(in crate::machine) memory: &'l Memory,
    /// The device's textures and surfaces.
    pub(in crate::machine) images: &'l Images,
    /// The heap for `malloc` in kernels.
    pub(in crate::machine) heap: &'l Heap,
    /// The code of the module.
    pub(in crate::machine) program: &'l Program,
    /// Every function's preset rows, with the instance's addresses.
    pub(in crate::machine) rows: &'l [Vec<PresetRow>],
    /// The number of warp instructions left.
    pub(in crate::machine) budget: AtomicI64,
    /// The address of the words with which the blocks of a cooperative launch synchronise. Null
    /// for other launches.
    workspace: u64,
    /// The slots' parameter buffers: the first address, and the size of one in bytes.
    pool: (u64, u64),
    slots: Mutex<Slots>,
    sums: Mutex<Sums>,
    fault: Mutex<Option<Fault>>,
    /// Whether a thread has waited for earlier launches, and whether a thread has let the
    /// next one begin.
    pub(in crate::machine) dependency: [AtomicBool; 2],
    /// The number of choices that the seed has made so far.
    choices: AtomicU64,
}

/// A pending launch with its arguments.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct Slot {
    /// The kernel's index.
    pub(in crate::machine) kernel: usize,
    /// The grid's shape in blocks.
    pub(in crate::machine) grid: [u32; 3],
    /// The block's shape in threads.
    pub(in crate::machine) block: [u32; 3],
    /// The size of dynamic shared memory in bytes.
    pub(in crate::machine) dynamic_shared: u32,
}

#[derive(Debug, Default)]
struct Slots {
    /// The number of slots that were never used, and the address of the next of them.
    fresh: u32,
    next: u64,
    /// The slots that were released.
    free: Vec<u64>,
    used: HashMap<u64, Slot>,
}

/// The sums over all grids.
#[derive(Debug, Default)]
struct Sums {
    counters: Counters,
    summary: ExecutionSummary,
    findings: BTreeMap<FindingKey, Finding>,
    footprint: Footprint,
    steps: Vec<String>,
    recording: Option<Recording>,
}

/// The stream of a child, from the view of its parent's grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::machine) enum StreamKey {
    /// The stream that a block has of its own.
    Block(u64),
    /// A stream of one thread, by block and thread.
    Thread(u64, u32),
    /// A stream of one child, by number.
    Alone(u64),
    /// The stream of grids that run when the launching grid has ended.
    Tail,
}

/// A grid that a kernel launched and that has not begun yet.
#[derive(Debug)]
pub(in crate::machine) struct Child {
    /// The arguments of the launch.
    pub(in crate::machine) slot: Slot,
    pub(in crate::machine) parameters: Vec<u8>,
    /// The slot's address.
    pub(in crate::machine) buffer: u64,
    /// The stream that it was launched on.
    pub(in crate::machine) key: StreamKey,
    /// How many of the grids around it began in the middle of their parent.
    pub(in crate::machine) depth: u32,
    /// The thread that launched it, for reports.
    pub(in crate::machine) parent: String,
    /// The team that launched it.
    pub(in crate::machine) team: u64,
}

/// The grids that the threads of one grid launched.
#[derive(Debug, Default)]
pub(in crate::machine) struct LaunchedGrids {
    /// Children that have not begun yet, in order.
    children: Vec<Child>,
    /// Streams with a child that has not begun. Later children of these streams
    /// cannot begin either.
    waiting: HashSet<StreamKey>,
    /// The lengths of the chains of grids that have run, by stream.
    chains: BTreeMap<StreamKey, u64>,
    /// The number of children.
    count: u64,
    /// Each thread's last error, by block and thread.
    pub(in crate::machine) errors: HashMap<(u64, u32), u32>,
}

impl LaunchedGrids {
    /// Returns a number that no other child of the grid has.
    pub(in crate::machine) fn number(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}

/// A grid whose blocks have ended and whose children have not all ended.
#[derive(Debug)]
struct Open {
    /// Its stream, from the view of its own parent.
    key: StreamKey,
    /// Its slot, if a kernel launched it.
    slot: Option<u64>,
    /// The length of the chain of grids that it replaced.
    before: u64,
    chains: BTreeMap<StreamKey, u64>,
    children: VecDeque<Child>,
    tails: VecDeque<Child>,
}

impl Open {
    fn new(key: StreamKey, slot: Option<u64>, before: u64, mut launched: LaunchedGrids) -> Self {
        // The children of each team are in order, and teams run in any order.
        launched.children.sort_by_key(|child| child.team);
        let (tails, children) = launched
            .children
            .into_iter()
            .partition(|child| child.key == StreamKey::Tail);
        Self {
            key,
            slot,
            before,
            chains: launched.chains,
            children,
            tails,
        }
    }

    /// Returns the length of the longest chain of grids that ran one after another: itself, the
    /// longest of its streams, and its tail.
    fn chain(&self) -> u64 {
        let tail = self.chains.get(&StreamKey::Tail).copied().unwrap_or(0);
        let streams = self
            .chains
            .iter()
            .filter(|(key, _)| **key != StreamKey::Tail);
        self.before + 1 + streams.map(|(_, chain)| *chain).max().unwrap_or(0) + tail
    }
}

/// Runs a kernel, and everything that it launches, until it completes.
pub(crate) fn launch(
    model: &DeviceModel,
    (memory, images): (&Memory, &Images),
    heap: &Heap,
    program: &Program,
    rows: &[Vec<PresetRow>],
    launch: &Launch<'_>,
) -> Result<Report, Fault> {
    let budget = budget(launch).min(i64::MAX as u64) as i64;
    let (pool, slots) = if program.launches {
        pool(memory, program, launch.pending_launches.unwrap_or(PENDING))
            .map_err(LaunchError::from)?
    } else {
        ((0, 0), Slots::default())
    };
    let workspace = if launch.cooperative {
        let words = memory.allocate(WORKSPACE, ALIGN, AllocationKind::Cooperation, None);
        words.map_err(LaunchError::from)?
    } else {
        0
    };
    let family = Family {
        model,
        memory,
        images,
        heap,
        program,
        rows,
        budget: AtomicI64::new(budget),
        workspace,
        pool,
        slots: Mutex::new(slots),
        sums: Mutex::default(),
        fault: Mutex::default(),
        dependency: Default::default(),
        choices: AtomicU64::new(0),
    };
    let chain = family.run(launch, (StreamKey::Tail, None), 0, None);
    if program.launches {
        // The pool was allocated above, and it is freed only here.
        let _ = memory.free(family.pool.0);
    }
    if launch.cooperative {
        // The workspace was allocated above, and it is freed only here.
        let _ = memory.free(family.workspace);
    }
    let [waited, released] = family
        .dependency
        .each_ref()
        .map(|of| of.load(Ordering::Relaxed));
    let sums = family
        .sums
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let chain = chain?;
    let summary = ExecutionSummary {
        chain,
        ..sums.summary
    };
    let found = sums.findings.into_values();
    let (notes, findings) = found.partition(|finding| finding.kind.is_note());
    Ok(Report {
        counters: launch.count.then_some(Counters {
            device_launches: summary.device_launches,
            ..sums.counters
        }),
        findings,
        notes,
        footprint: sums.footprint,
        waits_for_grids: waited,
        releases_grids: released,
        summary,
        steps: sums.steps,
        recording: sums.recording,
    })
}

/// Allocates memory for this many pending launches of any of the program's kernels.
fn pool(
    memory: &Memory,
    program: &Program,
    pending: u32,
) -> Result<((u64, u64), Slots), crate::MemoryError> {
    let largest = program
        .kernels
        .iter()
        .map(|(kernel, _)| kernel.param_bytes)
        .max();
    let bytes = u64::from(largest.unwrap_or(0))
        .max(1)
        .next_multiple_of(ALIGN);
    let size = bytes * u64::from(pending.max(1));
    let base = memory.allocate(size, ALIGN, AllocationKind::Launches, None)?;
    let slots = Slots {
        fresh: pending,
        next: base,
        ..Slots::default()
    };
    Ok(((base, bytes), slots))
}

impl Run<'_> {
    /// Returns the address of the workspace of a cooperative launch. Null for other launches; a
    /// launch by a kernel is never cooperative.
    pub(in crate::machine) fn workspace(&self) -> u64 {
        if self.parent.is_none() {
            self.family.workspace
        } else {
            0
        }
    }
}

impl Family<'_> {
    /// Runs a grid and everything that it launches. Returns the length of the longest chain of
    /// grids that had to run one after another.
    fn run(
        &self,
        launch: &Launch<'_>,
        (key, slot): (StreamKey, Option<u64>),
        depth: u32,
        parent: Option<&str>,
    ) -> Result<u64, Fault> {
        let launched = grid(self, launch, depth, parent)?;
        let mut open = vec![Open::new(key, slot, 0, launched)];
        while let Some(top) = open.last_mut() {
            let Some(child) = self.next(top, launch.seed) else {
                let done = open.pop().map_or((key, 0), |done| {
                    self.release(done.slot);
                    (done.key, done.chain())
                });
                match open.last_mut() {
                    Some(parent) => *parent.chains.entry(done.0).or_default() += done.1,
                    None => return Ok(done.1),
                }
                continue;
            };
            // A grid that waits only for its last tail is replaced by that tail, because such
            // chains may be long.
            let last = child.key == StreamKey::Tail && top.tails.is_empty();
            let (key, before) = if last {
                (top.key, top.chain())
            } else {
                (child.key, 0)
            };
            if last {
                let done = open.pop();
                self.release(done.and_then(|done| done.slot));
            }
            let launch = child.launch(self.program, launch);
            // This grid does not begin in the middle of its parent, but grids around it may
            // have done so.
            let launched = grid(self, &launch, depth, Some(&child.parent))?;
            self.sums().summary.device_launches += 1;
            open.push(Open::new(key, Some(child.buffer), before, launched));
        }
        Ok(0)
    }

    /// Returns the next child that may begin, if there is one.
    fn next(&self, open: &mut Open, seed: u64) -> Option<Child> {
        if open.children.is_empty() {
            return open.tails.pop_front();
        }
        let any = if seed == 0 {
            0
        } else {
            self.choose(seed) as usize % open.children.len()
        };
        let key = open.children[any].key;
        let first = open.children.iter().position(|child| child.key == key)?;
        open.children.remove(first)
    }

    /// Returns a number that depends on the seed.
    fn choose(&self, seed: u64) -> u64 {
        mix(seed ^ mix(self.choices.fetch_add(1, Ordering::Relaxed)))
    }

    /// Allocates a slot. None if all slots are in use.
    pub(in crate::machine) fn reserve(&self, slot: Slot) -> Option<u64> {
        let mut slots = self.slots();
        let buffer = match slots.free.pop() {
            Some(buffer) => buffer,
            None => {
                slots.fresh = slots.fresh.checked_sub(1)?;
                let next = slots.next + self.pool.1;
                std::mem::replace(&mut slots.next, next)
            }
        };
        slots.used.insert(buffer, slot);
        Some(buffer)
    }

    /// Returns the size of each slot in bytes.
    pub(in crate::machine) fn slot_bytes(&self) -> u64 {
        self.pool.1
    }

    /// Returns the arguments that were reserved at `buffer`.
    pub(in crate::machine) fn slot(&self, buffer: u64) -> Option<Slot> {
        self.slots().used.get(&buffer).copied()
    }

    /// Releases a slot, if there is one.
    pub(in crate::machine) fn release(&self, buffer: Option<u64>) {
        let Some(buffer) = buffer else { return };
        let mut slots = self.slots();
        if slots.used.remove(&buffer).is_some() {
            slots.free.push(buffer);
        }
    }

    /// Returns the parameters in a slot that is in use.
    pub(in crate::machine) fn parameters(&self, buffer: u64, bytes: usize) -> Vec<u8> {
        debug_assert!(buffer >= self.pool.0 && bytes as u64 <= self.pool.1);
        // SAFETY: a slot in use lies in the pool, which `launch` frees only at the end, and it
        // has room for every kernel's parameters. The thread that writes the parameters is the
        // one that launches.
        unsafe { std::slice::from_raw_parts(buffer as *const u8, bytes) }.to_vec()
    }

    /// Returns whether a child that ran in the middle of its parent has faulted.
    pub(in crate::machine) fn has_failed(&self) -> bool {
        self.failure().is_some()
    }

    /// Returns the fault of a child that ran in the middle of its parent.
    pub(in crate::machine) fn failure(&self) -> MutexGuard<'_, Option<Fault>> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the results of a grid.
    pub(in crate::machine) fn add(
        &self,
        steps: Vec<String>,
        counters: Counters,
        summary: ExecutionSummary,
        (findings, footprint): (BTreeMap<FindingKey, Finding>, Footprint),
    ) {
        let mut sums = self.sums();
        sums.counters += counters;
        sums.summary.instructions += summary.instructions;
        sums.summary.global_read += summary.global_read;
        sums.summary.global_written += summary.global_written;
        sums.summary.blocks += summary.blocks;
        sums.findings.extend(findings);
        sums.footprint.join(footprint);
        sums.steps.extend(steps);
    }

    /// Keeps what warps of the host's grid executed.
    pub(in crate::machine) fn keep_recording(&self, recording: Recording) {
        self.sums().recording = Some(recording);
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Child {
    /// Returns the launch, with the settings that it does not have taken from the host's launch.
    fn launch<'a>(&'a self, program: &'a Program, host: &Launch<'a>) -> Launch<'a> {
        Launch {
            kernel: &program.kernels[self.slot.kernel].0.name,
            grid: self.slot.grid,
            block: self.slot.block,
            cluster: [1; 3],
            dynamic_shared: self.slot.dynamic_shared,
            params: &self.parameters,
            record: None,
            ..host.clone()
        }
    }
}

impl Run<'_> {
    /// Returns the grids that this grid's threads launched.
    pub(in crate::machine) fn launched(&self) -> MutexGuard<'_, LaunchedGrids> {
        self.launched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a child that a thread of `team` launched. It begins now, or when the grid has ended.
    pub(in crate::machine) fn add_child(&self, child: Child) {
        let seed = self.launch.seed;
        let mut launched = self.launched();
        let may = seed != 0
            && child.depth <= DEEPEST
            && child.key != StreamKey::Tail
            && !launched.waiting.contains(&child.key);
        if !may || self.family.choose(seed) & 1 == 0 {
            launched.waiting.insert(child.key);
            launched.children.push(child);
            return;
        }
        drop(launched);
        let printf = |text: &[u8]| self.print(child.team, text.to_vec());
        let launch = Launch {
            printf: &printf,
            ..child.launch(self.program, self.launch)
        };
        match self.family.run(
            &launch,
            (child.key, Some(child.buffer)),
            child.depth,
            Some(&child.parent),
        ) {
            Ok(chain) => {
                self.family.sums().summary.device_launches += 1;
                *self.launched().chains.entry(child.key).or_default() += chain;
            }
            Err(fault) => *self.family.failure() = Some(fault),
        }
    }
}
