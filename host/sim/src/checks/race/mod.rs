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

mod cells;
mod deferred;
mod glance;
#[cfg(test)]
mod plain;
mod record;
#[cfg(test)]
mod tests;
mod touched;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use cells::{Cells, LINE, MemoryOwner};
use deferred::Deferred;
pub(crate) use glance::Plain;
use record::{AccessMark, CurrentAccess, NARROW, PENDING, Record, Records, STRONG, Verdict};
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

/// What one block knows of time.
#[derive(Debug, Default)]
struct Block {
    /// Its number in the grid.
    linear: u64,
    /// For each warp: its clock, and the times of other warps that happened before it.
    warps: Vec<Warp>,
    /// Moves on at each release.
    time: u32,
    /// Times of other blocks that happened before this one.
    knows: Times,
    /// Whether threads of other blocks have accessed its shared memory.
    reached: bool,
    /// Behind the last record that wrote to its shared memory, as far as the cells show.
    written: u32,
    /// Behind the last that accessed it.
    touched: u32,
    /// The first record since the last barrier at which all its warps met: reads of its shared memory before it count no more.
    since: u32,
}

impl Block {
    /// The cells of its shared memory show an access by the record of a number.
    #[inline(always)]
    fn touch(&mut self, number: u32, kind: AccessKind) {
        self.touched = self.touched.max(number + 1);
        if kind != AccessKind::Read {
            self.written = self.written.max(number + 1);
        }
    }

    /// The record of an ordinary write by a warp of it, at its place.
    #[inline(always)]
    fn write_by(&self, place: u32, warp: u32) -> Record {
        let of = &self.warps[warp as usize];
        Record {
            block: place,
            warp_time: of.time,
            block_time: self.time,
            instruction: of.instruction,
            warp: warp as u16,
            kind: AccessKind::Write,
            how: 0,
        }
    }
}

/// Times of blocks, by their place among those that the check knows.
type Times = HashMap<u32, u32, FixedState>;

#[derive(Debug, Clone)]
struct Warp {
    time: u32,
    /// Times of the block's warps; none for those behind the end.
    knows: Vec<u32>,
    /// What was known at the last fence: strong writes leave it.
    fenced: Option<ReleasedClocks>,
    /// What strong reads have found since then: the next fence takes it up.
    seen: Option<ReleasedClocks>,
    instruction: u32,
    /// The last instruction before the lanes of the warp were last ordered.
    synced: u32,
    /// Whatever threads of the block did before this record is ordered before all that the warp does now.
    floor: u32,
    /// Whether it has arrived at a barrier of the cluster that released nothing.
    relaxed: bool,
    /// The record of its reads, with how often records had been thrown away when it got its number.
    reads: (u32, u32),
}

impl Default for Warp {
    fn default() -> Self {
        Self {
            // Clocks start at 1: time 0 is before everything.
            time: 1,
            knows: Vec::new(),
            fenced: None,
            seen: None,
            instruction: 0,
            synced: 0,
            floor: 0,
            relaxed: false,
            reads: (0, u32::MAX),
        }
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

/// What a warp knew when it released.
#[derive(Debug, Clone, Default)]
struct ReleasedClocks {
    /// Times of each block's warps, by the block's place; none for those behind the end.
    warps: HashMap<u32, Vec<u32>, FixedState>,
    blocks: Times,
}

impl ReleasedClocks {
    /// Adds what another knew; of other blocks only where `wide`.
    fn join(&mut self, other: &Self, wide: bool) {
        for (&block, times) in &other.warps {
            raise_all(self.warps.entry(block).or_default(), times);
        }
        for (&block, &time) in other.blocks.iter().filter(|_| wide) {
            learn(&mut self.blocks, block, time);
        }
    }
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

    /// Whether the warp of an access has read what the other's released, and did not acquire it.
    pub(crate) fn has_seen(&self, access: &Access, other: &Access) -> bool {
        let place = |linear| self.places.get(&linear).copied();
        let seen = || {
            let of = &self.blocks[place(access.block)? as usize];
            of.warps.get(access.warp as usize)?.seen.as_ref()
        };
        let (Some(seen), Some(block)) = (seen(), place(other.block)) else {
            return false;
        };
        match access.block == other.block {
            true => {
                let times = seen.warps.get(&block).map_or(&[][..], Vec::as_slice);
                times.get(other.warp as usize).is_some_and(|&time| time > 0)
            }
            false => seen.blocks.contains_key(&block),
        }
    }

    /// Whether the warp of an access has arrived at a barrier of the cluster that released nothing.
    pub(crate) fn arrived_relaxed(&self, access: &Access) -> bool {
        let place = self.places.get(&access.block);
        let block = place.map(|&place| &self.blocks[place as usize]);
        let warp = block.and_then(|block| block.warps.get(access.warp as usize));
        warp.is_some_and(|warp| warp.relaxed)
    }

    /// A block has ended: nobody accesses its shared memory any more.
    pub(crate) fn end(&mut self, block: u64) {
        self.current = None;
        let place = self.place(block);
        self.deferred.forget(place);
        self.cells.forget(place);
        self.blocks[place as usize].warps = Vec::new();
    }

    /// Takes up what was left at a word, and leaves what the warp knew there where the access releases.
    fn synchronise(&mut self, access: &Access, word: u64) {
        let Access {
            block,
            warp,
            shared,
            kind,
            ..
        } = *access;
        let wide = !access.narrow;
        if kind != AccessKind::Write
            && let Some(left) = self.left.get(&(shared, word))
        {
            let left = left.clone();
            if access.acquires {
                self.take_up(block, warp, &left, wide);
            } else {
                let seen = &mut self.warp(block, warp).seen;
                seen.get_or_insert_default().join(&left, wide);
            }
        }
        if kind == AccessKind::Read {
            return;
        }
        let mut leaves = self.warp(block, warp).fenced.clone();
        if access.releases {
            let now = self.snapshot(block, warp, wide);
            leaves.get_or_insert_default().join(&now, true);
        }
        if let Some(leaves) = leaves {
            let left = self.left.entry((shared, word)).or_default();
            left.join(&leaves, wide);
        }
    }

    /// What a warp knows now; of other blocks only where `wide`. What it does from here on is no part of it.
    fn snapshot(&mut self, block: u64, warp: u32, wide: bool) -> ReleasedClocks {
        let times = self.times_so_far(block, warp);
        let place = self.place(block);
        let mut left = ReleasedClocks::default();
        left.warps.insert(place, times);
        if wide {
            let of = &mut self.blocks[place as usize];
            of.time += 1;
            left.blocks.clone_from(&of.knows);
            learn(&mut left.blocks, place, of.time);
        }
        left
    }

    /// Learns what another warp left; of other blocks only where `wide`.
    fn take_up(&mut self, block: u64, warp: u32, left: &ReleasedClocks, wide: bool) {
        self.current = None;
        self.warp(block, warp);
        let place = self.place(block);
        let of = &mut self.blocks[place as usize];
        let it = &mut of.warps[warp as usize];
        if let Some(times) = left.warps.get(&place) {
            raise_all(&mut it.knows, times);
        }
        let blocks = left.blocks.iter().filter(|(other, _)| **other != place);
        for (&other, &time) in blocks.filter(|_| wide) {
            learn(&mut of.knows, other, time);
        }
    }

    /// A fence, for threads of other blocks too where `wide`: what strong reads found is known from here on, and strong writes
    /// leave what is known.
    pub(crate) fn fence(&mut self, block: u64, warp: u32, wide: bool) {
        if let Some(seen) = self.warp(block, warp).seen.take() {
            self.take_up(block, warp, &seen, wide);
        }
        let now = self.snapshot(block, warp, wide);
        let fenced = &mut self.warp(block, warp).fenced;
        fenced.get_or_insert_default().join(&now, true);
    }

    /// A warp's clock.
    pub(crate) fn time(&mut self, block: u64, warp: u32) -> u32 {
        self.warp(block, warp).time
    }

    /// The times of a block's warps that are before whatever a warp does next. What it does from here on is no part of them.
    pub(crate) fn times_so_far(&mut self, block: u64, warp: u32) -> Vec<u32> {
        self.current = None;
        let of = self.warp(block, warp);
        let mut times = of.knows.clone();
        raise(&mut times, warp as usize, of.time);
        of.time += 1;
        times
    }

    /// `bar.warp.sync`: the lanes of the warp are ordered.
    pub(crate) fn warp_barrier(&mut self, block: u64, warp: u32) {
        self.current = None;
        let of = self.warp(block, warp);
        of.synced = of.instruction;
    }

    /// An asynchronous access of `size` bytes is over, that a thread (block, warp, lane) began.
    pub(crate) fn complete(
        &mut self,
        (block, warp, lane): (u64, u32, u32),
        shared: Option<u64>,
        address: u64,
        size: u64,
    ) {
        self.catch_up();
        let place = self.place(block);
        let space = shared.map(|linear| self.place(linear));
        let of = self.warp(block, warp);
        let (warp_time, instruction) = (of.time, of.instruction);
        let block_time = self.blocks[place as usize].time;
        let records = &mut self.records;
        // The record that is over, and the one that takes its place.
        let mut over: Option<(u32, u32)> = None;
        for word in address / 4..(address + size).div_ceil(4) {
            self.cells.change(space, word, |mark| {
                let record = *records.of(*mark);
                let by = (record.block, u32::from(record.warp), mark.lane());
                if record.how & PENDING == 0 || by != (place, warp, lane) {
                    return;
                }
                let to = match over {
                    Some((from, to)) if from == mark.record() => to,
                    _ => records.add(Record {
                        how: record.how & !PENDING,
                        warp_time,
                        block_time,
                        instruction,
                        ..record
                    }),
                };
                over = Some((mark.record(), to));
                *mark = mark.of_record(to);
            });
        }
        if let Some(space) = space {
            let of = &mut self.blocks[space as usize];
            of.written = self.records.len();
            of.touched = of.written;
        }
    }

    /// A warp arrives at an mbarrier.
    pub(crate) fn arrive(&mut self, block: u64, warp: u32, key: (u64, u32)) {
        let now = self.snapshot(block, warp, true);
        self.objects.entry(key).or_default().join(&now, true);
    }

    /// A warp finds that an mbarrier's phase has ended.
    pub(crate) fn pass(&mut self, block: u64, warp: u32, key: (u64, u32)) {
        let Some(left) = self.objects.get(&key).cloned() else {
            return;
        };
        self.take_up(block, warp, &left, true);
        self.warp_barrier(block, warp);
    }

    /// Warps find that a phase has ended of a barrier that others have arrived at; nobody is told of it any more.
    pub(crate) fn pass_all(&mut self, block: u64, warps: &[u32], key: (u64, u32)) {
        let Some(left) = self.objects.remove(&key) else {
            return;
        };
        for &warp in warps {
            self.take_up(block, warp, &left, true);
        }
    }

    /// A warp gives back memory, by address and size: the device's heap has it again, or the slots for launches.
    pub(crate) fn gives_back(&mut self, block: u64, warp: u32, (address, bytes): (u64, u64)) {
        let now = self.snapshot(block, warp, true);
        let (end, left) = self.returned.entry(address).or_default();
        *end = address.saturating_add(bytes).max(*end);
        left.join(&now, true);
    }

    /// A warp is given memory: it comes behind those who had it.
    pub(crate) fn is_given(&mut self, block: u64, warp: u32, (address, bytes): (u64, u64)) {
        let last = address.saturating_add(bytes);
        let before = self.returned.range(..last);
        let overlapping = before.filter(|(_, (end, _))| *end > address);
        let starts: Vec<u64> = overlapping.map(|(&start, _)| start).collect();
        for start in starts {
            let Some((end, left)) = self.returned.remove(&start) else {
                continue;
            };
            self.take_up(block, warp, &left, true);
            self.warp_barrier(block, warp);
            // Who is given the rest comes behind them too.
            if start < address || end > last {
                self.returned.insert(start, (end, left));
            }
        }
    }

    /// A barrier of a cluster completes: these blocks, each with its number of warps, arrived.
    pub(crate) fn cluster(&mut self, blocks: &[(u64, u32)]) {
        self.current = None;
        let mut joined = Times::default();
        for &(block, warps) in blocks {
            self.barrier(block, &(0..warps).collect::<Vec<_>>());
            let place = self.place(block);
            let of = &mut self.blocks[place as usize];
            of.time += 1;
            for (&other, &time) in of.knows.iter().chain([(&place, &of.time)]) {
                learn(&mut joined, other, time);
            }
        }
        for &(block, _) in blocks {
            let place = self.place(block);
            let knows = &mut self.blocks[place as usize].knows;
            knows.clone_from(&joined);
            knows.remove(&place);
        }
    }

    /// The same where some arrived with relaxed order: of what those did is known what their fences released. Each block comes with its warps, and whether
    /// each was relaxed.
    pub(crate) fn cluster_relaxed(&mut self, blocks: &[(u64, Vec<bool>)]) {
        let mut all = ReleasedClocks::default();
        let each = || {
            blocks.iter().flat_map(|&(block, ref warps)| {
                let warps = warps.iter().enumerate();
                warps.map(move |(warp, &relaxed)| (block, warp as u32, relaxed))
            })
        };
        for (block, warp, relaxed) in each() {
            let leaves = match relaxed {
                true => {
                    let of = self.warp(block, warp);
                    of.relaxed = true;
                    of.fenced.clone()
                }
                false => Some(self.snapshot(block, warp, true)),
            };
            leaves.iter().for_each(|leaves| all.join(leaves, true));
        }
        for (block, warp, _) in each() {
            self.take_up(block, warp, &all, true);
            self.warp_barrier(block, warp);
        }
    }

    /// A barrier of the block completes: these warps wait there.
    pub(crate) fn barrier(&mut self, block: u64, warps: &[u32]) {
        self.current = None;
        let place = self.place(block);
        warps.iter().for_each(|&warp| _ = self.warp(block, warp));
        let all = &mut self.blocks[place as usize].warps;
        let mut joined: Vec<u32> = vec![0; all.len()];
        let mut absent = vec![true; all.len()];
        for &warp in warps {
            let of = &all[warp as usize];
            raise_all(&mut joined, &of.knows);
            raise(&mut joined, warp as usize, of.time);
            absent[warp as usize] = false;
        }
        // Where every warp arrives that has done anything, all that was done before is ordered before.
        let floor = match absent.contains(&true) {
            false => Some(self.records.len()),
            true => None,
        };
        for &warp in warps {
            let of = &mut all[warp as usize];
            of.knows.clone_from(&joined);
            of.time += 1;
            of.synced = of.instruction;
            of.floor = floor.unwrap_or(of.floor);
        }
        if let Some(floor) = floor
            && self.alone == Some(warps.len() as u32)
        {
            self.blocks[place as usize].since = floor;
            self.deferred.forget(place);
        }
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

/// Whether an instruction is after another. Their counts may start again at zero.
#[inline(always)]
fn is_after(instruction: u32, other: u32) -> bool {
    instruction.wrapping_sub(other) as i32 > 0
}

/// Takes up a time of another block.
fn learn(times: &mut Times, block: u32, time: u32) {
    let at = times.entry(block).or_default();
    *at = time.max(*at);
}

/// Takes up times of all warps of a block: side by side, which is quick, since a block may have 32 warps that know of 32.
fn raise_all(times: &mut Vec<u32>, others: &[u32]) {
    times.resize(times.len().max(others.len()), 0);
    for (to, &time) in times.iter_mut().zip(others) {
        *to = time.max(*to);
    }
}

/// Takes up a time of another warp.
fn raise(times: &mut Vec<u32>, warp: usize, time: u32) {
    if times.len() <= warp {
        times.resize(warp + 1, 0);
    }
    times[warp] = time.max(times[warp]);
}

/// Whether lanes that lie evenly do so at one place, or side by side.
#[inline(always)]
fn lies_simply(even: Even, kind: AccessKind, size: u64) -> bool {
    let at_one_place = even.step == 0 && kind == AccessKind::Read && even.lanes > 1;
    even.aligned(size) && (at_one_place || even.step == size && size >= 4)
}

/// Remembers an access of `size` bytes by each lane of `mask`, for which [`lies_simply`] holds: as [`Races::together`] says.
#[inline(always)]
fn touch_evenly(
    cells: &mut Cells,
    space: MemoryOwner,
    now: &mut CurrentAccess<'_>,
    even: Even,
    mask: u32,
    size: u64,
) -> bool {
    let mark = now.mark.of(15);
    let (mut word, mut first) = (even.start / 4, mask.trailing_zeros());
    if even.step == 0 {
        let mark = match size {
            1 | 2 => mark.of(((1 << size) - 1) << (even.start % 4)),
            _ => mark,
        };
        let first = cells.touch_by_all(space, word, (mark, mask), now);
        let mut others = word + 1..word + size.div_ceil(4);
        return first && others.all(|word| cells.touch_by_all(space, word, (mark, mask), now));
    }
    let log = (size / 4).trailing_zeros();
    let end = word + (even.lanes << log);
    while word < end {
        // A lane's words may begin in the middle of a line, but not end in the middle of one.
        let words = (LINE - word % LINE).min(end - word);
        let mark = mark.by_lane(first).each(log);
        if !cells.touch_row(space, (word, words), mark, now) {
            // Those before were touched already; to touch them again by the same lanes changes nothing.
            return false;
        }
        first += (words >> log) as u32;
        word += words;
    }
    true
}

/// Remembers one lane's access of `size` bytes at an address; gives the first one before it that it races with.
#[inline(always)]
fn touch(
    cells: &mut Cells,
    space: MemoryOwner,
    (address, size): (u64, u64),
    lane: u32,
    now: &mut CurrentAccess<'_>,
) -> Option<AccessMark> {
    let mark = now.mark.by_lane(lane);
    if size == 4 && address.is_multiple_of(4) {
        return cells.touch(space, address / 4, mark.of(15), now);
    }
    let mut found = None;
    // What lies beyond all addresses is reported by the access itself.
    let (mut at, last) = (address, address.saturating_add(size));
    while at < last {
        let word = at / 4;
        let end = (word + 1).saturating_mul(4).min(last);
        let mark = mark.of((1 << (end - word * 4)) - (1 << (at - word * 4)));
        let before = cells.touch(space, word, mark, now);
        found = found.or(before);
        at = end;
    }
    found
}
