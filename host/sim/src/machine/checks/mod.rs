//! Counters and checks, which look at operations before they run, if a launch requests them.
//!
//! Operations are not involved in these checks. An operation's class, guard and address operand are
//! all that a check needs, and the operation has not changed anything yet when the check runs. The
//! loop is compiled a second time without counters and checks, for launches that request none.
//!
//! | module | what it is |
//! | --- | --- |
//! | `watchers` | which checks and counters look at each operation |
//! | `access` | the checks of an access: at once, as a whole, or lane by lane; the counters |
//! | `memory` | wrong addresses, and where they lead |
//! | `init` | uses of unwritten memory, and the data flow of instructions |
//! | `race` | races, and missing fences between proxies |
//! | `record` | what warps execute, step by step |
//! | `sync` | barriers that part of a warp reaches, and mbarriers whose bytes do not add up |
//! | `report` | findings, and the report of a fault |

mod access;
pub(crate) mod init;
pub(in crate::machine) mod memory;
pub(in crate::machine) mod race;
pub(in crate::machine) mod record;
pub(in crate::machine) mod report;
pub(in crate::machine) mod sync;
pub(in crate::machine) mod watchers;

use watchers::Watchers;

use crate::counters::even::Even;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::frame::op_index;
use crate::machine::lane::LANES;
use crate::machine::launch::run::Run;
use crate::machine::level::{Level, levels};
use crate::machine::op::{Handler, Op};
use crate::machine::program::{Class, OpInfo, SpaceClass};

/// Returns the handler that runs before an operation of a launch and then returns that operation.
/// It runs counters and checks, or checks alone.
pub(in crate::machine) fn checker(run: &Run<'_>) -> Handler {
    match run.launch.count {
        true => counting(),
        false => checking(),
    }
}

levels!(
    /// Runs the counters and the checks.
    fn counting = counting_body
);
levels!(
    /// Runs the checks, and counts nothing.
    fn checking = checking_body
);
levels!(
    /// Checks an operation that is [`Watchers::SIMPLE`].
    fn simply = simply_body
);
levels!(
    /// Checks any operation.
    fn thoroughly = thoroughly_body
);
levels!(
    /// Counts and checks the core's `looked_at` lanes of an access.
    fn by_lane = by_lane_body
);

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn counting_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    core.check::<L, true>(op);
    op
}

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn checking_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // This function does little, so it has few registers to save and restore. Most operations
    // need no more.
    let index = op_index(core.run.program, op);
    let watchers = core.watchers(index);
    if watchers.is_simple() && !core.checks_all() {
        if !core.check_as_before(op, index, watchers) {
            // SAFETY: passed on.
            unsafe { simply()(core, op) };
        }
    } else {
        // SAFETY: passed on.
        unsafe { thoroughly()(core, op) };
    }
    op
}

/// # Safety
/// As for every handler; the operation is [`Watchers::SIMPLE`], and the warp has no register
/// of unwritten bytes.
#[inline(always)]
unsafe fn simply_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    core.check_simple::<L>(op, op_index(core.run.program, op));
    op
}

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn thoroughly_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    core.check::<L, false>(op);
    op
}

/// # Safety
/// As for every handler; the operation accesses memory.
#[inline(always)]
unsafe fn by_lane_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    core.check_each_memory(op);
    op
}

impl Core<'_> {
    /// Checks what `op` is about to do, and counts it if the launch requested that.
    #[inline(always)]
    fn check<L: Level, const COUNT: bool>(&mut self, op: *const Op) {
        let run = self.run;
        let index = op_index(self.run.program, op);
        let info = &run.program.infos[index];
        // SAFETY: `op` is an operation of the running frame.
        let mask = unsafe { self.mask(&*op) };
        if self.checks.probe.is_some() {
            self.look_on(op, *info, mask);
        }
        if !run.is_checked {
            return;
        }
        if COUNT {
            self.count(op, *info, mask);
            if run.launch.record.is_some() {
                self.record(op, *info, mask);
            }
        }
        if self.checks.tainted {
            self.follow(op, *info, mask);
        }
        let (Class::Load(space) | Class::Store(space) | Class::Atomic(space)) = info.class else {
            return;
        };
        if mask == 0 {
            return;
        }
        self.step_races();
        if COUNT || info.multicast {
            self.check_by_lane(op, (mask, false));
            return;
        }
        if matches!(info.class, Class::Atomic(_)) {
            self.check_by_lane(op, (mask, true));
            return;
        }
        let log = info.bytes.trailing_zeros();
        // SAFETY: operations of these classes have an address row.
        if let Some((start, step)) = unsafe { self.evenly(op, mask, log) }
            && Even::kept(start, step, mask).is_some()
        {
            if !self.check_evenly(op, index, space, (start, step, mask)) {
                // The stride is that of an earlier operation with another access size.
                self.check_by_lane(op, (mask, step != 0 && step != u64::from(info.bytes)));
            }
            return;
        }
        self.check_in_pieces::<L>(op, (index, space), (Watchers::NOTHING, false), mask);
    }

    /// Checks an access, without counters, whose addresses are not regular as a whole. It is
    /// split into regular pieces, if there are few. Reads that are [`Watchers::SIMPLE`] try the
    /// fast path first.
    #[inline(always)]
    fn check_in_pieces<L: Level>(
        &mut self,
        op: *const Op,
        (index, space): (usize, SpaceClass),
        (watchers, init): (Watchers, bool),
        mask: u32,
    ) {
        let size = self.run.program.infos[index].bytes;
        // SAFETY: the caller gives a memory operation.
        if unsafe { self.looks_scattered(op, size.trailing_zeros()) } {
            // A column of shared memory is recorded as a whole. In global memory the race
            // check splits lines.
            if watchers.is_simple()
                && watchers.has(Watchers::SHARED)
                // SAFETY: as above.
                && let Some((start, step)) = unsafe { self.strided(op, mask) }
                && let Some(even) = Even::kept(start, step, mask)
                && self.check_at_once((op, index), (watchers, init), (even, mask), size.into())
            {
                return;
            }
            self.check_by_lane(op, (mask, true));
            return;
        }
        // SAFETY: as above.
        let neighbours = unsafe { L::neighbours(self, op, mask, size.into()) };
        if !neighbours.are_few() {
            self.check_by_lane(op, (mask, true));
            return;
        }
        let mut left = mask;
        while left != 0 {
            let (piece, step) = neighbours.first(left);
            left &= !piece;
            // SAFETY: as above.
            let start = unsafe { self.address(op, piece.trailing_zeros()) };
            let even = Even::kept(start, step, piece);
            // Pieces of a store are one instruction, which has one record.
            if let Some(even) = even
                && watchers.is_simple()
                && !watchers.has(Watchers::WRITES)
                && self.check_at_once((op, index), (watchers, init), (even, piece), size.into())
            {
                continue;
            }
            if even.is_none() || !self.check_evenly(op, index, space, (start, step, piece)) {
                // The rest is checked together, so that a report names the first lane
                // with an error.
                return self.check_by_lane(op, (piece | left, false));
            }
        }
    }

    /// Checks these lanes of an access one by one. The bool is whether their addresses are known
    /// to be scattered.
    #[inline(always)]
    fn check_by_lane(&mut self, op: *const Op, lanes: (u32, bool)) {
        self.checks.looked_at = lanes;
        // SAFETY: `op` is an operation of the running frame.
        unsafe { by_lane()(self, op) };
    }

    /// Returns whether all operations are looked at before they run. That is so if unwritten bytes
    /// are followed through registers, or if there is a probe.
    #[inline(always)]
    pub(in crate::machine) fn checks_all(&self) -> bool {
        self.checks.tainted || self.checks.probe.is_some()
    }

    /// Counts an operation of all running lanes on registers, if counting is all that there is to
    /// do. Returns false for other operations.
    #[inline(always)]
    pub(in crate::machine) fn count_plain(&mut self, op: *const Op) -> bool {
        let run = self.run;
        let index = op_index(run.program, op);
        let info = &run.program.infos[index];
        // SAFETY: `op` is an operation of the program.
        let is_plain = info.class == Class::Plain && unsafe { (*op).guard } == 0;
        if !is_plain || self.checks.tainted || run.launch.record.is_some() {
            return false;
        }
        if info.first && run.launch.count {
            if self.tally.counted.0 != self.active {
                self.tally.counted = (self.active, u64::from(self.active.count_ones()));
            }
            self.tally.counters.ptx_instructions += 1;
            self.tally.counters.ptx_lane_instructions += self.tally.counted.1;
            self.tally.counters.ptx_lane_instructions_pred_on += self.tally.counted.1;
        }
        true
    }

    /// Returns an operation's number, and what is known of it, with another access.
    fn info_of(&self, op: *const Op, class: Class, bytes: u8) -> (usize, OpInfo) {
        let index = op_index(self.run.program, op);
        let of_op = self.run.program.infos[index];
        (
            index,
            OpInfo {
                class,
                bytes,
                ..of_op
            },
        )
    }

    /// Counts and checks accesses of `bytes` bytes each that are not those of the operation's
    /// address row. The lanes of `mask` make them, in the memory that `region` names. This is for
    /// operations that the checks do not look at.
    #[cold]
    pub(in crate::machine) fn check_given(
        &mut self,
        op: *const Op,
        class: Class,
        region: Region,
        (addresses, mask): (&[u64; LANES], u32),
        bytes: u8,
    ) {
        let run = self.run;
        let (_, info) = self.info_of(op, class, bytes);
        if run.launch.count {
            self.count_access(info, region, addresses, mask);
        }
        self.check_uncounted(op, class, region, (addresses, mask), bytes);
    }

    /// Runs the same checks, and counts nothing.
    #[cold]
    pub(in crate::machine) fn check_uncounted(
        &mut self,
        op: *const Op,
        class: Class,
        region: Region,
        (addresses, mask): (&[u64; LANES], u32),
        bytes: u8,
    ) {
        let run = self.run;
        let (index, info) = self.info_of(op, class, bytes);
        if run.launch.checks.memory && region == Region::Shared {
            self.check_shared(op, index as u32, (class, bytes), addresses, mask);
        }
        if run.launch.checks.init && matches!(class, Class::Store(_)) {
            self.check_init(op, info, region, addresses, mask);
        }
        if run.launch.checks.race {
            self.check_race(op, index as u32, info, region, addresses, (mask, false));
        }
    }
}
