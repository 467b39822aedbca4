//! Races: two threads access one place, one of them writes, and nothing orders them.
//!
//! The order is happens-before, kept with vector clocks (as FastTrack, Flanagan and Freund, PLDI
//! 2009), so a race is found whatever the interleaving was, as long as both accesses ran. PTX ISA,
//! "Memory Consistency Model", says what orders:
//!
//! - Within a block each warp has a clock and knows a time of every other warp. A barrier joins
//!   what the arriving warps know and moves their clocks on. Lanes of one warp are ordered by
//!   `bar.warp.sync` and by barriers, and by nothing less, since Volta.
//! - A release (a fence and then a strong write or atomic, or one that says `.release`) leaves at
//!   the address what the warp knew at the fence. An acquire (a strong read or atomic and then a
//!   fence, or one that says `.acquire`) takes it up.
//! - A fence, a strong access, a release or an acquire of block scope (`.cta`) orders threads of
//!   one block only.
//! - An asynchronous access is ordered before nothing until somebody waited for it; then it is one
//!   of the thread that began it, at that time.
//! - An arrival at an mbarrier leaves what the warp knows there, and a wait that finds the phase
//!   ended takes it up. A cluster's barrier is one of all its blocks.
//! - Who is given memory (`malloc` in a kernel, the buffer for a launch's parameters) comes behind
//!   those who gave it back.
//! - Two strong accesses (atomic, volatile, relaxed, acquire, release) do not race with each other
//!   where the scopes of both hold both threads.
//! - Lanes that store one value to one place in one instruction do not race.
//! - A load of read-only data (`.nc`) is ordered behind no write of its launch, not even one of its
//!   own thread.
//! - A barrier at which all warps of a block meet is behind all reads of its shared memory, where
//!   no other block reaches that: they are forgotten.
//!
//! Found: read-write and write-write races in shared and global memory, within a launch, to the
//! byte. Missed: clusters' scope is taken for the device's; pairs where the place was accessed by
//! more than two other readers in between; order that only some lanes of a warp or some warps of a
//! block have is taken to hold for all of it, so a race beside a correct hand-over may be missed.
//! Never reported: what is ordered by the launch's end, by the host, or by program order.
//!
//! | file | what it is |
//! | --- | --- |
//! | `access` | an access, as the machine tells of it |
//! | `synchronisation` | what orders threads |
//! | `clocks` | what blocks and warps know of each other's time |
//! | `record`, `cells` | who accessed each word of memory last, and when |
//! | `moment` | when an access happens |
//! | `touch` | an access, cut into such words |
//! | `glance`, `deferred`, `touched` | accesses that need no look at each word |
//! | `spare` | the memory of all this, kept for the next launch |

mod access;
mod cells;
mod clocks;
mod deferred;
mod glance;
mod moment;
#[cfg(test)]
mod plain;
mod record;
mod spare;
mod synchronisation;
#[cfg(test)]
mod tests;
mod touch;
mod touched;

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

pub(crate) use access::{Access, AccessKind};
use cells::Cells;
use clocks::{Block, ReleasedClocks, Warp};
use deferred::Deferred;
pub(crate) use glance::PlainAccess;
use moment::Moment;
use record::{AccessMark, NARROW, PENDING, Records, STRONG};
use touch::{lies_simply, touch, touch_evenly};
use touched::LanePlaces;

use crate::checks::Footprint;
use crate::counters::even::{Even, LANES, Neighbours};

/// Everything that is known in one launch; a launch that checks for races runs on one core.
#[derive(Debug)]
pub(crate) struct Races {
    blocks: Vec<Block>,
    /// Places in `blocks`, by the block's number in the grid.
    places: HashMap<u64, u32, FixedState>,
    /// The block that was asked for last, and its place.
    last: Option<(u64, u32)>,
    cells: Cells,
    records: Records,
    /// Accesses of shared memory that the cells do not show.
    deferred: Deferred,
    /// The warps of a block, where no block reaches another's shared memory.
    alone: Option<u32>,
    /// The block and warp whose plain reads come last, and what they happen at; none once the
    /// warp's clock or what it knows may have changed.
    current: Option<((u64, u32), Moment)>,
    /// No record before this one is of what was only begun.
    pending: u32,
    /// What releases left behind, by word.
    left: HashMap<(Option<u64>, u64), ReleasedClocks, FixedState>,
    /// What arrivals left at mbarriers, by block and shared address.
    objects: HashMap<(u64, u32), ReleasedClocks>,
    /// What was known by who gave memory back, by its first address; and the one behind it.
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
            left: HashMap::default(),
            objects: HashMap::new(),
            returned: BTreeMap::new(),
        }
    }
}

impl Races {
    /// The place of a block, by its number in the grid.
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

    /// The warp begins another instruction that accesses memory.
    #[inline(always)]
    pub(crate) fn step(&mut self, block: u64, warp: u32) {
        let of = self.warp(block, warp);
        of.instruction = of.instruction.wrapping_add(1);
    }

    /// The access that a mark is of.
    fn told(&self, mark: AccessMark, shared: Option<u64>) -> Access {
        let record = self.records.of(mark);
        Access {
            block: self.blocks[record.block as usize].linear,
            warp: record.warp.into(),
            lane: mark.lane(),
            op: mark.op(),
            kind: record.kind,
            strong: record.how & STRONG != 0,
            releases: false,
            acquires: false,
            narrow: record.how & NARROW != 0,
            read_only: false,
            shared,
            pending: record.how & PENDING != 0,
        }
    }

    /// Remembers an access; gives the one before it that it races with, if there is one.
    pub(crate) fn access(&mut self, access: Access, address: u64, size: u64) -> Option<Access> {
        if access.strong {
            self.synchronise(&access, address / 4);
        }
        let (space, mut now, cells) = self.begin(&access);
        let found = touch(cells, space, (address, size), access.lane, &mut now);
        found.map(|before| self.told(before, access.shared))
    }

    /// Remembers accesses by lanes, `size` bytes at each one's address; gives those before them
    /// that they race with, and the lanes that do. Lanes side by side or at one place are looked at
    /// together.
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
            if !even.is_some_and(|even| self.together(access, even, mask, size)) {
                races.extend(self.each(access, addresses, mask, size));
            }
        }
        races
    }

    /// The same lane by lane: for strong accesses, and for addresses that lie anywhere.
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
        // Of all lanes, whether they run or not: that is quick, and hardly ever differs.
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

    /// Whether a strong access may change what its warp knows, or leave it anywhere.
    fn synchronises(&mut self, access: &Access) -> bool {
        let of = self.warp(access.block, access.warp);
        let leaves = access.kind != AccessKind::Read && (access.releases || of.fenced.is_some());
        leaves || !self.left.is_empty()
    }

    /// Remembers one access by all lanes of `mask`, which is not strong: `size` bytes each, evenly
    /// from the first lane on. False, and nothing has changed, if they have to be looked at lane by
    /// lane: one of them may race, or they lie neither side by side nor at one place.
    #[inline(always)]
    pub(crate) fn together(&mut self, access: &Access, even: Even, mask: u32, size: u64) -> bool {
        if self.defer(access, LanePlaces::Evenly(even), mask, size) {
            return true;
        }
        if !lies_simply(even, access.kind, size) {
            return false;
        }
        let (space, mut now, cells) = self.begin(access);
        touch_evenly(cells, space, &mut now, even, mask, size)
    }

    /// Which bytes of global memory the launch has accessed so far, in lists that are not sorted
    /// yet.
    pub(crate) fn footprint(&self) -> Footprint {
        self.cells.footprint(&self.records)
    }

    /// A block has ended: nobody accesses its shared memory any more.
    pub(crate) fn end(&mut self, block: u64) {
        self.current = None;
        let place = self.place(block);
        self.deferred.forget(place);
        self.cells.forget(place);
        self.blocks[place as usize].warps = Vec::new();
    }
}

/// The lanes of a mask.
#[inline(always)]
fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then(|| mask.trailing_zeros() as usize % LANES)?;
        mask &= mask - 1;
        Some(lane)
    })
}
