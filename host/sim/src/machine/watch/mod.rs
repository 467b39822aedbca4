//! Counters and checks, which look at operations before they run, when a launch asks for them.
//!
//! Operations do not know that they are looked at: an operation's class, guard and address operand say all that a check needs, and nothing has
//! changed yet when it looks. The loop is compiled a second time without counters and checks, for launches that ask for none.

mod account;
pub(in crate::machine) mod apart;
mod bad_access;
pub(in crate::machine) mod bounds;
mod counting;
mod elsewhere;
pub(in crate::machine) mod explain;
pub(in crate::machine) mod findings;
pub(crate) mod flow;
mod glance;
pub(in crate::machine) mod init;
pub(in crate::machine) mod place;
pub(in crate::machine) mod proxy;
mod race_report;
mod races;
pub(in crate::machine) mod transactions;
pub(in crate::machine) mod watchers;

use watchers::Watchers;

use super::core::Core;
use super::event::Region;
use super::lane::LANES;
use super::launch::run::Run;
use super::level::{Level, levels};
use super::op::{Handler, Op};
use crate::checks::race::AccessKind;
use crate::counters::even::Even;
use crate::machine::frame::op_index;
use crate::machine::program::{Class, OpInfo, SpaceClass};
use crate::memory::window::{self, Window};

/// What looks at an operation of a launch before it runs, and gives that operation: counters and checks, or checks alone.
pub(super) fn watcher(run: &Run<'_>) -> Handler {
    match run.launch.count {
        true => counting(),
        false => checking(),
    }
}

levels!(
    /// Counts and checks.
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
    /// Looks at the core's `looked_at` lanes of an access.
    fn looking = looking_body
);

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn counting_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    core.watch::<L, true>(op);
    op
}

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn checking_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // Little is done here, and so little has to be saved and restored: most operations take no more.
    let index = op_index(core.run.program, op);
    let watchers = core.watchers(index);
    if watchers.is_simple() && !core.looks_at_all() {
        if !core.watch_kept(op, index, watchers) {
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
/// As for every handler; the operation is [`Watchers::SIMPLE`], and the warp has no register of unwritten bytes.
#[inline(always)]
unsafe fn simply_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    core.watch_simple::<L>(op, op_index(core.run.program, op));
    op
}

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn thoroughly_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    core.watch::<L, false>(op);
    op
}

/// # Safety
/// As for every handler; the operation accesses memory.
#[inline(always)]
unsafe fn looking_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    core.look_closely(op);
    op
}

impl Core<'_> {
    /// Checks, and counts where that is asked for, what `op` is about to do.
    #[inline(always)]
    fn watch<L: Level, const COUNT: bool>(&mut self, op: *const Op) {
        let run = self.run;
        let index = op_index(self.run.program, op);
        let info = &run.program.infos[index];
        // SAFETY: `op` is an operation of the running frame.
        let mask = unsafe { self.mask(&*op) };
        if self.probe.is_some() {
            self.look_on(op, *info, mask);
        }
        if !run.watches {
            return;
        }
        if COUNT {
            self.count(op, *info, mask);
        }
        if self.tainted {
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
            self.look(op, (mask, false));
            return;
        }
        if matches!(info.class, Class::Atomic(_)) {
            self.look(op, (mask, true));
            return;
        }
        let log = info.bytes.trailing_zeros();
        // SAFETY: operations of these classes have an address row.
        if let Some((start, step)) = unsafe { self.evenly(op, mask, log) }
            && Even::kept(start, step, mask).is_some()
        {
            if !self.watch_even(op, index, space, (start, step, mask)) {
                // Steps of another size are those of an operation before.
                self.look(op, (mask, step != 0 && step != u64::from(info.bytes)));
            }
            return;
        }
        self.watch_uneven::<L>(op, (index, space), (Watchers::NOTHING, false), mask);
    }

    /// Looks at an access, with nothing but checks, whose addresses do not lie evenly as a whole: in pieces that do, if there are few. At reads that
    /// are [`Watchers::SIMPLE`] a glance is tried.
    #[inline(always)]
    fn watch_uneven<L: Level>(
        &mut self,
        op: *const Op,
        (index, space): (usize, SpaceClass),
        (watchers, init): (Watchers, bool),
        mask: u32,
    ) {
        let size = self.run.program.infos[index].bytes;
        // SAFETY: the caller gives a memory operation.
        if unsafe { self.looks_scattered(op, size.trailing_zeros()) } {
            // A column of shared memory is noted down as a whole; in global memory the race check takes lines apart.
            if watchers.is_simple()
                && watchers.has(Watchers::SHARED)
                // SAFETY: as above.
                && let Some((start, step)) = unsafe { self.strided(op, mask) }
                && let Some(even) = Even::kept(start, step, mask)
                && self.glance((op, index), (watchers, init), (even, mask), size.into())
            {
                return;
            }
            self.look(op, (mask, true));
            return;
        }
        // SAFETY: as above.
        let neighbours = unsafe { L::neighbours(self, op, mask, size.into()) };
        if !neighbours.are_few() {
            self.look(op, (mask, true));
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
                && self.glance((op, index), (watchers, init), (even, piece), size.into())
            {
                continue;
            }
            if even.is_none() || !self.watch_even(op, index, space, (start, step, piece)) {
                // The rest together: a report names the first lane that has something to tell.
                return self.look(op, (piece | left, false));
            }
        }
    }

    /// Looks at these lanes of an access one by one; whether their addresses are known to lie anywhere.
    #[inline(always)]
    fn look(&mut self, op: *const Op, lanes: (u32, bool)) {
        self.looked_at = lanes;
        // SAFETY: `op` is an operation of the running frame.
        unsafe { looking()(self, op) };
    }

    #[inline(always)]
    fn look_closely(&mut self, op: *const Op) {
        let run = self.run;
        let index = op_index(run.program, op);
        let (info, (mask, scattered)) = (run.program.infos[index], self.looked_at);
        let (Class::Load(space) | Class::Store(space) | Class::Atomic(space)) = info.class else {
            return;
        };
        // SAFETY: operations of these classes have an address row.
        let addresses = unsafe { self.addresses(op) };
        let addresses = match info.multicast {
            true => self.unicast(&addresses),
            false => addresses,
        };
        if scattered && self.watch_scattered(op, index, space, &addresses, mask) {
            return;
        }
        // At the end of all addresses there is nothing, and the operation is about to say so.
        let mask = match any_bit(&addresses) >> 63 {
            0 => mask,
            _ => {
                mask & there(&addresses, |address| {
                    address < u64::MAX - u64::from(u8::MAX)
                })
            }
        };
        if mask == 0 {
            return;
        }
        for (region, start, mask) in split(space, &addresses, mask) {
            if mask == 0 {
                continue;
            }
            let mut moved = [0; LANES];
            let inside = match start {
                0 => &addresses,
                _ => {
                    for (to, address) in moved.iter_mut().zip(addresses) {
                        *to = address.wrapping_sub(start);
                    }
                    &moved
                }
            };
            if run.launch.count {
                self.count_access(info, region, inside, mask);
            }
            if region == Region::Shared && (run.launch.checks.memory || run.launch.checks.sync) {
                self.check_shared(op, index as u32, (info.class, info.bytes), inside, mask);
            }
            if region == Region::Local && run.launch.checks.memory {
                self.check_local(op, index as u32, (info.class, info.bytes), inside, mask);
            }
            if run.launch.checks.init {
                self.look_init(op, info, region, inside, mask);
            }
            if run.launch.checks.race && region != Region::Local {
                self.check_race(op, index as u32, info, region, inside, (mask, scattered));
            }
        }
    }

    /// Checks an access whose addresses lie evenly, in one memory, all lanes at once: most are such, and there is nothing to
    /// find. False, and nothing has changed, where it has to be looked at more closely. (Where they lie comes in registers:
    /// a structure would be read back from the stack in other pieces than it was written in, and wait for that.)
    #[inline(never)]
    fn watch_even(
        &mut self,
        op: *const Op,
        index: usize,
        space: SpaceClass,
        (start, step, mask): (u64, u64, u32),
    ) -> bool {
        let run = self.run;
        let info = &run.program.infos[index];
        let size = u64::from(info.bytes);
        let even = Even {
            start,
            step,
            // There is no gap.
            lanes: u64::from(32 - mask.leading_zeros() - mask.trailing_zeros()),
        };
        let window = window::of(even.start);
        let (region, first) = match space {
            SpaceClass::Global => (Region::Global, 0),
            SpaceClass::Shared => (Region::Shared, 0),
            SpaceClass::Local => (Region::Local, 0),
            SpaceClass::Constant => return true,
            SpaceClass::Generic if window != window::of(even.last()) => return false,
            // Addresses of a window are counted from its start.
            SpaceClass::Generic => match window {
                Window::Global => (Region::Global, 0),
                Window::Shared => (Region::Shared, window::SHARED),
                Window::Local => (Region::Local, window::LOCAL),
                Window::Param => return true,
            },
        };
        let even = Even {
            start: even.start - first,
            ..even
        };
        let (start, end) = (even.start, even.last() + size);
        let checks = run.launch.checks;
        let write = !matches!(info.class, Class::Load(_));
        if region == Region::Shared
            && (end > window::SHARED_PER_BLOCK
                || checks.race && write && run.function.reads_asynchronously
                || checks.memory && self.leaves_array(index, start, end))
        {
            return false;
        }
        if region == Region::Local && self.looks_local(index) {
            return false;
        }
        if checks.init && !self.even_init(op, info, region, (even.start, even.step), mask) {
            return false;
        }
        if !checks.race || region == Region::Local {
            return true;
        }
        let kind = match info.class {
            Class::Load(_) => AccessKind::Read,
            Class::Store(_) => AccessKind::Write,
            _ => return false,
        };
        // SAFETY: `op` is an operation of the program.
        if unsafe { (*op).aux } & super::memory::access::flag::SPINS != 0 {
            return false;
        }
        let access = self.race_access((index as u32, info), region, (kind, false));
        self.races.together(&access, even, mask, size)
    }

    /// Checks an access whose addresses lie anywhere in the block's shared memory or in global memory. False, and nothing has changed,
    /// where it has to be looked at more closely.
    #[inline(always)]
    fn watch_scattered(
        &mut self,
        op: *const Op,
        index: usize,
        space: SpaceClass,
        addresses: &[u64; LANES],
        mask: u32,
    ) -> bool {
        let run = self.run;
        let (info, checks) = (&run.program.infos[index], run.launch.checks);
        let (mut low, mut high) = (u64::MAX, 0);
        for (lane, &address) in addresses.iter().enumerate() {
            let off = u64::from(mask >> lane & 1).wrapping_sub(1);
            low = low.min(address | off);
            high = high.max(address & !off);
        }
        let region = match space {
            SpaceClass::Global if high >> 62 == 0 => Region::Global,
            SpaceClass::Shared if high < window::SHARED_PER_BLOCK => Region::Shared,
            _ => return false,
        };
        let read = matches!(info.class, Class::Load(_));
        if run.launch.count
            || info.multicast
            || region == Region::Shared
                && (checks.race && !read && run.function.reads_asynchronously
                    || checks.memory && self.leaves_array(index, low, high + u64::from(info.bytes)))
            || checks.init && !self.scattered_init(op, info, (region, low, high), addresses, mask)
        {
            return false;
        }
        if checks.race {
            self.check_race(op, index as u32, *info, region, addresses, (mask, true));
        }
        true
    }

    /// Whether something looks at all operations before they run: what is unwritten is followed through registers, and a probe looks at everything.
    #[inline(always)]
    pub(super) fn looks_at_all(&self) -> bool {
        self.tainted || self.probe.is_some()
    }

    /// Whether accesses of an operation to local memory are compared with an array.
    fn looks_local(&self, index: usize) -> bool {
        self.run.launch.checks.memory && self.local_array(index as u32).is_some()
    }

    /// Counts an operation that all running lanes do on registers, which is all there is to watch of it. False for others.
    #[inline(always)]
    pub(super) fn watch_plain(&mut self, op: *const Op) -> bool {
        let run = self.run;
        let index = op_index(run.program, op);
        let info = &run.program.infos[index];
        // SAFETY: `op` is an operation of the program.
        if info.class != Class::Plain || unsafe { (*op).guard } != 0 || self.tainted {
            return false;
        }
        if info.first && run.launch.count {
            if self.counted.0 != self.active {
                self.counted = (self.active, u64::from(self.active.count_ones()));
            }
            self.counters.ptx_instructions += 1;
            self.counters.ptx_lane_instructions += self.counted.1;
            self.counters.ptx_lane_instructions_pred_on += self.counted.1;
        }
        true
    }

    /// Counts and checks accesses of `bytes` bytes that are not those of the operation's address row: of lanes of `mask`, at
    /// shared addresses if `reach` says so. For operations that the watch leaves alone.
    #[cold]
    pub(super) fn look_at(
        &mut self,
        op: *const Op,
        class: Class,
        region: Region,
        (addresses, mask): (&[u64; LANES], u32),
        bytes: u8,
    ) {
        let run = self.run;
        let index = op_index(run.program, op);
        let info = OpInfo {
            class,
            bytes,
            ..run.program.infos[index]
        };
        if run.launch.count {
            self.count_access(info, region, addresses, mask);
        }
        self.look_race(op, class, region, (addresses, mask), bytes);
    }

    /// The checks alone.
    #[cold]
    pub(super) fn look_race(
        &mut self,
        op: *const Op,
        class: Class,
        region: Region,
        (addresses, mask): (&[u64; LANES], u32),
        bytes: u8,
    ) {
        let run = self.run;
        let index = op_index(run.program, op);
        let info = OpInfo {
            class,
            bytes,
            ..run.program.infos[index]
        };
        if run.launch.checks.memory && region == Region::Shared {
            self.check_shared(op, index as u32, (class, bytes), addresses, mask);
        }
        if run.launch.checks.init && matches!(class, Class::Store(_)) {
            self.look_init(op, info, region, addresses, mask);
        }
        if run.launch.checks.race {
            self.check_race(op, index as u32, info, region, addresses, (mask, false));
        }
    }
}

/// Each memory that lanes access, the address that it starts at, and the lanes.
#[inline(always)]
fn split(space: SpaceClass, addresses: &[u64; LANES], mask: u32) -> [(Region, u64, u32); 3] {
    let in_window =
        |window: Window| mask & there(addresses, |address| window::of(address) == window);
    let (global, shared, local) = match space {
        SpaceClass::Global => (mask, 0, 0),
        SpaceClass::Shared => (0, mask, 0),
        SpaceClass::Local => (0, 0, mask),
        SpaceClass::Constant => (0, 0, 0),
        SpaceClass::Generic => {
            let of = [Window::Global, Window::Shared, Window::Local].map(in_window);
            return [
                (Region::Global, 0, of[0]),
                (Region::Shared, window::SHARED, of[1]),
                (Region::Local, window::LOCAL, of[2]),
            ];
        }
    };
    [
        (Region::Global, 0, global),
        (Region::Shared, 0, shared),
        (Region::Local, 0, local),
    ]
}

/// The bits that any lane's address has, whether it runs or not: no address is larger.
#[inline(always)]
fn any_bit(addresses: &[u64; LANES]) -> u64 {
    addresses.iter().fold(0, |bits, address| bits | address)
}

/// The lanes whose addresses are as `wanted`.
#[inline(always)]
fn there(addresses: &[u64; LANES], wanted: impl Fn(u64) -> bool) -> u32 {
    let mut lanes = 0;
    for (lane, &address) in addresses.iter().enumerate() {
        lanes |= u32::from(wanted(address)) << lane;
    }
    lanes
}
