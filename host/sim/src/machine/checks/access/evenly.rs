//! The checks of an access for all lanes at once. Most accesses have nothing to report, and these
//! checks are enough for them.

use crate::counters::even::Even;
use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::LANES;
use crate::machine::memory::flag;
use crate::machine::op::Op;
use crate::machine::program::{Class, SpaceClass};
use crate::memory::window::{self, Window};

impl Core<'_> {
    /// Checks an access with regular addresses, in one memory, for all lanes at once. Most accesses
    /// have nothing to report. Returns false, without a change, if the access needs a closer look.
    /// (The pattern is passed in registers. A structure would be read from the stack in pieces of
    /// another size than it was written in, and the reads would wait for the writes.)
    #[inline(never)]
    pub(in crate::machine::checks) fn check_evenly(
        &mut self,
        op: *const Op,
        index: usize,
        space: SpaceClass,
        (start, step, mask): (u64, u64, u32),
    ) -> bool {
        let run = self.run;
        let info = &run.program.infos[index];
        let size = u64::from(info.bytes);
        let even = Even {
            start,
            step,
            // The lanes have no gap.
            lanes: u64::from(32 - mask.leading_zeros() - mask.trailing_zeros()),
        };
        let window = window::of(even.start);
        let (region, first) = match space {
            SpaceClass::Global => (Region::Global, 0),
            SpaceClass::Shared => (Region::Shared, 0),
            SpaceClass::Local => (Region::Local, 0),
            SpaceClass::Constant => return true,
            SpaceClass::Generic if window != window::of(even.last()) => return false,
            // Addresses of a window are relative to its start.
            SpaceClass::Generic => match window {
                Window::Global => (Region::Global, 0),
                Window::Shared => (Region::Shared, window::SHARED),
                Window::Local => (Region::Local, window::LOCAL),
                Window::Param => return true,
            },
        };
        let even = Even {
            start: even.start - first,
            ..even
        };
        let (start, end) = (even.start, even.last() + size);
        let checks = run.launch.checks;
        let write = !matches!(info.class, Class::Load(_));
        if region == Region::Shared
            && (end > window::SHARED_PER_BLOCK
                || checks.race && write && run.function.reads_asynchronously
                || checks.memory && self.leaves_array(index, start, end))
        {
            return false;
        }
        if region == Region::Local && self.looks_local(index) {
            return false;
        }
        if checks.init && !self.even_init(op, info, region, (even.start, even.step), mask) {
            return false;
        }
        if !checks.race || region == Region::Local {
            return true;
        }
        let kind = match info.class {
            Class::Load(_) => AccessKind::Read,
            Class::Store(_) => AccessKind::Write,
            _ => return false,
        };
        // SAFETY: `op` is an operation of the program.
        if unsafe { (*op).aux } & flag::SPINS != 0 {
            return false;
        }
        let access = self.race_access((index as u32, info), region, (kind, false));
        self.checks.races.record_evenly(&access, even, mask, size)
    }

    /// Checks an access with scattered addresses in the block's shared memory or in global memory.
    /// Returns false, without a change, if the access needs a closer look.
    #[inline(always)]
    pub(in crate::machine::checks) fn check_scattered(
        &mut self,
        op: *const Op,
        index: usize,
        space: SpaceClass,
        addresses: &[u64; LANES],
        mask: u32,
    ) -> bool {
        let run = self.run;
        let (info, checks) = (&run.program.infos[index], run.launch.checks);
        let (mut low, mut high) = (u64::MAX, 0);
        for (lane, &address) in addresses.iter().enumerate() {
            let off = u64::from(mask >> lane & 1).wrapping_sub(1);
            low = low.min(address | off);
            high = high.max(address & !off);
        }
        let region = match space {
            SpaceClass::Global if high >> 62 == 0 => Region::Global,
            SpaceClass::Shared if high < window::SHARED_PER_BLOCK => Region::Shared,
            _ => return false,
        };
        let read = matches!(info.class, Class::Load(_));
        if run.launch.count
            || info.multicast
            || region == Region::Shared
                && (checks.race && !read && run.function.reads_asynchronously
                    || checks.memory && self.leaves_array(index, low, high + u64::from(info.bytes)))
            || checks.init && !self.scattered_init(op, info, (region, low, high), addresses, mask)
        {
            return false;
        }
        if checks.race {
            self.check_race(op, index as u32, *info, region, addresses, (mask, true));
        }
        true
    }

    /// Returns whether accesses of an operation to local memory are compared with an array.
    fn looks_local(&self, index: usize) -> bool {
        self.run.launch.checks.memory && self.local_array(index as u32).is_some()
    }
}
