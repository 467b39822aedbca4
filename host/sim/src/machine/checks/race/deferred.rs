//! Accesses of a block's shared memory whose recording is deferred, often forever.
//!
//! Most kernels write shared memory, wait at a barrier, read it, and wait again. After a barrier
//! of the whole block, everything that the block did to its shared memory is ordered before what
//! follows. An access after the barrier cannot race if no other access since the barrier touches
//! the same words, or if all of them only read. Such an access is only added to a list. The next
//! barrier of the whole block clears the list, because its accesses cannot race with anything any
//! more. If an access that could race comes first, the accesses of the list are entered into the
//! cells, in order, and the cells decide. So accesses between barriers cost little, whatever
//! their addresses are.

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
    /// Lane 0's access, of no bytes. For a write, its record number is an index into the list
    /// of deferred writes.
    mark: AccessMark,
    /// The lanes that access.
    mask: u32,
    /// The first lane's address. For irregular lanes, the index of their addresses.
    start: u32,
    /// The stride from lane to lane, or [`ANYWHERE`].
    step: u32,
    /// Bytes of each lane.
    size: u16,
    /// Whether it writes.
    writes: bool,
}

/// The stride of irregular lanes.
const ANYWHERE: u32 = u32::MAX;

/// Accesses of the shared memory of one block that are not in its cells yet.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    /// The block, by its index in the check.
    block: u32,
    list: Vec<Noted>,
    /// The future records of the writes.
    writes: Vec<Record>,
    /// The addresses of irregular lanes.
    addresses: Vec<[u32; LANES]>,
    /// Words that were written.
    written: TouchedWords,
    /// Words that the first accesses of the list read.
    read: TouchedWords,
    /// The number of these accesses. Reads matter only to a write, so they are added late.
    looked_at: usize,
    /// Whether the cells had to catch up since the last barrier of the block. It is likely that
    /// they will have to again.
    paused: bool,
}

/// The most accesses that are deferred. More would cost more of the host's cache than they save.
const MOST: usize = 1 << 14;

impl Deferred {
    /// Returns whether accesses of a block's shared memory can be deferred.
    #[inline(always)]
    pub(super) fn takes(&self, block: u32) -> bool {
        !self.paused && (self.block == block || self.is_empty()) && self.list.len() < MOST
    }

    /// Returns the index of the block whose accesses are not in the cells.
    pub(super) fn block(&self) -> usize {
        self.block as usize
    }

    /// Returns whether the cells contain all accesses.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns whether a write is not in the cells.
    pub(super) fn has_writes(&self) -> bool {
        !self.writes.is_empty()
    }

    /// Adds a read to the list. Returns false, and changes nothing, if it may read bytes that
    /// were written since.
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

    /// Adds a write by an operation to the list, with its future record. Returns false, and changes
    /// nothing, if the same words may have been accessed since.
    #[inline(always)]
    pub(super) fn note_write(
        &mut self,
        record: Record,
        op: u32,
        places: LanePlaces<'_>,
        (mask, size): (u32, u64),
    ) -> bool {
        // After a write, usually nothing was read yet.
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

    /// Adds the words that were read since the last write.
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

    /// Clears the list at a barrier that all warps of the block reached, or at its end. The
    /// accesses are ordered before everything that follows.
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

    /// Enters the deferred accesses into the cells. Reads by records before `since` cannot
    /// race any more.
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
                // At its time, everything that it could race with was ordered before it.
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
    /// Returns the lanes' addresses, if they have a fixed stride.
    #[inline(always)]
    fn even(&self) -> Option<Even> {
        (self.step != ANYWHERE).then(|| Even {
            start: self.start.into(),
            step: self.step.into(),
            lanes: self.mask.count_ones().into(),
        })
    }

    /// Returns the address of one of the lanes.
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

    /// Adds the words that the access touched.
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
