//! The fast path of the checks. Most accesses are plain loads and stores by a whole warp, inside
//! their array, of memory that was written completely. A few tests of all lanes at once show that
//! there is nothing to report. Accesses that do not pass them are checked in the usual ways.

use crate::counters::even::Even;
use crate::machine::checks::race::PlainAccess;
use crate::machine::checks::watchers::Watchers;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::LANES;
use crate::machine::level::Level;
use crate::machine::memory::flag;
use crate::machine::op::Op;
use crate::machine::program::SpaceClass;
use crate::memory::window;

impl Core<'_> {
    /// Checks an operation that is [`Watchers::SIMPLE`] and whose addresses are those of an earlier
    /// operation, while the warp has no register with unwritten bytes. Returns false, without a
    /// change, if the addresses are not those of an earlier operation, or if this check is not
    /// enough. As a rule it is enough for a read of shared memory that was written completely, and
    /// for an access of such device memory while no race is looked for.
    #[inline(always)]
    pub(in crate::machine::checks) fn check_as_before(
        &mut self,
        op: *const Op,
        index: usize,
        watchers: Watchers,
    ) -> bool {
        // SAFETY: `op` is an operation of the running frame.
        let mask = unsafe { self.mask(&*op) };
        if mask == 0 {
            return true;
        }
        // SAFETY: as above.
        let Some((kept, start)) = self.kept(unsafe { &*op }, mask) else {
            return false;
        };
        let Some(even) = Even::kept(start, kept.step.into(), mask) else {
            return false;
        };
        let size = u64::from(self.run.program.infos[index].bytes);
        let (end, race) = (even.last() + size, watchers.has(Watchers::RACE));
        if !watchers.has(Watchers::SHARED) {
            let inside = |(base, size)| end - base <= size;
            return !race && self.written_range(op, start).is_some_and(inside);
        }
        if end > window::SHARED_PER_BLOCK
            || watchers.has(Watchers::ARRAY) && self.leaves_array(index, start, end)
            || watchers.has(Watchers::INIT) && !self.shared_is_written()
        {
            return false;
        }
        // A recorded read is not a step of its own: all accesses of the warp since its lanes were
        // last ordered have one record.
        !race
            || !watchers.has(Watchers::WRITES)
                && self
                    .checks
                    .races
                    .note_read(&self.plain(index, watchers), even, mask, size)
    }

    /// Returns what the race check needs to know about an operation that is [`Watchers::SIMPLE`].
    #[inline(always)]
    fn plain(&self, index: usize, watchers: Watchers) -> PlainAccess {
        PlainAccess {
            block: self.team.blocks[self.current.0].linear,
            warp: self.current.1 as u32,
            op: index as u32,
            writes: watchers.has(Watchers::WRITES),
            shared: watchers.has(Watchers::SHARED),
        }
    }

    /// Checks an operation that is [`Watchers::SIMPLE`], while the warp has no register
    /// with unwritten bytes.
    #[inline(always)]
    pub(in crate::machine::checks) fn check_simple<L: Level>(
        &mut self,
        op: *const Op,
        index: usize,
    ) {
        let watchers = self.watchers(index);
        // SAFETY: `op` is an operation of the running frame.
        let mask = unsafe { self.mask(&*op) };
        if mask == 0 {
            return;
        }
        let shared = watchers.has(Watchers::SHARED);
        let (race, array) = (watchers.has(Watchers::RACE), watchers.has(Watchers::ARRAY));
        let init = watchers.has(Watchers::INIT) && !(shared && self.shared_is_written());
        if !(race | array | init) {
            return;
        }
        let size = u64::from(self.run.program.infos[index].bytes);
        // If no other check looks at it, only the allocation that the lanes access matters.
        // SAFETY: `op` is a memory operation.
        if !(race | array | shared) && unsafe { self.is_written_memory(op, mask, size) } {
            return;
        }
        // The same holds for an array, wherever in it the addresses are.
        if !(race | init) && shared {
            // SAFETY: as above.
            let (low, high) = unsafe { self.reach(op, mask) };
            if high < window::SHARED_PER_BLOCK && !self.leaves_array(index, low, high + size) {
                return;
            }
        }
        let space = match shared {
            true => SpaceClass::Shared,
            false => SpaceClass::Global,
        };
        self.step_races();
        // SAFETY: as above.
        let even = unsafe { self.evenly(op, mask, size.trailing_zeros()) };
        if let Some((start, step)) = even
            && let Some(even) = Even::kept(start, step, mask)
        {
            if self.check_at_once((op, index), (watchers, init), (even, mask), size) {
                return;
            }
            if !self.check_evenly(op, index, space, (start, step, mask)) {
                // The stride is that of an earlier operation with another access size.
                self.check_by_lane(op, (mask, step != 0 && step != size));
            }
            return;
        }
        self.check_in_pieces::<L>(op, (index, space), (watchers, init), mask);
    }

    /// Returns whether the fast path shows that an access of the lanes of `mask` has nothing to
    /// report. `init` is whether its bytes may be unwritten.
    #[inline(always)]
    pub(in crate::machine::checks) fn check_at_once(
        &mut self,
        (op, index): (*const Op, usize),
        (watchers, init): (Watchers, bool),
        (even, mask): (Even, u32),
        size: u64,
    ) -> bool {
        let (start, end) = (even.start, even.last() + size);
        let shared = watchers.has(Watchers::SHARED);
        if shared
            && (end > window::SHARED_PER_BLOCK
                || watchers.has(Watchers::ARRAY) && self.leaves_array(index, start, end))
        {
            return false;
        }
        let region = match shared {
            true => Region::Shared,
            false => Region::Global,
        };
        let info = &self.run.program.infos[index];
        if init && !self.even_init(op, info, region, (even.start, even.step), mask) {
            return false;
        }
        if !watchers.has(Watchers::RACE) {
            return true;
        }
        self.checks
            .races
            .record_at_once(&self.plain(index, watchers), even, mask, size)
    }

    /// Returns whether all addresses that the lanes of `mask` access lie in one allocation that has
    /// no unwritten bytes.
    ///
    /// # Safety
    /// `op` must be a memory operation of the running frame.
    #[inline(always)]
    unsafe fn is_written_memory(&mut self, op: *const Op, mask: u32, size: u64) -> bool {
        // SAFETY: row `a` holds `u64` unless `aux` says otherwise, and nothing writes to
        // the frame meanwhile.
        let (row, offset) = unsafe {
            if (*op).aux & flag::NARROW != 0 {
                return false;
            }
            let row = self.frame.add((*op).a as usize).cast::<[u64; LANES]>();
            (&*row, (*op).c as i32 as i64 as u64)
        };
        let first = row[mask.trailing_zeros() as usize % LANES].wrapping_add(offset);
        let Some((base, length)) = self.written_range(op, first) else {
            return false;
        };
        let Some(room) = length.checked_sub(size) else {
            return false;
        };
        // An offset is inside if neither it nor the number of bytes left after it is negative.
        let mut outside = 0;
        for (lane, address) in row.iter().enumerate() {
            let inside = address.wrapping_add(offset).wrapping_sub(base);
            let on = 0u64.wrapping_sub(u64::from(mask >> lane & 1));
            outside |= (inside | room.wrapping_sub(inside)) & on;
        }
        outside >> 63 == 0
    }
}
