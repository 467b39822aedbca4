//! Races: two threads access one place, one of them writes, and nothing orders them.
//!
//! The order is happens-before, kept with vector clocks (as FastTrack, Flanagan and Freund, PLDI 2009), so a race is found
//! whatever the interleaving was, as long as both accesses ran. PTX ISA, "Memory Consistency Model", says what orders:
//!
//! - Within a block each warp has a clock and knows a time of every other warp. A barrier joins what the arriving warps
//!   know and moves their clocks on. Lanes of one warp are ordered by `bar.warp.sync` and by barriers, and by nothing less,
//!   since Volta.
//! - A release (a fence and then a strong write or atomic, or one that says `.release`) leaves at the address what the warp knew at
//!   the fence. An acquire (a strong read or atomic and then a fence, or one that says `.acquire`) takes it up.
//! - A fence, a strong access, a release or an acquire of block scope (`.cta`) orders threads of one block only.
//! - An asynchronous access is ordered before nothing until somebody waited for it; then it is one of the thread that began it,
//!   at that time.
//! - An arrival at an mbarrier leaves what the warp knows there, and a wait that finds the phase ended takes it up. A cluster's
//!   barrier is one of all its blocks.
//! - Who is given memory (`malloc` in a kernel, the buffer for a launch's parameters) comes behind those who gave it back.
//! - Two strong accesses (atomic, volatile, relaxed, acquire, release) do not race with each other where the scopes of both hold
//!   both threads.
//! - Lanes that store one value to one place in one instruction do not race.
//! - A load of read-only data (`.nc`) is ordered behind no write of its launch, not even one of its own thread.
//! - A barrier at which all warps of a block meet is behind all reads of its shared memory, where no other block reaches that: they are forgotten.
//!
//! Found: read-write and write-write races in shared and global memory, within a launch, to the byte.
//! Missed: clusters' scope is taken for the device's; pairs where the place was accessed by more than two other readers in between; order that only some lanes of a
//! warp or some warps of a block have is taken to hold for all of it, so a race beside a correct hand-over may be missed.
//! Never reported: what is ordered by the launch's end, by the host, or by program order.
//!
//! | file | what it is |
//! | --- | --- |
//! | `synchronisation` | what orders threads |
//! | `clocks` | what blocks and warps know of each other's time |
//! | `record`, `cells` | who accessed each word of memory last, and when |
//! | `touch` | an access, cut into such words |
//! | `glance`, `deferred`, `touched` | accesses that need no look at each word |

mod cells;
mod clocks;
mod deferred;
mod glance;
#[cfg(test)]
mod plain;
mod record;
mod synchronisation;
#[cfg(test)]
mod tests;
mod touch;
mod touched;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use cells::{Cells, MemoryOwner};
use clocks::{Block, ReleasedClocks, Warp, is_after};
use deferred::Deferred;
pub(crate) use glance::Plain;
use record::{AccessMark, CurrentAccess, NARROW, PENDING, Record, Records, STRONG, Verdict};
use touch::{lies_simply, touch, touch_evenly};
use touched::Lie;

use crate::checks::Footprint;
use crate::counters::even::{Even, LANES, Neighbours};

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessKind {
    /// It only reads.
    Read,
    /// It writes, and does not read.
    Write,
    /// It reads and writes in one step.
    Atomic,
}

/// One lane's access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    /// The block, by its number in the grid.
    pub(crate) block: u64,
    /// The warp in the block.
    pub(crate) warp: u32,
    /// The lane in the warp.
    pub(crate) lane: u32,
    /// The operation, by its number in the program.
    pub(crate) op: u32,
    /// What it does.
    pub(crate) kind: AccessKind,
    /// Whether it is strong in the memory model's sense.
    pub(crate) strong: bool,
    /// Whether it releases by itself, without a fence before it.
    pub(crate) releases: bool,
    /// Whether it acquires by itself, without a fence behind it.
    pub(crate) acquires: bool,
    /// Whether it is of block scope.
    pub(crate) narrow: bool,
    /// Whether it is a load by the way of read-only data: it races with every write of the launch, whatever stands between.
    pub(crate) read_only: bool,
    /// Of shared memory: the block that it belongs to, by its number in the grid; else global.
    pub(crate) shared: Option<u64>,
    /// Whether it was only begun: nothing is ordered after it until it is over.
    pub(crate) pending: bool,
}

impl Access {
    /// Whether it is an ordinary load or store.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.kind != AccessKind::Atomic && !(self.strong | self.narrow | self.pending)
    }
}

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
    /// The block and warp whose plain reads come last, and what they happen at; none once the warp's clock or what it knows may
    /// have changed.
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

impl Races {
    /// What a launch that is checked begins with: `alone` are the warps of a block, where no block reaches another's shared memory.
    pub(crate) fn begins(alone: Option<u32>) -> Self {
        let (cells, records) = SPARE
            .try_with(RefCell::take)
            .ok()
            .flatten()
            .unwrap_or_default();
        let mut races = Self::default();
        (races.cells, races.records, races.alone) = (cells, records, alone);
        races
    }
}

impl Drop for Races {
    fn drop(&mut self) {
        let bytes = self.cells.bytes() + self.records.bytes();
        if !(1..=MOST_SPARE).contains(&bytes) {
            return;
        }
        self.cells.reset();
        self.records.reset();
        let spare = (
            std::mem::take(&mut self.cells),
            std::mem::take(&mut self.records),
        );
        // A thread that ends has none any more.
        let _ = SPARE.try_with(|kept| kept.replace(Some(spare)));
    }
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

/// When a warp accesses memory: the number of the record of it, the block's place, and the warp's floor.
#[derive(Debug, Clone, Copy)]
struct Moment {
    number: u32,
    place: u32,
    floor: u32,
}

thread_local! {
    /// Where the last launch of this thread kept what it knew. To get so much memory from the system anew takes as long as a small
    /// launch does.
    static SPARE: RefCell<Option<(Cells, Records)>> = const { RefCell::new(None) };
}

/// More bytes than these are given back to the system.
const MOST_SPARE: usize = 64 << 20;

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

    /// Remembers an instruction: its memory, where and when it happens, and the cells.
    #[inline(always)]
    fn begin(&mut self, access: &Access) -> (MemoryOwner, CurrentAccess<'_>, &mut Cells) {
        if access.shared.is_some() && !self.deferred.is_empty() {
            self.catch_up();
        }
        let moment = self.moment(access);
        let Moment { number, place, .. } = moment;
        let (space, own) = match access.shared {
            Some(linear) if linear == access.block => (Some(place), true),
            Some(linear) => {
                let place = self.place(linear);
                self.blocks[place as usize].reached = true;
                (Some(place), false)
            }
            None => (None, false),
        };
        if let Some(place) = space {
            self.blocks[place as usize].touch(number, access.kind);
        }
        let here = &self.blocks[place as usize];
        let now = CurrentAccess {
            kind: access.kind,
            read_only: access.read_only,
            who: (place, access.warp as u16),
            mark: AccessMark::new(number, access.op, access.strong && !access.narrow),
            here,
            records: &self.records,
            // Of shared memory that only its block accesses.
            floor: match own && !here.reached {
                true => moment.floor.min(self.pending),
                false => 0,
            },
            since: match own {
                true => here.since.min(self.pending),
                false => 0,
            },
            last: (number, Verdict::Ordered),
        };
        (space, now, &mut self.cells)
    }

    /// When an access happens.
    #[inline(always)]
    fn moment(&mut self, access: &Access) -> Moment {
        let plain = access.kind == AccessKind::Read && access.is_plain();
        match self.current {
            Some((who, moment)) if plain && who == (access.block, access.warp) => moment,
            _ => self.add_record(access, plain),
        }
    }

    /// Notes down an access to remember it later, where that is possible.
    #[inline(always)]
    fn defer(&mut self, access: &Access, lie: Lie<'_>, mask: u32, size: u64) -> bool {
        if self.alone.is_none() || access.shared != Some(access.block) || !access.is_plain() {
            return false;
        }
        let by = Plain {
            block: access.block,
            warp: access.warp,
            op: access.op,
            writes: access.kind == AccessKind::Write,
            shared: true,
        };
        let moment = match by.writes {
            false => self.moment(access),
            true => self.moment_of_write(&by),
        };
        self.note(moment, &by, lie, (mask, size))
    }

    /// When a write happens that has no record yet.
    fn moment_of_write(&mut self, by: &Plain) -> Moment {
        let floor = self.warp(by.block, by.warp).floor;
        Moment {
            number: u32::MAX,
            place: self.place(by.block),
            floor,
        }
    }

    /// The same of a plain access of the block's own shared memory at a moment.
    #[inline(always)]
    fn note(
        &mut self,
        Moment {
            number,
            place,
            floor,
        }: Moment,
        by: &Plain,
        lie: Lie<'_>,
        accessed: (u32, u64),
    ) -> bool {
        let block = &self.blocks[place as usize];
        let before = match by.writes {
            false => block.written,
            true => block.touched,
        };
        let quiet = before <= floor.min(self.pending);
        if !quiet || self.alone.is_none() || !self.deferred.takes(place) {
            return false;
        }
        if by.writes {
            let record = block.write_by(place, by.warp);
            return self.deferred.note_write(record, by.op, lie, accessed);
        }
        let mark = AccessMark::new(number, by.op, false);
        self.deferred.note_read(place, mark, lie, accessed)
    }

    /// Lets the cells show all accesses.
    #[cold]
    fn catch_up(&mut self) {
        if self.deferred.is_empty() {
            return;
        }
        let (place, wrote) = (self.deferred.block(), self.deferred.has_writes());
        let since = self.blocks[place].since.min(self.pending);
        let (cells, records) = (&mut self.cells, &mut self.records);
        self.deferred.catch_up(cells, records, &self.blocks, since);
        let block = &mut self.blocks[place];
        block.touched = self.records.len();
        if wrote {
            block.written = block.touched;
        }
    }

    /// Throws away the records that no cell points at.
    fn clean(&mut self) {
        self.catch_up();
        let left = self.cells.clean(&mut self.records);
        self.current = None;
        // Numbers are others now.
        for block in &mut self.blocks {
            let floors = block.warps.iter_mut().map(|warp| &mut warp.floor);
            let others = [&mut block.written, &mut block.touched, &mut block.since];
            for number in floors.chain(others) {
                *number = left[*number as usize];
            }
        }
        self.pending = self.records.first_pending().unwrap_or(u32::MAX);
    }

    /// A record of what a warp does now. Plain reads have that of the one before, if nothing has ordered the two.
    #[inline(never)]
    fn add_record(&mut self, access: &Access, plain: bool) -> Moment {
        if self.records.is_full() && !self.records.put_off(self.cells.size()) {
            self.clean();
        }
        self.warp(access.block, access.warp);
        let place = self.place(access.block);
        let block = &mut self.blocks[place as usize];
        let of = &mut block.warps[access.warp as usize];
        let flag = |is, flag| if is { flag } else { 0 };
        let record = Record {
            block: place,
            warp_time: of.time,
            block_time: block.time,
            instruction: of.instruction,
            warp: access.warp as u16,
            kind: access.kind,
            how: flag(access.strong, STRONG)
                | flag(access.narrow, NARROW)
                | flag(access.pending, PENDING),
        };
        let floor = of.floor;
        if !plain {
            let number = self.records.add(record);
            if access.pending {
                self.pending = self.pending.min(number);
            }
            return Moment {
                number,
                place,
                floor,
            };
        }
        let synced = of.synced;
        let same = |before: &&Record| {
            (before.warp_time, before.block_time) == (record.warp_time, record.block_time)
                && is_after(before.instruction, synced)
        };
        let (record, number) = match self.records.known(of.reads).filter(same) {
            Some(before) => (*before, of.reads.1),
            None => (record, self.records.add(record)),
        };
        of.reads = (self.records.cleaned(), number);
        let moment = Moment {
            number,
            place,
            floor,
        };
        if is_after(record.instruction, synced) {
            self.current = Some(((access.block, access.warp), moment));
        }
        moment
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

    /// Remembers accesses by lanes, `size` bytes at each one's address; gives those before them that they race with, and the lanes
    /// that do. Lanes side by side or at one place are looked at together.
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
        if self.defer(access, Lie::Anywhere(addresses), mask, size) {
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

    /// Remembers one access by all lanes of `mask`, which is not strong: `size` bytes each, evenly from the first lane on. False, and
    /// nothing has changed, if they have to be looked at lane by lane: one of them may race, or they lie neither side by side
    /// nor at one place.
    #[inline(always)]
    pub(crate) fn together(&mut self, access: &Access, even: Even, mask: u32, size: u64) -> bool {
        if self.defer(access, Lie::Evenly(even), mask, size) {
            return true;
        }
        if !lies_simply(even, access.kind, size) {
            return false;
        }
        let (space, mut now, cells) = self.begin(access);
        touch_evenly(cells, space, &mut now, even, mask, size)
    }

    /// Which bytes of global memory the launch has accessed so far, in lists that are not sorted yet.
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
