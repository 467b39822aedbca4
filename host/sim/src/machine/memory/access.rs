//! Memory accesses: from the addresses of an instruction to bytes of the host, with all checks.
//!
//! PTX ISA, "State Spaces" and "Addresses as Operands". All accesses are checked. The bytes must
//! lie in one live allocation (or in the block's shared, the thread's local or the launch's
//! parameter memory), writes must not go to constant memory, and the address must be a multiple of
//! the access' size.
//!
//! Addresses that are contiguous or all equal ([`address`](super::address)) are checked once, as
//! one range. Other addresses are checked by the lowest and the highest of them, which usually lie
//! in one allocation. If they do not, the lanes are checked one by one.

use super::address::{Address, AddressPattern, STEPS, on, slot};
use super::flag;
use super::state_space::{Generic, Global, NamedSpace, Shared, StateSpace, region};
use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, Region};
use crate::machine::lane::{FULL, LANES, lanes};
use crate::machine::op::Op;
use crate::memory::window::{self, Window};

/// The host addresses of the lanes' bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LaneBytes {
    /// Contiguous from this address: lane `i` is at `i` times the size.
    Row(*mut u8),
    /// All lanes are at this address.
    One(*mut u8),
    /// Each lane is at its own address, in the core's `hosts`.
    Each,
    /// The access faults, and the core's event holds the fault.
    Wrong,
}

/// One access of one lane.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct LaneAccess {
    pub(in crate::machine) lane: usize,
    pub(in crate::machine) act: AccessKind,
    pub(in crate::machine) space: NamedSpace,
    pub(in crate::machine) address: u64,
    /// The number of bytes that it accesses.
    pub(in crate::machine) bytes: u64,
    /// The alignment that the address must have, in bytes.
    pub(in crate::machine) align: u64,
}

impl Core<'_> {
    /// Does [`Core::locate_here`] for an operation whose address pattern is stored. None if the
    /// operation has to look at its addresses.
    ///
    /// # Safety
    /// As for [`Core::locate_here`].
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

    /// Finds the bytes that the lanes of `mask` (at least one) access, `1 << log` (at most 32)
    /// bytes for each lane.
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
        // SAFETY: row `a` holds `u32` or `u64`, depending on `aux`.
        unsafe {
            if (*op).aux & flag::NARROW == 0 {
                self.locate_from::<S, u64>(op, act, mask, log)
            } else {
                self.locate_from::<S, u32>(op, act, mask, log)
            }
        }
    }

    /// Returns the row of a memory operation's addresses.
    ///
    /// # Safety
    /// `op` must be a memory operation of the running frame whose row `a` holds `A`.
    #[inline(always)]
    unsafe fn row_of<A: Address>(&self, op: *const Op) -> *const [A; LANES] {
        // SAFETY: the row is in the frame.
        unsafe { self.frame.add((*op).a as usize).cast() }
    }

    /// Does [`Core::locate_here`] for addresses of type `A`. They are read from their row each
    /// time. An array on the stack would be written in pieces of another size than it is read in,
    /// and the reads would wait for the writes.
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
        // SAFETY: the caller guarantees the row, and nothing writes to the frame while its
        // addresses are looked at.
        let (row, offset) = unsafe { (&*self.row_of::<A>(op), (*op).c as i32) };
        let (size, steps) = (1u64 << log, &STEPS[log as usize % STEPS.len()]);
        let first = mask.trailing_zeros() as usize & 31;
        let start = row[first].plus(offset);
        // SAFETY: `op` is an operation of the program.
        let aux = unsafe { (*op).aux };
        let keep = |core: &mut Self, mask, step| {
            if aux & flag::KEEPS != 0 {
                core.memory.kept[slot(aux)] = AddressPattern {
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
        // The second lane and the last show which of the two patterns it may be.
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
        // All at one place, or scattered in one range. An offset is inside if neither it
        // nor the number of bytes left after it is negative: no range is longer than half
        // of the address space.
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
        for (to, address) in self.memory.hosts.iter_mut().zip(row) {
            *to = origin.wrapping_add(address.plus(offset) as usize);
        }
        LaneBytes::Each
    }

    /// Finds the bytes lane by lane: for accesses to several allocations, and for faulting ones.
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
                Some(host) => self.memory.hosts[lane] = host,
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

    /// Returns the host's bytes of one access if it is allowed. Otherwise the core's event holds
    /// the fault. Local memory is interleaved, and an instruction that comes here must not name it.
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
