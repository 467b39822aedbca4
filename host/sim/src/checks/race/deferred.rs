//! Accesses of a block's shared memory that are remembered later, if at all.
//!
//! Most kernels write shared memory, meet at a barrier, read it, and meet again. After a barrier of
//! the whole block, everything that the block did to its shared memory is ordered before what
//! follows. An access after it races with nothing as long as no other access since the barrier
//! touches the same words, or all of them only read. Such an access is only noted down. The next
//! barrier of the whole block throws the notes away, because they can race with nothing any more.
//! If something that could race comes first, the notes are entered into the cells, in order, and
//! the cells decide. So accesses between barriers cost little, whatever their addresses are.

use super::AccessKind;
use super::cells::{Cells, MemoryOwner};
use super::clocks::Block;
use super::lanes;
use super::record::{AccessMark, CurrentAccess, Record, Records, Verdict};
use super::touch::{lies_simply, touch, touch_evenly};
use super::touched::{LanePlaces, TouchedWords};
use crate::counters::even::{Even, LANES};

/// An access by lanes of one warp in one instruction.
#[derive(Debug, Clone, Copy)]
struct Noted {
    /// Lane 0's access, of no bytes. A write's has its number among those that were noted down in
    /// place of a record's.
    mark: AccessMark,
    /// The lanes that access.
    mask: u32,
    /// The first lane's address; of lanes that lie anywhere, where their addresses are.
    start: u32,
    /// How far the next lane's address is, or [`ANYWHERE`].
    step: u32,
    /// Bytes of each lane.
    size: u16,
    /// Whether it writes.
    writes: bool,
}

/// Lanes that do not lie evenly.
const ANYWHERE: u32 = u32::MAX;

/// Accesses of the shared memory of one block that its cells do not show.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    /// The block, by its place.
    block: u32,
    list: Vec<Noted>,
    /// What will be the records of writes.
    writes: Vec<Record>,
    /// Addresses of lanes that lie anywhere.
    addresses: Vec<[u32; LANES]>,
    /// Words that were written.
    written: TouchedWords,
    /// Words that were read, by the first accesses of the list.
    read: TouchedWords,
    /// How many these are: what is read matters only to a write.
    looked_at: usize,
    /// The cells had to catch up since the last barrier of the block: it is likely that they will
    /// again.
    paused: bool,
}

/// No more accesses are deferred than these: what they take of the host's cache would cost more
/// than it saves.
const MOST: usize = 1 << 14;

impl Deferred {
    /// Whether accesses of a block's shared memory can be noted down.
    #[inline(always)]
    pub(super) fn takes(&self, block: u32) -> bool {
        !self.paused && (self.block == block || self.is_empty()) && self.list.len() < MOST
    }

    /// The block, by its place, whose memory the cells do not show.
    pub(super) fn block(&self) -> usize {
        self.block as usize
    }

    /// Whether the cells show everything.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether they do not show some write.
    pub(super) fn has_writes(&self) -> bool {
        !self.writes.is_empty()
    }

    /// Notes down a read. False, and nothing has changed, where it may read what was written since.
    #[inline(always)]
    pub(super) fn note_read(
        &mut self,
        block: u32,
        mark: AccessMark,
        places: LanePlaces<'_>,
        (mask, size): (u32, u64),
    ) -> bool {
        if self.has_writes() && self.written.meets(places, mask, size) {
            return false;
        }
        self.note(block, (mark, false), places, (mask, size));
        true
    }

    /// Notes down a write by an operation, with what will be its record. False, and nothing has
    /// changed, where the same words may have been accessed since.
    #[inline(always)]
    pub(super) fn note_write(
        &mut self,
        record: Record,
        op: u32,
        places: LanePlaces<'_>,
        (mask, size): (u32, u64),
    ) -> bool {
        // Behind a write nothing was read as a rule.
        if self.looked_at < self.list.len() {
            self.look_at_reads();
        }
        if self.written.meets(places, mask, size) || self.read.meets(places, mask, size) {
            return false;
        }
        self.written.add(places, mask, size);
        let mark = AccessMark::new(self.writes.len() as u32, op, false);
        self.writes.push(record);
        self.note(record.block, (mark, true), places, (mask, size));
        self.looked_at = self.list.len();
        true
    }

    /// Adds what was read since the last write.
    #[inline(never)]
    fn look_at_reads(&mut self) {
        for read in &self.list[self.looked_at..] {
            if !read.writes {
                read.add_to(&mut self.read, &self.addresses);
            }
        }
        self.looked_at = self.list.len();
    }

    #[inline(always)]
    fn note(
        &mut self,
        block: u32,
        (mark, writes): (AccessMark, bool),
        places: LanePlaces<'_>,
        (mask, size): (u32, u64),
    ) {
        self.block = block;
        let (start, step) = match places {
            LanePlaces::Evenly(even) => (even.start as u32, even.step as u32),
            LanePlaces::Anywhere(addresses) => {
                self.addresses.push(addresses.map(|address| address as u32));
                (self.addresses.len() as u32 - 1, ANYWHERE)
            }
        };
        self.list.push(Noted {
            mark,
            mask,
            start,
            step,
            size: size as u16,
            writes,
        });
    }

    /// The block's barrier, at which all its warps met, or its end: what was noted down is ordered
    /// before whatever comes.
    pub(super) fn forget(&mut self, block: u32) {
        if self.block == block {
            self.clear();
            self.paused = false;
        }
    }

    fn clear(&mut self) {
        self.list.clear();
        self.writes.clear();
        self.addresses.clear();
        self.written.clear();
        self.read.clear();
        self.looked_at = 0;
    }

    /// Lets the cells show what was noted down. Reads by records before `since` count no more.
    #[cold]
    #[inline(never)]
    pub(super) fn catch_up(
        &mut self,
        cells: &mut Cells,
        records: &mut Records,
        blocks: &[Block],
        since: u32,
    ) {
        if self.is_empty() {
            return;
        }
        let space: MemoryOwner = Some(self.block);
        for &noted in &self.list {
            let (kind, mark) = match noted.writes {
                false => (AccessKind::Read, noted.mark),
                true => {
                    let record = self.writes[noted.mark.record() as usize];
                    let number = records.add(record);
                    (AccessKind::Write, noted.mark.of_record(number))
                }
            };
            let record = records.of(mark);
            let mut now = CurrentAccess {
                kind,
                read_only: false,
                who: (record.block, record.warp),
                mark,
                here: &blocks[record.block as usize],
                records,
                // When it happened all that it could race with was ordered before it.
                floor: u32::MAX,
                since,
                last: (mark.record(), Verdict::Ordered),
            };
            let (mask, size) = (noted.mask, u64::from(noted.size));
            if let Some(even) = noted.even()
                && lies_simply(even, kind, size)
                && touch_evenly(cells, space, &mut now, even, mask, size)
            {
                continue;
            }
            for lane in lanes(mask) {
                let address = noted.address(lane, &self.addresses);
                touch(cells, space, (address, size), lane as u32, &mut now);
            }
        }
        self.clear();
        self.paused = true;
    }
}

impl Noted {
    /// Where its lanes are, if they lie evenly.
    #[inline(always)]
    fn even(&self) -> Option<Even> {
        (self.step != ANYWHERE).then(|| Even {
            start: self.start.into(),
            step: self.step.into(),
            lanes: self.mask.count_ones().into(),
        })
    }

    /// The address of one of its lanes.
    #[inline(always)]
    fn address(&self, lane: usize, addresses: &[[u32; LANES]]) -> u64 {
        match self.step {
            ANYWHERE => addresses[self.start as usize][lane].into(),
            step => {
                let first = self.mask.trailing_zeros() as usize;
                u64::from(self.start) + (lane - first) as u64 * u64::from(step)
            }
        }
    }

    /// Adds the words that the access has touched.
    fn add_to(&self, words: &mut TouchedWords, addresses: &[[u32; LANES]]) {
        let size = self.size.into();
        match self.even() {
            Some(even) => words.add(LanePlaces::Evenly(even), self.mask, size),
            None => {
                let addresses = addresses[self.start as usize].map(u64::from);
                words.add(LanePlaces::Anywhere(&addresses), self.mask, size);
            }
        }
    }
}
