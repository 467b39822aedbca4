//! Reads of a block's shared memory that are remembered later, if at all.
//!
//! Most kernels write shared memory, meet at a barrier, read it, and meet again. While all that was written there is ordered before a
//! reader, its reads race with nothing yet: they are only noted down, in the order in which they come. A barrier of the whole block orders them before
//! all that comes, and they are thrown away; whatever else touches the memory first lets the cells catch up. So reads between barriers cost
//! little, however they lie.

use super::cells::{Cells, MemoryOwner};
use super::record::{Mark, Now, Records, Verdict};
use super::{Block, Kind, lanes, lies_simply, touch, touch_evenly};
use crate::counters::even::{Even, LANES};

/// Reads by lanes of one warp in one instruction.
#[derive(Debug, Clone, Copy)]
struct Read {
    /// Lane 0's access, of no bytes.
    mark: Mark,
    /// The lanes.
    mask: u32,
    /// The first lane's address; of lanes that read anywhere, where their addresses are.
    start: u32,
    /// How far the next lane's address is, or [`ANYWHERE`].
    step: u32,
    /// Bytes of each lane.
    size: u16,
}

/// Lanes that do not lie evenly.
const ANYWHERE: u32 = u32::MAX;

/// Where the lanes of a read are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lie<'a> {
    /// Evenly.
    Evenly(Even),
    /// At addresses of each one.
    Anywhere(&'a [u64; LANES]),
}

/// Reads of the shared memory of one block that its cells do not show.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    /// The block, by its place.
    block: u32,
    reads: Vec<Read>,
    /// Addresses of lanes that read anywhere.
    addresses: Vec<[u32; LANES]>,
    /// The cells had to catch up since the last barrier of the block: it is likely that they will again.
    paused: bool,
}

/// No more reads are deferred than these: what they take of the host's cache would cost more than it saves.
const MOST: usize = 1 << 14;

impl Deferred {
    /// Whether reads of a block's shared memory can be noted down.
    #[inline(always)]
    pub(super) fn takes(&self, block: u32) -> bool {
        !self.paused && (self.block == block || self.is_empty()) && self.reads.len() < MOST
    }

    /// The block, by its place, whose memory the cells do not show.
    pub(super) fn block(&self) -> usize {
        self.block as usize
    }

    /// Whether the cells show everything.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.reads.is_empty()
    }

    /// Notes down a read.
    #[inline(always)]
    pub(super) fn note(&mut self, block: u32, mark: Mark, lie: Lie<'_>, mask: u32, size: u64) {
        self.block = block;
        let (start, step) = match lie {
            Lie::Evenly(even) => (even.start as u32, even.step as u32),
            Lie::Anywhere(addresses) => {
                self.addresses.push(addresses.map(|address| address as u32));
                (self.addresses.len() as u32 - 1, ANYWHERE)
            }
        };
        self.reads.push(Read {
            mark,
            mask,
            start,
            step,
            size: size as u16,
        });
    }

    /// The block's barrier, at which all its warps met, or its end: what was noted down is ordered before whatever comes.
    pub(super) fn forget(&mut self, block: u32) {
        if self.block == block {
            self.reads.clear();
            self.addresses.clear();
            self.paused = false;
        }
    }

    /// Lets the cells show what was noted down. Reads by records before `since` count no more.
    #[cold]
    #[inline(never)]
    pub(super) fn catch_up(
        &mut self,
        cells: &mut Cells,
        records: &Records,
        blocks: &[Block],
        since: u32,
    ) {
        if self.is_empty() {
            return;
        }
        let space: MemoryOwner = Some(self.block);
        for read in self.reads.drain(..) {
            let record = records.of(read.mark);
            let mut now = Now {
                kind: Kind::Read,
                read_only: false,
                who: (record.block, record.warp),
                mark: read.mark,
                here: &blocks[record.block as usize],
                records,
                // When it happened all writes were ordered before it, and there were none since.
                floor: u32::MAX,
                since,
                last: (read.mark.record(), Verdict::Ordered),
            };
            let (mask, size) = (read.mask, u64::from(read.size));
            let even = Even {
                start: read.start.into(),
                step: read.step.into(),
                lanes: mask.count_ones().into(),
            };
            let evenly = read.step != ANYWHERE;
            let simply = evenly && lies_simply(even, Kind::Read, size);
            if simply && touch_evenly(cells, space, &mut now, even, mask, size) {
                continue;
            }
            let first = mask.trailing_zeros() as usize;
            for lane in lanes(mask) {
                let address = match evenly {
                    true => even.start + (lane - first) as u64 * even.step,
                    false => self.addresses[read.start as usize][lane].into(),
                };
                touch(cells, space, (address, size), lane as u32, &mut now);
            }
        }
        self.addresses.clear();
        self.paused = true;
    }
}
