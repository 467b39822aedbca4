//! Shadow memory: the accesses that the race check records for every four bytes of memory.
//!
//! A cell contains the last write and two reads since then, 8 bytes each, which refer to
//! [`record`](super::record)s. 16 words form a line. While warps (or parts of warps) access whole
//! lines with adjacent lanes, one cell stands for all 16 words. That makes such accesses fast and
//! their memory small. The first access of another form gives each word its own cell, until a whole
//! line is written again. Lines lie in pages. The pages of a block's shared memory are used again
//! after the block has ended.
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

/// The number of words of a line.
pub(super) const LINE: u64 = 16;
/// The number of lines of a page.
pub(super) const LINES: usize = 64;
/// The number of words of a page.
const WORDS: u64 = LINE * LINES as u64;
/// The number of pages in the cache of lookups.
const LAST: usize = 256;
/// The index in a line that has no cells.
const NONE: u32 = u32::MAX;

/// The owner of the memory: a block's shared memory, by the block's index in the check,
/// or global memory.
pub(super) type MemoryOwner = Option<u32>;

/// All cells of a launch.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pages: Vec<Page>,
    /// Pages of blocks that have ended.
    free: Vec<u32>,
    /// The cells of lines whose words have their own.
    cells: Vec<[Cell; LINE as usize]>,
    /// Indices of cells that no line uses any more.
    free_cells: Vec<u32>,
    /// The index of each page, by its key.
    places: HashMap<u64, u32, FixedState>,
    /// The keys of a block's pages of shared memory.
    shared: HashMap<u32, Vec<u64>, FixedState>,
    /// A cache of the last lookups: pages with their keys. A warp goes back and forth between
    /// a few pages.
    last: Vec<(u64, u32)>,
    /// Writes of a word before its last write, of other bytes, by the page's key and the word
    /// in the page.
    beside: HashMap<(u64, u64), Vec<AccessMark>, FixedState>,
}

impl Cells {
    /// Records an access of the bytes of `word` that `mark` contains. Returns the first earlier
    /// access that it races with.
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

    /// Records accesses of words, one for each lane of a mask. Returns the lanes that race, with an
    /// earlier access that they race with.
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
            // For most lanes, the word is in the same page as the word of the lane before.
            if last.0 != word / WORDS {
                last = (word / WORDS, self.page(space, word) as usize);
            }
            let line = (word / LINE) as usize % LINES;
            let cells = match self.pages[last.1].0[line].cells {
                NONE => self.spread(last.1, line),
                cells => cells,
            };
            let mark = mark.by_lane(lane as u32);
            // Most reads are the first ones after accesses that a barrier has ordered before them.
            let cell = &mut self.cells[cells as usize][(word % LINE) as usize];
            if now.kind == AccessKind::Read && cell.reads[0].is_none() && now.is_past(cell.write) {
                cell.reads[0] = mark;
                continue;
            }
            let before = self.touch_cell(space, word, (cells, mark), now);
            found.extend(before.map(|before| (lane, before)));
        }
    }

    /// Records an access of bytes of a word that has its own cell, in `cells`.
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

    /// Does the same for a word with writes before its last write.
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

    /// Records an access of adjacent whole words, `words` of them from `word` on, all in one line.
    /// `mark` is the mark of the first word's lane. Returns false, and changes nothing, if the
    /// access must be recorded word by word, because one of the words may race.
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

    /// Does the same if words of the line have their own cells, or if the access is a part
    /// of a line.
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
        // Words without an access are mostly adjacent.
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

    /// Records reads of bytes of one word by the lanes of `mask`, more than one, of one
    /// instruction. Returns false, and changes nothing, if the reads must be recorded lane by lane.
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
        // The lane that wrote the word does not race with its own write, so the test
        // uses another lane.
        let other = (write.lane() ^ 1) & 31;
        if write.beside() || now.races(write, mark.bytes(), other) {
            return false;
        }
        cell.read_by_all((mark, mask), now.since, |first| now.is_own(first));
        true
    }

    /// Does the same for a whole word, if record numbers alone decide.
    #[inline(always)]
    pub(super) fn try_word(
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

    /// Changes the marks of a word that may belong to unfinished accesses. A mark of a whole
    /// line never does.
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
