//! The fastest way to record a plain access.
//!
//! It handles adjacent lanes that access whole lines, and lanes that read the same word, if the
//! record numbers alone show that nothing races. Most accesses are of this kind. All others are
//! handled by [`Races::record_evenly`], and so is a warp's first read after its clock has advanced.

use super::cells::{LINE, LINES};
use super::record::{AccessMark, Known};
use super::touched::LanePlaces;
use super::{AccessKind, Races};
use crate::counters::even::Even;

/// An ordinary load or store by lanes of a warp.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainAccess {
    /// The block's number in the grid.
    pub(crate) block: u64,
    /// The warp's number in the block.
    pub(crate) warp: u32,
    /// The operation's number in the program.
    pub(crate) op: u32,
    /// Whether it stores.
    pub(crate) writes: bool,
    /// Whether it accesses the block's own shared memory, and not global memory.
    pub(crate) shared: bool,
}

impl Races {
    /// Defers a read of shared memory of `size` bytes by each lane of `mask`, with a fixed stride.
    /// Returns false, and changes nothing, if it cannot be deferred.
    #[inline(always)]
    pub(crate) fn note_read(&mut self, by: &PlainAccess, even: Even, mask: u32, size: u64) -> bool {
        let Some((who, moment)) = self.current else {
            return false;
        };
        who == (by.block, by.warp)
            && even.aligned(size)
            && self.note(moment, by, LanePlaces::Evenly(even), (mask, size))
    }

    /// Records an access of `size` bytes by each lane of `mask`, with a fixed stride. Returns false
    /// if the fast way is not enough, and the whole access must be recorded in another way. Some
    /// reads may already be recorded then. Recording them twice changes nothing.
    #[inline(always)]
    pub(crate) fn record_at_once(
        &mut self,
        by: &PlainAccess,
        even: Even,
        mask: u32,
        size: u64,
    ) -> bool {
        let Some((who, moment)) = self.current else {
            return false;
        };
        if who != (by.block, by.warp) || !even.aligned(size) {
            return false;
        }
        if by.shared && self.note(moment, by, LanePlaces::Evenly(even), (mask, size)) {
            return true;
        }
        if by.shared && !self.deferred.is_empty() || size < 4 {
            return false;
        }
        let block = &mut self.blocks[moment.place as usize];
        if by.shared && !by.writes {
            block.touch(moment.number, AccessKind::Read);
        }
        let (floor, since) = match by.shared && !block.reached {
            true => (
                moment.floor.min(self.pending),
                block.since.min(self.pending),
            ),
            false => (0, 0),
        };
        let space = by.shared.then_some(moment.place);
        let mark = |number| AccessMark::new(number, by.op, false).of(15);
        let word = even.start / 4;
        let known = Known {
            floor,
            since,
            own: moment.number,
            who: (moment.place, by.warp as u16),
            records: &self.records,
        };
        if even.step == 0 {
            let one_word = size == 4 && even.lanes > 1 && !by.writes;
            let mark = mark(moment.number);
            return one_word && self.cells.try_word(space, word, (mark, mask), &known);
        }
        let log = (size / 4).trailing_zeros();
        let (words, lane) = (even.lanes << log, mask.trailing_zeros());
        if even.step != size || !(word | words).is_multiple_of(LINE) {
            return false;
        }
        // Lines of one page are adjacent.
        let (line, count) = ((word / LINE) as usize % LINES, (words / LINE) as usize);
        if line + count > LINES {
            return false;
        }
        let lines = self.cells.lines(space, word, line..line + count);
        let mut first = mark(moment.number).by_lane(lane).each(log);
        // Returns the mark of a line's first word.
        let of = |first: AccessMark, line: u32| first.word(line * LINE as u32);
        if !by.writes {
            let mut lines = lines.iter_mut().zip(0..);
            return lines.all(|(line, i)| line.try_read(of(first, i), &known));
        }
        let mut settled = lines.iter().zip(0..);
        if !settled.all(|(line, i)| line.try_write(of(first, i), &known)) || self.records.is_full()
        {
            return false;
        }
        let block = &mut self.blocks[moment.place as usize];
        let number = self.records.add(block.write_by(moment.place, by.warp));
        if by.shared {
            block.touch(number, AccessKind::Write);
        }
        first = first.of_record(number);
        for (line, i) in lines.iter_mut().zip(0..) {
            line.write(of(first, i));
        }
        true
    }
}
