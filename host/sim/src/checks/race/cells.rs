//! Shadow memory: what the race check remembers of every four bytes that a launch accessed.
//!
//! A cell holds the last write and two reads since, 24 bytes each. 16 words are a line. As long as warps (or half warps) access
//! whole lines, their lanes side by side, one cell stands for all 16 words, which makes such accesses quick and their memory small; the first access
//! of another form gives each word its own. Lines lie in pages; those of a block's shared memory are used again when the block
//! has ended.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::Kind;
use crate::checks::Footprint;

/// Words of a line.
pub(super) const LINE: u64 = 16;
/// Lines of a page.
const LINES: usize = 64;
/// Words of a page.
const WORDS: u64 = LINE * LINES as u64;
/// Pages that are remembered as found last.
const LAST: usize = 16;
/// No page, and no cells.
const NONE: u32 = u32::MAX;

/// Whose memory it is: a block's shared memory, by the block's number in the grid, or global memory.
pub(super) type MemoryOwner = Option<u64>;

/// An access as a cell remembers it, and the time at which it happened. Without bytes it is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// The block, by its place among those that the check knows.
    pub(super) block: u32,
    /// The operation, by its number in the program.
    pub(super) op: u32,
    /// The warp's clock.
    pub(super) warp_time: u32,
    /// The block's clock, which moves on at each release.
    pub(super) block_time: u32,
    /// Counts instructions of the warp that access memory: lanes of one instruction share it. It may start again at zero,
    /// after billions of them.
    pub(super) instruction: u32,
    /// From the lowest bit: the bytes of the word, a bit each (4); the kind (2); flags (4); the lane (6); the warp (16).
    pub(super) bits: u32,
}

const STRONG: u32 = 1 << 6;
const PENDING: u32 = 1 << 7;
/// Of a cell's last write: there are earlier ones beside it.
const BESIDE: u32 = 1 << 8;
const NARROW: u32 = 1 << 9;

impl Mark {
    /// The record of no access.
    const NONE: Self = Self {
        block: 0,
        op: 0,
        warp_time: 0,
        block_time: 0,
        instruction: 0,
        bits: 0,
    };

    /// Sets who accesses, and how; no bytes yet.
    pub(super) fn by(
        self,
        warp: u32,
        lane: u32,
        kind: Kind,
        (strong, narrow, pending): (bool, bool, bool),
    ) -> Self {
        let kind = match kind {
            Kind::Read => 0,
            Kind::Write => 1,
            Kind::Atomic => 2,
        };
        let flag = |is, flag| if is { flag } else { 0 };
        let flags = flag(strong, STRONG) | flag(pending, PENDING) | flag(narrow, NARROW);
        let bits = kind << 4 | flags | (lane & 63) << 10 | warp << 16;
        Self { bits, ..self }
    }

    /// The same access by another lane.
    pub(super) fn by_lane(self, lane: u32) -> Self {
        let bits = self.bits & !(63 << 10) | lane << 10;
        Self { bits, ..self }
    }

    /// The same access of other bytes of its word.
    pub(super) fn of(self, bytes: u32) -> Self {
        let bits = self.bits & !15 | bytes & 15;
        Self { bits, ..self }
    }

    /// The bytes of the word, a bit each.
    pub(super) fn bytes(&self) -> u32 {
        self.bits & 15
    }

    /// What it does.
    pub(super) fn kind(&self) -> Kind {
        match self.bits >> 4 & 3 {
            0 => Kind::Read,
            1 => Kind::Write,
            _ => Kind::Atomic,
        }
    }

    /// Whether it is strong in the memory model's sense.
    pub(super) fn strong(&self) -> bool {
        self.bits & STRONG != 0
    }

    /// Whether it is of block scope.
    pub(super) fn narrow(&self) -> bool {
        self.bits & NARROW != 0
    }

    /// Whether it was only begun.
    pub(super) fn pending(&self) -> bool {
        self.bits & PENDING != 0
    }

    /// The lane in the warp.
    pub(super) fn lane(&self) -> u32 {
        self.bits >> 10 & 63
    }

    /// The warp in the block.
    pub(super) fn warp(&self) -> u32 {
        self.bits >> 16
    }

    /// Whether one warp does both.
    pub(super) fn same_warp(&self, other: &Self) -> bool {
        self.block == other.block && (self.bits ^ other.bits) >> 16 == 0
    }

    /// Whether one thread does both.
    pub(super) fn same_thread(&self, other: &Self) -> bool {
        self.block == other.block && (self.bits ^ other.bits) >> 10 == 0
    }

    /// It is over, and happened when `now` says.
    pub(super) fn complete(&mut self, now: &Self) {
        self.bits &= !PENDING;
        (self.warp_time, self.block_time) = (now.warp_time, now.block_time);
        self.instruction = now.instruction;
    }
}

/// What is known of four bytes, or of each four bytes of a line.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    /// The last write. Earlier writes of bytes that it did not write are beside the cells: few programs have any.
    write: Mark,
    /// Reads since, of two threads: the first and the last.
    reads: [Mark; 2],
}

impl Cell {
    /// Remembers a read. The first reader and the last are kept.
    #[inline(always)]
    fn read(&mut self, now: Mark) {
        let free = self.reads[0].bytes() == 0 || self.reads[0].same_thread(&now);
        self.reads[usize::from(!free)] = now;
    }

    /// The marks that an access of this kind may race with.
    #[inline(always)]
    fn rivals(&self, kind: Kind) -> &[Mark] {
        match kind {
            Kind::Read => &[],
            _ => &self.reads,
        }
    }

    fn all(&self) -> impl Iterator<Item = &Mark> {
        self.reads.iter().chain([&self.write])
    }

    fn marks(&mut self) -> impl Iterator<Item = &mut Mark> {
        self.reads.iter_mut().chain([&mut self.write])
    }
}

/// How the words of a line belong to lanes: the lane of the first word, and of how many words each has the logarithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) first: u8,
    pub(super) log: u8,
}

/// The records of 16 words.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// What is known of each word, by the lane that it belongs to, while `cells` is [`NONE`].
    row: Cell,
    /// Which lane that is.
    layout: Layout,
    /// Where the words' own cells are.
    cells: u32,
}

const EMPTY: Line = Line {
    row: Cell {
        write: Mark::NONE,
        reads: [Mark::NONE; 2],
    },
    layout: Layout { first: 0, log: 0 },
    cells: NONE,
};

/// All cells of a launch.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pages: Vec<[Line; LINES]>,
    /// Pages of blocks that have ended.
    free: Vec<u32>,
    /// The cells of lines whose words have their own.
    cells: Vec<[Cell; LINE as usize]>,
    /// Those of blocks that have ended.
    free_cells: Vec<u32>,
    /// Pages of global memory, by number.
    global: HashMap<u64, u32, FixedState>,
    /// Pages of shared memory, by block and number.
    shared: HashMap<u64, Vec<u32>, FixedState>,
    /// Pages that were found last, by the last bits of their numbers: a warp goes back and forth between a few.
    last: [Option<(MemoryOwner, u64, u32)>; LAST],
    /// Earlier writes than the last of a word, of other bytes.
    beside: HashMap<(MemoryOwner, u64), Vec<Mark>, FixedState>,
}

impl Cells {
    /// Remembers an access of `word`; gives the first one before it for which `races`.
    #[inline]
    pub(super) fn touch(
        &mut self,
        space: MemoryOwner,
        word: u64,
        now: Mark,
        races: impl Fn(&Mark) -> bool,
    ) -> Option<Mark> {
        let cell = self.cell(space, word);
        let cell = &mut self.cells[cell as usize][(word % LINE) as usize];
        let bytes = now.bytes();
        let races = |before: &&Mark| before.bytes() & bytes != 0 && races(before);
        let mut found = Some(&cell.write).filter(races).copied();
        let beside = cell.write.bits & BESIDE != 0;
        if beside && found.is_none() {
            let beside = self.beside.get(&(space, word));
            found = beside.and_then(|marks| marks.iter().find(races).copied());
        }
        found = found.or_else(|| cell.rivals(now.kind()).iter().find(races).copied());
        if now.kind() == Kind::Read {
            cell.read(now);
            return found;
        }
        let before = std::mem::replace(&mut cell.write, now);
        cell.reads = [Mark::NONE; 2];
        if beside || before.bytes() & !bytes != 0 {
            let marks = self.beside.entry((space, word)).or_default();
            marks.push(before);
            marks.retain_mut(|mark| {
                *mark = mark.of(mark.bytes() & !bytes);
                mark.bytes() != 0
            });
            cell.write.bits |= BESIDE;
        }
        found
    }

    /// Remembers an access of the whole line of `word`, its words by lanes as `layout` says; `now` is that of lane 0. False, and
    /// nothing has changed, if that has to be done word by word: one of them may race, or the line was accessed otherwise.
    #[inline]
    pub(super) fn touch_line(
        &mut self,
        space: MemoryOwner,
        word: u64,
        (now, layout): (Mark, Layout),
        races: impl Fn(&Mark) -> bool,
    ) -> bool {
        let page = self.page(space, word / WORDS);
        let line = &mut self.pages[page as usize][(word / LINE) as usize % LINES];
        let row = &mut line.row;
        let fresh = row.write.bytes() == 0 && row.reads[0].bytes() == 0;
        if line.cells != NONE || !(fresh || line.layout == layout) {
            return false;
        }
        let races = |before: &Mark| before.bytes() != 0 && races(before);
        if races(&row.write) || row.rivals(now.kind()).iter().any(races) {
            return false;
        }
        line.layout = layout;
        if now.kind() == Kind::Read {
            row.read(now);
        } else {
            (row.write, row.reads) = (now, [Mark::NONE; 2]);
        }
        true
    }

    /// Remembers reads of one place by the lanes of `mask`, more than one, of one instruction; `now` is that of lane 0. False, and
    /// nothing has changed, if that has to be done lane by lane.
    #[inline]
    pub(super) fn touch_by_all(
        &mut self,
        space: MemoryOwner,
        word: u64,
        (now, mask): (Mark, u32),
        races: impl Fn(&Mark, &Mark) -> bool,
    ) -> bool {
        let cell = self.cell(space, word);
        let cell = &mut self.cells[cell as usize][(word % LINE) as usize];
        let (write, first) = (cell.write, cell.reads[0]);
        // For the lane that wrote there itself things are different, and it is none to race with.
        let other = now.by_lane(write.lane() ^ 1);
        let races = |mark: &Mark| mark.bytes() & now.bytes() != 0 && races(mark, &other);
        if write.bits & BESIDE != 0 || races(&write) {
            return false;
        }
        // As [`Cell::read`] does lane by lane.
        let mut left = mask;
        if first.bytes() == 0 {
            let lane = mask.trailing_zeros();
            cell.reads[0] = now.by_lane(lane);
            left &= !(1 << lane);
        } else if first.same_warp(&now) && mask >> first.lane() & 1 != 0 {
            cell.reads[0] = now.by_lane(first.lane());
            left &= !(1 << first.lane());
        }
        cell.reads[1] = now.by_lane(31 - left.leading_zeros());
        true
    }

    /// Changes the marks of a word that may be those of unfinished accesses: none of a whole line is.
    pub(super) fn change(&mut self, space: MemoryOwner, word: u64, f: impl Fn(&mut Mark)) {
        let page = self.known(space, word / WORDS);
        let line = page.map(|page| self.pages[page as usize][(word / LINE) as usize % LINES]);
        let Some(line) = line.filter(|line| line.cells != NONE) else {
            return;
        };
        let cell = &mut self.cells[line.cells as usize][(word % LINE) as usize];
        cell.marks().for_each(&f);
        let beside = self.beside.get_mut(&(space, word));
        beside.into_iter().flatten().for_each(f);
    }

    /// Forgets the shared memory of a block, which has ended.
    pub(super) fn forget(&mut self, block: u64) {
        let pages = self.shared.remove(&block).unwrap_or_default();
        for page in pages.into_iter().filter(|&page| page != NONE) {
            let lines = std::mem::replace(&mut self.pages[page as usize], [EMPTY; LINES]);
            let cells = lines.iter().map(|line| line.cells);
            self.free_cells.extend(cells.filter(|&cells| cells != NONE));
            self.free.push(page);
        }
        if !self.beside.is_empty() {
            self.beside.retain(|(space, _), _| *space != Some(block));
        }
        self.last = [None; LAST];
    }

    /// Which bytes of global memory were accessed. Of a word's bytes that many threads read those of two are known.
    pub(super) fn footprint(&self) -> Footprint {
        let mut found = Footprint::default();
        let mut add = |word: u64, mark: &Mark, words: u64| {
            let list = match (mark.kind(), mark.strong()) {
                (Kind::Read, false) => &mut found.read,
                (Kind::Read, true) => &mut found.strong_read,
                (Kind::Write, false) => &mut found.written,
                _ => &mut found.strong_written,
            };
            let (at, mut bytes) = (word * 4, mark.bytes());
            if bytes == 15 {
                return list.push((at, at + words * 4));
            }
            while bytes != 0 {
                let first = u64::from(bytes.trailing_zeros());
                list.push((at + first, at + first + 1));
                bytes &= bytes - 1;
            }
        };
        for (&number, &page) in &self.global {
            for (line, at) in self.pages[page as usize].iter().zip(0..) {
                let first = number * WORDS + at * LINE;
                if line.cells == NONE {
                    line.row.all().for_each(|mark| add(first, mark, LINE));
                    continue;
                }
                let cells = &self.cells[line.cells as usize];
                for (cell, word) in cells.iter().zip(first..) {
                    cell.all().for_each(|mark| add(word, mark, 1));
                }
            }
        }
        for ((_, word), marks) in self.beside.iter().filter(|((space, _), _)| space.is_none()) {
            marks.iter().for_each(|mark| add(*word, mark, 1));
        }
        found.sort();
        found
    }

    /// The own cells of a word's line.
    #[inline(always)]
    fn cell(&mut self, space: MemoryOwner, word: u64) -> u32 {
        let page = self.page(space, word / WORDS);
        let line = (word / LINE) as usize % LINES;
        match self.pages[page as usize][line].cells {
            NONE => self.spread(page as usize, line),
            cells => cells,
        }
    }

    /// Gives each word of a line its own cell.
    #[inline(never)]
    fn spread(&mut self, page: usize, line: usize) -> u32 {
        let Line { row, layout, cells } = &mut self.pages[page][line];
        let place = self.free_cells.pop().unwrap_or_else(|| {
            self.cells.push([EMPTY.row; LINE as usize]);
            (self.cells.len() - 1) as u32
        });
        for (word, cell) in self.cells[place as usize].iter_mut().enumerate() {
            let lane = u32::from(layout.first) + (word >> layout.log) as u32;
            *cell = *row;
            let marks = cell.marks().filter(|mark| mark.bytes() != 0);
            marks.for_each(|mark| *mark = mark.by_lane(lane));
        }
        *cells = place;
        place
    }

    fn known(&self, space: MemoryOwner, number: u64) -> Option<u32> {
        match space {
            None => self.global.get(&number).copied(),
            Some(block) => {
                let pages = self.shared.get(&block)?;
                pages.get(usize::try_from(number).ok()?).copied()
            }
        }
        .filter(|&page| page != NONE)
    }

    /// A page, a new one where there was none.
    #[inline(always)]
    fn page(&mut self, space: MemoryOwner, number: u64) -> u32 {
        match self.last[number as usize % LAST] {
            Some((s, n, page)) if (s, n) == (space, number) => page,
            _ => self.find_page(space, number),
        }
    }

    #[inline(never)]
    fn find_page(&mut self, space: MemoryOwner, number: u64) -> u32 {
        let page = self
            .known(space, number)
            .unwrap_or_else(|| self.add_page(space, number));
        self.last[number as usize % LAST] = Some((space, number, page));
        page
    }

    fn add_page(&mut self, space: MemoryOwner, number: u64) -> u32 {
        let page = self.free.pop().unwrap_or_else(|| {
            self.pages.push([EMPTY; LINES]);
            (self.pages.len() - 1) as u32
        });
        match space {
            None => {
                self.global.insert(number, page);
            }
            Some(block) => {
                // Shared addresses are small: those of a block end at 16 MiB.
                let (pages, number) = (self.shared.entry(block).or_default(), number as usize);
                if pages.len() <= number {
                    pages.resize(number + 1, NONE);
                }
                pages[number] = page;
            }
        }
        page
    }
}
