//! Progress: a launch that will never end is found by what it does, not by how long it takes.
//!
//! A team that has run for long is probed: its warps run in short rounds, looked at before each operation. Where nothing in memory
//! changes and the team comes back to a state in which it was before (registers, places in the code, local and shared
//! memory, barriers), it will do the same for ever, unless another team changes memory. When that holds of every team that
//! runs, and no other can begin, the launch has no future: that is a deadlock by spinning, and the report says who reads what. A
//! device holds as many blocks at a time as its model says, and others begin when one has ended; so a wait for a block that
//! cannot begin is found too.
//!
//! A thread from whose place no branch leads to the kernel's end never comes there, whatever it changes on the way. That is looked for at the same time.
//!
//! Memory that the host sees too may change at any time: threads that read it are given some seconds, from when nothing moves any more.
//!
//! Found: spinning on a flag that nobody sets, locks that are never free, barriers of one's own that count wrong, loops without a way out.
//! Missed: loops that change something in every round, a counter or a clock, say, and have a condition to end by that never holds, or call functions; those
//! use up the launch's budget.
//! Never reported: what makes progress and may end, however slowly. Rounds of a probe are fair to all lanes, as GPUs are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use foldhash::fast::FixedState;

use super::run::{Failure, Run};
use super::team::{Team, waiting};
use crate::isa::Successors;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, RawFault, Wait};
use crate::machine::frame::{function_index, op_index};
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo, Program, SpaceClass};
use crate::machine::schedule::TurnEnd;
use crate::memory::AllocationKind;
use crate::memory::window::{self, Window};

/// Rounds of a probe.
const ROUNDS: usize = 16;
/// Jumps of a warp in one of them.
const FUEL: i64 = 1024;
/// Decisions after which a group stands back in a probe.
const PATIENCE: u32 = 64;
/// Warp instructions of a team before it is first probed, where it polls memory that other teams may change.
const POLLING: u64 = 1 << 18;
/// The same of other teams: a probe costs a thousandth of so many.
const COMPUTING: u64 = 1 << 23;
/// How much longer each time.
const LATER: u64 = 4;
/// So long nothing moves where threads read what the host may write, before it is taken that it will not.
const HOST: Duration = Duration::from_secs(10);
/// How long a core sleeps between its looks meanwhile.
const PAUSE: Duration = Duration::from_millis(1);
/// Lines of a report that say who waits.
const LINES: usize = 8;

/// What a probe looks at.
#[derive(Default)]
pub(in crate::machine) struct Probe {
    /// Bytes that the last operation was about to change, as they were: address, and up to 32 bytes.
    before: Vec<(u64, usize, [u8; 32])>,
    /// Whether something has changed.
    changed: bool,
}

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
    /// Adds to what the team has run; says whether to probe it now. `polls`: whether it has read what others may write.
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

    /// The threads of the team that are in a loop without a way out, if there are any.
    fn endless(&mut self) -> Option<Failure> {
        let program = self.run.program;
        let mut known = HashMap::new();
        let mut found = None;
        'all: for (b, block) in self.team.blocks.iter().enumerate() {
            for (w, warp) in block.warps.iter().enumerate() {
                for group in &warp.groups {
                    let no_end = known.entry(group.op);
                    if *no_end.or_insert_with(|| has_no_end(program, group.op)) {
                        found = Some((b, w, *group));
                        break 'all;
                    }
                }
            }
        }
        let (block, warp, group) = found?;
        self.enter(block, warp);
        let (threads, linear) = (group.mask.count_ones(), self.block().linear);
        let plural = if threads == 1 { "" } else { "s" };
        Some(self.failure(RawFault {
            op: group.op,
            lane: LANES,
            what: FaultKind::Endless {
                notes: vec![format!(
                    "block {linear}, warp {warp}: {threads} thread{plural} of it"
                )],
            },
        }))
    }

    /// Before an operation, in a probe: what did the last one change, and what may this one?
    #[cold]
    pub(in crate::machine) fn look_on(&mut self, op: *const Op, info: OpInfo, mask: u32) {
        self.settle();
        let (Class::Load(space) | Class::Store(space) | Class::Atomic(space)) = info.class else {
            return;
        };
        if mask == 0 {
            return;
        }
        // SAFETY: operations of these classes have an address row.
        let addresses = unsafe { self.addresses(op) };
        let window = |address| match space {
            SpaceClass::Generic => window::of(address),
            SpaceClass::Shared => Window::Shared,
            SpaceClass::Local => Window::Local,
            SpaceClass::Global | SpaceClass::Constant => Window::Global,
        };
        if !matches!(info.class, Class::Store(_)) {
            let lane = mask.trailing_zeros() as usize;
            let address = addresses[lane];
            let shared = window(address) == Window::Shared;
            if window(address) != Window::Local && space != SpaceClass::Constant {
                let (at, bytes) = (self.current, info.bytes);
                let address = match space {
                    SpaceClass::Generic if shared => address - window::SHARED,
                    _ => address,
                };
                let poll = Poll {
                    op,
                    lane,
                    address,
                    shared,
                    bytes,
                };
                self.team.progress.polls.insert(at, poll);
            }
        }
        if matches!(info.class, Class::Load(_)) {
            return;
        }
        let size = usize::from(info.bytes).min(32);
        for lane in lanes(mask) {
            let address = addresses[lane];
            // Shared and local memory are part of the team's state.
            if window(address) != Window::Global {
                continue;
            }
            let mut bytes = [0; 32];
            if self.peek_global(address, &mut bytes[..size])
                && let Some(probe) = &mut self.probe
            {
                probe.before.push((address, size, bytes));
            }
        }
    }

    /// Reads global memory that is live, if it is.
    fn peek_global(&self, address: u64, to: &mut [u8]) -> bool {
        let range = self.run.snapshot.find(address);
        let live = range.is_some_and(|range| range.holds(address, to.len() as u64));
        if live {
            // SAFETY: the bytes are in an allocation that was live when the launch began, and addresses of global memory
            // are the host's; what is freed meanwhile stays readable.
            unsafe { (address as *const u8).copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
        }
        live
    }

    /// Whether what the last operation was about to change has changed.
    fn settle(&mut self) {
        let Some(probe) = &mut self.probe else { return };
        let before = std::mem::take(&mut probe.before);
        let changed = before.iter().any(|&(address, size, bytes)| {
            let mut now = [0; 32];
            !self.peek_global(address, &mut now[..size]) || now[..size] != bytes[..size]
        });
        if let Some(probe) = &mut self.probe {
            probe.changed |= changed;
            probe.before = before;
            probe.before.clear();
        }
    }

    /// A number for the team's whole state, all but global memory.
    fn state(&mut self) -> u64 {
        let mut hash = FixedState::default().build_hasher();
        for block in &mut self.team.blocks {
            hash.write(block.shared.bytes());
            for barrier in &block.barriers {
                (barrier.arrived, barrier.count, barrier.some_false).hash(&mut hash);
            }
            for warp in &mut block.warps {
                (warp.live, warp.expired, warp.cluster_arrived).hash(&mut hash);
                (warp.cluster_passed, warp.local_top).hash(&mut hash);
                hash.write(warp.registers.bytes());
                hash.write(warp.local.bytes());
                // Who waited longest runs first: the order counts, not the time.
                let clock = warp.clock;
                let mut order: Vec<_> = warp.groups.iter().collect();
                order.sort_by_key(|group| clock.wrapping_sub(group.ran));
                for group in order {
                    (group.op as usize, group.mask, group.at, group.wait).hash(&mut hash);
                }
            }
        }
        hash.finish()
    }

    /// What a poll reads now.
    fn polled(&mut self, (block, poll): (usize, Poll)) -> String {
        let mut bytes = [0; 8];
        let size = usize::from(poll.bytes).min(8);
        let read = if poll.shared {
            let offset = (poll.address % window::SHARED_PER_BLOCK)
                .checked_sub(u64::from(self.run.shared_start))
                .map(|offset| offset as usize);
            let of = self.team.blocks.get_mut(block);
            let own = poll.address < window::SHARED_PER_BLOCK;
            let from = of.zip(offset).filter(|_| own).and_then(|(block, offset)| {
                let end = offset.checked_add(size)?;
                let bytes = block.shared.bytes().get(offset..end)?;
                Some(bytes.to_vec())
            });
            from.map(|from| bytes[..size].copy_from_slice(&from))
                .is_some()
        } else {
            self.peek_global(poll.address, &mut bytes[..size])
        };
        let place = match poll.shared {
            true => format!("shared address {:#x}", poll.address),
            false => format!(
                "an address that {}",
                self.run.memory.whereabouts(poll.address)
            ),
        };
        match read {
            true => format!("reads {:#x} at {place}", u64::from_le_bytes(bytes)),
            false => format!("accesses {place}"),
        }
    }

    /// Who waits for what in the running team, for the report of a launch that has no future.
    fn stuck(&mut self, notes: &mut Vec<String>, at: &mut Option<(usize, usize, *const Op)>) {
        let (program, cluster) = (self.run.program, self.cluster_count());
        let objects = self.awaited();
        let mut spinning = Vec::new();
        for (b, block) in self.team.blocks.iter().enumerate() {
            for (w, warp) in block.warps.iter().enumerate() {
                for group in &warp.groups {
                    if group.wait != Wait::Ready {
                        if notes.len() < LINES {
                            let who = waiting(program, block, w, group, cluster, &objects);
                            let named = matches!(group.wait, Wait::Cluster | Wait::Phase(_));
                            let of = if named {
                                String::new()
                            } else {
                                format!("block {}, ", block.linear)
                            };
                            notes.push(of + &who);
                        }
                        continue;
                    }
                    spinning.push((b, w, *group));
                }
            }
        }
        for (b, w, group) in spinning {
            let poll = self.team.progress.polls.get(&(b, w)).copied();
            let op = poll.map_or(group.op, |poll| poll.op);
            at.get_or_insert((b, w, op));
            if notes.len() >= LINES {
                continue;
            }
            let place = self.run.place(op);
            let source = place
                .source
                .map_or(String::new(), |s| format!("{}:{}, ", s.file, s.line));
            let what = match poll {
                Some(poll) => self.polled((b, poll)),
                None => "accesses no memory".into(),
            };
            let threads = group.mask.count_ones();
            let one = if threads == 1 { ("", "s") } else { ("s", "") };
            let first = self.run.thread(
                w as u32,
                poll.map_or(group.mask.trailing_zeros() as usize, |p| p.lane),
            );
            let [x, y, z] = first;
            notes.push(format!(
                "block {}, warp {w}: {threads} thread{} spin{} ({source}ptx line {}, `{}`): thread ({x},{y},{z}) {what}",
                self.team.blocks[b].linear, one.0, one.1, place.line, place.text
            ));
        }
    }

    /// The launch has no future: all of these teams run in circles.
    pub(in crate::machine) fn no_future<'t>(
        &mut self,
        teams: impl Iterator<Item = &'t mut Team>,
    ) -> Failure {
        let (mut notes, mut at, mut first) = (Vec::new(), None, None);
        let mut count = 0u64;
        for team in teams {
            count += 1;
            std::mem::swap(&mut self.team, team);
            let mut here = None;
            self.stuck(&mut notes, &mut here);
            if at.is_none()
                && let Some((block, warp, op)) = here
            {
                let id = self.team.blocks[block].id;
                at = Some((id, warp as u32, op));
                first = Some(self.team.index);
            }
            std::mem::swap(&mut self.team, team);
        }
        let run = self.run;
        if let Some(waiting) = run.not_begun() {
            notes.push(waiting);
        } else if count > 1 && notes.len() == LINES {
            notes.push(format!(
                "{count} blocks or clusters of this core are in such a state"
            ));
        }
        let (block, warp, op) = at.unwrap_or(([0; 3], 0, std::ptr::null()));
        Failure {
            fault: Box::new(RawFault {
                op,
                lane: LANES,
                what: FaultKind::Stuck { notes },
            }),
            block,
            warp,
            callers: Vec::new(),
            team: first.unwrap_or(0),
        }
    }
}

/// Whether no way leads from a place in a kernel to its end, whatever the conditions of its branches say. What a called function does is not known here: it may
/// end the thread.
fn has_no_end(program: &Program, op: *const Op) -> bool {
    let function = function_index(program, op);
    let Some(kernel) = program.functions.get(function).filter(|it| it.entry) else {
        return false; // its callers go on
    };
    let start = kernel.start as usize;
    let next = program.functions.get(function + 1);
    let end = next.map_or(program.ops.len(), |next| next.start as usize);
    let mut seen = vec![false; end.saturating_sub(start)];
    let mut open = vec![op_index(program, op)];
    while let Some(at) = open.pop() {
        let Some(seen) = at.checked_sub(start).and_then(|at| seen.get_mut(at)) else {
            return false; // not followed further
        };
        if std::mem::replace(seen, true) {
            continue;
        }
        let op = &program.ops[at];
        let successors = program.infos[at].successors;
        match successors {
            Successors::None | Successors::Callee => return false,
            Successors::Label => {
                let to = (&raw const *op).wrapping_byte_offset(op.jump());
                open.push(op_index(program, to));
            }
            Successors::Table => {
                let table = program.tables.get(op.aux as usize);
                open.extend(table.into_iter().flatten().map(|&to| to as usize));
            }
            Successors::Next => {}
        }
        if successors == Successors::Next || op.guard != 0 {
            open.push(at + 1);
        }
    }
    true
}

/// One core's part in finding that no team of the launch makes progress.
#[derive(Default)]
pub(in crate::machine) struct Watchman {
    /// Teams in a row that were found to run in circles.
    row: usize,
    /// Whether all teams of this core were, and the run knows.
    frozen: bool,
    /// When all cores were first seen so: this core's row then, how often cores had thawed, and the time.
    since: Option<(usize, usize, Instant)>,
}

impl Watchman {
    /// Takes note of a team that was run, where the core holds `held` teams and can begin no other. True: the launch has no future.
    pub(in crate::machine) fn note(&mut self, run: &Run<'_>, stuck: bool, held: usize) -> bool {
        if !stuck {
            self.thaw(run);
            return false;
        }
        self.row += 1;
        if self.row < held {
            return false;
        }
        if !std::mem::replace(&mut self.frozen, true) {
            run.frozen.fetch_add(1, Ordering::SeqCst);
        }
        let thaws = run.thaws.load(Ordering::SeqCst);
        let all = run.frozen.load(Ordering::SeqCst) == run.working.load(Ordering::SeqCst);
        match self.since {
            // Nobody has changed anything while this core looked at all of its teams once more.
            Some((row, then, at)) if all && then == thaws => {
                let looked = self.row - row >= held;
                let waits = run.awaits_host.load(Ordering::Relaxed) && at.elapsed() < HOST;
                if looked && waits {
                    std::thread::sleep(PAUSE);
                }
                looked && !waits
            }
            _ => {
                self.since = all.then(|| (self.row, thaws, Instant::now()));
                false
            }
        }
    }

    /// Something has moved.
    pub(in crate::machine) fn thaw(&mut self, run: &Run<'_>) {
        (self.row, self.since) = (0, None);
        if std::mem::replace(&mut self.frozen, false) {
            run.thaws.fetch_add(1, Ordering::SeqCst);
            run.frozen.fetch_sub(1, Ordering::SeqCst);
        }
    }
}
