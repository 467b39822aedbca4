//! What looks at operations before they run: counters and checks, when a launch asks for them.
//!
//! Operations know nothing of it: an operation's class, guard and address operand say all that is needed, and nothing has
//! changed yet. Without counters and checks the loop is compiled without this.

use super::core::Core;
use super::event::Reach;
use super::lane::{LANES, lanes};
use super::op::Op;
use crate::checks::race::{Access, Kind};
use crate::counters::banks::passes;
use crate::counters::sectors::sectors;
use crate::decode::program::{Class, OpInfo, SpaceClass};
use crate::memory::window::{self, Window};

impl Core<'_> {
    /// Counts and checks what `op` is about to do.
    pub(super) fn watch(&mut self, op: *const Op) {
        let run = self.run;
        let index = (op as usize - run.program.ops.as_ptr() as usize) / size_of::<Op>();
        let info = run.program.infos[index];
        // SAFETY: `op` is an operation of the running frame.
        let mask = unsafe { self.mask(&*op) };
        if run.launch.count {
            self.count(op, info, mask);
        }
        if mask != 0
            && let Class::Load(space) | Class::Store(space) | Class::Atomic(space) = info.class
        {
            self.step_races();
            // SAFETY: operations of these classes have an address row.
            let addresses = unsafe { self.addresses(op) };
            // At the end of all addresses there is nothing, and the operation is about to say so.
            let sane = |lane: &usize| addresses[*lane] < u64::MAX - u64::from(u8::MAX);
            let mask = lanes(mask)
                .filter(sane)
                .fold(0, |set, lane| set | 1 << lane);
            if mask == 0 {
                return;
            }
            self.split(space, &addresses, mask, |core, reach, addresses, mask| {
                if run.launch.count {
                    core.count_access(info, reach, addresses, mask);
                }
                if run.launch.checks.race && reach != Reach::Local {
                    core.check_race(op, index as u32, info, reach, addresses, mask);
                }
            });
        }
    }

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

    /// Calls `f` for each memory that lanes access, with their addresses in it.
    fn split(
        &mut self,
        space: SpaceClass,
        addresses: &[u64; LANES],
        mask: u32,
        mut f: impl FnMut(&mut Self, Reach, &[u64; LANES], u32),
    ) {
        let reach = match space {
            SpaceClass::Global => Reach::Global,
            SpaceClass::Shared => Reach::Shared,
            SpaceClass::Local => Reach::Local,
            SpaceClass::Constant => return,
            SpaceClass::Generic => {
                for (window, reach, start) in [
                    (Window::Global, Reach::Global, 0),
                    (Window::Shared, Reach::Shared, window::SHARED),
                    (Window::Local, Reach::Local, window::LOCAL),
                ] {
                    let there = lanes(mask).filter(|&lane| window::of(addresses[lane]) == window);
                    let there = there.fold(0, |set, lane| set | 1 << lane);
                    if there != 0 {
                        f(
                            self,
                            reach,
                            &addresses.map(|address| address.wrapping_sub(start)),
                            there,
                        );
                    }
                }
                return;
            }
        };
        f(self, reach, addresses, mask);
    }

    fn count_access(&mut self, info: OpInfo, reach: Reach, addresses: &[u64; LANES], mask: u32) {
        let (size, bytes) = (
            u64::from(info.bytes),
            u64::from(info.bytes) * u64::from(mask.count_ones()),
        );
        let counters = &mut self.counters;
        match reach {
            Reach::Local => counters.local_requests += 1,
            Reach::Shared => {
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
        reach: Reach,
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
        let spins = watched && unsafe { (*op).aux } & super::access::flag::SPINS != 0;
        let strong = kind == Kind::Atomic || spins;
        let block = self.team.blocks[self.current.0].linear;
        for lane in lanes(mask) {
            let (shared, address) = match reach {
                Reach::Shared => self.owner(addresses[lane]),
                _ => (None, addresses[lane]),
            };
            let access = Access {
                block,
                warp: self.current.1 as u32,
                lane: lane as u32,
                op: index,
                kind,
                strong,
                releases: info.releases,
                shared,
                pending: false,
            };
            if let Some(before) = self.races.access(access, address, u64::from(info.bytes)) {
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
        reach: Reach,
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
            self.count_access(info, reach, addresses, mask);
        }
        self.look_race(op, class, reach, (addresses, mask), bytes);
    }

    /// The checks alone.
    #[cold]
    pub(super) fn look_race(
        &mut self,
        op: *const Op,
        class: Class,
        reach: Reach,
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
        if run.launch.checks.race {
            self.check_race(op, index as u32, info, reach, addresses, mask);
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
