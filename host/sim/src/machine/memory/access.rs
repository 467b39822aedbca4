//! Addresses: from what an instruction names to bytes of the host, with every check on the way.
//!
//! PTX ISA, "State Spaces" and "Addresses as Operands". All accesses are checked: the bytes are in one live allocation (or
//! in the block's shared, the thread's local or the launch's parameter memory), writes do not go to constant memory, and
//! the address is a multiple of the access' size.
//!
//! Most warps access memory in one of two ways: side by side, or all at one place. Both are found with a few vector
//! operations over the 32 addresses and then checked once, as one piece. The rest is checked by its lowest and highest address, which
//! usually lie in one allocation, and only if not lane by lane.

use super::state_space::{Generic, Global, NamedSpace, Shared, StateSpace, region};
use crate::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, Region};
use crate::machine::lane::{FULL, LANES, lanes};
use crate::machine::op::Op;
use crate::memory::window::{self, Window};

/// Flags in `aux` of memory operations.
pub(crate) mod flag {
    /// The address register has 32 bits.
    pub(crate) const NARROW: u32 = 1;
    /// The access counts as spinning: volatile or ordered.
    pub(crate) const SPINS: u32 = 2;
    /// Of a load or store: what its addresses are like is kept for those that have `AGAIN`.
    pub(crate) const KEEPS: u32 = 4;
    /// Of a load or store: its address register is that of an earlier one with `KEEPS`, and nothing wrote to it since.
    pub(crate) const AGAIN: u32 = 8;
    /// Where the number of the place starts in which that is kept.
    pub(crate) const SLOT: u32 = 4;
    /// How many such places there are.
    pub(crate) const SLOTS: usize = 8;
    /// Where the number of vector elements, less one, starts in `aux`.
    pub(crate) const ELEMENTS: u32 = 8;
}

/// An address register as an operation found it: its lanes side by side, or all at one place.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::machine) struct AddressPattern {
    /// The lanes; none where nothing is kept.
    pub(in crate::machine) mask: u32,
    /// How far each lane's address is from the one before: the size of the access, or nothing.
    pub(in crate::machine) step: u32,
    /// The first lane's address, without the operation's offset.
    pub(in crate::machine) first: u64,
}

/// The place in which an operation keeps what its addresses are like.
#[inline(always)]
fn slot(aux: u32) -> usize {
    (aux >> flag::SLOT) as usize % flag::SLOTS
}

/// Where the lanes' bytes are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LaneBytes {
    /// Side by side from here: lane `i`'s are `i` times the size further.
    Row(*mut u8),
    /// All at one place.
    One(*mut u8),
    /// Each lane at its own place: in the core's `hosts`.
    Each,
    /// The access is wrong; the core's event says how.
    Wrong,
}

/// `i * size` for each lane `i`, by the size's logarithm: what addresses side by side differ by.
static STEPS: [[u64; LANES]; 6] = {
    let mut steps = [[0; LANES]; 6];
    let mut log = 0;
    while log < 6 {
        let mut lane = 0;
        while lane < LANES {
            steps[log][lane] = (lane as u64) << log;
            lane += 1;
        }
        log += 1;
    }
    steps
};

/// One access of one lane.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct LaneAccess {
    pub(in crate::machine) lane: usize,
    pub(in crate::machine) act: AccessKind,
    pub(in crate::machine) space: NamedSpace,
    pub(in crate::machine) address: u64,
    /// How far it goes.
    pub(in crate::machine) bytes: u64,
    /// What the address has to be a multiple of.
    pub(in crate::machine) align: u64,
}

/// An address as a register holds it.
trait Address: Copy {
    /// With the instruction's offset added, in as many bits as the register has.
    fn plus(self, offset: i32) -> u64;
}

impl Address for u64 {
    #[inline(always)]
    fn plus(self, offset: i32) -> u64 {
        self.wrapping_add(offset as i64 as u64)
    }
}

impl Address for u32 {
    #[inline(always)]
    fn plus(self, offset: i32) -> u64 {
        u64::from(self.wrapping_add(offset as u32))
    }
}

/// All bits where lane `i` is in the mask.
#[inline(always)]
fn on(mask: u32, i: usize) -> u64 {
    0u64.wrapping_sub(u64::from(mask >> i & 1))
}

impl Core<'_> {
    /// What is kept of the lanes' addresses, and the first lane's address with the operation's offset: where its register is
    /// that of an operation before, by the same lanes.
    #[inline(always)]
    pub(in crate::machine) fn kept(&self, o: &Op, mask: u32) -> Option<(AddressPattern, u64)> {
        let kept = self.kept[slot(o.aux)];
        if o.aux & flag::AGAIN == 0 || kept.mask != mask {
            return None;
        }
        if o.aux & flag::NARROW == 0 {
            return Some((kept, kept.first.plus(o.c as i32)));
        }
        let start = (kept.first as u32).plus(o.c as i32);
        // Lanes behind the end of 32 bits would begin again at zero.
        let end = start + u64::from(kept.step) * LANES as u64;
        (end <= 1 << 32).then_some((kept, start))
    }

    /// [`Core::locate_here`] of an operation whose addresses are known. None: it has to look at them.
    ///
    /// # Safety
    /// As for it.
    #[inline(always)]
    pub(in crate::machine) unsafe fn locate_again<S: StateSpace>(
        &mut self,
        op: *const Op,
        act: AccessKind,
        mask: u32,
        log: u32,
    ) -> Option<LaneBytes> {
        // SAFETY: `op` is an operation of the program.
        let (kept, start) = self.kept(unsafe { &*op }, mask)?;
        let (step, size) = (u64::from(kept.step), 1u64 << log);
        if start & (size - 1) != 0 || (step != 0 && step != size) {
            return None;
        }
        let first = mask.trailing_zeros() as usize & 31;
        let last = 31 - mask.leading_zeros() as usize;
        let length = size + step * (last - first) as u64;
        let host = S::host_range(self, op, act, start)?.at(start, length)?;
        Some(match step {
            0 => LaneBytes::One(host),
            _ => LaneBytes::Row(host.wrapping_sub(first << log)),
        })
    }

    /// Where the lanes of `mask` (at least one) access memory, `1 << log` (at most 32) bytes each, if all do so at one place or side by
    /// side: the first lane's address, and how far each one's is from the one before. For what looks at an operation before it
    /// runs.
    ///
    /// # Safety
    /// `op` must be a memory operation of the running frame.
    #[inline(always)]
    pub(in crate::machine) unsafe fn evenly(
        &self,
        op: *const Op,
        mask: u32,
        log: u32,
    ) -> Option<(u64, u64)> {
        // SAFETY: row `a` holds `u32` or `u64`, as `aux` says.
        unsafe {
            let o = &*op;
            if let Some((kept, start)) = self.kept(o, mask) {
                return Some((start, kept.step.into()));
            }
            if o.aux & flag::NARROW == 0 {
                self.evenly_from::<u64>(o, mask, log)
            } else {
                self.evenly_from::<u32>(o, mask, log)
            }
        }
    }

    /// [`Core::evenly`] for addresses of type `A`.
    ///
    /// # Safety
    /// As for it, and row `a` must hold `A`.
    #[inline(always)]
    unsafe fn evenly_from<A: Address>(&self, o: &Op, mask: u32, log: u32) -> Option<(u64, u64)> {
        // SAFETY: the row is in the frame, and nothing writes to the frame while its addresses are looked at.
        let row = unsafe { &*self.frame.add(o.a as usize).cast::<[A; LANES]>() };
        let (offset, steps) = (o.c as i32, &STEPS[log as usize % STEPS.len()]);
        let first = mask.trailing_zeros() as usize % LANES;
        let start = row[first].plus(offset);
        let base = start.wrapping_sub(steps[first]);
        let last = row[31 - (mask.leading_zeros() as usize % LANES)].plus(offset);
        let (mut apart, mut spread) = (0u64, 0u64);
        if last == start {
            for (i, address) in row.iter().enumerate() {
                spread |= (address.plus(offset) ^ start) & on(mask, i);
            }
            return (spread == 0).then_some((start, 0));
        }
        for (i, address) in row.iter().enumerate() {
            apart |= (address.plus(offset) ^ base.wrapping_add(steps[i])) & on(mask, i);
        }
        (apart == 0).then_some((start, 1 << log))
    }

    /// Whether the lanes' addresses look as if they lay anywhere: a few lanes neither access the same place as the next one nor the
    /// bytes before. What looks at them by pieces need not try.
    ///
    /// # Safety
    /// As for [`Core::evenly`].
    #[inline(always)]
    pub(in crate::machine) unsafe fn looks_scattered(&self, op: *const Op, log: u32) -> bool {
        // SAFETY: row `a` holds `u32` or `u64`, as `aux` says, and nothing writes to it meanwhile.
        unsafe {
            let (row, wide) = (
                self.frame.add((*op).a as usize),
                (*op).aux & flag::NARROW == 0,
            );
            [1, 6, 12, 17, 27].into_iter().all(|lane| {
                let step = match wide {
                    true => {
                        let row = &*row.cast::<[u64; LANES]>();
                        row[lane + 1].wrapping_sub(row[lane])
                    }
                    false => {
                        let row = &*row.cast::<[u32; LANES]>();
                        row[lane + 1].wrapping_sub(row[lane]).into()
                    }
                };
                step != 0 && step != 1 << log
            })
        }
    }

    /// The lowest and the highest address of the lanes of `mask`.
    ///
    /// # Safety
    /// As for [`Core::evenly`].
    #[inline(always)]
    pub(in crate::machine) unsafe fn reach(&self, op: *const Op, mask: u32) -> (u64, u64) {
        // SAFETY: row `a` holds `u32` or `u64`, as `aux` says.
        unsafe {
            match (*op).aux & flag::NARROW {
                0 => self.reach_from::<u64>(&*op, mask),
                _ => self.reach_from::<u32>(&*op, mask),
            }
        }
    }

    /// [`Core::reach`] for addresses of type `A`.
    ///
    /// # Safety
    /// As for it, and row `a` must hold `A`.
    #[inline(always)]
    unsafe fn reach_from<A: Address>(&self, o: &Op, mask: u32) -> (u64, u64) {
        // SAFETY: the row is in the frame, and nothing writes to the frame while its addresses are looked at.
        let row = unsafe { &*self.frame.add(o.a as usize).cast::<[A; LANES]>() };
        let (mut low, mut high) = (u64::MAX, 0);
        for (i, address) in row.iter().enumerate() {
            let address = address.plus(o.c as i32);
            low = low.min(address | !on(mask, i));
            high = high.max(address & on(mask, i));
        }
        (low, high)
    }

    /// The first lane's address and the distance to the next, where all lanes run and each accesses as much further on as the one before: columns of an
    /// array, or fields of structures.
    ///
    /// # Safety
    /// As for [`Core::evenly`].
    #[inline(always)]
    pub(in crate::machine) unsafe fn strided(
        &self,
        op: *const Op,
        mask: u32,
    ) -> Option<(u64, u64)> {
        // SAFETY: row `a` holds `u32` or `u64`, as `aux` says.
        unsafe {
            match (*op).aux & flag::NARROW {
                _ if mask != FULL => None,
                0 => self.strided_from::<u64>(&*op),
                _ => self.strided_from::<u32>(&*op),
            }
        }
    }

    /// [`Core::strided`] for addresses of type `A`.
    ///
    /// # Safety
    /// As for it, and row `a` must hold `A`.
    #[inline(always)]
    unsafe fn strided_from<A: Address>(&self, o: &Op) -> Option<(u64, u64)> {
        // SAFETY: the row is in the frame, and nothing writes to the frame while its addresses are looked at.
        let row = unsafe { &*self.frame.add(o.a as usize).cast::<[A; LANES]>() };
        let offset = o.c as i32;
        let start = row[0].plus(offset);
        let step = row[1].plus(offset).wrapping_sub(start);
        let (mut apart, mut expected) = (step >> 32, start);
        for address in row {
            apart |= address.plus(offset) ^ expected;
            expected = expected.wrapping_add(step);
        }
        (apart == 0).then_some((start, step))
    }

    /// The lanes' addresses: row `a` plus the offset in `c`.
    ///
    /// # Safety
    /// `op` must be a memory operation of the running frame.
    #[inline(always)]
    pub(in crate::machine) unsafe fn addresses(&self, op: *const Op) -> [u64; LANES] {
        // SAFETY: row `a` holds `u32` or `u64`, as `aux` says.
        unsafe {
            let o = &*op;
            let offset = o.c as i32 as i64 as u64;
            let mut addresses = [0u64; LANES];
            if o.aux & flag::NARROW == 0 {
                let row = &*self.frame.add(o.a as usize).cast::<[u64; LANES]>();
                for i in 0..LANES {
                    addresses[i] = row[i].wrapping_add(offset);
                }
            } else {
                let row = &*self.frame.add(o.a as usize).cast::<[u32; LANES]>();
                for i in 0..LANES {
                    addresses[i] = u64::from(row[i].wrapping_add(offset as u32));
                }
            }
            addresses
        }
    }

    /// The address of one lane.
    ///
    /// # Safety
    /// As for [`Core::addresses`].
    #[inline(always)]
    pub(in crate::machine) unsafe fn address(&self, op: *const Op, lane: u32) -> u64 {
        let lane = lane as usize % LANES;
        // SAFETY: row `a` holds `u32` or `u64`, as `aux` says.
        unsafe {
            let (row, offset) = (self.frame.add((*op).a as usize), (*op).c as i32);
            match (*op).aux & flag::NARROW {
                0 => (*row.cast::<[u64; LANES]>())[lane].plus(offset),
                _ => (*row.cast::<[u32; LANES]>())[lane].plus(offset),
            }
        }
    }

    /// Where the bytes are that the lanes of `mask` (at least one) access, `1 << log` (at most 32) for each.
    ///
    /// # Safety
    /// `op` must be a memory operation of the running frame.
    #[inline(always)]
    pub(in crate::machine) unsafe fn locate_here<S: StateSpace>(
        &mut self,
        op: *const Op,
        act: AccessKind,
        mask: u32,
        log: u32,
    ) -> LaneBytes {
        // SAFETY: row `a` holds `u32` or `u64`, as `aux` says.
        unsafe {
            if (*op).aux & flag::NARROW == 0 {
                self.locate_from::<S, u64>(op, act, mask, log)
            } else {
                self.locate_from::<S, u32>(op, act, mask, log)
            }
        }
    }

    /// [`Core::locate_here`] for addresses of type `A`. They are read from their row each time: an array of them on the
    /// stack would have to be written in other pieces than it is read in, and wait for that.
    ///
    /// # Safety
    /// As for it, and row `a` must hold `A`.
    #[inline(always)]
    unsafe fn locate_from<S: StateSpace, A: Address>(
        &mut self,
        op: *const Op,
        act: AccessKind,
        mask: u32,
        log: u32,
    ) -> LaneBytes {
        // SAFETY: the row is in the frame, and nothing writes to the frame while its addresses are looked at.
        let (row, offset) = unsafe {
            (
                &*self.frame.add((*op).a as usize).cast::<[A; LANES]>(),
                (*op).c as i32,
            )
        };
        let (size, steps) = (1u64 << log, &STEPS[log as usize % STEPS.len()]);
        let first = mask.trailing_zeros() as usize & 31;
        let start = row[first].plus(offset);
        // SAFETY: `op` is an operation of the program.
        let aux = unsafe { (*op).aux };
        let keep = |core: &mut Self, mask, step| {
            if aux & flag::KEEPS != 0 {
                core.kept[slot(aux)] = AddressPattern {
                    mask,
                    step,
                    first: start.wrapping_sub(offset as i64 as u64),
                };
            }
        };
        keep(self, 0, 0);
        let Some(host_range) = S::host_range(self, op, act, start) else {
            return self.each::<S>(op, act, mask, size);
        };
        // The second lane and the last tell which of the two it may be.
        let (second, last) = (row[1].plus(offset), row[LANES - 1].plus(offset));
        if mask == FULL && second == start && last == start && start & (size - 1) == 0 {
            let mut apart = 0u64;
            for address in row {
                apart |= address.plus(offset) ^ start;
            }
            if apart == 0
                && let Some(host) = host_range.at(start, size)
            {
                keep(self, mask, 0);
                return LaneBytes::One(host);
            }
        }
        let base = start.wrapping_sub(steps[first]);
        let mut apart = 0u64;
        if mask == FULL && last != base.wrapping_add(steps[LANES - 1]) {
            apart = 1;
        } else if mask == FULL {
            for i in 0..LANES {
                apart |= row[i].plus(offset) ^ base.wrapping_add(steps[i]);
            }
        } else {
            for i in 0..LANES {
                apart |= (row[i].plus(offset) ^ base.wrapping_add(steps[i])) & on(mask, i);
            }
        }
        if apart == 0 && start & (size - 1) == 0 {
            let last = 31 - mask.leading_zeros() as usize;
            return match host_range.at(start, ((last - first + 1) as u64) << log) {
                Some(host) => {
                    keep(self, mask, size as u32);
                    LaneBytes::Row(host.wrapping_sub(first << log))
                }
                None => self.each::<S>(op, act, mask, size),
            };
        }
        // All at one place, or anywhere in one stretch. An offset is inside when neither it nor what is left behind it is
        // negative: no stretch is longer than half of all addresses.
        let Some(room) = host_range.size.checked_sub(size) else {
            return self.each::<S>(op, act, mask, size);
        };
        let (mut spread, mut outside, mut bits) = (0u64, 0u64, 0u64);
        for (i, address) in row.iter().enumerate() {
            let address = address.plus(offset);
            let inside = address.wrapping_sub(host_range.base);
            spread |= (address ^ start) & on(mask, i);
            outside |= (inside | room.wrapping_sub(inside)) & on(mask, i);
            bits |= address & on(mask, i);
        }
        if outside >> 63 != 0 || bits & (size - 1) != 0 {
            return self.each::<S>(op, act, mask, size);
        }
        if spread == 0 {
            keep(self, mask, 0);
            return LaneBytes::One(
                host_range
                    .host
                    .wrapping_add(start.wrapping_sub(host_range.base) as usize),
            );
        }
        let origin = host_range.host.wrapping_sub(host_range.base as usize);
        for (to, address) in self.hosts.iter_mut().zip(row) {
            *to = origin.wrapping_add(address.plus(offset) as usize);
        }
        LaneBytes::Each
    }

    /// Lane by lane: accesses to several allocations, and wrong ones.
    #[cold]
    #[inline(never)]
    fn each<S: StateSpace>(
        &mut self,
        op: *const Op,
        act: AccessKind,
        mask: u32,
        size: u64,
    ) -> LaneBytes {
        // SAFETY: `op` is the memory operation that is running.
        let addresses = unsafe { self.addresses(op) };
        for lane in lanes(mask) {
            let address = addresses[lane];
            let (region, bytes) = (region::<S>(address), size as u32);
            if !address.is_multiple_of(size) {
                self.fault(
                    op,
                    lane,
                    FaultKind::Misaligned {
                        act,
                        region,
                        address,
                        bytes,
                    },
                );
                return LaneBytes::Wrong;
            }
            let host_range = S::host_range(self, op, act, address);
            match host_range.and_then(|s| s.at(address, size)) {
                Some(host) => self.hosts[lane] = host,
                None => {
                    self.fault(
                        op,
                        lane,
                        FaultKind::Access {
                            act,
                            region,
                            generic: S::GENERIC,
                            address,
                            bytes,
                        },
                    );
                    return LaneBytes::Wrong;
                }
            }
        }
        LaneBytes::Each
    }

    /// The host's bytes of one access, if it may be; else the core's event says why not. Local memory is interleaved, and no
    /// instruction that comes here may name it.
    pub(in crate::machine) fn locate(&mut self, op: *const Op, one: LaneAccess) -> Option<*mut u8> {
        let LaneAccess {
            lane,
            act,
            space,
            address,
            bytes,
            align,
        } = one;
        let (found, region, generic) = match space {
            NamedSpace::Global => (
                Global::host_range(self, op, act, address),
                Region::Global,
                false,
            ),
            NamedSpace::Shared => (
                Shared::host_range(self, op, act, address),
                Region::Shared,
                false,
            ),
            NamedSpace::GenericShared if window::of(address) != Window::Shared => {
                let message = format!("{address:#x} is no generic address of shared memory");
                let help = "the instruction takes shared memory only: make the address with `cvta.shared`, or from a shared variable";
                self.fault(op, lane, FaultKind::Illegal { message, help });
                return None;
            }
            NamedSpace::Generic | NamedSpace::GenericShared => (
                Generic::host_range(self, op, act, address),
                region::<Generic>(address),
                true,
            ),
        };
        let host = found.and_then(|host_range| host_range.at(address, bytes));
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        if !address.is_multiple_of(align.max(1)) {
            let bytes = align as u32;
            let what = FaultKind::Misaligned {
                act,
                region,
                address,
                bytes,
            };
            self.fault(op, lane, what);
            return None;
        }
        if host.is_none() {
            let what = FaultKind::Access {
                act,
                region,
                generic,
                address,
                bytes,
            };
            self.fault(op, lane, what);
        }
        host
    }
}
