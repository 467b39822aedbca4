//! Blocks that run together: one block, or the blocks of a cluster.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use super::grid::budget;
use super::progress::Progress;
use super::run::Failure;
use crate::machine::asynchronous::pending::Pending;
use crate::machine::checks::init::SharedBytes;
use crate::machine::checks::sync::apart::StrayThreads;
use crate::machine::checks::sync::transactions::LastTransaction;
use crate::machine::core::{Core, FramePlace, View};
use crate::machine::event::{Event, FaultKind, RawFault, Wait};
use crate::machine::frame::{LOCAL_START, op_index};
use crate::machine::lane::{FULL, LANES};
use crate::machine::meeting::mbarrier::MbarrierPlace;
use crate::machine::program::Program;
use crate::machine::schedule::{PATIENCE, SPINS, TurnEnd};
use crate::machine::warp::{Bytes, Group, Warp};

/// The number of barriers of a block that `bar` can name.
pub(in crate::machine) const BARRIERS: usize = 16;

/// The blocks of one cluster, or one block.
#[derive(Default)]
pub(in crate::machine) struct Team {
    /// The blocks, by rank in the cluster.
    pub(in crate::machine) blocks: Vec<Block>,
    /// The index of the team in the grid.
    pub(in crate::machine) index: u64,
    /// Whether a thread has arrived at the cluster's barrier yet.
    pub(in crate::machine) meets: bool,
    /// Asynchronous operations that have not happened yet.
    pub(in crate::machine) pending: Vec<Pending>,
    /// Mbarriers that bytes were signalled to, if the sync check is on.
    pub(in crate::machine) transactions: Vec<LastTransaction>,
    /// How often in a row nothing could run except waits for mbarriers.
    pub(in crate::machine) expiries: u32,
    /// The index at which the round over its warps goes on.
    pub(in crate::machine) turn: usize,
    /// The number of rounds in which some warp stopped only because its time was up.
    pub(in crate::machine) rounds: u64,
    /// The state of the check for progress.
    pub(in crate::machine) progress: Progress,
}

// SAFETY: its pointers lead to operations of the program, which is immutable; to memory of the
// device, which any thread may access; and to memory of its own blocks, which moves along.
unsafe impl Send for Team {}

/// A block: its warps, shared memory and barriers.
#[derive(Default)]
pub(in crate::machine) struct Block {
    /// Its index in the grid.
    pub(in crate::machine) id: [u32; 3],
    /// Its number in the grid.
    pub(in crate::machine) linear: u64,
    /// Its rank in the cluster.
    pub(in crate::machine) rank: u32,
    pub(in crate::machine) warps: Vec<Warp>,
    /// Bytes of shared memory, static and dynamic.
    pub(in crate::machine) shared: Bytes,
    /// Which of these bytes were written, if that is checked.
    pub(in crate::machine) written: SharedBytes,
    /// Threads that came to a barrier without the others of their warp, if the sync check is on.
    pub(in crate::machine) apart: Vec<StrayThreads>,
    pub(in crate::machine) barriers: [Barrier; BARRIERS],
    /// The mbarriers that were initialised and not invalidated: shared address and count.
    pub(in crate::machine) objects: Vec<(u32, u32)>,
    /// The number of threads that have not ended.
    pub(in crate::machine) live: u32,
}

impl Block {
    /// Returns the warps whose threads have all ended, a bit for each.
    pub(in crate::machine) fn ended_warps(&self) -> u32 {
        let ended = |(at, warp): (usize, &Warp)| u32::from(warp.live == 0) << at;
        self.warps.iter().enumerate().map(ended).sum()
    }
}

/// A barrier of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::machine) struct Barrier {
    /// The number of threads that arrived in this phase, without those that ended.
    pub(in crate::machine) arrived: u32,
    /// The number of threads that it expects, if the instruction has a count; `None` for
    /// all live threads.
    pub(in crate::machine) expected: Option<u32>,
    /// For a reduction: how many predicates were true.
    pub(in crate::machine) count: u32,
    /// Whether a predicate that arrived was false.
    pub(in crate::machine) some_false: bool,
    /// The warps that arrived and wait, a bit for each.
    pub(in crate::machine) waiting: u32,
    /// The kind of instruction that arrived first. A barrier must not mix kinds.
    pub(in crate::machine) kind: Option<Arrival>,
}

/// How threads arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine) enum Arrival {
    /// `bar.sync` and `bar.arrive`.
    Sync,
    /// `bar.red`, which reduces predicates.
    Reduce,
}

impl Core<'_> {
    /// Makes the core's team the `index`th of the grid. It is ready to run from the
    /// kernel's first instruction.
    pub(in crate::machine) fn begin(&mut self, index: u64) {
        let run = self.run;
        let cluster = run.cluster;
        let ranks = cluster.iter().product::<u32>() as usize;
        let warps = run.threads.div_ceil(LANES as u32) as usize;
        let clusters: [u64; 3] =
            std::array::from_fn(|i| u64::from(run.launch.grid[i] / cluster[i]));
        let at = [
            index % clusters[0],
            index / clusters[0] % clusters[1],
            index / (clusters[0] * clusters[1]),
        ];
        let team = &mut self.team;
        (team.index, team.meets, team.turn, team.rounds) = (index, false, 0, 0);
        team.pending.clear();
        team.transactions.clear();
        team.progress = Progress::default();
        team.expiries = 0;
        team.blocks.resize_with(ranks, Block::default);
        for rank in 0..ranks {
            let r = rank as u32;
            let inside = [
                r % cluster[0],
                r / cluster[0] % cluster[1],
                r / (cluster[0] * cluster[1]),
            ];
            let block = &mut self.team.blocks[rank];
            block.id = std::array::from_fn(|i| at[i] as u32 * cluster[i] + inside[i]);
            let [x, y, z] = block.id.map(u64::from);
            block.linear =
                x + u64::from(run.launch.grid[0]) * (y + u64::from(run.launch.grid[1]) * z);
            block.rank = r;
            block.live = run.threads;
            block.barriers = Default::default();
            block.apart.clear();
            block.objects.clear();
            block.warps.resize_with(warps, Warp::default);
            block.shared.grow(run.shared_bytes as usize);
            if run.shared_bytes > 0 {
                // The initial contents of shared memory are undefined. Here they are the same
                // in every run.
                block.shared.bytes().fill(0);
            }
            if run.launch.checks.init {
                block.written.begin(run.shared_bytes.into());
            }
            for warp in 0..warps {
                self.current = (rank, warp);
                self.begin_warp(run.threads - (warp * LANES) as u32);
            }
        }
    }

    /// Puts `threads` lanes of the current warp, but at most all, at the
    /// kernel's first instruction.
    fn begin_warp(&mut self, threads: u32) {
        let run = self.run;
        let lanes = if threads >= LANES as u32 {
            FULL
        } else {
            (1 << threads) - 1
        };
        let warp = self.warp();
        let local = LOCAL_START + run.function.local;
        warp.registers.grow(run.function.frame as usize);
        warp.local.grow(local as usize * LANES);
        warp.local_top = [local; LANES];
        (warp.live, warp.exist, warp.clock) = (lanes, lanes, 0);
        (warp.cluster_arrived, warp.cluster_passed) = (0, 0);
        warp.cluster_relaxed = false;
        (warp.expired, warp.tests) = (0, 0);
        warp.copies.list.clear();
        warp.matrices = Default::default();
        warp.taints.clear();
        warp.local_written.clear();
        warp.groups.clear();
        warp.frames.clear();
        let op = &raw const run.program.ops[run.function.start as usize];
        warp.groups.push(Group {
            op,
            mask: lanes,
            at: FramePlace::default(),
            wait: Wait::Ready,
            ran: 0,
        });
        self.set_frame(FramePlace::default());
        self.start_frame(run.function, &run.rows[run.entry]);
    }

    /// Makes a warp the running warp.
    pub(in crate::machine) fn enter(&mut self, block: usize, warp: usize) {
        self.current = (block, warp);
        let (start, size) = (
            u64::from(self.run.shared_start),
            u64::from(self.run.shared_bytes),
        );
        self.memory.shared = View {
            host: self.block().shared.start(),
            start,
            size,
        };
        self.active = self.warp().live;
        self.checks.tainted = !self.warp().taints.is_empty();
        self.memory.kept = Default::default();
        self.set_local();
        (self.turn.spins, self.turn.patience, self.turn.favour) = (0, PATIENCE, (0, 0));
    }

    /// Runs the team's warps in turns. Returns true if all have ended, and false if only their
    /// time was up.
    pub(in crate::machine) fn run_team(&mut self) -> Result<bool, Failure> {
        let warps = self.team.blocks[0].warps.len();
        let total = warps * self.team.blocks.len();
        let seed = self.run.launch.seed;
        if self.team.progress.stuck && self.probe()? {
            return Ok(false);
        }
        loop {
            let (mut ran, mut live, mut yielded) = (false, false, false);
            let mut spins = 0;
            let begun = self.tally.instructions;
            self.team.rounds += 1;
            let order = Order::new(seed, self.team.index, self.team.rounds, total);
            for turn in 0..total {
                let at = order.at(turn);
                let (block, warp) = (at / warps, at % warps);
                let it = &self.team.blocks[block].warps[warp];
                live |= it.live != 0;
                if !it.ready() {
                    continue;
                }
                self.enter(block, warp);
                self.turn.fuel = order.slice(turn);
                let before = self.tally.instructions;
                let clock = self.warp().clock;
                let ended = if self.run.is_checked {
                    self.run_warp::<true>()
                } else {
                    self.run_warp::<false>()
                };
                ran |= self.tally.instructions != before || self.warp().clock != clock;
                spins = spins.max(self.turn.spins);
                match ended {
                    TurnEnd::Done | TurnEnd::Waits => {}
                    TurnEnd::Yields => yielded = true,
                    TurnEnd::Faults(fault) => return Err(self.failure(*fault)),
                }
            }
            if !live {
                self.check_left();
                return self.spend().map(|()| true);
            }
            if !ran && !self.stir()? {
                return Err(self.deadlock());
            }
            if yielded && self.team.rounds.is_multiple_of(ROUNDS) {
                // Other threads spin, perhaps on something that a suspended thread would do
                // after its wait.
                self.expire();
            }
            // Warps that only synchronise with each other never use up their time.
            if yielded || self.team.rounds.is_multiple_of(UNMETERED) {
                self.spend()?;
            }
            if self.probe_is_due(self.tally.instructions - begun, spins > 0) && self.probe()? {
                return Ok(false);
            }
            // A team that waits only for itself also makes progress in its own turn. The other
            // teams' turns cost little.
            let over = spins > SPINS || self.team.rounds.is_multiple_of(ROUNDS);
            if yielded && over && self.run.teams > 1 {
                return Ok(false);
            }
        }
    }

    /// Nothing can run: performs pending operations, or ends suspended waits for a limited number
    /// of times in a row. Returns false for a deadlock.
    pub(in crate::machine) fn stir(&mut self) -> Result<bool, Failure> {
        match self.complete_all() {
            Ok(false) => {}
            Ok(true) => return Ok(true),
            Err((op, error)) => {
                self.undefined(op, LANES, error);
                let event = std::mem::take(&mut self.event);
                if let Event::Fault(fault) = event {
                    return Err(self.failure(*fault));
                }
            }
        }
        self.team.expiries += 1;
        Ok(self.team.expiries < EXPIRIES && self.expire())
    }

    /// Subtracts the instructions since the last call from the launch's budget.
    pub(in crate::machine) fn spend(&mut self) -> Result<(), Failure> {
        let spent = std::mem::replace(&mut self.tally.spent, self.tally.instructions);
        let used = (self.tally.instructions - spent) as i64;
        let run = self.run;
        if run.budget.fetch_sub(used, Ordering::Relaxed) >= used {
            return Ok(());
        }
        let limit = budget(run.launch);
        let op = self
            .warp()
            .groups
            .first()
            .map_or(std::ptr::null(), |g| g.op);
        Err(self.failure(RawFault {
            op,
            lane: LANES,
            what: FaultKind::Budget { limit },
        }))
    }

    /// Returns a fault with its place.
    pub(in crate::machine) fn failure(&mut self, fault: RawFault) -> Failure {
        let (block, warp) = (self.block().id, self.current.1 as u32);
        let depth = self.at.depth as usize;
        let calls = self.team.blocks[self.current.0].warps[self.current.1]
            .calls
            .iter();
        let calls = calls.take(depth).rev();
        let callers = match fault.lane < LANES {
            true => calls
                .map(|call| op_index(self.run.program, call.call[fault.lane]) as u32)
                .collect(),
            false => Vec::new(),
        };
        Failure {
            fault: Box::new(fault),
            block,
            warp,
            callers,
            team: self.team.index,
        }
    }

    /// Describes the mbarriers that threads wait for, by rank and address.
    pub(in crate::machine) fn awaited(&mut self) -> HashMap<(u32, u32), String> {
        let mut homes = Vec::new();
        for (rank, block) in self.team.blocks.iter().enumerate() {
            for group in block.warps.iter().flat_map(|warp| &warp.groups) {
                if let Wait::Phase(at) = group.wait {
                    homes.push(MbarrierPlace { rank, at });
                }
            }
        }
        let describe =
            |home: MbarrierPlace| ((home.rank as u32, home.at), self.describe_mbarrier(home));
        homes.into_iter().map(describe).collect()
    }

    /// Makes the report of a deadlock: all warps wait, and the notes describe where.
    fn deadlock(&mut self) -> Failure {
        let mut notes = Vec::new();
        let mut at = None;
        let program = self.run.program;
        let cluster = self.cluster_count();
        let objects = self.awaited();
        let phases = !objects.is_empty();
        for (b, block) in self.team.blocks.iter().enumerate() {
            for (w, warp) in block.warps.iter().enumerate() {
                for group in &warp.groups {
                    let first = at.get_or_insert((b, w, group.op));
                    let _ = first;
                    if notes.len() < 8 {
                        notes.push(waiting(program, block, w, group, cluster, &objects));
                    }
                }
            }
        }
        let (block, warp, op) = at.unwrap_or((0, 0, std::ptr::null()));
        self.current = (block, warp);
        self.failure(RawFault {
            op,
            lane: LANES,
            what: FaultKind::Deadlock { notes, phases },
        })
    }
}

/// Returns "warp 1: 8 threads wait at barrier 0 (ptx line 14); 40 of 64 have arrived".
pub(in crate::machine) fn waiting(
    program: &Program,
    block: &Block,
    warp: usize,
    group: &Group,
    cluster: (u32, u32),
    objects: &HashMap<(u32, u32), String>,
) -> String {
    let threads = group.mask.count_ones();
    let index = op_index(program, group.op);
    let line = |index: usize| program.infos.get(index).map_or(0, |info| info.line);
    let s = if threads == 1 { ("", "s") } else { ("s", "") };
    match group.wait {
        Wait::Barrier(number) => {
            let barrier = block.barriers[usize::from(number)];
            let expected = barrier.expected.unwrap_or(block.live);
            let line = line(index.saturating_sub(1));
            let arrived = barrier.arrived;
            format!(
                "warp {warp}: {threads} thread{} wait{} at barrier {number} (ptx line {line}), {arrived} of {expected} have arrived",
                s.0, s.1
            )
        }
        Wait::Cluster => format!(
            "block {}, warp {warp}: {threads} thread{} wait{} at the cluster's barrier (ptx line {}), {} of {} have arrived",
            block.linear,
            s.0,
            s.1,
            line(index.saturating_sub(1)),
            cluster.0,
            cluster.1
        ),
        Wait::Phase(at) => format!(
            "block {}, warp {warp}: {threads} thread{} wait{} for the mbarrier at shared address {at:#x} (ptx line {}): {}",
            block.linear,
            s.0,
            s.1,
            line(index),
            objects.get(&(block.rank, at)).map_or("", String::as_str)
        ),
        Wait::Lanes(mask) => format!(
            "warp {warp}: lanes {:#010x} wait at ptx line {} for lanes {:#010x}",
            group.mask,
            line(index),
            mask & !group.mask
        ),
        Wait::Ready => format!(
            "warp {warp}: {threads} thread{} could run at ptx line {}",
            s.0,
            line(index)
        ),
    }
}

/// The number of times in a row that only waits for mbarriers could run, after which it counts
/// as a deadlock.
const EXPIRIES: u32 = 1000;
/// The number of rounds after which the budget is updated.
const UNMETERED: u64 = 256;
/// The number of rounds after which a team that has used its time lets others run.
const ROUNDS: u64 = 16;
/// The number of jumps in one turn.
const SLICE: i64 = 1 << 14;

/// The order of warps in one round and the length of their turns. Both depend on the seed. Seed 0
/// is the plain order.
struct Order {
    state: u64,
    total: usize,
    step: usize,
    start: usize,
}

impl Order {
    fn new(seed: u64, team: u64, round: u64, total: usize) -> Self {
        if seed == 0 {
            return Self {
                state: 0,
                total,
                step: 1,
                start: 0,
            };
        }
        let state = mix(seed ^ mix(team ^ mix(round)));
        // Any step that has no common factor with the number of warps visits each warp once.
        let mut step = (state >> 32) as usize % total + 1;
        while gcd(step, total) != 1 {
            step += 1;
        }
        Self {
            state,
            total,
            step,
            start: state as usize % total,
        }
    }

    fn at(&self, turn: usize) -> usize {
        (self.start + turn * self.step) % self.total
    }

    fn slice(&self, turn: usize) -> i64 {
        if self.state == 0 {
            SLICE
        } else {
            1 + (mix(self.state ^ turn as u64) % 64) as i64 * 16
        }
    }
}

/// Computes SplitMix64's output function: all bits of the result depend on all bits of `x`.
pub(in crate::machine) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
