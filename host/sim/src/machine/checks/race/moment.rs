//! When an access happens. An access has the record of the access before it, or a new record if
//! something may have ordered it after that one.

use super::at_once::PlainAccess;
use super::cells::{Cells, MemoryOwner};
use super::clocks::is_after;
use super::record::{
    AccessMark, CurrentAccess, NARROW, PENDING, Record, STRONG, VOLATILE, Verdict,
};
use super::touched::LanePlaces;
use super::{Access, AccessKind, Races};

/// The time of a warp's access: the number of its record, the block's index, and the warp's floor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) number: u32,
    pub(super) place: u32,
    pub(super) floor: u32,
}

impl Races {
    /// Begins to record an instruction. Returns the memory that it accesses, its time and place,
    /// and the cells.
    #[inline(always)]
    pub(super) fn begin(
        &mut self,
        access: &Access,
    ) -> (MemoryOwner, CurrentAccess<'_>, &mut Cells) {
        if access.shared.is_some() && !self.deferred.is_empty() {
            self.catch_up();
        }
        let moment = self.moment(access);
        let Moment { number, place, .. } = moment;
        let (space, own) = match access.shared {
            Some(linear) if linear == access.block => (Some(place), true),
            Some(linear) => {
                let place = self.place(linear);
                self.blocks[place as usize].reached = true;
                (Some(place), false)
            }
            None => (None, false),
        };
        if let Some(place) = space {
            self.blocks[place as usize].touch(number, access.kind);
        }
        let here = &self.blocks[place as usize];
        let now = CurrentAccess {
            kind: access.kind,
            read_only: access.read_only,
            who: (place, access.warp as u16),
            mark: AccessMark::new(
                number,
                access.op,
                access.strong && !access.narrow && !access.volatile,
            ),
            here,
            records: &self.records,
            // The shared memory is accessed by its own block only.
            floor: match own && !here.reached {
                true => moment.floor.min(self.pending),
                false => 0,
            },
            since: match own {
                true => here.since.min(self.pending),
                false => 0,
            },
            last: (number, Verdict::Ordered),
        };
        (space, now, &mut self.cells)
    }

    /// Returns the time of an access.
    #[inline(always)]
    pub(super) fn moment(&mut self, access: &Access) -> Moment {
        let plain = access.kind == AccessKind::Read && access.is_plain();
        match self.current {
            Some((who, moment)) if plain && who == (access.block, access.warp) => moment,
            _ => self.add_record(access, plain),
        }
    }

    /// Adds a record of the warp's access. A plain read uses the record of the read before it, if
    /// nothing has ordered the two.
    #[inline(never)]
    fn add_record(&mut self, access: &Access, plain: bool) -> Moment {
        if self.records.is_full() && !self.records.put_off(self.cells.size()) {
            self.clean();
        }
        self.warp(access.block, access.warp);
        let place = self.place(access.block);
        let block = &mut self.blocks[place as usize];
        let of = &mut block.warps[access.warp as usize];
        let flag = |is, flag| if is { flag } else { 0 };
        let record = Record {
            block: place,
            warp_time: of.time,
            block_time: block.time,
            instruction: of.instruction,
            warp: access.warp as u16,
            kind: access.kind,
            how: flag(access.strong, STRONG)
                | flag(access.volatile, VOLATILE)
                | flag(access.narrow, NARROW)
                | flag(access.pending, PENDING),
        };
        let floor = of.floor;
        if !plain {
            let number = self.records.add(record);
            if access.pending {
                self.pending = self.pending.min(number);
            }
            return Moment {
                number,
                place,
                floor,
            };
        }
        let synced = of.synced;
        let same = |before: &&Record| {
            (before.warp_time, before.block_time) == (record.warp_time, record.block_time)
                && is_after(before.instruction, synced)
        };
        let (record, number) = match self.records.known(of.reads).filter(same) {
            Some(before) => (*before, of.reads.1),
            None => (record, self.records.add(record)),
        };
        of.reads = (self.records.cleaned(), number);
        let moment = Moment {
            number,
            place,
            floor,
        };
        if is_after(record.instruction, synced) {
            self.current = Some(((access.block, access.warp), moment));
        }
        moment
    }

    /// Defers an access, if possible.
    #[inline(always)]
    pub(super) fn defer(
        &mut self,
        access: &Access,
        places: LanePlaces<'_>,
        mask: u32,
        size: u64,
    ) -> bool {
        if self.alone.is_none() || access.shared != Some(access.block) || !access.is_plain() {
            return false;
        }
        let by = PlainAccess {
            block: access.block,
            warp: access.warp,
            op: access.op,
            writes: access.kind == AccessKind::Write,
            shared: true,
        };
        let moment = match by.writes {
            false => self.moment(access),
            true => self.moment_of_write(&by),
        };
        self.note(moment, &by, places, (mask, size))
    }

    /// Returns the time of a write that has no record yet.
    fn moment_of_write(&mut self, by: &PlainAccess) -> Moment {
        let floor = self.warp(by.block, by.warp).floor;
        Moment {
            number: u32::MAX,
            place: self.place(by.block),
            floor,
        }
    }

    /// Defers a plain access of the block's own shared memory at a known time.
    #[inline(always)]
    pub(super) fn note(
        &mut self,
        Moment {
            number,
            place,
            floor,
        }: Moment,
        by: &PlainAccess,
        places: LanePlaces<'_>,
        accessed: (u32, u64),
    ) -> bool {
        let block = &self.blocks[place as usize];
        let before = match by.writes {
            false => block.written,
            true => block.touched,
        };
        let quiet = before <= floor.min(self.pending);
        if !quiet || self.alone.is_none() || !self.deferred.takes(place) {
            return false;
        }
        if by.writes {
            let record = block.write_by(place, by.warp);
            return self.deferred.note_write(record, by.op, places, accessed);
        }
        let mark = AccessMark::new(number, by.op, false);
        self.deferred.note_read(place, mark, places, accessed)
    }

    /// Enters all deferred accesses into the cells.
    #[cold]
    pub(super) fn catch_up(&mut self) {
        if self.deferred.is_empty() {
            return;
        }
        let (place, wrote) = (self.deferred.block(), self.deferred.has_writes());
        let since = self.blocks[place].since.min(self.pending);
        let (cells, records) = (&mut self.cells, &mut self.records);
        self.deferred.catch_up(cells, records, &self.blocks, since);
        let block = &mut self.blocks[place];
        block.touched = self.records.len();
        if wrote {
            block.written = block.touched;
        }
    }

    /// Discards the records that no cell refers to.
    pub(super) fn clean(&mut self) {
        self.catch_up();
        let left = self.cells.clean(&mut self.records);
        self.current = None;
        // The records have new numbers.
        for block in &mut self.blocks {
            let floors = block.warps.iter_mut().map(|warp| &mut warp.floor);
            let others = [&mut block.written, &mut block.touched, &mut block.since];
            for number in floors.chain(others) {
                *number = left[*number as usize];
            }
        }
        self.pending = self.records.first_pending().unwrap_or(u32::MAX);
    }
}
