//! Records of the bytes that were written: of an allocation, of a block's shared memory, of a
//! thread's local memory.

use crate::counters::even::Even;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo};
use crate::memory::{Shadow, window};

/// The allocation that a core accessed last at one place in the code, and its number among those
/// with unwritten bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::machine) struct ShadowSite {
    base: u64,
    size: u64,
    /// None if all of it counts as written.
    shadow: Option<u32>,
}

impl ShadowSite {
    /// Returns whether all of `len` bytes at `address` are in it.
    #[inline(always)]
    fn holds(&self, address: u64, len: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.size && len <= self.size - offset
    }
}

/// An upper bound of the size of local memory, in bytes.
const MOST_LOCAL: usize = 1 << 24;

impl<'l> Core<'l> {
    /// Returns the cache entry of an operation in `shadows`.
    #[inline(always)]
    fn shadow_site(&mut self, op: *const Op) -> &mut ShadowSite {
        let places = self.checks.shadows.len();
        &mut self.checks.shadows[op as usize / size_of::<Op>() % places]
    }

    /// Returns the allocation with unwritten bytes that contains `address`. None if all bytes there
    /// count as written.
    #[inline(always)]
    fn shadow(&mut self, op: *const Op, address: u64) -> Option<&'l Shadow> {
        let run = self.run;
        if !self.shadow_site(op).holds(address, 1) {
            let range = run.snapshot.find(address)?;
            if let Some(shadow) = run.snapshot.shadow(address) {
                shadow.look_for_gaps();
            }
            *self.shadow_site(op) = ShadowSite {
                base: range.base,
                size: range.size,
                shadow: run.snapshot.shadow_number(address),
            };
        }
        run.snapshot.numbered_shadow(self.shadow_site(op).shadow?)
    }

    /// Returns whether all of the running block's shared memory was written, and the team has
    /// no other block.
    #[inline(always)]
    pub(in crate::machine) fn shared_is_written(&self) -> bool {
        let blocks = &self.team.blocks;
        blocks.len() == 1 && blocks[0].written.is_whole()
    }

    /// Returns the base and size of the allocation that contains `address`, if all of
    /// it was written.
    #[inline(always)]
    pub(in crate::machine::checks) fn written_range(
        &mut self,
        op: *const Op,
        address: u64,
    ) -> Option<(u64, u64)> {
        let written = self.shadow(op, address).is_none_or(Shadow::is_whole);
        let site = self.shadow_site(op);
        (written && site.holds(address, 1)).then_some((site.base, site.size))
    }

    /// Follows a load or store with regular addresses, in one memory. Most accesses have nothing to
    /// report. Returns false, without a change, if lanes have to be looked at one by one. (The
    /// pattern is passed in registers, as for `check_evenly`.)
    #[inline(never)]
    pub(in crate::machine::checks) fn even_init(
        &mut self,
        op: *const Op,
        info: &OpInfo,
        region: Region,
        (start, step): (u64, u64),
        mask: u32,
    ) -> bool {
        let lanes = u64::from(mask.count_ones());
        let even = Even { start, step, lanes };
        let writes = match info.class {
            Class::Load(_) => false,
            Class::Store(_) if !self.checks.tainted => true,
            _ => return false,
        };
        let bytes = u64::from(info.bytes);
        let span = even.last() + bytes - start;
        let in_one_piece = even.step <= bytes;
        let each = || (0..even.lanes).map(|lane| start + lane * even.step);
        match region {
            Region::Global => {
                let Some(shadow) = self.shadow(op, start) else {
                    return self.shadow_site(op).holds(start, span);
                };
                if !shadow.holds(start, span) {
                    return false;
                }
                match (writes, in_one_piece) {
                    _ if shadow.is_whole() => true,
                    (true, true) => {
                        shadow.write(start, span);
                        true
                    }
                    (true, false) => {
                        shadow.write_each(each(), bytes);
                        true
                    }
                    (false, true) => !shadow.lacks(start, span),
                    (false, false) => shadow.has_each(each(), bytes),
                }
            }
            Region::Shared => {
                let first = u64::from(self.run.shared_start);
                let at = start.wrapping_sub(first);
                let written = &mut self.team.blocks[self.current.0].written;
                if !written.holds(at, span) {
                    return false;
                }
                match (writes, in_one_piece) {
                    _ if written.is_whole() => true,
                    (true, true) => {
                        written.write(at, span);
                        true
                    }
                    (true, false) => {
                        each().for_each(|at| written.write(at - first, bytes));
                        true
                    }
                    (false, true) => !written.lacks(at, span),
                    (false, false) if (Even { start: at, ..even }).aligned(bytes) => {
                        written.have_all(each().map(|at| at - first), bytes)
                    }
                    (false, false) => each().all(|at| written.has(at - first, bytes)),
                }
            }
            // Each lane has its own local memory, and most lanes use the same address.
            Region::Local if even.step == 0 => {
                let (at, len) = (start as usize, usize::from(info.bytes));
                if writes {
                    self.write_local(at, len, mask);
                    return true;
                }
                let written = self.warp().local_written.get(at..at + len);
                written.is_some_and(|written| written.iter().all(|lanes| lanes & mask == mask))
            }
            _ => false,
        }
    }

    /// Does the same for an access with scattered addresses from `low` to `high`, in the block's
    /// shared memory or in global memory.
    #[inline]
    pub(in crate::machine::checks) fn scattered_init(
        &mut self,
        op: *const Op,
        info: &OpInfo,
        (region, low, high): (Region, u64, u64),
        addresses: &[u64; LANES],
        mask: u32,
    ) -> bool {
        let writes = matches!(info.class, Class::Store(_));
        let len = u64::from(info.bytes);
        if writes && self.checks.tainted || len > 32 {
            return false;
        }
        match region {
            Region::Global => {
                let Some(shadow) = self.shadow(op, low) else {
                    return self.shadow_site(op).holds(low, high - low + len);
                };
                if !shadow.holds(low, high - low + len) {
                    return false;
                }
                if shadow.is_whole() {
                    return true;
                }
                let each = lanes(mask).map(|lane| addresses[lane]);
                if writes {
                    shadow.write_each(each, len);
                    return true;
                }
                shadow.has_each(each, len)
            }
            Region::Shared => {
                let first = u64::from(self.run.shared_start);
                let written = &mut self.team.blocks[self.current.0].written;
                let at = |lane: usize| addresses[lane].wrapping_sub(first);
                if written.is_whole() {
                    return true;
                }
                if !written.holds(low.wrapping_sub(first), high - low + len) {
                    return false;
                }
                if writes {
                    lanes(mask).for_each(|lane| written.write(at(lane), len));
                    return true;
                }
                lanes(mask).all(|lane| written.has(at(lane), len))
            }
            _ => false,
        }
    }

    /// Finds the unwritten bytes that each lane is about to read. Returns false if there are none.
    pub(super) fn find_unwritten(
        &mut self,
        op: *const Op,
        region: Region,
        (addresses, mask): (&[u64; LANES], u32),
        bytes: u32,
        found: &mut [u32; LANES],
    ) -> bool {
        let len = u64::from(bytes);
        match region {
            Region::Global => {
                for lane in lanes(mask) {
                    let address = addresses[lane];
                    let shadow = self.shadow(op, address);
                    if let Some(shadow) = shadow.filter(|s| s.holds(address, len)) {
                        found[lane] = shadow.unwritten(address, bytes);
                    }
                }
            }
            Region::Shared => {
                for lane in lanes(mask) {
                    let (rank, at) = self.shared_byte(addresses[lane]);
                    let block = self.team.blocks.get(rank);
                    if let Some(block) = block.filter(|block| block.written.holds(at, len)) {
                        found[lane] = block.written.unwritten(at, len);
                    }
                }
            }
            Region::Local => {
                let written = &self.warp().local_written;
                for lane in lanes(mask) {
                    let at = addresses[lane] as usize;
                    for byte in 0..bytes as usize {
                        let is = written.get(at + byte).copied().unwrap_or(0) >> lane & 1;
                        found[lane] |= (is ^ 1) << byte;
                    }
                }
            }
            _ => return false,
        }
        found.iter().any(|bytes| *bytes != 0)
    }

    /// Marks bytes as written. Wrong addresses are skipped, because the operation is
    /// about to fault.
    pub(super) fn write_region(
        &mut self,
        op: *const Op,
        region: Region,
        (addresses, mask): (&[u64; LANES], u32),
        bytes: u32,
    ) {
        let len = u64::from(bytes);
        for lane in lanes(mask) {
            let address = addresses[lane];
            match region {
                Region::Global => {
                    let shadow = self.shadow(op, address);
                    if let Some(shadow) = shadow.filter(|s| s.holds(address, len)) {
                        shadow.write(address, len);
                    }
                }
                Region::Shared => self.shared_written(address, len),
                Region::Local => self.write_local(address as usize, len as usize, 1 << lane),
                _ => {}
            }
        }
    }

    /// Marks bytes of the local memory of the lanes of `mask` as written.
    fn write_local(&mut self, at: usize, len: usize, mask: u32) {
        if at >= MOST_LOCAL {
            return;
        }
        let written = &mut self.warp().local_written;
        if written.len() < at + len {
            written.resize(at + len, 0);
        }
        for lanes in &mut written[at..at + len] {
            *lanes |= mask;
        }
    }

    /// Returns the rank of the block that a shared address belongs to, and the byte's index
    /// in its memory.
    #[inline(always)]
    fn shared_byte(&self, address: u64) -> (usize, u64) {
        let start = u64::from(self.run.shared_start);
        let rank = (address / window::SHARED_PER_BLOCK).checked_sub(1);
        let rank = rank.map_or(self.current.0, |rank| rank as usize);
        (
            rank,
            (address % window::SHARED_PER_BLOCK).wrapping_sub(start),
        )
    }

    /// Returns which of the first `len` (at most 32) bytes at an address of the running block's
    /// shared memory are uninitialised, a bit each. The bytes must exist.
    pub(in crate::machine) fn shared_unwritten(&self, address: u64, len: u64) -> u32 {
        let (rank, at) = self.shared_byte(address);
        let block = self.team.blocks.get(rank);
        let block = block.filter(|block| block.written.holds(at, len));
        block.map_or(0, |block| block.written.unwritten(at, len))
    }

    /// Marks bytes at a shared address as written.
    fn shared_written(&mut self, address: u64, len: u64) {
        let (rank, at) = self.shared_byte(address);
        let block = self.team.blocks.get_mut(rank);
        if let Some(block) = block.filter(|block| block.written.holds(at, len)) {
            block.written.write(at, len);
        }
    }

    /// Marks bytes as written by an asynchronous unit, or by an instruction that the checks do not
    /// look at. They lie in the shared memory of the block with this number, or in global memory.
    #[cold]
    pub(in crate::machine) fn was_written(
        &mut self,
        (block, address): (Option<u64>, u64),
        len: u64,
    ) {
        if !self.run.launch.checks.init {
            return;
        }
        match block {
            Some(block) => {
                let rank = self.team.blocks.iter().position(|b| b.linear == block);
                let at = address % window::SHARED_PER_BLOCK;
                if let Some(rank) = rank {
                    self.shared_written((rank as u64 + 1) * window::SHARED_PER_BLOCK + at, len);
                }
            }
            None => {
                let shadow = self.run.snapshot.shadow(address);
                if let Some(shadow) = shadow.filter(|s| s.holds(address, len)) {
                    shadow.write(address, len);
                }
            }
        }
    }

    /// Follows a thread's finished copy to shared memory of a block: `read` bytes from an address
    /// of global memory and then zeros, `all` bytes together.
    #[cold]
    pub(in crate::machine) fn carried(
        &mut self,
        (block, to): (u64, u64),
        from: u64,
        (read, all): (u64, u64),
    ) {
        self.was_written((Some(block), to), all);
        let start = u64::from(self.run.shared_start);
        let Some(shadow) = self.run.snapshot.shadow(from) else {
            return;
        };
        if !shadow.holds(from, read) || !shadow.lacks(from, read) {
            return;
        }
        let team = &mut self.team.blocks;
        let Some(block) = team.iter_mut().find(|b| b.linear == block) else {
            return;
        };
        for byte in (0..read).filter(|byte| shadow.unwritten(from + byte, 1) != 0) {
            let at = (to % window::SHARED_PER_BLOCK).wrapping_sub(start);
            block.written.forget(at.wrapping_add(byte));
        }
    }

    /// Follows a copy of bytes from one place to another. Unwritten bytes are unwritten there too.
    pub(in crate::machine) fn took_along(
        &mut self,
        (owner, to): (Option<u64>, u64),
        (of, from): (Option<u64>, u64),
        len: u64,
    ) {
        if !self.run.launch.checks.init {
            return;
        }
        let (start, run) = (u64::from(self.run.shared_start), self.run);
        let inside = |address: u64| (address % window::SHARED_PER_BLOCK).wrapping_sub(start);
        let blocks = &mut self.team.blocks;
        let missing: Vec<u64> = match of {
            None => match run.snapshot.shadow(from) {
                Some(shadow) if shadow.holds(from, len) && shadow.lacks(from, len) => {
                    let missing = |byte: &u64| shadow.unwritten(from + byte, 1) != 0;
                    (0..len).filter(missing).collect()
                }
                _ => return,
            },
            Some(of) => match blocks.iter().find(|b| b.linear == of) {
                Some(block) if block.written.holds(inside(from), len) => {
                    let missing = |byte: &u64| block.written.unwritten(inside(from) + byte, 1) != 0;
                    (0..len).filter(missing).collect()
                }
                _ => return,
            },
        };
        let mut block = blocks.iter_mut().find(|b| Some(b.linear) == owner);
        for byte in missing {
            match (&mut block, run.snapshot.shadow(to)) {
                (Some(block), _) => block.written.forget(inside(to).wrapping_add(byte)),
                (None, Some(shadow)) if owner.is_none() => shadow.forget(to + byte, 1),
                _ => {}
            }
        }
    }

    /// Marks memory of the kernel's own heap as unwritten when it is allocated.
    #[cold]
    pub(in crate::machine) fn given_out(&mut self, address: u64, len: u64) {
        if self.run.launch.checks.init
            && let Some(shadow) = self.run.snapshot.shadow(address)
            && shadow.holds(address, len)
        {
            shadow.forget(address, len);
        }
    }

    /// Marks a byte as uninitialised.
    pub(super) fn unwrite(&mut self, region: Region, address: u64, lane: usize) {
        match region {
            Region::Global => {
                let shadow = self.run.snapshot.shadow(address);
                if let Some(shadow) = shadow {
                    shadow.forget(address, 1);
                }
            }
            Region::Shared => {
                let start = u64::from(self.run.shared_start);
                self.block().written.forget(address.wrapping_sub(start));
            }
            Region::Local => {
                if let Some(word) = self.warp().local_written.get_mut(address as usize) {
                    *word &= !(1 << lane);
                }
            }
            _ => {}
        }
    }
}
