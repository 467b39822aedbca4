//! Divides an access into the words of memory that the cells describe.

use super::AccessKind;
use super::cells::{Cells, LINE, MemoryOwner};
use super::record::{AccessMark, CurrentAccess};
use crate::counters::even::Even;

/// Returns whether lanes with a fixed stride access one address, or adjacent ones.
#[inline(always)]
pub(super) fn lies_simply(even: Even, kind: AccessKind, size: u64) -> bool {
    let at_one_place = even.step == 0 && kind == AccessKind::Read && even.lanes > 1;
    even.aligned(size) && (at_one_place || even.step == size && size >= 4)
}

/// Records an access of `size` bytes by each lane of `mask`, for which [`lies_simply`] holds.
/// Returns what [`Races::record_evenly`] returns.
#[inline(always)]
pub(super) fn touch_evenly(
    cells: &mut Cells,
    space: MemoryOwner,
    now: &mut CurrentAccess<'_>,
    even: Even,
    mask: u32,
    size: u64,
) -> bool {
    let mark = now.mark.of(15);
    let (mut word, mut first) = (even.start / 4, mask.trailing_zeros());
    if even.step == 0 {
        let mark = match size {
            1 | 2 => mark.of(((1 << size) - 1) << (even.start % 4)),
            _ => mark,
        };
        let first = cells.touch_by_all(space, word, (mark, mask), now);
        let mut others = word + 1..word + size.div_ceil(4);
        return first && others.all(|word| cells.touch_by_all(space, word, (mark, mask), now));
    }
    let log = (size / 4).trailing_zeros();
    let end = word + (even.lanes << log);
    while word < end {
        // A lane's words may begin in the middle of a line, but not end in the middle of one.
        let words = (LINE - word % LINE).min(end - word);
        let mark = mark.by_lane(first).each(log);
        if !cells.touch_row(space, (word, words), mark, now) {
            // The words before were recorded already. Recording them again for the same
            // lanes changes nothing.
            return false;
        }
        first += (words >> log) as u32;
        word += words;
    }
    true
}

/// Records one lane's access of `size` bytes at an address. Returns the first earlier access that
/// it races with.
#[inline(always)]
pub(super) fn touch(
    cells: &mut Cells,
    space: MemoryOwner,
    (address, size): (u64, u64),
    lane: u32,
    now: &mut CurrentAccess<'_>,
) -> Option<AccessMark> {
    let mark = now.mark.by_lane(lane);
    if size == 4 && address.is_multiple_of(4) {
        return cells.touch(space, address / 4, mark.of(15), now);
    }
    let mut found = None;
    // The access itself reports bytes beyond the end of the address space.
    let (mut at, last) = (address, address.saturating_add(size));
    while at < last {
        let word = at / 4;
        let end = (word + 1).saturating_mul(4).min(last);
        let mark = mark.of((1 << (end - word * 4)) - (1 << (at - word * 4)));
        let before = cells.touch(space, word, mark, now);
        found = found.or(before);
        at = end;
    }
    found
}
