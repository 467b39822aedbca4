//! Computes from the cells which bytes of global memory a launch has accessed.

use super::super::AccessKind;
use super::super::record::{AccessMark, Records, STRONG};
use super::{Cells, LINE, NONE, WORDS};
use crate::checks::{Footprint, Stretches};

impl Cells {
    /// Returns the bytes of global memory that were accessed. The lists are not sorted yet. If many
    /// threads read bytes of one word, the bytes of only two of them are known.
    pub(in crate::machine::checks::race) fn footprint(&self, records: &Records) -> Footprint {
        let mut found = Footprint::default();
        let mut kinds = [RecordCache::default(); 3];
        let global = self.places.iter().filter(|(key, _)| *key >> 63 == 0);
        let mut pages: Vec<(u64, u32)> = global.map(|(&key, &page)| (key, page)).collect();
        pages.sort_unstable();
        for (number, page) in pages {
            for (line, at) in self.pages[page as usize].0.iter().zip(0..) {
                let start = (number * WORDS + at * LINE) * 4;
                if line.cells == NONE {
                    // A line without cells of its own was accessed in whole words, and never
                    // by strong accesses.
                    if !line.row.write.is_none() {
                        join(&mut found.written, start, start + LINE * 4);
                    }
                    if !line.row.reads[0].is_none() {
                        join(&mut found.read, start, start + LINE * 4);
                    }
                    continue;
                }
                // The bytes of the line, by kind of access.
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
}

/// Adds a range to a footprint's list. Addresses ascend, so nearly every range joins the one before
/// it, and few are left to sort.
#[inline(always)]
fn join(list: &mut Stretches, start: u64, end: u64) {
    match list.last_mut() {
        Some((first, last)) if *first <= start && start <= *last => *last = end.max(*last),
        _ => list.push((start, end)),
    }
}

/// Calls `f` with the start and the end of each run of set bits.
#[inline(always)]
fn stretches(mut bits: u64, mut f: impl FnMut(u64, u64)) {
    while bits != 0 {
        let first = bits.trailing_zeros();
        let length = (bits >> first).trailing_ones();
        f(first.into(), (first + length).into());
        bits &= u64::MAX.checked_shl(first + length).unwrap_or(0);
    }
}

/// The last record that was looked up, and the footprint's list that its accesses belong to.
/// Adjacent words mostly have the same record.
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
    /// Returns the index, in [`Footprint::lists`], of the list that an access belongs to.
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
