//! `bar` and `barrier`: threads of a block wait for each other.
//!
//! PTX ISA, "Parallel Synchronization and Communication Instructions: bar, barrier". Arrivals
//! are counted by thread. Without a count, a barrier expects all threads of the block that have
//! not ended, so a thread that ends counts as arrived (measured on an H200: 104 of 128 threads
//! pass when 24 have returned). With a count, it expects that many, which must be a multiple
//! of 32. Reductions take the predicates of the threads that arrived. Reported: numbers above
//! 15, counts that are not a multiple of 32 or are above the block's size, two counts at one
//! barrier, and `bar.red` mixed with `bar.sync`. The team reports threads that wait for an
//! arrival that cannot come.

use crate::checks::FindingKind;
use crate::machine::core::Core;
use crate::machine::event::{Event, FaultKind, Wait};
use crate::machine::lane::{LANES, lanes};
use crate::machine::launch::team::{Arrival, BARRIERS, Barrier};
use crate::machine::op::Op;
use crate::machine::warp::Group;

/// What a barrier instruction does besides arriving: the low bits of `aux`.
pub(crate) mod kind {
    /// The threads wait for each other.
    pub(crate) const SYNC: u32 = 0;
    /// The threads do not wait.
    pub(crate) const ARRIVE: u32 = 1;
    /// The threads wait. Row `d` gets the number of true predicates.
    pub(crate) const POPC: u32 = 2;
    /// The threads wait. Predicate `d` is set if all predicates were true.
    pub(crate) const AND: u32 = 3;
    /// The threads wait. Predicate `d` is set if any predicate was true.
    pub(crate) const OR: u32 = 4;
    /// The mask of these kinds.
    pub(crate) const MASK: u32 = 7;
    /// The instruction has a count, in row `b`.
    pub(crate) const COUNTED: u32 = 8;
    /// The instruction is `.aligned`: whole warps reach it together.
    pub(crate) const ALIGNED: u32 = 16;
}

/// `bar`, `barrier`: row `a` holds the number, row `b` the count, predicate `c` what is reduced.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn barrier(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is a barrier of the running frame; another operation follows it.
    let (o, mask, next) = unsafe { (&*op, core.mask(&*op), op.wrapping_add(1)) };
    if mask == 0 {
        return next;
    }
    // SAFETY: rows `a` and `b` hold `u32`, `c` is a predicate; unused ones name the
    // frame's first words.
    let (numbers, counts, truths) = unsafe {
        (
            *core.lanes::<u32>(o.a),
            *core.lanes::<u32>(o.b),
            core.predicate(o.c),
        )
    };
    let lane = mask.trailing_zeros() as usize;
    let counted = o.aux & kind::COUNTED != 0;
    let request = match request(core.run.threads, mask, (numbers, counted.then_some(counts))) {
        Ok(request) => request,
        Err(wrong) => return core.fault(op, lane, wrong),
    };
    if o.aux & kind::ALIGNED != 0 {
        core.came_apart(op, mask, request.number);
    }
    if let Err(wrong) = core.arrive_at(&request, o.aux & kind::MASK, (mask, truths)) {
        return core.fault(op, lane, wrong);
    }
    if o.aux & kind::MASK == kind::ARRIVE {
        core.complete_barriers();
        return next;
    }
    // The lanes go through the same wait whether or not they complete the barrier. Completing it
    // ends the wait.
    let all = core.active;
    if all != mask {
        core.active = all & !mask;
        core.park(next, Wait::Ready);
        core.active = mask;
    }
    let block = core.block();
    let barrier = block.barriers[request.number];
    let complete = barrier.arrived >= barrier.expected.unwrap_or(block.live);
    if complete && all == mask {
        // In the usual last arrival this warp goes on without a stop.
        core.release(request.number, Some(op));
        // SAFETY: the destination is of the kind in `aux`.
        unsafe { core.give_result(o, mask, barrier) };
        return next;
    }
    core.park(next, Wait::Barrier(request.number as u8));
    core.active = 0;
    core.complete_barriers();
    core.stop(Event::Ended)
}

/// The operands of a warp's lanes at a barrier.
struct BarrierRequest {
    /// The number of the barrier in its block.
    number: usize,
    /// The number of threads that it expects, or `None` for all live threads.
    expected: Option<u32>,
}

/// Returns the fault of an illegal instruction, with advice.
fn illegal(message: impl Into<String>, help: &'static str) -> FaultKind {
    let message = message.into();
    FaultKind::Illegal { message, help }
}

/// Returns the request of the lanes of `mask` from their numbers and counts, in a block of
/// this many threads.
#[inline(always)]
fn request(
    threads: u32,
    mask: u32,
    (numbers, counts): ([u32; LANES], Option<[u32; LANES]>),
) -> Result<BarrierRequest, FaultKind> {
    let lane = mask.trailing_zeros() as usize;
    let (number, expected) = (numbers[lane], counts.map(|counts| counts[lane]));
    let differs = |l: usize| numbers[l] != number || counts.map(|counts| counts[l]) != expected;
    if lanes(mask).any(differs) {
        return Err(illegal(
            "the threads of a warp name different barriers or counts",
            "compute number and count from values that the whole warp shares",
        ));
    }
    if number as usize >= BARRIERS {
        return Err(illegal(
            format!("barrier {number}; a block has {BARRIERS}, numbered from 0"),
            "use another number",
        ));
    }
    let warp = LANES as u32;
    if let Some(count) = expected
        && (count == 0 || count % warp != 0 || count > threads.next_multiple_of(warp))
    {
        return Err(illegal(
            format!("a barrier for {count} threads in a block of {threads}"),
            "give a multiple of 32 that is not more than the block has",
        ));
    }
    let number = number as usize;
    Ok(BarrierRequest { number, expected })
}

impl Core<'_> {
    /// Counts the arrival of the lanes of `mask`, with their predicates. Returns an error if other
    /// lanes are there with another count or kind.
    #[inline(always)]
    fn arrive_at(
        &mut self,
        request: &BarrierRequest,
        what: u32,
        (mask, truths): (u32, u32),
    ) -> Result<(), FaultKind> {
        let &BarrierRequest { number, expected } = request;
        let arrival = match what >= kind::POPC {
            true => Arrival::Reduce,
            false => Arrival::Sync,
        };
        let warp = self.current.1 as u32;
        let barrier = &mut self.block().barriers[number];
        if barrier.arrived > 0 && barrier.kind != Some(arrival) {
            return Err(illegal(
                format!("`bar.red` and `bar.sync` meet at barrier {number}"),
                "use one kind of instruction for one barrier",
            ));
        }
        if barrier.arrived > 0 && barrier.expected != expected {
            let show = |e: Option<u32>| e.map_or("all".into(), |e| e.to_string());
            return Err(illegal(
                format!(
                    "barrier {number} is for {} threads here and for {} where others wait",
                    show(expected),
                    show(barrier.expected)
                ),
                "give the same count everywhere, or use another barrier",
            ));
        }
        barrier.kind = Some(arrival);
        if what != kind::ARRIVE {
            barrier.waiting |= 1 << warp;
        }
        barrier.expected = expected;
        barrier.arrived += mask.count_ones();
        barrier.count += (mask & truths).count_ones();
        barrier.some_false |= mask & !truths != 0;
        let linear = self.block().linear;
        if self.explore.is_some() {
            self.arrive_explored(self.current, mask, (linear, number as u32));
        }
        if what == kind::ARRIVE && self.run.launch.checks.race {
            self.checks
                .races
                .arrive(linear, warp, arrivals(linear, number));
        }
        Ok(())
    }

    /// Releases every barrier of the block at which all expected threads have arrived.
    pub(in crate::machine) fn complete_barriers(&mut self) {
        let block = self.block();
        let live = block.live;
        for number in 0..BARRIERS {
            let barrier = &self.block().barriers[number];
            if barrier.arrived > 0 && barrier.arrived >= barrier.expected.unwrap_or(live) {
                self.release(number, None);
            }
        }
    }

    /// Releases all threads that wait at a barrier, with the reduction's result. `op` is the
    /// barrier that the running warp is at and does not wait for.
    fn release(&mut self, number: usize, op: Option<*const Op>) {
        let block = self.block();
        let barrier = std::mem::take(&mut block.barriers[number]);
        if self.run.launch.checks.sync && barrier.expected.is_none() {
            self.look_for_ended_warps(op, number);
        }
        let block = self.block();
        if !block.apart.is_empty() {
            self.judge_apart(number);
        }
        self.team.expiries = 0;
        if self.explore.is_some() {
            let object = (self.block().linear, number as u32);
            self.release_explored(object, |g| g.wait == Wait::Barrier(number as u8));
        }
        let block = self.block();
        let linear = block.linear;
        for warp in &mut block.warps {
            for group in warp
                .groups
                .iter_mut()
                .filter(|g| g.wait == Wait::Barrier(number as u8))
            {
                group.wait = Wait::Ready;
                // SAFETY: lanes that wait at a barrier stand after it, and their frame lies in
                // their warp's registers.
                unsafe {
                    let frame = warp.registers.start().add(group.at.frame as usize);
                    result(&*group.op.sub(1), frame, group.mask, barrier);
                }
            }
        }
        if self.run.launch.checks.race {
            // A warp that has ended counts as arrived at a barrier of all threads: what it did
            // before is in the past of those that pass.
            let ended = match barrier.expected {
                None => self.block().ended_warps(),
                Some(_) => 0,
            };
            self.met(linear, barrier.waiting | ended, number);
        }
    }

    /// Notes warps that have returned, at a barrier that ends without them.
    #[cold]
    fn look_for_ended_warps(&mut self, op: Option<*const Op>, number: usize) {
        let rank = self.current.0;
        let ended = self.team.blocks[rank].ended_warps().count_ones();
        let warps = &self.team.blocks[rank].warps;
        let waits = |group: &&Group| group.wait == Wait::Barrier(number as u8);
        let waiting = warps.iter().enumerate().find_map(|(at, warp)| {
            let group = warp.groups.iter().find(waits)?;
            // Lanes that wait at a barrier stand after it.
            let op = group.op.wrapping_sub(1);
            Some((op, at, group.mask.trailing_zeros() as usize))
        });
        let lane = self.active.trailing_zeros() as usize;
        let here = op.map(|op| (op, self.current.1, lane));
        if let Some((op, warp, lane)) = waiting.or(here)
            && ended > 0
        {
            let note = format!("{ended} of the block's {} warps have returned", warps.len());
            self.note_by(
                FindingKind::EndedWarps,
                op,
                (rank, warp as u32, lane),
                || {
                    let what = "note: a barrier of the block ends without warps that have returned";
                    Some((what.into(), vec![note]))
                },
            );
        }
    }

    /// Tells the race check which warps synchronised: those that wait, and those that have only
    /// arrived, which acquire nothing.
    #[cold]
    fn met(&mut self, block: u64, warps: u32, number: usize) {
        let warps: Vec<u32> = lanes(warps).map(|warp| warp as u32).collect();
        self.checks.races.barrier(block, &warps);
        self.checks
            .races
            .pass_all(block, &warps, arrivals(block, number));
    }

    /// # Safety
    /// `op` must be a barrier of the running frame.
    unsafe fn give_result(&mut self, op: &Op, mask: u32, barrier: Barrier) {
        // SAFETY: passed on.
        unsafe { result(op, self.frame, mask, barrier) }
    }
}

/// Returns the race check's key for threads that arrive at a barrier and do not wait. No mbarrier
/// has such an address.
fn arrivals(block: u64, number: usize) -> (u64, u32) {
    (block, u32::MAX - number as u32)
}

/// Writes a reduction's result to the lanes of `mask`.
///
/// # Safety
/// `op` must be a barrier of the code that `frame` belongs to.
unsafe fn result(op: &Op, frame: *mut u8, mask: u32, barrier: Barrier) {
    // SAFETY: the destination is a `u32` row or a predicate of the frame, as the kind says.
    let d = unsafe { frame.add(op.d as usize).cast::<u32>() };
    let predicate = |truth: bool| {
        // SAFETY: as above.
        unsafe { *d = if truth { *d | mask } else { *d & !mask } }
    };
    match op.aux & kind::MASK {
        kind::POPC => {
            for lane in lanes(mask) {
                // SAFETY: as above.
                unsafe { *d.add(lane) = barrier.count };
            }
        }
        kind::AND => predicate(!barrier.some_false),
        kind::OR => predicate(barrier.count > 0),
        _ => {}
    }
}
