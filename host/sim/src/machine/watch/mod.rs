//! What looks at operations before they run: counters and checks, when a launch asks for them.
//!
//! Operations know nothing of it: an operation's class, guard and address operand say all that is needed, and nothing has
//! changed yet. Without counters and checks the loop is compiled without this.

pub(in crate::machine) mod apart;
pub(in crate::machine) mod bounds;
mod elsewhere;
pub(in crate::machine) mod explain;
pub(in crate::machine) mod findings;
pub(crate) mod flow;
pub(in crate::machine) mod init;
pub(in crate::machine) mod proxy;

use super::core::Core;
use super::event::Region;
use super::lane::{LANES, lanes};
use super::level::{Level, levels};
use super::op::Op;
use crate::checks::race::{Access, Kind};
use crate::counters::banks::passes;
use crate::counters::even::Even;
use crate::counters::sectors::sectors;
use crate::launch::Launch;
use crate::machine::program::{Class, OpInfo, Program, SpaceClass};
use crate::memory::window::{self, Window};

/// The lanes of the lower half of a warp.
const LOWER_HALF: u32 = 0xffff;

levels!(
    /// What counts and checks what an operation is about to do; it gives that operation.
    pub(super) fn watcher = watch_body
);

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn watch_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    core.watch(op);
    op
}

impl Core<'_> {
    /// Counts and checks what `op` is about to do.
    #[inline(always)]
    fn watch(&mut self, op: *const Op) {
        let run = self.run;
        let index = (op as usize - run.program.ops.as_ptr() as usize) / size_of::<Op>();
        let info = run.program.infos[index];
        // SAFETY: `op` is an operation of the running frame.
        let mask = unsafe { self.mask(&*op) };
        if self.probe.is_some() {
            self.look_on(op, info, mask);
        }
        if !run.watches {
            return;
        }
        if run.launch.count {
            self.count(op, info, mask);
        }
        if self.tainted {
            self.follow(op, info, mask);
        }
        if mask != 0
            && let Class::Load(space) | Class::Store(space) | Class::Atomic(space) = info.class
        {
            self.step_races();
            if !run.launch.count
                && !info.multicast
                && !run.launch.checks.init
                && self.watch_even(op, index, space, mask)
            {
                return;
            }
            // SAFETY: operations of these classes have an address row.
            let addresses = unsafe { self.addresses(op) };
            let addresses = match info.multicast {
                true => self.unicast(&addresses),
                false => addresses,
            };
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
                if region == Region::Shared && (run.launch.checks.memory || run.launch.checks.sync)
                {
                    self.check_shared(op, index as u32, (info.class, info.bytes), inside, mask);
                }
                if region == Region::Local && run.launch.checks.memory {
                    self.check_local(op, index as u32, (info.class, info.bytes), inside, mask);
                }
                if run.launch.checks.init {
                    self.look_init(op, info, region, inside, mask);
                }
                if run.launch.checks.race && region != Region::Local {
                    self.check_race(op, index as u32, info, region, inside, mask);
                }
            }
        }
    }

    /// Checks an access whose addresses lie evenly, in one memory, all lanes at once: most are such, and there is nothing to
    /// find. False, and nothing has changed, where it has to be looked at more closely.
    fn watch_even(&mut self, op: *const Op, index: usize, space: SpaceClass, mask: u32) -> bool {
        let run = self.run;
        let info = &run.program.infos[index];
        // SAFETY: `op` is an operation of the running frame.
        let o = unsafe { &*op };
        let plain = matches!(info.class, Class::Load(_) | Class::Store(_));
        let kept = plain.then(|| self.kept(o, mask)).flatten();
        let even = match kept {
            Some((kept, start)) => Even::kept(start, kept.step.into(), mask),
            None => {
                // SAFETY: operations of these classes have an address row.
                let addresses = unsafe { self.addresses(op) };
                Even::rising(&addresses, mask)
            }
        };
        let Some(even) = even else {
            return false;
        };
        let size = u64::from(info.bytes);
        let (start, end) = (even.start, even.last() + size);
        let region = match space {
            SpaceClass::Global => Region::Global,
            SpaceClass::Shared => Region::Shared,
            SpaceClass::Local => return !self.looks_local(index),
            SpaceClass::Constant => return true,
            SpaceClass::Generic if window::of(start) != window::of(even.last()) => return false,
            SpaceClass::Generic => match window::of(start) {
                Window::Global => Region::Global,
                // Its addresses are counted from the window's start.
                Window::Shared => return false,
                Window::Local => return !self.looks_local(index),
                Window::Param => return true,
            },
        };
        let write = !matches!(info.class, Class::Load(_));
        if region == Region::Shared
            && (end > window::SHARED_PER_BLOCK
                || write && run.program.reads_asynchronously()
                || run.launch.checks.memory && self.leaves_array(index as u32, start, end))
        {
            return false;
        }
        if !run.launch.checks.race {
            return true;
        }
        let kind = match info.class {
            Class::Load(_) => Kind::Read,
            Class::Store(_) => Kind::Write,
            _ => return false,
        };
        if o.aux & super::memory::access::flag::SPINS != 0 {
            return false;
        }
        let block = self.team.blocks[self.current.0].linear;
        let access = Access {
            block,
            warp: self.current.1 as u32,
            lane: 0,
            op: index as u32,
            kind,
            strong: false,
            releases: info.releases,
            acquires: info.acquires,
            narrow: info.narrow,
            shared: (region == Region::Shared).then_some(block),
            pending: false,
        };
        self.races.together(&access, even, mask, size)
    }

    /// Whether something looks at `op` before it runs. Most operations are left alone, so this is asked first.
    #[inline(always)]
    pub(super) fn is_watched(&self, op: *const Op) -> bool {
        let run = self.run;
        let index = (op as usize - run.program.ops.as_ptr() as usize) / size_of::<Op>();
        // What is unwritten is followed through registers, and a probe looks at everything.
        self.tainted || self.probe.is_some() || run.watched.get(index).copied().unwrap_or(false)
    }

    /// Whether accesses of an operation to local memory are compared with an array.
    fn looks_local(&self, index: usize) -> bool {
        self.run.launch.checks.memory && self.local_array(index as u32).is_some()
    }

    /// Counts an operation that all running lanes do on registers, which is all there is to watch of it. False for others.
    #[inline(always)]
    pub(super) fn watch_plain(&mut self, op: *const Op) -> bool {
        let run = self.run;
        let index = (op as usize - run.program.ops.as_ptr() as usize) / size_of::<Op>();
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

    #[inline(always)]
    fn count(&mut self, op: *const Op, info: OpInfo, mask: u32) {
        let active = self.active;
        let counters = &mut self.counters;
        if info.first {
            counters.ptx_instructions += 1;
            counters.ptx_lane_instructions += u64::from(active.count_ones());
            counters.ptx_lane_instructions_pred_on += u64::from(mask.count_ones());
        }
        match info.class {
            Class::Branch if mask == 0 || mask == active => counters.ptx_branches_uniform += 1,
            Class::Branch => counters.ptx_branches_divergent += 1,
            Class::Indexed if mask != 0 => {
                // SAFETY: row `a` of `brx.idx` holds `u32`.
                let index = unsafe { *self.lanes::<u32>((*op).a) };
                let first = index[mask.trailing_zeros() as usize];
                if mask == active && lanes(mask).all(|lane| index[lane] == first) {
                    self.counters.ptx_branches_uniform += 1;
                } else {
                    self.counters.ptx_branches_divergent += 1;
                }
            }
            Class::Barrier if mask != 0 => counters.barriers += 1,
            _ => {}
        }
    }

    #[inline(always)]
    fn count_access(&mut self, info: OpInfo, region: Region, addresses: &[u64; LANES], mask: u32) {
        let (size, bytes) = (
            u64::from(info.bytes),
            u64::from(info.bytes) * u64::from(mask.count_ones()),
        );
        let counters = &mut self.counters;
        match region {
            Region::Local => counters.local_requests += 1,
            Region::Shared => {
                let (load, counter) = match info.class {
                    Class::Load(_) => (true, &mut counters.shared_loads),
                    // Rows of matrices are never merged.
                    Class::Rows => (false, &mut counters.shared_loads),
                    Class::Store(_) => (false, &mut counters.shared_stores),
                    _ => (false, &mut counters.shared_atomics),
                };
                let passes = passes(addresses, mask, size, load, self.run.bank_width);
                counter.requests += 1;
                counter.wavefronts += passes.wavefronts;
                counter.conflicts += passes.conflicts;
                counter.bytes += bytes;
            }
            _ => {
                let counter = match info.class {
                    Class::Load(_) => &mut counters.global_loads,
                    Class::Store(_) => &mut counters.global_stores,
                    _ => &mut counters.global_atomics,
                };
                let alignment = &self.run.model.alignment;
                let (sector, fill) = (u64::from(alignment.sector), u64::from(alignment.l1_fill));
                let (touched, wanted) = sectors(addresses, mask, size, sector);
                counter.requests += 1;
                counter.sectors += touched;
                counter.ideal_sectors += wanted.div_ceil(sector);
                counter.bytes += bytes;
                counter.distinct_bytes += wanted;
                counter.moved_bytes += if info.through_l1 && fill != sector {
                    sectors(addresses, mask, size, fill).0 * fill
                } else {
                    touched * sector
                };
            }
        }
    }

    fn check_race(
        &mut self,
        op: *const Op,
        index: u32,
        info: OpInfo,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
    ) {
        let kind = match info.class {
            Class::Load(_) | Class::Rows => Kind::Read,
            Class::Store(_) => Kind::Write,
            _ => Kind::Atomic,
        };
        let run = self.run;
        let watched = !matches!(run.program.infos[index as usize].class, Class::Plain);
        // SAFETY: `op` is an operation of the program, and of those with a class a memory operation.
        let spins = watched && unsafe { (*op).aux } & super::memory::access::flag::SPINS != 0;
        let strong = kind == Kind::Atomic || spins;
        let block = self.team.blocks[self.current.0].linear;
        let access = Access {
            block,
            warp: self.current.1 as u32,
            lane: 0,
            op: index,
            kind,
            strong,
            releases: info.releases,
            acquires: info.acquires,
            narrow: info.narrow,
            shared: (region == Region::Shared).then_some(block),
            pending: false,
        };
        if kind != Kind::Read && region == Region::Shared {
            self.remember_writes(index, addresses, mask, u64::from(info.bytes));
        }
        // In shared memory of other blocks of the cluster lanes are looked at one by one.
        let of_block = |address| address < window::SHARED_PER_BLOCK;
        let own = region != Region::Shared
            || of_block(any_bit(addresses))
            || mask & !there(addresses, of_block) == 0;
        let size = u64::from(info.bytes);
        // Lanes side by side or at one place are looked at together; in blocks of 16 by 16 threads those are half a warp's.
        let halves = [mask & LOWER_HALF, mask & !LOWER_HALF];
        let whole = Even::rising(addresses, mask);
        let parts = match whole {
            Some(_) => [mask, 0],
            None => halves,
        };
        for part in parts {
            let even = match whole {
                Some(even) => Some(even),
                None => Even::rising(addresses, part),
            };
            let together = |even| self.races.together(&access, even, part, size);
            if part == 0 || own && !strong && even.is_some_and(together) {
                continue;
            }
            self.check_lanes(op, access, region, addresses, part, size);
        }
    }

    /// Lane by lane.
    fn check_lanes(
        &mut self,
        op: *const Op,
        access: Access,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
        size: u64,
    ) {
        for lane in lanes(mask) {
            let (shared, address) = match region {
                Region::Shared => self.owner(addresses[lane]),
                _ => (None, addresses[lane]),
            };
            let access = Access {
                lane: lane as u32,
                shared,
                ..access
            };
            if let Some(before) = self.races.access(access, address, size) {
                self.note_race(op, before, access, address);
            }
        }
    }

    /// The block of the cluster that a shared address belongs to, by its number in the grid, and the address there.
    pub(super) fn owner(&self, address: u64) -> (Option<u64>, u64) {
        let rank = (address / window::SHARED_PER_BLOCK).checked_sub(1);
        let rank = rank.map_or(self.current.0, |rank| rank as usize);
        let block = self.team.blocks.get(rank).map(|block| block.linear);
        // Who names a block that is not there is about to fault.
        (block.or(Some(u64::MAX)), address % window::SHARED_PER_BLOCK)
    }

    /// Counts and checks accesses of `bytes` bytes that are not those of the operation's address row: of lanes of `mask`, at
    /// shared addresses if `reach` says so. For operations that the watch leaves alone.
    #[cold]
    pub(super) fn look(
        &mut self,
        op: *const Op,
        class: Class,
        region: Region,
        (addresses, mask): (&[u64; LANES], u32),
        bytes: u8,
    ) {
        let run = self.run;
        let index = (op as usize - run.program.ops.as_ptr() as usize) / size_of::<Op>();
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
        let index = (op as usize - run.program.ops.as_ptr() as usize) / size_of::<Op>();
        let info = OpInfo {
            class,
            bytes,
            ..run.program.infos[index]
        };
        if run.launch.checks.init && matches!(class, Class::Store(_)) {
            self.look_init(op, info, region, addresses, mask);
        }
        if run.launch.checks.race {
            self.check_race(op, index as u32, info, region, addresses, mask);
        }
    }

    /// Tells the race check that the warp begins another instruction that accesses memory.
    pub(super) fn step_races(&mut self) {
        if self.run.launch.checks.race {
            let block = self.team.blocks[self.current.0].linear;
            self.races.step(block, self.current.1 as u32);
        }
    }
}

/// The operations that something looks at in a launch, by their number. The fewer, the quicker: one check asks for few.
pub(in crate::machine) fn watched(
    program: &Program,
    launch: &Launch<'_>,
    cluster: [u32; 3],
) -> Vec<bool> {
    let checks = launch.checks;
    // Shared memory of a block that has ended is that of another block of the cluster.
    let ends = checks.sync && cluster != [1; 3];
    let of_class = |class| match class {
        Class::Load(space) | Class::Store(space) | Class::Atomic(space) => match space {
            SpaceClass::Global => checks.race || checks.init,
            SpaceClass::Shared | SpaceClass::Generic => checks.race || checks.init || ends,
            SpaceClass::Local => checks.init,
            SpaceClass::Constant => false,
        },
        _ => false,
    };
    let mut watched: Vec<bool> = match launch.count {
        true => vec![true; program.ops.len()],
        false => program
            .infos
            .iter()
            .map(|info| of_class(info.class))
            .collect(),
    };
    let touched = program.touches.iter().map(Option::is_some);
    for (to, touched) in watched.iter_mut().zip(touched) {
        *to |= touched;
    }
    let arrays = program.arrays.iter().filter(|_| checks.memory);
    arrays.for_each(|&(op, _)| watched[op as usize] = true);
    let arrays = program.local_arrays.iter().filter(|_| checks.memory);
    arrays.for_each(|(op, _)| watched[*op as usize] = true);
    watched
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
