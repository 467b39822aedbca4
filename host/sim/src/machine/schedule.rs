//! Which lanes of a warp run next: independent thread scheduling, as on Volta and later.
//!
//! Each lane has its own place in the code. Lanes at one place form a group and run together. The
//! next group is the one with the deepest call and, among those, with the lowest program counter.
//! Compilers lay code out so that lanes which went ahead then wait at the join for the others.
//! Groups that come to one place merge.
//!
//! That order alone would let a lane that spins on a lock starve the lane that holds it. A group
//! that has spun for a while (many atomics, or very many jumps) therefore stands back, and the
//! group that has waited longest runs for some jumps.
//!
//! The ISA promises progress to every lane and leaves the order open. Which lanes a divergent
//! `activemask` sees is the machine's choice.

use super::core::{Core, FramePlace};
use super::event::{Event, RawFault, Wait};
use super::op::{Op, STOP};
use super::warp::Group;
use crate::machine::checks::checker;
use crate::machine::checks::watchers::Watched;

/// Decisions after which a group that has not met another stands back.
pub(super) const PATIENCE: u32 = 20_000;
/// Atomics and volatile reads after which a group stands back.
pub(super) const SPINS: u32 = 64;
/// Decisions for which the scheduler then prefers the group that has waited longest.
const FAVOUR: u32 = 256;

/// How a warp's turn ended.
#[derive(Debug)]
pub(super) enum TurnEnd {
    /// All of its lanes have ended.
    Done,
    /// All of its live lanes wait for others.
    Waits,
    /// It has used up its turn.
    Yields,
    /// An operation faulted, and the launch ends.
    Faults(Box<RawFault>),
}

impl Core<'_> {
    /// Runs the current warp until it ends, waits or has used its `fuel`.
    pub(super) fn run_warp<const CHECKED: bool>(&mut self) -> TurnEnd {
        let mut next = self.pick();
        loop {
            let Some(op) = next else {
                return if self.warp().live == 0 {
                    TurnEnd::Done
                } else {
                    TurnEnd::Waits
                };
            };
            let stopped = self.go::<CHECKED>(op);
            if matches!(self.event, Event::None) {
                next = self.go_on(stopped);
                continue;
            }
            next = match std::mem::take(&mut self.event) {
                Event::None => self.go_on(stopped),
                Event::Jump(op) => self.go_on(op),
                Event::Split { mask, taken, other } => {
                    let all = self.active;
                    self.active = mask;
                    self.park(taken, Wait::Ready);
                    self.active = all & !mask;
                    self.go_on(other)
                }
                Event::Ended => self.pick(),
                Event::Yield(op) => {
                    self.park(op, Wait::Ready);
                    return TurnEnd::Yields;
                }
                Event::Fault(fault) => return TurnEnd::Faults(fault),
            }
        }
    }

    /// Runs one operation after another until one stops the loop, or until the running lanes come
    /// to other lanes. Returns the operation to go on with.
    #[inline(always)]
    fn go<const CHECKED: bool>(&mut self, mut op: *const Op) -> *const Op {
        let mut count = 0;
        let check = CHECKED.then(|| checker(self.run));
        let list = Watched::of(self.run.program, &self.run.watchers);
        let (counts, tracks) = (self.run.launch.count, !self.run.program.touches.is_empty());
        while op < self.limit {
            if let Some(check) = check
                && (self.checks_all() || list.has(op))
            {
                if tracks {
                    self.touches(op);
                }
                // An operation that only checks look at is a memory access.
                if !(counts || self.checks_all()) || !self.count_plain(op) {
                    // SAFETY: as below.
                    unsafe { check(self, op) };
                }
            }
            count += 1;
            // SAFETY: `op` is an operation of the program: `pick` gave one, and each operation
            // gives the next, a target that the decoder resolved, or `STOP`, which is no smaller
            // than any limit. Its operands lie in the frame that `pick` set.
            op = unsafe { ((*op).run)(self, op) };
        }
        self.tally.instructions += count;
        op
    }

    /// Returns whether lanes that wait for their turn may be preferred to those whose turn it is.
    #[inline(always)]
    fn stands_back(&self) -> bool {
        self.turn.favour.1 > 0 || self.turn.spins > SPINS || self.turn.patience == 0
    }

    /// Records the scheduler's decision that the running lanes go on while others wait
    /// at later operations.
    #[inline(always)]
    fn decide(&mut self) {
        let warp = self.warp();
        warp.clock = warp.clock.wrapping_add(1);
        self.turn.patience -= 1;
    }

    /// Performs a jump of all running lanes while others are elsewhere. Returns the operation to go
    /// on with. If the target is before all other lanes, there is nothing to decide. Otherwise the
    /// loop ends, and the scheduler looks for the other lanes.
    #[inline]
    pub(super) fn jump_among_others(&mut self, target: *const Op) -> *const Op {
        if target < self.ahead && !self.stands_back() {
            self.decide();
        } else if self.explore.is_some() {
            return self.stop(Event::Jump(target));
        } else {
            self.limit = std::ptr::null();
        }
        target
    }

    /// Performs a branch that not all running lanes take: the lanes of `mask` go to `taken`, the
    /// others to `other`. Returns the operation to go on with.
    pub(super) fn split(&mut self, mask: u32, taken: *const Op, other: *const Op) -> *const Op {
        if self.explore.is_some() {
            return self.stop(Event::Split { mask, taken, other });
        }
        let (all, ahead) = (self.active, self.ahead);
        self.active = mask;
        self.park(taken, Wait::Ready);
        self.active = all & !mask;
        if other < ahead.min(taken) && !self.stands_back() {
            self.decide();
            self.diverged = true;
            (self.limit, self.ahead) = (self.limit.min(taken), ahead.min(taken));
        } else {
            self.limit = std::ptr::null();
        }
        other
    }

    /// Does [`Core::park`] and then [`Core::pick`] in one step, and changes the groups as little as
    /// it can. Lanes that diverge and reconverge within a few operations come here often.
    fn go_on(&mut self, op: *const Op) -> Option<*const Op> {
        let (mask, at) = (self.active, self.at);
        let stands_back = self.stands_back();
        let warp = self.warp();
        let order = |at: FramePlace, op: *const Op| (u32::MAX - at.depth, op);
        // The group that is at this place already, and the first of the other groups.
        let (mut here, mut first, mut several) = (None, None, false);
        for (i, group) in warp.groups.iter().enumerate() {
            if group.op == op
                && group.at == at
                && matches!(group.wait, Wait::Ready | Wait::Lanes(_))
            {
                several |= here.is_some();
                here = Some(i);
            } else if group.wait == Wait::Ready {
                let its = order(group.at, group.op);
                if first.is_none_or(|(_, least)| its < least) {
                    first = Some((i, its));
                }
            }
        }
        let own = order(at, op);
        let tie = first.is_some_and(|(_, least)| least == own);
        if mask == 0 || stands_back || several || tie {
            self.park(op, Wait::Ready);
            return self.pick();
        }
        let others = warp.groups.len() - usize::from(here.is_some());
        let parked = Group {
            op,
            mask,
            at,
            wait: Wait::Ready,
            ran: warp.clock,
        };
        warp.clock = warp.clock.wrapping_add(1);
        let before = first.filter(|(_, least)| *least < own);
        let next = match (here, before) {
            (None, None) => parked,
            (Some(here), None) => Group {
                mask: mask | warp.groups.swap_remove(here).mask,
                ..parked
            },
            // `swap_remove` would move the last group into the freed place, and `parked` would
            // be the last.
            (None, Some((i, _))) => std::mem::replace(&mut warp.groups[i], parked),
            (Some(here), Some((i, _))) => {
                let group = &mut warp.groups[here];
                (group.mask, group.wait) = (group.mask | mask, Wait::Ready);
                warp.groups.swap_remove(i)
            }
        };
        self.turn.patience -= u32::from(others > 0);
        self.active = next.mask;
        self.set_frame(next.at);
        self.set_limit(next.op);
        Some(next.op)
    }

    /// Parks the running lanes at `op`, together with lanes that are there already.
    pub(super) fn park(&mut self, op: *const Op, wait: Wait) {
        let (mask, at, clock) = (self.active, self.at, self.warp().clock);
        if mask == 0 {
            return;
        }
        self.ahead = std::ptr::null();
        let groups = &mut self.warp().groups;
        let same = groups.iter_mut().find(|g| {
            g.op == op
                && g.at == at
                && (g.wait == wait || (wait == Wait::Ready && matches!(g.wait, Wait::Lanes(_))))
        });
        match same {
            Some(group) => {
                group.mask |= mask;
                // Lanes that waited for others at this operation try again, now that there are
                // more of them.
                group.wait = wait;
            }
            None => groups.push(Group {
                op,
                mask,
                at,
                wait,
                ran: clock,
            }),
        }
    }

    /// Takes the group that runs next and sets up its frame and limit.
    fn pick(&mut self) -> Option<*const Op> {
        let (spins, favour, patience) = (self.turn.spins, self.turn.favour, self.turn.patience);
        let warp = self.warp();
        warp.clock = warp.clock.wrapping_add(1);
        let best = match warp.groups.as_slice() {
            [] => return None,
            [one] => (one.wait == Wait::Ready).then_some(0),
            groups => {
                let ready = || {
                    groups
                        .iter()
                        .enumerate()
                        .filter(|(_, g)| g.wait == Wait::Ready)
                };
                let favoured = ready().find(|(_, g)| g.mask & favour.0 != 0 && favour.1 > 0);
                let lowest = || ready().min_by_key(|(_, g)| (u32::MAX - g.at.depth, g.op));
                favoured.or_else(lowest).map(|(i, _)| i)
            }
        };
        let mut best = best?;
        let warp = self.warp();
        if warp.groups.len() > 1 {
            if favour.1 > 0 {
                self.turn.favour.1 -= 1;
            } else if spins > SPINS || patience == 0 {
                // The other group that has waited longest goes first for a while.
                let clock = warp.clock;
                let oldest = warp
                    .groups
                    .iter()
                    .enumerate()
                    .filter(|(i, g)| *i != best && g.wait == Wait::Ready);
                if let Some((i, group)) = oldest.max_by_key(|(_, g)| clock.wrapping_sub(g.ran)) {
                    best = i;
                    self.turn.favour = (group.mask, FAVOUR);
                }
                self.turn.spins = 0;
                self.turn.patience = PATIENCE;
            } else {
                self.turn.patience -= 1;
            }
        }
        let group = self.warp().groups.swap_remove(best);
        self.active = group.mask;
        self.set_frame(group.at);
        self.set_limit(group.op);
        Some(group.op)
    }

    /// Computes, for lanes that run from `op`, where they first join other lanes, and how far they
    /// are before all others.
    #[inline]
    pub(super) fn set_limit(&mut self, op: *const Op) {
        let at = self.at;
        let groups = &self.warp().groups;
        let (mut limit, mut ahead, mut behind) = (STOP, STOP, false);
        for group in groups {
            behind |= group.op <= op || group.at.depth != at.depth;
            if group.op > op {
                ahead = ahead.min(group.op);
                if group.at == at {
                    limit = limit.min(group.op);
                }
            }
        }
        let diverged = !groups.is_empty();
        self.limit = limit;
        self.ahead = if behind { std::ptr::null() } else { ahead };
        self.diverged = diverged;
    }

    /// Makes `at` the running frame.
    pub(super) fn set_frame(&mut self, at: FramePlace) {
        self.at = at;
        let registers = &mut self.warp().registers;
        debug_assert!((at.frame as usize) < registers.len());
        // SAFETY: frames lie inside the warp's registers: `enter` and `call` grow them before they
        // make a frame.
        self.frame = unsafe { registers.start().add(at.frame as usize) };
    }

    /// Ends the lanes of `mask`, which must be running lanes: no other lane waits for
    /// them any more.
    pub(super) fn end_lanes(&mut self, mask: u32) {
        self.active &= !mask;
        self.complete_ended(mask);
        self.team.expiries = 0;
        let warp = self.warp();
        warp.live &= !mask;
        warp.cluster_arrived &= !mask;
        for group in &mut warp.groups {
            if matches!(group.wait, Wait::Lanes(_)) {
                group.wait = Wait::Ready;
            }
        }
        warp.frames.end(mask);
        let block = self.block();
        block.live -= mask.count_ones();
        if block.live == 0 && self.team.blocks.len() > 1 {
            self.check_accesses_before_end();
        }
        self.complete_barriers();
        self.complete_cluster();
    }
}
