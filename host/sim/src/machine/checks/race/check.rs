//! The input of the race check: accesses, instructions that begin, memory that is
//! freed and allocated.

use crate::counters::even::Neighbours;
use crate::machine::checks::access::by_lane::{any_bit, there};
use crate::machine::checks::race::{Access, AccessKind};
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::{LANES, lanes};
use crate::machine::memory::flag;
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo};
use crate::memory::window;

impl Core<'_> {
    /// Passes an access by lanes of `mask` to the race check, and records its races. `scattered` is
    /// whether the addresses are neither contiguous nor all equal.
    pub(in crate::machine::checks) fn check_race(
        &mut self,
        op: *const Op,
        index: u32,
        info: OpInfo,
        region: Region,
        addresses: &[u64; LANES],
        (mask, scattered): (u32, bool),
    ) {
        let kind = match info.class {
            Class::Load(_) | Class::Rows => AccessKind::Read,
            Class::Store(_) => AccessKind::Write,
            _ => AccessKind::Atomic,
        };
        let run = self.run;
        let watched = !matches!(run.program.infos[index as usize].class, Class::Plain);
        // SAFETY: `op` is an operation of the program, and of those with a class
        // a memory operation.
        let spins = watched && unsafe { (*op).aux } & flag::SPINS != 0;
        let strong = kind == AccessKind::Atomic || spins;
        let access = self.race_access((index, &info), region, (kind, strong));
        if kind != AccessKind::Read && region == Region::Shared {
            self.remember_writes(index, addresses, mask, u64::from(info.bytes));
        }
        // For shared memory of other blocks of the cluster, the lanes are checked one by one.
        let of_block = |address| address < window::SHARED_PER_BLOCK;
        let own = region != Region::Shared
            || of_block(any_bit(addresses))
            || mask & !there(addresses, of_block) == 0;
        if info.polls {
            for lane in lanes(mask) {
                let (shared, address) = match region {
                    Region::Shared => self.owner(addresses[lane]),
                    _ => (None, addresses[lane]),
                };
                self.checks.races.volatile.polled(shared, address);
            }
        }
        let size = u64::from(info.bytes);
        if !own {
            return self.check_lanes(op, access, region, addresses, mask, size);
        }
        let races = match strong || scattered {
            true => self.checks.races.each(&access, addresses, mask, size),
            false => {
                let neighbours = Neighbours::of(addresses, mask, size);
                self.checks
                    .races
                    .by_lanes(&access, addresses, &neighbours, size)
            }
        };
        for (lane, before) in races {
            let access = Access {
                lane: lane as u32,
                ..access
            };
            self.note_race(op, before, access, addresses[lane]);
        }
    }

    /// Describes an access by the running warp's lanes for the race check. The first
    /// lane represents all.
    #[inline(always)]
    pub(in crate::machine::checks) fn race_access(
        &self,
        (op, info): (u32, &OpInfo),
        region: Region,
        (kind, strong): (AccessKind, bool),
    ) -> Access {
        let block = self.team.blocks[self.current.0].linear;
        Access {
            block,
            warp: self.current.1 as u32,
            lane: 0,
            op,
            kind,
            strong,
            volatile: info.volatile && kind != AccessKind::Atomic,
            releases: info.releases,
            acquires: info.acquires,
            narrow: info.narrow,
            read_only: info.read_only,
            shared: (region == Region::Shared).then_some(block),
            pending: false,
        }
    }

    /// Does the same lane by lane, for shared memory of other blocks.
    #[cold]
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
            if let Some(before) = self.checks.races.access(access, address, size) {
                self.note_race(op, before, access, address);
            }
        }
    }

    /// Returns the block of the cluster that a shared address belongs to, by its number in the
    /// grid, and the address there.
    pub(in crate::machine) fn owner(&self, address: u64) -> (Option<u64>, u64) {
        let rank = (address / window::SHARED_PER_BLOCK).checked_sub(1);
        let rank = rank.map_or(self.current.0, |rank| rank as usize);
        let block = self.team.blocks.get(rank).map(|block| block.linear);
        // An operation that names a block that does not exist is about to fault.
        (block.or(Some(u64::MAX)), address % window::SHARED_PER_BLOCK)
    }

    /// Tells the race check that the running warp, or the launch that it will make, frees this
    /// memory. What the warp did before happens before everything that the next owners do.
    pub(in crate::machine) fn memory_returned(&mut self, address: u64, bytes: u64) {
        if self.run.launch.checks.race {
            let block = self.team.blocks[self.current.0].linear;
            let warp = self.current.1 as u32;
            self.checks.races.gives_back(block, warp, (address, bytes));
        }
    }

    /// Tells the race check that this memory is allocated to the running warp. Others may have
    /// owned it before.
    pub(in crate::machine) fn memory_given(&mut self, address: u64, bytes: u64) {
        if self.run.launch.checks.race {
            let block = self.team.blocks[self.current.0].linear;
            let warp = self.current.1 as u32;
            self.checks.races.is_given(block, warp, (address, bytes));
        }
    }

    /// Tells the race check that the warp begins another instruction that accesses memory.
    #[inline(always)]
    pub(in crate::machine) fn step_races(&mut self) {
        if self.run.launch.checks.race {
            let block = self.team.blocks[self.current.0].linear;
            self.checks.races.step(block, self.current.1 as u32);
        }
    }
}
