//! The loop of an explored launch. It finds the groups that can go on, lets one of them make a
//! step, and ends when none can.

use std::collections::HashMap;
use std::time::Duration;

use super::access::is_visible;
use super::{Explore, Footprint, ThreadId};
use crate::launch::outside::Waiting;
use crate::machine::checks::checker;
use crate::machine::core::Core;
use crate::machine::event::{Event, FaultKind, RawFault, Wait};
use crate::machine::lane::{LANES, lanes};
use crate::machine::launch::run::{Failure, Run};
use crate::machine::launch::team::{Team, waiting};
use crate::machine::op::{Op, STOP};
use crate::machine::program::Class;
use crate::machine::warp::Group;
use crate::platform::{Host, Platform};

/// The jumps of a group in one go, after which the budget is updated.
const FUEL: i64 = 1 << 12;
/// The most teams that run at the same time.
const TOGETHER: usize = 64;
/// The pause between two looks at memory that something outside of the launch may change.
const PAUSE: Duration = Duration::from_millis(1);
/// The most lines of a report that describe waiting threads.
const LINES: usize = 8;

/// A group that can run: its team's index in the list, its warp, and its index among
/// the warp's groups.
#[derive(Debug, Clone, Copy)]
struct ReadyGroup {
    team: usize,
    block: usize,
    warp: usize,
    group: usize,
}

impl Run<'_> {
    /// Runs every team, by the requested schedule.
    pub(in crate::machine) fn explore(&self) {
        let mut core = Core::new(self);
        core.explore = Some(Box::new(Explore::new(self)));
        let mut teams: Vec<Team> = Vec::new();
        let ended = core.run_teams(&mut teams);
        let exploration = self.launch.exploration.as_ref();
        if exploration.is_none_or(|it| it.tells_steps()) {
            let steps = core.explore.as_ref().map(|e| e.steps.show(self));
            let steps = steps.unwrap_or_default();
            if let Some(exploration) = exploration {
                exploration.record(steps.clone());
            }
            *self.steps() = steps;
        }
        if let Err(failure) = ended {
            self.fail(failure);
        }
        self.sum(core);
    }

    /// Returns the number of blocks of a cluster.
    pub(super) fn cluster_size(&self) -> u64 {
        self.cluster.iter().map(|&n| u64::from(n)).product()
    }
}

impl Core<'_> {
    fn run_teams(&mut self, teams: &mut Vec<Team>) -> Result<(), Failure> {
        let mut spare = Vec::new();
        // The number of changes when the waiting threads were last allowed to go on.
        let mut again = None;
        // The number of changes when the launch began to wait for something outside of it.
        let mut waiting: Option<(Option<u64>, Box<dyn Waiting + '_>)> = None;
        let run = self.run;
        loop {
            while teams.len() < TOGETHER && self.begin_another(teams, &mut spare) {}
            if teams.is_empty() {
                return Ok(());
            }
            match self.candidates(teams) {
                Candidates::Free(ready) => {
                    self.step(teams, ready, false)?;
                    self.end_team(teams, ready.team, &mut spare);
                }
                Candidates::Choose(ready, does) => {
                    let begins = self.explore.as_mut().is_some_and(|e| e.chooser.begins());
                    if begins && self.begin_another(teams, &mut spare) {
                        continue;
                    }
                    let chooser = self.explore.as_mut().map(|e| &mut e.chooser);
                    let chosen = chooser.map_or(0, |chooser| chooser.thread(&does));
                    self.step(teams, ready[chosen], true)?;
                    self.end_team(teams, ready[chosen].team, &mut spare);
                }
                Candidates::Nobody => {
                    if self.begin_another(teams, &mut spare) || self.stir_teams(teams)? {
                        continue;
                    }
                    let changes = self.explore.as_ref().map(|e| e.changes);
                    if again != changes {
                        // They may wait for something that is not observed here.
                        again = changes;
                        let spinners = self.explore.as_mut().map(|e| e.spinners.values_mut());
                        let spinners = spinners.into_iter().flatten();
                        spinners.for_each(|spinner| spinner.again = changes);
                        continue;
                    }
                    if run.launch.exploration.is_some() || !self.anyone_reads_global() {
                        return Err(self.nobody_goes_on(teams));
                    }
                    waiting = waiting.filter(|(before, _)| *before == changes);
                    if let Some((_, waiting)) = &mut waiting {
                        if !waiting.may_end() {
                            return Err(self.nobody_goes_on(teams));
                        }
                        Host::pause(PAUSE);
                    }
                    let outside = || (changes, run.launch.outside.wait());
                    waiting.get_or_insert_with(outside).1.looks();
                    again = None;
                }
            }
        }
    }

    /// Returns whether a thread that spins reads memory that something outside of the launch may
    /// change.
    fn anyone_reads_global(&self) -> bool {
        let spinners = self.explore.iter().flat_map(|e| e.spinners.values());
        let mut polls = spinners.flat_map(|spinner| spinner.waits());
        polls.any(|poll| self.run.snapshot.find(poll.host).is_some())
    }

    /// Begins a team, if there is one and the device has room. Returns whether it has.
    fn begin_another(&mut self, teams: &mut Vec<Team>, spare: &mut Vec<Team>) -> bool {
        let index = self.run.has_room().then(|| self.run.take_team()).flatten();
        let Some(index) = index else {
            return false;
        };
        self.team = spare.pop().unwrap_or_default();
        self.begin(index);
        teams.push(std::mem::take(&mut self.team));
        true
    }

    /// Removes a team from the list, if it has ended.
    fn end_team(&mut self, teams: &mut Vec<Team>, at: usize, spare: &mut Vec<Team>) {
        if teams[at].blocks.iter().any(|block| block.live > 0) {
            return;
        }
        let mut team = teams.remove(at);
        if let Some(explore) = &mut self.explore {
            explore.changes += 1;
            explore.spinners.retain(|who, _| who.team != team.index);
            if let Some(weak) = &mut explore.weak {
                for block in &mut team.blocks {
                    let (start, size) = (block.shared.start() as u64, block.shared.len());
                    weak.forget(start, size as u64);
                }
            }
        }
        self.run.end_team(self, &team);
        spare.push(team);
    }

    /// Returns the groups that can go on. A group that is not at a memory access goes first,
    /// without a choice.
    fn candidates(&mut self, teams: &mut [Team]) -> Candidates {
        let (mut ready, mut does) = (Vec::new(), Vec::new());
        let looks = self.explore.as_ref().is_some_and(|e| e.chooser.looks());
        let count = teams.len();
        let first = self.explore.as_mut().and_then(|e| e.chooser.first(count));
        for t in (0..count).map(|i| (first.unwrap_or(0) + i) % count) {
            std::mem::swap(&mut self.team, &mut teams[t]);
            let found = self.candidates_of(t, looks, &mut ready, &mut does);
            std::mem::swap(&mut self.team, &mut teams[t]);
            if let Some(free) = found {
                return Candidates::Free(free);
            }
            if first.is_some() && !ready.is_empty() {
                break;
            }
        }
        match ready.is_empty() {
            true => Candidates::Nobody,
            false => Candidates::Choose(ready, does),
        }
    }

    /// Adds the groups of the running team. Returns one that goes on without a choice, if
    /// there is one.
    fn candidates_of(
        &mut self,
        t: usize,
        looks: bool,
        ready: &mut Vec<ReadyGroup>,
        does: &mut Vec<(ThreadId, Footprint)>,
    ) -> Option<ReadyGroup> {
        let modes = self.explore.as_ref().map(|e| (e.alone, e.apart));
        let (alone, apart) = modes.unwrap_or_default();
        for b in 0..self.team.blocks.len() {
            for w in 0..self.team.blocks[b].warps.len() {
                // Groups at earlier operations come first, so that lanes reconverge at joins, as in
                // the plain schedule.
                let groups = &self.team.blocks[b].warps[w].groups;
                let mut order: Vec<usize> = (0..groups.len())
                    .filter(|&g| groups[g].wait == Wait::Ready)
                    .collect();
                order.sort_by_key(|&g| (u32::MAX - groups[g].at.depth, groups[g].op));
                for g in order {
                    let group = self.team.blocks[b].warps[w].groups[g];
                    let at = ReadyGroup {
                        team: t,
                        block: b,
                        warp: w,
                        group: g,
                    };
                    let info = self.info(group.op);
                    let due = self.is_due((b, w), group.mask, group.op);
                    if !is_visible(&info) && !due || alone && group.mask.count_ones() > 1 {
                        // A thread that jumps for ever is not a candidate.
                        self.current = (b, w);
                        let who = self.who(group.mask);
                        if self.explore.as_ref().is_some_and(|e| e.is_lost(who)) {
                            continue;
                        }
                        return Some(at);
                    }
                    self.enter(b, w);
                    let who = self.who(group.mask);
                    if !due {
                        self.look_round(group.op, group.at, group.mask);
                        if self.explore.as_mut().is_some_and(|e| e.is_waiting(who)) {
                            continue;
                        }
                    }
                    let mut footprint = Footprint::default();
                    if looks {
                        self.active = group.mask;
                        self.set_frame(group.at);
                        // SAFETY: the group is at an operation of its frame.
                        footprint = unsafe { self.next_footprint(group.op) };
                        if footprint.is_nothing() {
                            return Some(at);
                        }
                    }
                    ready.push(at);
                    does.push((who, footprint));
                    if !apart {
                        // Before Volta a warp has one program counter.
                        break;
                    }
                }
            }
        }
        None
    }

    /// Runs a group up to its next access to memory. If it has the `token`, it also performs the
    /// access that it is at.
    fn step(&mut self, teams: &mut [Team], ready: ReadyGroup, token: bool) -> Result<(), Failure> {
        std::mem::swap(&mut self.team, &mut teams[ready.team]);
        self.enter(ready.block, ready.warp);
        let group = self.warp().groups.swap_remove(ready.group);
        self.warp().clock = self.warp().clock.wrapping_add(1);
        let ended = self.run_group(group, token);
        let spent = self.tally.instructions - self.tally.spent;
        let ended = match ended {
            Ok(()) if spent > FUEL as u64 => self.spend(),
            ended => ended,
        };
        std::mem::swap(&mut self.team, &mut teams[ready.team]);
        ended
    }

    fn run_group(&mut self, group: Group, mut token: bool) -> Result<(), Failure> {
        let alone = self.explore.as_ref().is_some_and(|e| e.alone);
        self.active = group.mask;
        self.turn.fuel = FUEL;
        self.set_frame(group.at);
        self.set_limit(group.op);
        // The loop has to check each jump.
        self.ahead = std::ptr::null();
        let single = !alone || group.mask.count_ones() == 1;
        if !token && single && is_visible(&self.info(group.op)) {
            // An access that no other thread can observe needs no choice.
            // SAFETY: the group is at an operation of its frame.
            token = unsafe { self.next_footprint(group.op) }.is_nothing();
        }
        let stopped = self.go_explored(group.op, &mut token, alone);
        match std::mem::take(&mut self.event) {
            Event::None if stopped == STOP => return Ok(()),
            Event::None => self.park(stopped, Wait::Ready),
            Event::Jump(next) | Event::Yield(next) => {
                self.jumps_in_circles(next);
                self.park(next, Wait::Ready);
            }
            Event::Split { mask, taken, other } => {
                let all = self.active;
                self.active = mask;
                self.jumps_in_circles(taken);
                self.park(taken, Wait::Ready);
                self.active = all & !mask;
                self.park(other, Wait::Ready);
            }
            Event::Ended => {
                if let Some(explore) = &mut self.explore {
                    explore.changes += 1;
                }
            }
            Event::Fault(fault) => return Err(self.failure(*fault)),
        }
        Ok(())
    }

    /// Runs operations until one stops the group, until it joins other lanes, or until the next
    /// access. Before that access the group is parked.
    fn go_explored(&mut self, mut op: *const Op, token: &mut bool, alone: bool) -> *const Op {
        let check = self.run.is_checked.then(|| checker(self.run));
        while op < self.limit {
            self.touches(op);
            if let Some(load) = self.due_load(op) {
                let single = !alone || self.active.count_ones() == 1;
                if !std::mem::take(token) || !single {
                    self.put_down(op, alone);
                    return STOP;
                }
                // SAFETY: it is of the running frame, because there is no call or return while
                // it is delayed.
                unsafe { self.do_late(load) };
                if !matches!(self.event, Event::None) {
                    return op;
                }
                continue;
            }
            self.tally.instructions += 1;
            let info = self.info(op);
            // SAFETY: `op` is an operation of the running frame, as in `go`.
            let mask = unsafe { self.mask(&*op) };
            if is_visible(&info) && mask != 0 {
                let single = !alone || self.active.count_ones() == 1;
                if !std::mem::take(token) || !single {
                    self.tally.instructions -= 1;
                    self.put_down(op, alone);
                    return STOP;
                }
                if info.class == Class::Fence && info.acquires {
                    // SAFETY: as above.
                    unsafe { self.do_at_fence(op) };
                    if !matches!(self.event, Event::None) {
                        return op;
                    }
                }
                // SAFETY: as above.
                op = unsafe {
                    match self.waits(op) {
                        true => op.add(1),
                        false => self.run_visible(op, &info, mask, None),
                    }
                };
                continue;
            }
            if let Some(check) = check
                && !self.count_plain(op)
            {
                // SAFETY: as above.
                unsafe { check(self, op) };
            }
            // SAFETY: as above.
            op = unsafe { ((*op).run)(self, op) };
        }
        op
    }

    /// Parks the running lanes before an access, each as a group of its own if lanes are alone.
    fn put_down(&mut self, op: *const Op, alone: bool) {
        let (active, at, ran) = (self.active, self.at, self.warp().clock);
        let groups = &mut self.warp().groups;
        let mut put = |mask| {
            groups.push(Group {
                op,
                mask,
                at,
                wait: Wait::Ready,
                ran,
            });
        };
        match alone {
            true => lanes(active).for_each(|lane| put(1 << lane)),
            false => put(active),
        }
        self.active = 0;
    }

    /// No group can run: performs pending operations, or ends suspended waits for a limited number
    /// of times in a row.
    fn stir_teams(&mut self, teams: &mut [Team]) -> Result<bool, Failure> {
        let mut any = false;
        for team in teams {
            std::mem::swap(&mut self.team, team);
            let stirred = self.stir();
            std::mem::swap(&mut self.team, team);
            any |= stirred?;
        }
        Ok(any)
    }

    /// Makes the report for threads that all wait, or spin on memory that no thread will change.
    fn nobody_goes_on(&mut self, teams: &mut [Team]) -> Failure {
        let (mut notes, mut first) = (Vec::new(), None);
        let (mut spins, mut phases) = (false, false);
        for team in teams.iter_mut() {
            std::mem::swap(&mut self.team, team);
            let objects = self.awaited();
            phases |= !objects.is_empty();
            for b in 0..self.team.blocks.len() {
                for w in 0..self.team.blocks[b].warps.len() {
                    self.current = (b, w);
                    for group in self.warp().groups.clone() {
                        let spinning = group.wait == Wait::Ready;
                        if first.is_none() || spinning && !spins {
                            first = Some((self.team.index, self.block().id, w as u32, group.op));
                        }
                        spins |= spinning;
                        if notes.len() >= LINES {
                            continue;
                        }
                        notes.push(match spinning {
                            true => self.spins_on(&group),
                            false => self.waits_at(&group, &objects),
                        });
                    }
                }
            }
            std::mem::swap(&mut self.team, team);
        }
        notes.extend(self.run.not_begun());
        let (team, block, warp, op) = first.unwrap_or((0, [0; 3], 0, std::ptr::null()));
        Failure {
            fault: Box::new(RawFault {
                op,
                lane: LANES,
                what: match spins {
                    true => FaultKind::Stuck { notes },
                    false => FaultKind::Deadlock { notes, phases },
                },
            }),
            block,
            warp,
            callers: Vec::new(),
            team,
        }
    }

    fn waits_at(&self, group: &Group, objects: &HashMap<(u32, u32), String>) -> String {
        let (block, cluster) = (&self.team.blocks[self.current.0], self.cluster_count());
        let who = waiting(
            self.run.program,
            block,
            self.current.1,
            group,
            cluster,
            objects,
        );
        match group.wait {
            Wait::Cluster | Wait::Phase(_) => who,
            _ => format!("block {}, {who}", block.linear),
        }
    }

    /// "block 0, thread (0,0,0) reads 0x1 at ... (ptx line 9), which block 1, thread (0,0,0) wrote
    /// at ptx line 12".
    fn spins_on(&self, group: &Group) -> String {
        let (run, who) = (self.run, self.who(group.mask));
        let name = run.name(who, group.mask);
        let explore = self.explore.as_ref();
        let spinner = explore.and_then(|e| e.spinners.get(&who));
        let polls = spinner.map_or(&[][..], |spinner| spinner.waits());
        let mut parts = Vec::new();
        for poll in polls.iter().take(2) {
            let value = poll
                .bytes
                .iter()
                .take(8)
                .rev()
                .fold(0u64, |value, &byte| value << 8 | u64::from(byte));
            let place = run.place(poll.op);
            let at = run.memory.whereabouts(poll.host).to_string();
            let at = match run.snapshot.find(poll.host) {
                Some(_) => format!("an address that {at}"),
                None => "an address in shared memory".into(),
            };
            let by = match explore.and_then(|e| e.steps.writer(poll.host)) {
                Some((writer, op)) => {
                    let place = run.place(&raw const run.program.ops[op as usize]);
                    let lane = 1 << writer.lane;
                    format!(
                        ", which {} wrote last (ptx line {}, `{}`)",
                        run.name(writer, lane),
                        place.line,
                        place.text
                    )
                }
                None => ", which no thread has written".into(),
            };
            parts.push(format!(
                "reads {value:#x} (ptx line {}, `{}`) at {at}{by}",
                place.line, place.text
            ));
        }
        match parts.is_empty() {
            true => format!("{name} loops without accessing memory"),
            false => format!("{name} spins: it {}", parts.join(", and ")),
        }
    }
}

/// The groups that can go on.
enum Candidates {
    /// This group goes on, without a choice.
    Free(ReadyGroup),
    /// One of these groups of threads goes on.
    Choose(Vec<ReadyGroup>, Vec<(ThreadId, Footprint)>),
    /// No group can go on.
    Nobody,
}

impl Explore {
    /// Returns whether a thread jumps in a loop for ever.
    fn is_lost(&self, who: ThreadId) -> bool {
        self.spinners.get(&who).is_some_and(|s| s.lost)
    }
}
