//! What the race check remembers of accesses: who did them, and when.
//!
//! A record stands for all plain reads of a warp between two points at which its clock moves, or
//! for one instruction that writes. Shadow memory only points at records, so a cell is small. Those
//! that nothing points at any more are thrown away from time to time.

use super::AccessKind;
use super::clocks::{Block, is_after};

/// A warp that accessed memory, and the time at which it did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    /// The block, by its place among those that the check knows.
    pub(super) block: u32,
    /// The warp's clock.
    pub(super) warp_time: u32,
    /// The block's clock, which moves on at each release.
    pub(super) block_time: u32,
    /// Counts instructions of the warp that access memory, and may start again at zero, after
    /// billions of them. Of several reads, that of the first: the lanes of the warp were not
    /// ordered since.
    pub(super) instruction: u32,
    /// The warp in the block.
    pub(super) warp: u16,
    /// What it does.
    pub(super) kind: AccessKind,
    /// Flags: [`STRONG`], [`NARROW`], [`PENDING`].
    pub(super) how: u8,
}

impl Block {
    /// The record of an ordinary write by a warp of it, at its place.
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

/// It is strong in the memory model's sense.
pub(super) const STRONG: u8 = 1;
/// It is of block scope.
pub(super) const NARROW: u8 = 2;
/// It was only begun.
pub(super) const PENDING: u8 = 4;

/// An access by one lane, or by lanes side by side: its record, the operation, whose lane, and
/// which bytes of a word. Without bytes it is none.
///
/// From the lowest bit: the record (28), the operation by its number in the program (23), whether
/// it is strong and of no narrow scope (1), the lane (5), the bytes (4), how many words belong to a
/// lane (their number's logarithm, 2), whether there are earlier writes beside this one (1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct AccessMark(u64);

const OP: u32 = 28;
const RECORD: u64 = (1 << OP) - 1;
/// Two accesses that both have it are ordered, whoever they are of.
const WIDE: u64 = 1 << (LANE - 1);
const LANE: u32 = 52;
const BYTES: u32 = 57;
const LOG: u32 = 61;
const BESIDE: u64 = 1 << 63;
/// Operations behind this one are taken for it: no program is known that has as many.
const LAST_OP: u32 = (1 << (LANE - 1 - OP)) - 1;

impl AccessMark {
    /// The record of no access.
    pub(super) const NONE: Self = Self(0);

    /// Lane 0's access, of no bytes: the number of its record, the operation, and whether it is
    /// strong and of no narrow scope.
    #[inline(always)]
    pub(super) fn new(number: u32, op: u32, wide: bool) -> Self {
        let wide = if wide { WIDE } else { 0 };
        Self(u64::from(number) & RECORD | u64::from(op.min(LAST_OP)) << OP | wide)
    }

    #[inline(always)]
    fn with(self, at: u32, bits: u64, value: u64) -> Self {
        Self(self.0 & !(bits << at) | (value & bits) << at)
    }

    /// The same access by another lane.
    #[inline(always)]
    pub(super) fn by_lane(self, lane: u32) -> Self {
        self.with(LANE, 31, lane.into())
    }

    /// The same access of other bytes of its word.
    #[inline(always)]
    pub(super) fn of(self, bytes: u32) -> Self {
        self.with(BYTES, 15, bytes.into())
    }

    /// Of several words side by side, `1 << log` for each lane from this one's on.
    #[inline(always)]
    pub(super) fn each(self, log: u32) -> Self {
        self.with(LOG, 3, log.into())
    }

    /// The same access by another record.
    pub(super) fn of_record(self, record: u32) -> Self {
        Self(self.0 & !RECORD | u64::from(record) & RECORD)
    }

    /// The part of it that is of the word `at`, counted from the first one: a lane of the warp
    /// accessed that.
    #[inline(always)]
    pub(super) fn word(self, at: u32) -> Self {
        let log = (self.0 >> LOG) as u32 & 3;
        // The lanes' numbers have room for each other, so nothing is carried to the bits above.
        Self(self.0 + (u64::from(at >> log) << LANE))
    }

    #[inline(always)]
    pub(super) fn record(self) -> u32 {
        (self.0 & RECORD) as u32
    }

    /// The operation, by its number in the program.
    pub(super) fn op(self) -> u32 {
        (self.0 >> OP) as u32 & LAST_OP
    }

    #[inline(always)]
    pub(super) fn lane(self) -> u32 {
        (self.0 >> LANE) as u32 & 31
    }

    /// The bytes of the word, a bit each.
    #[inline(always)]
    pub(super) fn bytes(self) -> u32 {
        (self.0 >> BYTES) as u32 & 15
    }

    #[inline(always)]
    pub(super) fn is_none(self) -> bool {
        self.bytes() == 0
    }

    /// Of a cell's last write: whether there are earlier ones beside it, of other bytes.
    #[inline(always)]
    pub(super) fn beside(self) -> bool {
        self.0 & BESIDE != 0
    }

    pub(super) fn set_beside(&mut self) {
        self.0 |= BESIDE;
    }

    /// Whether the words of both belong to lanes alike: the same number of words to each.
    #[inline(always)]
    pub(super) fn same_width(self, other: Self) -> bool {
        (self.0 ^ other.0) >> LOG & 3 == 0
    }
}

/// All records of a launch that something points at, and some besides.
#[derive(Debug)]
pub(super) struct Records {
    list: Vec<Record>,
    /// How many there may be before those that nothing points at are thrown away.
    most: usize,
    /// How often they were: their numbers are others then.
    cleaned: u32,
}

/// This many records are kept whatever points at them.
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
    /// Remembers a record; gives its number.
    #[inline(always)]
    pub(super) fn add(&mut self, record: Record) -> u32 {
        self.list.push(record);
        (self.list.len() - 1) as u32
    }

    /// The record of a number that it got when they had been thrown away so often; none if they
    /// were since.
    #[inline(always)]
    pub(super) fn known(&self, (cleaned, number): (u32, u32)) -> Option<&Record> {
        self.list
            .get(number as usize)
            .filter(|_| self.cleaned == cleaned)
    }

    /// How often records were thrown away.
    #[inline(always)]
    pub(super) fn cleaned(&self) -> u32 {
        self.cleaned
    }

    #[inline(always)]
    pub(super) fn of(&self, mark: AccessMark) -> &Record {
        &self.list[mark.record() as usize]
    }

    /// Whether it is time to throw away what nothing points at.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= self.most
    }

    /// Puts it off where there are more marks to go through, `size` of them, than records to be
    /// thrown away. Whether it did.
    pub(super) fn put_off(&mut self, size: usize) -> bool {
        let most = FEW + size;
        let later = self.most < most && most < RECORD as usize / 2;
        if later {
            self.most = most;
        }
        later
    }

    /// Throws away the records of no mark, where `marks` calls what it is given with every mark
    /// there is, and `size` says how much work that is. Gives for each number, and the one behind
    /// the last, how many before it are left.
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

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Record>()
    }

    /// Forgets all, but not the memory that it took.
    pub(super) fn reset(&mut self) {
        self.list.clear();
        (self.most, self.cleaned) = (FEW, 0);
    }

    /// How many there are.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.list.len() as u32
    }

    /// The first one of what was only begun.
    pub(super) fn first_pending(&self) -> Option<u32> {
        let first = self.list.iter().position(|of| of.how & PENDING != 0)?;
        Some(first as u32)
    }
}

/// How an access before stands to the one that happens now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Something orders it before.
    Ordered,
    /// It is of the same warp, and ordered before for its own lane only.
    OwnLane,
    /// Nothing orders the two.
    Race,
}

/// The access that happens now, and all that decides what it races with.
pub(super) struct CurrentAccess<'r> {
    pub(super) kind: AccessKind,
    /// Whether no write is ordered before it.
    pub(super) read_only: bool,
    /// The block, by its place among those that the check knows, and the warp.
    pub(super) who: (u32, u16),
    /// Lane 0's access, of no bytes.
    pub(super) mark: AccessMark,
    /// The block that it is of.
    pub(super) here: &'r Block,
    pub(super) records: &'r Records,
    /// Accesses of records before this one are ordered before: most are, and their records need not
    /// be looked at.
    pub(super) floor: u32,
    /// Reads by records before this one count no more: a barrier of the whole block came behind
    /// them.
    pub(super) since: u32,
    /// The record that was judged last.
    pub(super) last: (u32, Verdict),
}

impl CurrentAccess<'_> {
    /// Whether the only write of a word is known to be ordered before by its record's number alone.
    #[inline(always)]
    pub(super) fn is_past(&self, write: AccessMark) -> bool {
        write.record() < self.floor && !write.beside()
    }

    /// How the access of `before`, which is one, stands to this one.
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

    /// Whether `before` is an access of one of these bytes by which `lane` races now.
    #[inline(always)]
    pub(super) fn races(&mut self, before: AccessMark, bytes: u32, lane: u32) -> bool {
        before.bytes() & bytes != 0
            && match self.judge(before) {
                Verdict::Ordered => false,
                Verdict::OwnLane => before.lane() != lane,
                Verdict::Race => true,
            }
    }

    /// The same of words side by side, which belong to lanes as `now` says.
    #[inline(always)]
    pub(super) fn row_races(&mut self, before: AccessMark, now: AccessMark) -> bool {
        !before.is_none()
            && match self.judge(before) {
                Verdict::Ordered => false,
                Verdict::OwnLane => before.lane() != now.lane() || !before.same_width(now),
                Verdict::Race => true,
            }
    }

    /// Whether `before` is of the running warp.
    #[inline(always)]
    pub(super) fn is_own(&self, before: AccessMark) -> bool {
        before.record() == self.mark.record() || {
            let record = self.records.of(before);
            (record.block, record.warp) == self.who
        }
    }

    /// Whether a read's place is free for one by the thread of that lane.
    #[inline(always)]
    pub(super) fn replaces(&self, before: AccessMark, lane: u32) -> bool {
        before.is_none()
            || before.record() < self.since
            || before.lane() == lane && self.is_own(before)
    }

    /// The same of words side by side, for each one. None if some are free, and some not.
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
        if before.how & now.how & STRONG != 0 && (before.block == now.block || !narrow) {
            return Verdict::Ordered;
        }
        if before.how & PENDING != 0 || self.read_only && before.kind != AccessKind::Read {
            return Verdict::Race;
        }
        let ordered = if before.block != now.block {
            let known = self.here.knows.get(&before.block).copied().unwrap_or(0);
            // What was done at a block's time is before the release that moves that time on.
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

/// What the numbers of records say to a warp.
pub(super) struct Known<'r> {
    /// Records before this one are of accesses ordered before.
    pub(super) floor: u32,
    /// Reads by records before this one count no more.
    pub(super) since: u32,
    /// The record of the warp's own reads.
    pub(super) own: u32,
    /// The block's place and the warp.
    pub(super) who: (u32, u16),
    pub(super) records: &'r Records,
}

impl Known<'_> {
    /// Whether an access before is none, ordered before, or one by the same lanes.
    #[inline(always)]
    pub(super) fn settles(&self, before: AccessMark, now: AccessMark) -> bool {
        let own = before.record() == self.own;
        self.is_past(before) || own && before.lane() == now.lane() && before.same_width(now)
    }

    /// Whether an access before is none or ordered before.
    #[inline(always)]
    pub(super) fn is_past(&self, before: AccessMark) -> bool {
        before.is_none() || before.record() < self.floor
    }

    /// Whether a read before is of the same warp.
    #[inline(always)]
    pub(super) fn is_own(&self, before: AccessMark) -> bool {
        before.record() == self.own || {
            let record = self.records.of(before);
            (record.block, record.warp) == self.who
        }
    }
}
