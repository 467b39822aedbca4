//! Shadow memory: what the race check remembers of every four bytes that a launch accessed.
//!
//! A cell holds the last write and two reads since, 8 bytes each: they point at
//! [`record`](super::record)s. 16 words are a line. As long as warps (or parts of warps) access
//! whole lines, their lanes side by side, one cell stands for all 16 words, which makes such
//! accesses quick and their memory small; the first access of another form gives each word its own,
//! until a whole line is written again. Lines lie in pages; those of a block's shared memory are
//! used again when the block has ended.
//!
//! | file | what it is |
//! | --- | --- |
//! | `line` | what is known of a word, and of a line of words |
//! | `pages` | where a word's cell is |
//! | `footprint` | which bytes the launch has accessed |

mod footprint;
mod line;
mod pages;

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::AccessKind;
use super::lanes;
use super::record::{AccessMark, CurrentAccess, Known};
use crate::counters::even::LANES;
use line::{Cell, Line, Page};
use pages::key;

/// Words of a line.
pub(super) const LINE: u64 = 16;
/// Lines of a page.
pub(super) const LINES: usize = 64;
/// Words of a page.
const WORDS: u64 = LINE * LINES as u64;
/// Pages that are remembered as found last.
const LAST: usize = 256;
/// The index of a line that has no cells.
const NONE: u32 = u32::MAX;

/// Whose memory it is: a block's shared memory, by the block's place among those that the check
/// knows, or global memory.
pub(super) type MemoryOwner = Option<u32>;

/// All cells of a launch.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pages: Vec<Page>,
    /// Pages of blocks that have ended.
    free: Vec<u32>,
    /// The cells of lines whose words have their own.
    cells: Vec<[Cell; LINE as usize]>,
    /// Those that no line has any more.
    free_cells: Vec<u32>,
    /// Pages by key.
    places: HashMap<u64, u32, FixedState>,
    /// The keys of a block's pages of shared memory.
    shared: HashMap<u32, Vec<u64>, FixedState>,
    /// Pages that were found last, with their keys: a warp goes back and forth between a few.
    last: Vec<(u64, u32)>,
    /// Earlier writes than the last of a word, of other bytes; by the page's key and the word in
    /// the page.
    beside: HashMap<(u64, u64), Vec<AccessMark>, FixedState>,
}

impl Cells {
    /// Remembers an access of some bytes of `word`, as `mark` says; gives the first one before it
    /// that it races with.
    #[inline]
    pub(super) fn touch(
        &mut self,
        space: MemoryOwner,
        word: u64,
        mark: AccessMark,
        now: &mut CurrentAccess<'_>,
    ) -> Option<AccessMark> {
        let cells = self.cells_of(space, word);
        self.touch_cell(space, word, (cells, mark), now)
    }

    /// The same of words, one for each lane of a mask: gives the lanes that race, with what they
    /// race with.
    #[inline(never)]
    pub(super) fn touch_words(
        &mut self,
        space: MemoryOwner,
        (addresses, mask): (&[u64; LANES], u32),
        now: &mut CurrentAccess<'_>,
        found: &mut Vec<(usize, AccessMark)>,
    ) {
        let mark = now.mark.of(15);
        let mut last = (u64::MAX, 0);
        for lane in lanes(mask) {
            let word = addresses[lane] / 4;
            // Most lanes' words are in the page of the one before.
            if last.0 != word / WORDS {
                last = (word / WORDS, self.page(space, word) as usize);
            }
            let line = (word / LINE) as usize % LINES;
            let cells = match self.pages[last.1].0[line].cells {
                NONE => self.spread(last.1, line),
                cells => cells,
            };
            let mark = mark.by_lane(lane as u32);
            // Most reads are the first after what a barrier has ordered before them.
            let cell = &mut self.cells[cells as usize][(word % LINE) as usize];
            if now.kind == AccessKind::Read && cell.reads[0].is_none() && now.is_past(cell.write) {
                cell.reads[0] = mark;
                continue;
            }
            let before = self.touch_cell(space, word, (cells, mark), now);
            found.extend(before.map(|before| (lane, before)));
        }
    }

    /// Remembers an access of bytes of a word that has its own cell, in `cells`.
    #[inline(always)]
    fn touch_cell(
        &mut self,
        space: MemoryOwner,
        word: u64,
        (cells, mark): (u32, AccessMark),
        now: &mut CurrentAccess<'_>,
    ) -> Option<AccessMark> {
        let cell = &mut self.cells[cells as usize][(word % LINE) as usize];
        let bytes = mark.bytes();
        if cell.write.beside() {
            return self.touch_beside(space, word, (cells, mark), now);
        }
        let found = cell.rival(mark, now);
        if now.kind == AccessKind::Read {
            cell.read(mark, now);
            return found;
        }
        let before = cell.write;
        *cell = Cell {
            write: mark,
            reads: [AccessMark::NONE; 2],
        };
        if before.bytes() & !bytes != 0 {
            cell.write.set_beside();
            let before = before.of(before.bytes() & !bytes);
            let place = (key(space, word), word % WORDS);
            self.beside.insert(place, vec![before]);
        }
        found
    }

    /// The same where there are earlier writes than the last.
    #[inline(never)]
    fn touch_beside(
        &mut self,
        space: MemoryOwner,
        word: u64,
        (cells, mark): (u32, AccessMark),
        now: &mut CurrentAccess<'_>,
    ) -> Option<AccessMark> {
        let cell = &mut self.cells[cells as usize][(word % LINE) as usize];
        let (bytes, lane) = (mark.bytes(), mark.lane());
        let beside = self
            .beside
            .entry((key(space, word), word % WORDS))
            .or_default();
        let mut found = Some(cell.write).filter(|write| now.races(*write, bytes, lane));
        let mut earlier = beside.iter().copied();
        found = found.or_else(|| earlier.find(|write| now.races(*write, bytes, lane)));
        found = found.or_else(|| cell.rival(mark, now));
        if now.kind == AccessKind::Read {
            cell.read(mark, now);
            return found;
        }
        beside.push(cell.write);
        beside.retain_mut(|write| {
            *write = write.of(write.bytes() & !bytes);
            !write.is_none()
        });
        *cell = Cell {
            write: mark,
            reads: [AccessMark::NONE; 2],
        };
        cell.write.set_beside();
        found
    }

    /// Remembers an access of whole words side by side, `words` of them from `word` on, all in one
    /// line: `mark` is that of the first one's lane. False, and nothing has changed, if that has to
    /// be done word by word: one of them may race.
    #[inline(always)]
    pub(super) fn touch_row(
        &mut self,
        space: MemoryOwner,
        (word, words): (u64, u64),
        mark: AccessMark,
        now: &mut CurrentAccess<'_>,
    ) -> bool {
        let page = self.page(space, word);
        let line = &mut self.pages[page as usize].0[(word / LINE) as usize % LINES];
        if line.cells == NONE && words == LINE {
            let row = &mut line.row;
            if now.row_races(row.write, mark) {
                return false;
            }
            if now.kind != AccessKind::Read {
                if row.reads.iter().any(|read| now.row_races(*read, mark)) {
                    return false;
                }
                *row = Cell {
                    write: mark,
                    reads: [AccessMark::NONE; 2],
                };
                return true;
            }
            match now.replaces_row(row.reads[0], mark) {
                Some(first) => row.reads[usize::from(!first)] = mark,
                None => return false,
            }
            return true;
        }
        self.touch_part(page, (word, words), mark, now)
    }

    /// The same where words of the line have their own cells, or it is a part of a line.
    #[inline(never)]
    fn touch_part(
        &mut self,
        page: u32,
        (word, words): (u64, u64),
        mark: AccessMark,
        now: &mut CurrentAccess<'_>,
    ) -> bool {
        let cells = match self.pages[page as usize].0[(word / LINE) as usize % LINES].cells {
            NONE => self.spread(page as usize, (word / LINE) as usize % LINES),
            cells => cells,
        };
        let first = (word % LINE) as usize;
        let row = &mut self.cells[cells as usize][first..first + words as usize];
        // Words that nobody has accessed yet are side by side as a rule.
        let fresh = row.iter().all(Cell::is_empty);
        let mut wrong = false;
        for (i, cell) in row.iter().enumerate().filter(|_| !fresh) {
            wrong |= cell.write.beside() || cell.rival(mark.word(i as u32), now).is_some();
        }
        if wrong {
            return false;
        }
        if now.kind == AccessKind::Read {
            for (i, cell) in row.iter_mut().enumerate() {
                cell.read(mark.word(i as u32), now);
            }
        } else if words == LINE {
            self.free_cells.push(cells);
            self.pages[page as usize].0[(word / LINE) as usize % LINES] = Line {
                row: Cell {
                    write: mark,
                    reads: [AccessMark::NONE; 2],
                },
                cells: NONE,
            };
        } else {
            for (i, cell) in row.iter_mut().enumerate() {
                *cell = Cell {
                    write: mark.word(i as u32),
                    reads: [AccessMark::NONE; 2],
                };
            }
        }
        true
    }

    /// Remembers reads of bytes of one word by the lanes of `mask`, more than one, of one
    /// instruction. False, and nothing has changed, if that has to be done lane by lane.
    #[inline]
    pub(super) fn touch_by_all(
        &mut self,
        space: MemoryOwner,
        word: u64,
        (mark, mask): (AccessMark, u32),
        now: &mut CurrentAccess<'_>,
    ) -> bool {
        let cells = self.cells_of(space, word);
        let cell = &mut self.cells[cells as usize][(word % LINE) as usize];
        let write = cell.write;
        // For the lane that wrote there itself things are different, and it is none to race with.
        let other = (write.lane() ^ 1) & 31;
        if write.beside() || now.races(write, mark.bytes(), other) {
            return false;
        }
        cell.read_by_all((mark, mask), now.since, |first| now.is_own(first));
        true
    }

    /// The same of a whole word, where that takes no more than a glance.
    #[inline(always)]
    pub(super) fn glance_at_word(
        &mut self,
        space: MemoryOwner,
        word: u64,
        (mark, mask): (AccessMark, u32),
        known: &Known<'_>,
    ) -> bool {
        let cells = self.cells_of(space, word);
        let cell = &mut self.cells[cells as usize][(word % LINE) as usize];
        let quick = known.is_past(cell.write) && !cell.write.beside();
        if quick {
            cell.read_by_all((mark, mask), known.since, |first| known.is_own(first));
        }
        quick
    }

    /// Changes the marks of a word that may be those of unfinished accesses: none of a whole line
    /// is.
    pub(super) fn change(
        &mut self,
        space: MemoryOwner,
        word: u64,
        mut f: impl FnMut(&mut AccessMark),
    ) {
        let Some(&page) = self.places.get(&key(space, word)) else {
            return;
        };
        let line = self.pages[page as usize].0[(word / LINE) as usize % LINES];
        if line.cells == NONE {
            return;
        }
        let cell = &mut self.cells[line.cells as usize][(word % LINE) as usize];
        cell.marks().for_each(&mut f);
        let beside = self.beside.get_mut(&(key(space, word), word % WORDS));
        beside.into_iter().flatten().for_each(f);
    }
}
