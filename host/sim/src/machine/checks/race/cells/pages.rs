//! The places of the cells: pages of lines, which are made on demand and used again.

use std::ops::Range;

use super::super::record::{AccessMark, Records};
use super::line::Cell;
use super::line::{EMPTY_CELL, EMPTY_PAGE, Line, Page};
use super::{Cells, LAST, LINE, LINES, MemoryOwner, NONE, WORDS};

/// Returns the key of a word's page. A block's shared memory has fewer than 2^24 pages.
#[inline(always)]
pub(super) fn key(space: MemoryOwner, word: u64) -> u64 {
    match space {
        None => word / WORDS,
        Some(block) => 1 << 63 | u64::from(block) << 24 | (word / WORDS),
    }
}

/// Returns a key's place in the cache of lookups. Arrays are often a power of two apart, so the
/// last bits of their keys would be the same.
#[inline(always)]
fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % LAST
}

impl Cells {
    /// Returns the lines of a word's page. Makes a page if there is none.
    #[inline(always)]
    pub(in crate::machine::checks::race) fn lines(
        &mut self,
        space: MemoryOwner,
        word: u64,
        lines: Range<usize>,
    ) -> &mut [Line] {
        let page = self.page(space, word);
        &mut self.pages[page as usize].0[lines]
    }

    /// Returns the bytes of memory that the cells take.
    pub(in crate::machine::checks::race) fn bytes(&self) -> usize {
        self.pages.capacity() * size_of::<Page>()
            + self.cells.capacity() * size_of::<[Cell; LINE as usize]>()
    }

    /// Removes all cells, but keeps their memory.
    pub(in crate::machine::checks::race) fn reset(&mut self) {
        self.pages.clear();
        self.free.clear();
        self.cells.clear();
        self.free_cells.clear();
        self.places.clear();
        self.shared.clear();
        self.last.clear();
        self.beside.clear();
    }

    /// Removes the cells of a block's shared memory. The block has ended.
    pub(in crate::machine::checks::race) fn forget(&mut self, block: u32) {
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

    /// Returns the marks of the accesses of a block's shared memory. A line that was accessed as a
    /// whole has one for all its words.
    pub(in crate::machine::checks::race) fn marks_of(&self, block: u32) -> Vec<AccessMark> {
        let mut marks = Vec::new();
        for key in self.shared.get(&block).into_iter().flatten() {
            let page = self.places.get(key).map(|&page| &self.pages[page as usize]);
            for line in page.iter().flat_map(|page| &page.0) {
                let cells = match line.cells {
                    NONE => std::slice::from_ref(&line.row),
                    cells => &self.cells[cells as usize],
                };
                let of = |cell: &Cell| [cell.write, cell.reads[0], cell.reads[1]];
                marks.extend(cells.iter().flat_map(of).filter(|mark| !mark.is_none()));
            }
            let beside = self.beside.iter().filter(|((of, _), _)| of == key);
            marks.extend(beside.flat_map(|(_, marks)| marks));
        }
        marks
    }

    /// Discards the records that no cell refers to. Returns for each record number how many records
    /// before it are left.
    #[cold]
    #[inline(never)]
    pub(in crate::machine::checks::race) fn clean(&mut self, records: &mut Records) -> Vec<u32> {
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

    /// Returns the number of marks to visit.
    pub(in crate::machine::checks::race) fn size(&self) -> usize {
        self.pages.len() * LINES + self.cells.len() * LINE as usize
    }

    /// Returns the cells of the single words of a word's line. Makes them if there are none.
    #[inline(always)]
    pub(super) fn cells_of(&mut self, space: MemoryOwner, word: u64) -> u32 {
        let page = self.page(space, word);
        let line = (word / LINE) as usize % LINES;
        match self.pages[page as usize].0[line].cells {
            NONE => self.spread(page as usize, line),
            cells => cells,
        }
    }

    /// Gives each word of a line its own cell.
    #[inline(never)]
    pub(super) fn spread(&mut self, page: usize, line: usize) -> u32 {
        let Line { row, cells } = &mut self.pages[page].0[line];
        let place = self.free_cells.pop().unwrap_or_else(|| {
            self.cells.push([EMPTY_CELL; LINE as usize]);
            (self.cells.len() - 1) as u32
        });
        // A mark that stands for no access stays so for each word.
        for (cell, i) in self.cells[place as usize].iter_mut().zip(0..) {
            *cell = Cell {
                write: row.write.word(i),
                reads: row.reads.map(|read| read.word(i)),
            };
        }
        *cells = place;
        place
    }

    /// Returns the page of a word. Makes a page if there is none.
    #[inline(always)]
    pub(super) fn page(&mut self, space: MemoryOwner, word: u64) -> u32 {
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
