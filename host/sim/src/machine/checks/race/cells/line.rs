//! The recorded accesses of a word, and of a line of words.

use super::super::AccessKind;
use super::super::record::{AccessMark, CurrentAccess, Known};
use super::{LINES, NONE};

/// The recorded accesses of four bytes, or of each four bytes of a line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cell {
    /// The last write. Earlier writes of bytes that it did not write are stored outside the cells,
    /// because few programs have any.
    pub(super) write: AccessMark,
    /// Reads since the last write, of two threads: the first and the last.
    pub(super) reads: [AccessMark; 2],
}

/// A word without an access.
pub(super) const EMPTY_CELL: Cell = Cell {
    write: AccessMark::NONE,
    reads: [AccessMark::NONE; 2],
};

impl Cell {
    /// Records a read. The cell keeps the first reader and the last.
    #[inline(always)]
    pub(super) fn read(&mut self, mark: AccessMark, now: &CurrentAccess<'_>) {
        let free = now.replaces(self.reads[0], mark.lane());
        self.reads[usize::from(!free)] = mark;
    }

    /// Records reads by the lanes of `mask`, more than one, of one instruction, with the result of
    /// [`Cell::read`] lane by lane. Reads by records before `since` cannot race any more. `own` is
    /// whether the first reader is of the same warp.
    #[inline(always)]
    pub(super) fn read_by_all(
        &mut self,
        (mark, mask): (AccessMark, u32),
        since: u32,
        own: impl FnOnce(AccessMark) -> bool,
    ) {
        let first = self.reads[0];
        let mut left = mask;
        if first.is_none() || first.record() < since {
            let lane = mask.trailing_zeros();
            self.reads[0] = mark.by_lane(lane);
            left &= !(1 << lane);
        } else if u64::from(mask) >> first.lane() & 1 != 0 && own(first) {
            self.reads[0] = mark.by_lane(first.lane());
            left &= !(1 << first.lane());
        }
        self.reads[1] = mark.by_lane(31 - left.leading_zeros());
    }

    /// Returns whether the word has no access.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.write.is_none() && self.reads[0].is_none()
    }

    /// Returns the first mark of these bytes with which the access races.
    #[inline(always)]
    pub(super) fn rival(
        &self,
        mark: AccessMark,
        now: &mut CurrentAccess<'_>,
    ) -> Option<AccessMark> {
        let (bytes, lane) = (mark.bytes(), mark.lane());
        if now.races(self.write, bytes, lane) {
            return Some(self.write);
        }
        if now.kind == AccessKind::Read {
            return None;
        }
        let [first, last] = self.reads;
        if now.races(first, bytes, lane) {
            return Some(first);
        }
        now.races(last, bytes, lane).then_some(last)
    }

    pub(super) fn marks(&mut self) -> impl Iterator<Item = &mut AccessMark> {
        let marks = self.reads.iter_mut().chain([&mut self.write]);
        marks.filter(|mark| !mark.is_none())
    }
}

/// The accesses of 16 words.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine::checks::race) struct Line {
    /// The accesses of each word while `cells` is [`NONE`]. The marks are those of the
    /// first word's lane.
    pub(super) row: Cell,
    /// The index of the cells of the single words.
    pub(super) cells: u32,
}

impl Line {
    /// Records a read of all words of the line, if record numbers alone show that it does not race.
    /// `mark` is the mark of the first word's lane.
    #[inline(always)]
    pub(in crate::machine::checks::race) fn try_read(
        &mut self,
        mark: AccessMark,
        known: &Known<'_>,
    ) -> bool {
        let row = &mut self.row;
        if self.cells != NONE || !known.settles(row.write, mark) {
            return false;
        }
        let first = row.reads[0];
        let free = first.is_none() || first.record() < known.since;
        let own = !free && known.is_own(first);
        if own && !first.same_width(mark) {
            return false;
        }
        let first = free || own && first.lane() == mark.lane();
        row.reads[usize::from(!first)] = mark;
        true
    }

    /// Returns whether record numbers alone show that a write of all words does not race.
    #[inline(always)]
    pub(in crate::machine::checks::race) fn try_write(
        &self,
        mark: AccessMark,
        known: &Known<'_>,
    ) -> bool {
        let Cell {
            write,
            reads: [first, last],
        } = self.row;
        self.cells == NONE
            && known.settles(write, mark)
            && known.settles(first, mark)
            && known.settles(last, mark)
    }

    /// Records a write of all words.
    #[inline(always)]
    pub(in crate::machine::checks::race) fn write(&mut self, mark: AccessMark) {
        self.row = Cell {
            write: mark,
            reads: [AccessMark::NONE; 2],
        };
    }
}

/// A line without an access.
pub(super) const EMPTY: Line = Line {
    row: EMPTY_CELL,
    cells: NONE,
};

/// Consecutive lines. They are aligned so that no line is split between two cache lines of the
/// host. A warp often accesses two consecutive lines.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Page(pub(super) [Line; LINES]);

/// A page without an access.
pub(super) const EMPTY_PAGE: Page = Page([EMPTY; LINES]);
