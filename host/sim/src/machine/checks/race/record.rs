//! The records of the race check: who accessed memory, and when.
//!
//! A record stands for all plain reads of a warp between two advances of its clock, or for one
//! instruction that writes. Shadow memory only refers to records, so a cell is small. Records that
//! nothing refers to any more are discarded from time to time.

use super::AccessKind;
use super::clocks::{Block, is_after};

/// A warp that accessed memory, and the time at which it did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    /// The block's index in the check.
    pub(super) block: u32,
    /// The warp's clock.
    pub(super) warp_time: u32,
    /// The block's own clock. It advances at each release.
    pub(super) block_time: u32,
    /// The number of the warp's instruction that accesses memory. It may wrap around to zero, after
    /// billions of instructions. For several reads, it is the number of the first: the lanes of the
    /// warp were not ordered since.
    pub(super) instruction: u32,
    /// The warp's number in the block.
    pub(super) warp: u16,
    /// Whether it reads, writes or does both.
    pub(super) kind: AccessKind,
    /// Flags: [`STRONG`], [`NARROW`], [`PENDING`], [`VOLATILE`].
    pub(super) how: u8,
}

impl Block {
    /// Returns the record of an ordinary write by one of the block's warps. `place` is
    /// the block's index.
    #[inline(always)]
    pub(super) fn write_by(&self, place: u32, warp: u32) -> Record {
        let of = &self.warps[warp as usize];
        Record {
            block: place,
            warp_time: of.time,
            block_time: self.time,
            instruction: of.instruction,
            warp: warp as u16,
            kind: AccessKind::Write,
            how: 0,
        }
    }
}

/// The access is strong in the memory model's sense.
pub(super) const STRONG: u8 = 1;
/// The access has block scope.
pub(super) const NARROW: u8 = 2;
/// The access is asynchronous and not complete.
pub(super) const PENDING: u8 = 4;
/// The access is strong because it is volatile.
pub(super) const VOLATILE: u8 = 8;

/// An access by one lane, or by adjacent lanes: its record, the operation, the lane, and the bytes
/// of a word. A mark without bytes stands for no access.
///
/// From the lowest bit: the record (28), the operation by its number in the program (23), whether
/// it is strong and of a scope wider than the block (1), the lane (5), the bytes (4), the logarithm
/// of the number of words for each lane (2), whether there are earlier writes beside this one (1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct AccessMark(u64);

const OP: u32 = 28;
const RECORD: u64 = (1 << OP) - 1;
/// Two accesses that both have this bit are ordered, whichever threads they are of. Volatile
/// accesses do not have it.
const WIDE: u64 = 1 << (LANE - 1);
const LANE: u32 = 52;
const BYTES: u32 = 57;
const LOG: u32 = 61;
const BESIDE: u64 = 1 << 63;
/// The largest operation number. Larger numbers are replaced by it; no known program has
/// that many operations.
const LAST_OP: u32 = (1 << (LANE - 1 - OP)) - 1;

impl AccessMark {
    /// The mark that stands for no access.
    pub(super) const NONE: Self = Self(0);

    /// Creates the mark of lane 0's access, of no bytes, from the number of its record, the
    /// operation, and whether it is strong and of a scope wider than the block.
    #[inline(always)]
    pub(super) fn new(number: u32, op: u32, wide: bool) -> Self {
        let wide = if wide { WIDE } else { 0 };
        Self(u64::from(number) & RECORD | u64::from(op.min(LAST_OP)) << OP | wide)
    }

    #[inline(always)]
    fn with(self, at: u32, bits: u64, value: u64) -> Self {
        Self(self.0 & !(bits << at) | (value & bits) << at)
    }

    /// Returns the mark of the same access by another lane.
    #[inline(always)]
    pub(super) fn by_lane(self, lane: u32) -> Self {
        self.with(LANE, 31, lane.into())
    }

    /// Returns the mark of the same access, of other bytes of its word.
    #[inline(always)]
    pub(super) fn of(self, bytes: u32) -> Self {
        self.with(BYTES, 15, bytes.into())
    }

    /// Returns a mark of several adjacent words, `1 << log` for each lane from this mark's lane on.
    #[inline(always)]
    pub(super) fn each(self, log: u32) -> Self {
        self.with(LOG, 3, log.into())
    }

    /// Returns the mark of the same access with another record.
    pub(super) fn of_record(self, record: u32) -> Self {
        Self(self.0 & !RECORD | u64::from(record) & RECORD)
    }

    /// Returns the mark of the word `at`, counted from the first one. A lane of the warp
    /// accessed that word.
    #[inline(always)]
    pub(super) fn word(self, at: u32) -> Self {
        let log = (self.0 >> LOG) as u32 & 3;
        // The lane field has room for every lane number, so there is no carry into the bits above.
        Self(self.0 + (u64::from(at >> log) << LANE))
    }

    #[inline(always)]
    pub(super) fn record(self) -> u32 {
        (self.0 & RECORD) as u32
    }

    /// Returns the operation's number in the program.
    pub(super) fn op(self) -> u32 {
        (self.0 >> OP) as u32 & LAST_OP
    }

    #[inline(always)]
    pub(super) fn lane(self) -> u32 {
        (self.0 >> LANE) as u32 & 31
    }

    /// Returns the bytes of the word, one bit each.
    #[inline(always)]
    pub(super) fn bytes(self) -> u32 {
        (self.0 >> BYTES) as u32 & 15
    }

    #[inline(always)]
    pub(super) fn is_none(self) -> bool {
        self.bytes() == 0
    }

    /// Returns whether earlier writes of other bytes are beside this one, a cell's last write.
    #[inline(always)]
    pub(super) fn beside(self) -> bool {
        self.0 & BESIDE != 0
    }

    pub(super) fn set_beside(&mut self) {
        self.0 |= BESIDE;
    }

    /// Returns whether both have the same number of words for each lane.
    #[inline(always)]
    pub(super) fn same_width(self, other: Self) -> bool {
        (self.0 ^ other.0) >> LOG & 3 == 0
    }
}

/// All records of a launch that something refers to, and some that nothing refers to.
#[derive(Debug)]
pub(super) struct Records {
    list: Vec<Record>,
    /// The number of records at which those that nothing refers to are discarded.
    most: usize,
    /// How often records were discarded. Each time, the remaining records get new numbers.
    cleaned: u32,
}

/// At least this many records are kept before any are discarded.
const FEW: usize = 1 << 16;

impl Default for Records {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            most: FEW,
            cleaned: 0,
        }
    }
}

impl Records {
    /// Adds a record. Returns its number.
    #[inline(always)]
    pub(super) fn add(&mut self, record: Record) -> u32 {
        self.list.push(record);
        (self.list.len() - 1) as u32
    }

    /// Returns the record of a number. `cleaned` is how often records had been discarded when the
    /// record got its number. Returns `None` if records were discarded since.
    #[inline(always)]
    pub(super) fn known(&self, (cleaned, number): (u32, u32)) -> Option<&Record> {
        self.list
            .get(number as usize)
            .filter(|_| self.cleaned == cleaned)
    }

    /// Returns how often records were discarded.
    #[inline(always)]
    pub(super) fn cleaned(&self) -> u32 {
        self.cleaned
    }

    #[inline(always)]
    pub(super) fn of(&self, mark: AccessMark) -> &Record {
        &self.list[mark.record() as usize]
    }

    /// Returns whether it is time to discard the records that nothing refers to.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= self.most
    }

    /// Postpones the discarding if there are more marks to visit, `size` of them, than records to
    /// discard. Returns whether it did.
    pub(super) fn put_off(&mut self, size: usize) -> bool {
        let most = FEW + size;
        let later = self.most < most && most < RECORD as usize / 2;
        if later {
            self.most = most;
        }
        later
    }

    /// Discards the records without a mark. `marks` calls its argument with every mark, and `size`
    /// is the number of marks. Returns, for each record number and the one after the last, how many
    /// records before it are left.
    pub(super) fn clean(
        &mut self,
        size: usize,
        mut marks: impl FnMut(&mut dyn FnMut(&mut AccessMark)),
    ) -> Vec<u32> {
        let mut numbers = vec![u32::MAX; self.list.len() + 1];
        marks(&mut |mark| numbers[mark.record() as usize] = 0);
        let (mut from, mut kept) = (0, 0);
        self.list.retain(|_| {
            let keep = numbers[from] == 0;
            numbers[from] = kept;
            kept += u32::from(keep);
            from += 1;
            keep
        });
        numbers[from] = kept;
        marks(&mut |mark| *mark = mark.of_record(numbers[mark.record() as usize]));
        self.cleaned = self.cleaned.wrapping_add(1);
        self.most = FEW + 4 * self.list.len() + size;
        numbers
    }

    /// Returns the bytes of memory that the records take.
    pub(super) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Record>()
    }

    /// Removes all records, but keeps their memory.
    pub(super) fn reset(&mut self) {
        self.list.clear();
        (self.most, self.cleaned) = (FEW, 0);
    }

    /// Returns the number of records.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.list.len() as u32
    }

    /// Returns the first record of an asynchronous access that is not complete.
    pub(super) fn first_pending(&self) -> Option<u32> {
        let first = self.list.iter().position(|of| of.how & PENDING != 0)?;
        Some(first as u32)
    }
}

/// The order of an earlier access and the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The earlier access is ordered before the current one.
    Ordered,
    /// The earlier access is of the same warp, and is ordered before the current one for its
    /// own lane only.
    OwnLane,
    /// Nothing orders the two accesses.
    Race,
}

/// The current access, with everything that decides what it races with.
pub(super) struct CurrentAccess<'r> {
    pub(super) kind: AccessKind,
    /// Whether it is a load of read-only data, which is ordered after no write.
    pub(super) read_only: bool,
    /// The block's index in the check, and the warp.
    pub(super) who: (u32, u16),
    /// Lane 0's access, of no bytes.
    pub(super) mark: AccessMark,
    /// The block of the access.
    pub(super) here: &'r Block,
    pub(super) records: &'r Records,
    /// Accesses of records before this one are ordered before the current access. Most accesses
    /// are, and their records need not be read.
    pub(super) floor: u32,
    /// Reads by records before this one cannot race any more, because a barrier of the whole block
    /// came after them.
    pub(super) since: u32,
    /// The last record that was judged, and the result.
    pub(super) last: (u32, Verdict),
}

impl CurrentAccess<'_> {
    /// Returns whether the record number alone shows that the only write of a word
    /// is ordered before.
    #[inline(always)]
    pub(super) fn is_past(&self, write: AccessMark) -> bool {
        write.record() < self.floor && !write.beside()
    }

    /// Returns the order of `before`, which must be an access, and the current one.
    #[inline(always)]
    pub(super) fn judge(&mut self, before: AccessMark) -> Verdict {
        if before.record() < self.floor || before.0 & self.mark.0 & WIDE != 0 {
            return Verdict::Ordered;
        }
        if self.last.0 != before.record() {
            self.last = (before.record(), self.order(self.records.of(before)));
        }
        self.last.1
    }

    /// Returns whether `before` accesses one of these bytes and races with `lane` of
    /// the current access.
    #[inline(always)]
    pub(super) fn races(&mut self, before: AccessMark, bytes: u32, lane: u32) -> bool {
        before.bytes() & bytes != 0
            && match self.judge(before) {
                Verdict::Ordered => false,
                Verdict::OwnLane => before.lane() != lane,
                Verdict::Race => true,
            }
    }

    /// Does the same for adjacent words, whose lanes come from `now`.
    #[inline(always)]
    pub(super) fn row_races(&mut self, before: AccessMark, now: AccessMark) -> bool {
        !before.is_none()
            && match self.judge(before) {
                Verdict::Ordered => false,
                Verdict::OwnLane => before.lane() != now.lane() || !before.same_width(now),
                Verdict::Race => true,
            }
    }

    /// Returns whether `before` is of the current warp.
    #[inline(always)]
    pub(super) fn is_own(&self, before: AccessMark) -> bool {
        before.record() == self.mark.record() || {
            let record = self.records.of(before);
            (record.block, record.warp) == self.who
        }
    }

    /// Returns whether a read of that lane's thread may replace the read `before`.
    #[inline(always)]
    pub(super) fn replaces(&self, before: AccessMark, lane: u32) -> bool {
        before.is_none()
            || before.record() < self.since
            || before.lane() == lane && self.is_own(before)
    }

    /// Does the same for each of several adjacent words. Returns `None` if the answers differ.
    #[inline(always)]
    pub(super) fn replaces_row(&self, before: AccessMark, now: AccessMark) -> Option<bool> {
        if before.is_none() || before.record() < self.since {
            return Some(true);
        }
        if !self.is_own(before) {
            return Some(false);
        }
        before.same_width(now).then(|| before.lane() == now.lane())
    }

    fn order(&self, before: &Record) -> Verdict {
        let now = self.records.of(self.mark);
        let narrow = (before.how | now.how) & NARROW != 0;
        let both = before.how & now.how;
        let strong = both & STRONG != 0 && both & VOLATILE == 0;
        if strong && (before.block == now.block || !narrow) {
            return Verdict::Ordered;
        }
        if before.how & PENDING != 0 || self.read_only && before.kind != AccessKind::Read {
            return Verdict::Race;
        }
        let ordered = if before.block != now.block {
            let known = self.here.knows.get(&before.block).copied().unwrap_or(0);
            // Everything that was done at a time of the block is before the release that
            // advances that time.
            before.block_time < known
        } else if before.warp != now.warp {
            let knows = &self.here.warps[usize::from(now.warp)].knows;
            let known = knows.get(usize::from(before.warp)).copied().unwrap_or(0);
            before.warp_time <= known
        } else if before.instruction == now.instruction && before.kind == now.kind {
            true // one instruction: which lane's store stays is open, but one does
        } else {
            let synced = self.here.warps[usize::from(now.warp)].synced;
            if is_after(before.instruction, synced) {
                return Verdict::OwnLane;
            }
            true
        };
        match ordered {
            true => Verdict::Ordered,
            false => Verdict::Race,
        }
    }
}

/// What a warp can decide from record numbers alone.
pub(super) struct Known<'r> {
    /// Records before this one are of accesses ordered before.
    pub(super) floor: u32,
    /// Reads by records before this one cannot race any more.
    pub(super) since: u32,
    /// The record of the warp's own reads.
    pub(super) own: u32,
    /// The block's index and the warp.
    pub(super) who: (u32, u16),
    pub(super) records: &'r Records,
}

impl Known<'_> {
    /// Returns whether an earlier mark stands for no access, or for one that is ordered before, or
    /// for one by the same lanes.
    #[inline(always)]
    pub(super) fn settles(&self, before: AccessMark, now: AccessMark) -> bool {
        let own = before.record() == self.own;
        self.is_past(before) || own && before.lane() == now.lane() && before.same_width(now)
    }

    /// Returns whether an earlier mark stands for no access, or for one that is ordered before.
    #[inline(always)]
    pub(super) fn is_past(&self, before: AccessMark) -> bool {
        before.is_none() || before.record() < self.floor
    }

    /// Returns whether an earlier read is of the same warp.
    #[inline(always)]
    pub(super) fn is_own(&self, before: AccessMark) -> bool {
        before.record() == self.own || {
            let record = self.records.of(before);
            (record.block, record.warp) == self.who
        }
    }
}
