//! What is known of a word, and of a line of words.

use super::super::AccessKind;
use super::super::record::{AccessMark, CurrentAccess, Known};
use super::{LINES, NONE};

/// What is known of four bytes, or of each four bytes of a line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cell {
    /// The last write. Earlier writes of bytes that it did not write are beside the cells: few
    /// programs have any.
    pub(super) write: AccessMark,
    /// Reads since, of two threads: the first and the last.
    pub(super) reads: [AccessMark; 2],
}

/// A word that nobody has accessed.
pub(super) const EMPTY_CELL: Cell = Cell {
    write: AccessMark::NONE,
    reads: [AccessMark::NONE; 2],
};

impl Cell {
    /// Remembers a read. The first reader and the last are kept.
    #[inline(always)]
    pub(super) fn read(&mut self, mark: AccessMark, now: &CurrentAccess<'_>) {
        let free = now.replaces(self.reads[0], mark.lane());
        self.reads[usize::from(!free)] = mark;
    }

    /// Remembers reads by the lanes of `mask`, more than one, of one instruction: as [`Cell::read`]
    /// does lane by lane. Reads by records before `since` count no more; `own` says whether the
    /// first reader is of their warp.
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

    /// Whether nobody has accessed it.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.write.is_none() && self.reads[0].is_none()
    }

    /// The first mark of these bytes by which the access races.
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

/// The records of 16 words.
#[derive(Debug, Clone, Copy)]
pub(in crate::checks::race) struct Line {
    /// What is known of each word while `cells` is [`NONE`]: marks are those of the first word's
    /// lane.
    pub(super) row: Cell,
    /// Where the words' own cells are.
    pub(super) cells: u32,
}

impl Line {
    /// Remembers a read of all its words, if a glance says that it does not race; `mark` is that of
    /// the first word's lane.
    #[inline(always)]
    pub(in crate::checks::race) fn glance_at_read(
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

    /// Whether a glance says that a write of all its words does not race.
    #[inline(always)]
    pub(in crate::checks::race) fn glance_at_write(
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

    /// Remembers such a write.
    #[inline(always)]
    pub(in crate::checks::race) fn write(&mut self, mark: AccessMark) {
        self.row = Cell {
            write: mark,
            reads: [AccessMark::NONE; 2],
        };
    }
}

/// A line that nobody has accessed.
pub(super) const EMPTY: Line = Line {
    row: EMPTY_CELL,
    cells: NONE,
};

/// Lines that follow each other. Where their addresses begin no line of the host's cache is split:
/// a warp often accesses two of them.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Page(pub(super) [Line; LINES]);

/// A page that nobody has accessed.
pub(super) const EMPTY_PAGE: Page = Page([EMPTY; LINES]);
