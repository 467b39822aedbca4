//! Races: two threads access one place, one of them writes, and nothing orders them.
//!
//! The order is happens-before, computed with vector clocks (as in FastTrack: Flanagan and Freund,
//! PLDI 2009). So a race is found in any interleaving in which both accesses ran. The rules come
//! from the PTX ISA, "Memory Consistency Model":
//!
//! - Within a block, each warp has a clock, and has a time for every other warp. A barrier joins
//!   the times of the arriving warps and advances their clocks. Since Volta, lanes of one warp are
//!   ordered only by `bar.warp.sync` and by barriers.
//! - A release stores at its address the times that the warp had at the fence. It is a fence
//!   followed by a strong write or atomic, or an instruction with `.release`. An acquire joins
//!   these times into its own. It is a strong read or atomic followed by a fence, or an
//!   instruction with `.acquire`.
//! - A fence, a strong access, a release or an acquire of block scope (`.cta`) orders threads of
//!   one block only.
//! - An asynchronous access is ordered before nothing until a thread waited for it. It then counts
//!   as an access by the thread that began it, at the time of the wait.
//! - An arrival at an mbarrier stores the warp's times there, and a wait that finds the phase
//!   complete joins them. A cluster's barrier is a barrier of all its blocks.
//! - A thread that receives memory (`malloc` in a kernel, the buffer for a launch's parameters) is
//!   ordered after the threads that gave it back.
//! - Two strong accesses (atomic, volatile, relaxed, acquire, release) do not race with each other
//!   if the scopes of both contain both threads. Two volatile accesses that nothing orders are a
//!   finding of their own, except at places that are polled: see `volatile`.
//! - Lanes that store the same value to the same place in one instruction do not race.
//! - A load of read-only data (`.nc`) is ordered after no write of its launch, not even after a
//!   write of its own thread.
//! - A block ends after what it is ordered after, and after what other blocks of its cluster did
//!   before a barrier of the cluster, even one that releases nothing.
//! - A barrier that all warps of a block reach comes after all earlier reads of its shared memory.
//!   If no other block accesses that memory, these reads are discarded.
//!
//! Found: read-write and write-write races in shared and global memory, within a launch, to the
//! byte; and accesses of another block's shared memory that are not ordered before its end. Missed:
//! races that depend on cluster scope, which counts as device scope; pairs where more than two
//! other readers accessed the place in between; and some races next to a correct synchronisation,
//! because an order that only some lanes of a warp or some warps of a block have counts for all of
//! it. Never reported: accesses that the launch's end, the host or program order puts in order.
//!
//! | file | what it is |
//! | --- | --- |
//! | `access` | an access, as the machine passes it to the check |
//! | `synchronisation` | what orders threads |
//! | `clocks` | vector clocks of blocks and warps |
//! | `record`, `cells` | who accessed each word of memory last, and when |
//! | `moment` | when an access happens |
//! | `touch` | an access, cut into such words |
//! | `at_once`, `deferred`, `touched` | accesses that need no look at each word |
//! | `volatile` | pairs of volatile accesses, until it is known whether their place is polled |
//! | `spare` | the memory of all this, kept for the next launch |

mod access;
mod at_once;
mod cells;
mod check;
mod clocks;
mod deferred;
mod moment;
#[cfg(test)]
mod plain;
pub(in crate::machine) mod proxy;
mod record;
mod report;
mod spare;
mod synchronisation;
#[cfg(test)]
mod tests;
mod touch;
mod touched;
mod volatile;

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

pub(crate) use access::{Access, AccessKind};
pub(crate) use at_once::PlainAccess;
use cells::Cells;
use clocks::{Block, ReleasedClocks, Warp};
use deferred::Deferred;
use moment::Moment;
use record::{AccessMark, NARROW, PENDING, Records, STRONG, VOLATILE};
use touch::{lies_simply, touch, touch_evenly};
use touched::LanePlaces;
use volatile::VolatilePairs;

use crate::checks::Footprint;
use crate::counters::even::{Even, LANES, Neighbours};

/// The state of the check in one launch. A launch that checks for races runs on one core.
#[derive(Debug)]
pub(crate) struct Races {
    blocks: Vec<Block>,
    /// The index in `blocks` of each block, by the block's number in the grid.
    places: HashMap<u64, u32, FixedState>,
    /// The block of the last lookup, and its index.
    last: Option<(u64, u32)>,
    cells: Cells,
    records: Records,
    /// Accesses of shared memory that are not in the cells yet.
    deferred: Deferred,
    /// The number of warps of a block, if no block accesses another's shared memory.
    alone: Option<u32>,
    /// The block and warp of the last plain reads, and the moment of these reads. `None` once the
    /// warp's clock or its times may have changed.
    current: Option<((u64, u32), Moment)>,
    /// All records before this one are of accesses that are complete.
    pending: u32,
    /// Pairs of volatile accesses that nothing orders.
    pub(crate) volatile: VolatilePairs,
    /// The clocks that releases stored, by word.
    left: HashMap<(Option<u64>, u64), ReleasedClocks, FixedState>,
    /// The clocks that arrivals stored at mbarriers, by block and shared address.
    objects: HashMap<(u64, u32), ReleasedClocks>,
    /// The clocks of the threads that gave memory back, by its first address, with the address
    /// after its end.
    returned: BTreeMap<u64, (u64, ReleasedClocks)>,
}

impl Default for Races {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            places: HashMap::default(),
            last: None,
            cells: Cells::default(),
            records: Records::default(),
            deferred: Deferred::default(),
            alone: None,
            current: None,
            pending: u32::MAX,
            volatile: VolatilePairs::default(),
            left: HashMap::default(),
            objects: HashMap::new(),
            returned: BTreeMap::new(),
        }
    }
}

impl Races {
    /// Returns the index of a block, by the block's number in the grid.
    #[inline(always)]
    fn place(&mut self, linear: u64) -> u32 {
        if let Some((last, place)) = self.last
            && last == linear
        {
            return place;
        }
        self.find_place(linear)
    }

    #[inline(never)]
    fn find_place(&mut self, linear: u64) -> u32 {
        let place = *self.places.entry(linear).or_insert_with(|| {
            self.blocks.push(Block {
                linear,
                ..Block::default()
            });
            (self.blocks.len() - 1) as u32
        });
        self.last = Some((linear, place));
        place
    }

    fn block(&mut self, linear: u64) -> &mut Block {
        let place = self.place(linear);
        &mut self.blocks[place as usize]
    }

    #[inline(always)]
    fn warp(&mut self, block: u64, warp: u32) -> &mut Warp {
        let (warps, warp) = (&mut self.block(block).warps, warp as usize);
        if warps.len() <= warp {
            warps.resize(warp + 1, Warp::default());
        }
        &mut warps[warp]
    }

    /// Begins the warp's next instruction that accesses memory.
    #[inline(always)]
    pub(crate) fn step(&mut self, block: u64, warp: u32) {
        let of = self.warp(block, warp);
        of.instruction = of.instruction.wrapping_add(1);
    }

    /// Returns the access that a mark stands for.
    fn told(&self, mark: AccessMark, shared: Option<u64>) -> Access {
        let record = self.records.of(mark);
        Access {
            block: self.blocks[record.block as usize].linear,
            warp: record.warp.into(),
            lane: mark.lane(),
            op: mark.op(),
            kind: record.kind,
            strong: record.how & STRONG != 0,
            volatile: record.how & VOLATILE != 0,
            releases: false,
            acquires: false,
            narrow: record.how & NARROW != 0,
            read_only: false,
            shared,
            pending: record.how & PENDING != 0,
        }
    }

    /// Records an access. Returns an earlier access that it races with, if there is one.
    pub(crate) fn access(&mut self, access: Access, address: u64, size: u64) -> Option<Access> {
        if access.strong {
            self.synchronise(&access, address / 4);
        }
        let (space, mut now, cells) = self.begin(&access);
        let found = touch(cells, space, (address, size), access.lane, &mut now);
        found.map(|before| self.told(before, access.shared))
    }

    /// Records accesses by lanes, `size` bytes at each one's address. Returns the earlier accesses
    /// that they race with, and the lanes that race. Lanes with adjacent addresses or one address
    /// are checked together.
    pub(crate) fn by_lanes(
        &mut self,
        access: &Access,
        addresses: &[u64; LANES],
        neighbours: &Neighbours,
        size: u64,
    ) -> Vec<(usize, Access)> {
        if access.strong || !neighbours.are_few() {
            return self.each(access, addresses, neighbours.mask, size);
        }
        let mut races = Vec::new();
        let mut left = neighbours.mask;
        while left != 0 {
            let (mask, step) = neighbours.first(left);
            left &= !mask;
            let even = Even::kept(addresses[mask.trailing_zeros() as usize], step, mask);
            if !even.is_some_and(|even| self.record_evenly(access, even, mask, size)) {
                races.extend(self.each(access, addresses, mask, size));
            }
        }
        races
    }

    /// Does the work of `by_lanes` lane by lane, for strong accesses and for irregular addresses.
    pub(crate) fn each(
        &mut self,
        access: &Access,
        addresses: &[u64; LANES],
        mask: u32,
        size: u64,
    ) -> Vec<(usize, Access)> {
        let mut races = Vec::new();
        if access.strong && self.synchronises(access) {
            for lane in lanes(mask) {
                let access = Access {
                    lane: lane as u32,
                    ..*access
                };
                let before = self.access(access, addresses[lane], size);
                races.extend(before.map(|before| (lane, before)));
            }
            return races;
        }
        if self.defer(access, LanePlaces::Anywhere(addresses), mask, size) {
            return races;
        }
        let (space, mut now, cells) = self.begin(access);
        let mut found = Vec::new();
        // This tests the addresses of all lanes, including inactive ones. That is fast, and the
        // result is almost always the same.
        let bits = addresses.iter().fold(0, |bits, address| bits | address);
        if size == 4 && bits.is_multiple_of(4) {
            cells.touch_words(space, (addresses, mask), &mut now, &mut found);
        } else {
            for lane in lanes(mask) {
                let before = touch(cells, space, (addresses[lane], size), lane as u32, &mut now);
                found.extend(before.map(|before| (lane, before)));
            }
        }
        races.extend(
            found
                .iter()
                .map(|&(lane, mark)| (lane, self.told(mark, access.shared))),
        );
        races
    }

    /// Returns whether a strong access may change its warp's times, or store them anywhere.
    fn synchronises(&mut self, access: &Access) -> bool {
        let of = self.warp(access.block, access.warp);
        let leaves = access.kind != AccessKind::Read && (access.releases || of.fenced.is_some());
        leaves || !self.left.is_empty()
    }

    /// Records one access by all lanes of `mask`, which is not strong: `size` bytes each, with a
    /// fixed stride from the first lane on. Returns false, and changes nothing, if the lanes must
    /// be checked one by one. That is so if one of them may race, or if their addresses are neither
    /// adjacent nor all the same.
    #[inline(always)]
    pub(crate) fn record_evenly(
        &mut self,
        access: &Access,
        even: Even,
        mask: u32,
        size: u64,
    ) -> bool {
        if self.defer(access, LanePlaces::Evenly(even), mask, size) {
            return true;
        }
        if !lies_simply(even, access.kind, size) {
            return false;
        }
        let (space, mut now, cells) = self.begin(access);
        touch_evenly(cells, space, &mut now, even, mask, size)
    }

    /// Returns the bytes of global memory that the launch has accessed so far. The lists are
    /// not sorted yet.
    pub(crate) fn footprint(&self) -> Footprint {
        self.cells.footprint(&self.records)
    }

    /// Returns the accesses by other blocks to the shared memory of a block that ends now, if
    /// nothing orders them before its end. Asynchronous ones that are not complete are not among
    /// them.
    pub(crate) fn not_before_end(&mut self, block: u64) -> Vec<Access> {
        let place = self.place(block);
        let of = &self.blocks[place as usize];
        if !of.reached {
            return Vec::new();
        }
        let known = |other| of.knows.get(other).max(of.outlasts.get(other)).copied();
        let late = |mark: &AccessMark| {
            let record = self.records.of(*mark);
            record.block != place
                && record.how & PENDING == 0
                && known(&record.block).unwrap_or(0) <= record.block_time
        };
        let marks = self.cells.marks_of(place).into_iter().filter(late);
        marks.map(|mark| self.told(mark, Some(block))).collect()
    }

    /// Discards the shared memory of a block that has ended.
    pub(crate) fn end(&mut self, block: u64) {
        self.current = None;
        let place = self.place(block);
        self.deferred.forget(place);
        self.cells.forget(place);
        self.blocks[place as usize].warps = Vec::new();
    }
}

/// Returns the lanes of a mask.
#[inline(always)]
fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then(|| mask.trailing_zeros() as usize % LANES)?;
        mask &= mask - 1;
        Some(lane)
    })
}
