//! Shadow memory: what the race check remembers of every four bytes that a launch accessed.
//!
//! A cell holds the last write and two reads since, 8 bytes each: they point at [`record`](super::record)s. 16 words are a line. As long as
//! warps (or parts of warps) access whole lines, their lanes side by side, one cell stands for all 16 words, which makes such
//! accesses quick and their memory small; the first access of another form gives each word its own, until a whole line is written again.
//! Lines lie in pages; those of a block's shared memory are used again when the block has ended.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;

use super::AccessKind;
use super::lanes;
use super::record::{AccessMark, CurrentAccess, Known, Records, STRONG};
use crate::checks::{Footprint, Stretches};
use crate::counters::even::LANES;

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

/// Whose memory it is: a block's shared memory, by the block's place among those that the check knows, or global memory.
pub(super) type MemoryOwner = Option<u32>;

/// What is known of four bytes, or of each four bytes of a line.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    /// The last write. Earlier writes of bytes that it did not write are beside the cells: few programs have any.
    write: AccessMark,
    /// Reads since, of two threads: the first and the last.
    reads: [AccessMark; 2],
}

const EMPTY_CELL: Cell = Cell {
    write: AccessMark::NONE,
    reads: [AccessMark::NONE; 2],
};

impl Cell {
    /// Remembers a read. The first reader and the last are kept.
    #[inline(always)]
    fn read(&mut self, mark: AccessMark, now: &CurrentAccess<'_>) {
        let free = now.replaces(self.reads[0], mark.lane());
        self.reads[usize::from(!free)] = mark;
    }

    /// Remembers reads by the lanes of `mask`, more than one, of one instruction: as [`Cell::read`] does lane by lane. Reads by records before `since`
    /// count no more; `own` says whether the first reader is of their warp.
    #[inline(always)]
    fn read_by_all(
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
    fn is_empty(&self) -> bool {
        self.write.is_none() && self.reads[0].is_none()
    }

    /// The first mark of these bytes by which the access races.
    #[inline(always)]
    fn rival(&self, mark: AccessMark, now: &mut CurrentAccess<'_>) -> Option<AccessMark> {
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

    fn marks(&mut self) -> impl Iterator<Item = &mut AccessMark> {
        let marks = self.reads.iter_mut().chain([&mut self.write]);
        marks.filter(|mark| !mark.is_none())
    }
}

/// The records of 16 words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// What is known of each word while `cells` is [`NONE`]: marks are those of the first word's lane.
    row: Cell,
    /// Where the words' own cells are.
    cells: u32,
}

impl Line {
    /// Remembers a read of all its words, if a glance says that it does not race; `mark` is that of the first word's lane.
    #[inline(always)]
    pub(super) fn glance_at_read(&mut self, mark: AccessMark, known: &Known<'_>) -> bool {
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
    pub(super) fn glance_at_write(&self, mark: AccessMark, known: &Known<'_>) -> bool {
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
    pub(super) fn write(&mut self, mark: AccessMark) {
        self.row = Cell {
            write: mark,
            reads: [AccessMark::NONE; 2],
        };
    }
}

const EMPTY: Line = Line {
    row: EMPTY_CELL,
    cells: NONE,
};

/// Lines that follow each other. Where their addresses begin no line of the host's cache is split: a warp often accesses two of them.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Page([Line; LINES]);

const EMPTY_PAGE: Page = Page([EMPTY; LINES]);

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
    /// Earlier writes than the last of a word, of other bytes; by the page's key and the word in the page.
    beside: HashMap<(u64, u64), Vec<AccessMark>, FixedState>,
}

/// The key of the page of a word. A block's shared memory is less than 2^24 pages.
#[inline(always)]
fn key(space: MemoryOwner, word: u64) -> u64 {
    match space {
        None => word / WORDS,
        Some(block) => 1 << 63 | u64::from(block) << 24 | (word / WORDS),
    }
}

/// Where a page is remembered as found last. Arrays often begin a power of two apart: the key's last bits would be the same.
#[inline(always)]
fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % LAST
}

impl Cells {
    /// Remembers an access of some bytes of `word`, as `mark` says; gives the first one before it that it races with.
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

    /// The same of words, one for each lane of a mask: gives the lanes that race, with what they race with.
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

    /// Remembers an access of whole words side by side, `words` of them from `word` on, all in one line: `mark` is that of the
    /// first one's lane. False, and nothing has changed, if that has to be done word by word: one of them may race.
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

    /// Remembers reads of bytes of one word by the lanes of `mask`, more than one, of one instruction. False, and
    /// nothing has changed, if that has to be done lane by lane.
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

    /// Lines of the page of a word, a new one where there was none.
    #[inline(always)]
    pub(super) fn lines(
        &mut self,
        space: MemoryOwner,
        word: u64,
        lines: Range<usize>,
    ) -> &mut [Line] {
        let page = self.page(space, word);
        &mut self.pages[page as usize].0[lines]
    }

    /// Changes the marks of a word that may be those of unfinished accesses: none of a whole line is.
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

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.pages.capacity() * size_of::<Page>()
            + self.cells.capacity() * size_of::<[Cell; LINE as usize]>()
    }

    /// Forgets all, but not the memory that it took.
    pub(super) fn reset(&mut self) {
        self.pages.clear();
        self.free.clear();
        self.cells.clear();
        self.free_cells.clear();
        self.places.clear();
        self.shared.clear();
        self.last.clear();
        self.beside.clear();
    }

    /// Forgets the shared memory of a block, which has ended.
    pub(super) fn forget(&mut self, block: u32) {
        for key in self.shared.remove(&block).unwrap_or_default() {
            let Some(page) = self.places.remove(&key) else {
                continue;
            };
            let lines = std::mem::replace(&mut self.pages[page as usize], EMPTY_PAGE);
            let cells = lines.0.iter().map(|line| line.cells);
            self.free_cells.extend(cells.filter(|&cells| cells != NONE));
            self.free.push(page);
            if !self.beside.is_empty() {
                self.beside.retain(|(of, _), _| *of != key);
            }
            self.last[place(key)] = (u64::MAX, NONE);
        }
    }

    /// Throws away the records that no cell points at. Gives for each number how many before it are left.
    #[cold]
    #[inline(never)]
    pub(super) fn clean(&mut self, records: &mut Records) -> Vec<u32> {
        records.clean(self.size(), |f| {
            for line in self.pages.iter_mut().flat_map(|page| &mut page.0) {
                match line.cells {
                    NONE => line.row.marks().for_each(&mut *f),
                    cells => {
                        let cells = self.cells[cells as usize].iter_mut();
                        cells.flat_map(Cell::marks).for_each(&mut *f);
                    }
                }
            }
            self.beside.values_mut().flatten().for_each(f);
        })
    }

    /// How much there is to go through, in marks.
    pub(super) fn size(&self) -> usize {
        self.pages.len() * LINES + self.cells.len() * LINE as usize
    }

    /// Which bytes of global memory were accessed, in lists that are not sorted yet. Of a word's bytes that many threads read those of two are known.
    pub(super) fn footprint(&self, records: &Records) -> Footprint {
        let mut found = Footprint::default();
        let mut kinds = [RecordCache::default(); 3];
        let global = self.places.iter().filter(|(key, _)| *key >> 63 == 0);
        let mut pages: Vec<(u64, u32)> = global.map(|(&key, &page)| (key, page)).collect();
        pages.sort_unstable();
        for (number, page) in pages {
            for (line, at) in self.pages[page as usize].0.iter().zip(0..) {
                let start = (number * WORDS + at * LINE) * 4;
                if line.cells == NONE {
                    // Whole lines are accessed in whole words, and never strongly.
                    if !line.row.write.is_none() {
                        join(&mut found.written, start, start + LINE * 4);
                    }
                    if !line.row.reads[0].is_none() {
                        join(&mut found.read, start, start + LINE * 4);
                    }
                    continue;
                }
                // The bytes of the line, by what was done to them.
                let mut bytes = [0u64; 4];
                for (cell, word) in self.cells[line.cells as usize].iter().zip(0..) {
                    let [first, second] = cell.reads;
                    for (mark, seen) in [cell.write, first, second].into_iter().zip(&mut kinds) {
                        if !mark.is_none() {
                            bytes[seen.list(mark, records)] |=
                                u64::from(mark.bytes()) << (word * 4);
                        }
                    }
                }
                for (list, bytes) in found.lists().into_iter().zip(bytes) {
                    stretches(bytes, |first, end| join(list, start + first, start + end));
                }
            }
        }
        for ((key, word), marks) in self.beside.iter().filter(|((key, _), _)| key >> 63 == 0) {
            let start = (key * WORDS + word) * 4;
            for &mark in marks {
                let list = &mut found.lists()[kinds[0].list(mark, records)];
                stretches(mark.bytes().into(), |first, end| {
                    join(list, start + first, start + end)
                });
            }
        }
        found
    }

    /// The own cells of a word's line.
    #[inline(always)]
    fn cells_of(&mut self, space: MemoryOwner, word: u64) -> u32 {
        let page = self.page(space, word);
        let line = (word / LINE) as usize % LINES;
        match self.pages[page as usize].0[line].cells {
            NONE => self.spread(page as usize, line),
            cells => cells,
        }
    }

    /// Gives each word of a line its own cell.
    #[inline(never)]
    fn spread(&mut self, page: usize, line: usize) -> u32 {
        let Line { row, cells } = &mut self.pages[page].0[line];
        let place = self.free_cells.pop().unwrap_or_else(|| {
            self.cells.push([EMPTY_CELL; LINE as usize]);
            (self.cells.len() - 1) as u32
        });
        // What is none is none for each word.
        for (cell, i) in self.cells[place as usize].iter_mut().zip(0..) {
            *cell = Cell {
                write: row.write.word(i),
                reads: row.reads.map(|read| read.word(i)),
            };
        }
        *cells = place;
        place
    }

    /// The page of a word, a new one where there was none.
    #[inline(always)]
    fn page(&mut self, space: MemoryOwner, word: u64) -> u32 {
        let key = key(space, word);
        match self.last.get(place(key)) {
            Some(&(of, page)) if of == key => page,
            _ => self.find_page(space, key),
        }
    }

    #[inline(never)]
    fn find_page(&mut self, space: MemoryOwner, key: u64) -> u32 {
        let page = match self.places.get(&key) {
            Some(page) => *page,
            None => self.add_page(space, key),
        };
        self.last.resize(LAST, (u64::MAX, NONE));
        self.last[place(key)] = (key, page);
        page
    }

    fn add_page(&mut self, space: MemoryOwner, key: u64) -> u32 {
        let page = self.free.pop().unwrap_or_else(|| {
            self.pages.push(EMPTY_PAGE);
            (self.pages.len() - 1) as u32
        });
        self.places.insert(key, page);
        if let Some(block) = space {
            self.shared.entry(block).or_default().push(key);
        }
        page
    }
}

/// Adds a stretch to a footprint's list. By rising addresses nearly all join the one before: few are left to be sorted.
#[inline(always)]
fn join(list: &mut Stretches, start: u64, end: u64) {
    match list.last_mut() {
        Some((first, last)) if *first <= start && start <= *last => *last = end.max(*last),
        _ => list.push((start, end)),
    }
}

/// Calls `f` with the beginning and the end of each stretch of bits.
#[inline(always)]
fn stretches(mut bits: u64, mut f: impl FnMut(u64, u64)) {
    while bits != 0 {
        let first = bits.trailing_zeros();
        let length = (bits >> first).trailing_ones();
        f(first.into(), (first + length).into());
        bits &= u64::MAX.checked_shl(first + length).unwrap_or(0);
    }
}

/// The record that was asked for last, and the list of a footprint that its accesses belong to: words side by side are mostly those of one record.
#[derive(Debug, Clone, Copy)]
struct RecordCache {
    record: u32,
    list: usize,
}

impl Default for RecordCache {
    fn default() -> Self {
        let (record, list) = (u32::MAX, 0);
        Self { record, list }
    }
}

impl RecordCache {
    /// The number of the list that an access belongs to, among [`Footprint::lists`].
    #[inline(always)]
    fn list(&mut self, mark: AccessMark, records: &Records) -> usize {
        if self.record != mark.record() {
            let record = records.of(mark);
            let strong = record.how & STRONG != 0;
            self.record = mark.record();
            self.list = match (record.kind, strong) {
                (AccessKind::Read, false) => 0,
                (AccessKind::Write, false) => 1,
                (AccessKind::Read, true) => 2,
                _ => 3,
            };
        }
        self.list
    }
}
