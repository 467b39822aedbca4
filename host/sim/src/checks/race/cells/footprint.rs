//! Which bytes of global memory a launch has accessed, as its cells tell.

use super::super::AccessKind;
use super::super::record::{AccessMark, Records, STRONG};
use super::{Cells, LINE, NONE, WORDS};
use crate::checks::{Footprint, Stretches};

impl Cells {
    /// Which bytes of global memory were accessed, in lists that are not sorted yet. Of a word's
    /// bytes that many threads read those of two are known.
    pub(in crate::checks::race) fn footprint(&self, records: &Records) -> Footprint {
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
}

/// Adds a stretch to a footprint's list. By rising addresses nearly all join the one before: few
/// are left to be sorted.
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

/// The record that was asked for last, and the list of a footprint that its accesses belong to:
/// words side by side are mostly those of one record.
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
