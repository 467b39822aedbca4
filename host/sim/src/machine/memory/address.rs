//! The addresses of a warp's access: the lanes' addresses as their register holds them, and whether
//! they are regular.
//!
//! Most warps access memory in one of two ways: at contiguous addresses, or all at one address.
//! Both are found with a few vector operations over the 32 addresses.

use super::flag;
use crate::machine::core::Core;
use crate::machine::lane::{FULL, LANES};
use crate::machine::op::Op;

/// The regular addresses that an operation found in its register: contiguous, or all equal.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::machine) struct AddressPattern {
    /// The lanes, or 0 if nothing is stored.
    pub(in crate::machine) mask: u32,
    /// The stride from lane to lane: the size of the access, or 0 if all addresses are equal.
    pub(in crate::machine) step: u32,
    /// The first lane's address, without the operation's offset.
    pub(in crate::machine) first: u64,
}

/// Returns the index of the entry in which an operation stores its address pattern.
#[inline(always)]
pub(super) fn slot(aux: u32) -> usize {
    (aux >> flag::SLOT) as usize % flag::SLOTS
}

/// `i * size` for each lane `i`, by the size's logarithm: the offsets of contiguous addresses.
pub(super) static STEPS: [[u64; LANES]; 6] = {
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

/// An address as a register holds it.
pub(super) trait Address: Copy {
    /// Returns the address plus the instruction's offset, in as many bits as the register has.
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

/// Returns all ones if lane `i` is in the mask, and 0 otherwise.
#[inline(always)]
pub(super) fn on(mask: u32, i: usize) -> u64 {
    0u64.wrapping_sub(u64::from(mask >> i & 1))
}

impl Core<'_> {
    /// Returns the stored pattern of the lanes' addresses, and the first lane's address with
    /// the operation's offset. None unless the address register and the lanes are those of
    /// an earlier operation.
    #[inline(always)]
    pub(in crate::machine) fn kept(&self, o: &Op, mask: u32) -> Option<(AddressPattern, u64)> {
        let kept = self.memory.kept[slot(o.aux)];
        if o.aux & flag::AGAIN == 0 || kept.mask != mask {
            return None;
        }
        if o.aux & flag::NARROW == 0 {
            return Some((kept, kept.first.plus(o.c as i32)));
        }
        let start = (kept.first as u32).plus(o.c as i32);
        // Addresses past the end of 32 bits would wrap to zero.
        let end = start + u64::from(kept.step) * LANES as u64;
        (end <= 1 << 32).then_some((kept, start))
    }

    /// Returns where the lanes of `mask` (at least one) access memory, `1 << log` (at most 32)
    /// bytes each, if their addresses are contiguous or all equal: the first lane's address, and
    /// the stride from lane to lane. Counters and checks call this before the operation runs.
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
        // SAFETY: row `a` holds `u32` or `u64`, depending on `aux`.
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

    /// Does [`Core::evenly`] for addresses of type `A`.
    ///
    /// # Safety
    /// As for [`Core::evenly`], and row `a` must hold `A`.
    #[inline(always)]
    unsafe fn evenly_from<A: Address>(&self, o: &Op, mask: u32, log: u32) -> Option<(u64, u64)> {
        // SAFETY: the row is in the frame, and nothing writes to the frame while its
        // addresses are read.
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

    /// Returns whether the lanes' addresses look scattered. It samples five lanes. For each of
    /// them, the next lane's address is neither the same nor contiguous. Such an access need not be
    /// split into regular pieces.
    ///
    /// # Safety
    /// As for [`Core::evenly`].
    #[inline(always)]
    pub(in crate::machine) unsafe fn looks_scattered(&self, op: *const Op, log: u32) -> bool {
        // SAFETY: row `a` holds `u32` or `u64`, depending on `aux`, and nothing writes
        // to it meanwhile.
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

    /// Returns the lowest and the highest address of the lanes of `mask`.
    ///
    /// # Safety
    /// As for [`Core::evenly`].
    #[inline(always)]
    pub(in crate::machine) unsafe fn reach(&self, op: *const Op, mask: u32) -> (u64, u64) {
        // SAFETY: row `a` holds `u32` or `u64`, depending on `aux`.
        unsafe {
            match (*op).aux & flag::NARROW {
                0 => self.reach_from::<u64>(&*op, mask),
                _ => self.reach_from::<u32>(&*op, mask),
            }
        }
    }

    /// Does [`Core::reach`] for addresses of type `A`.
    ///
    /// # Safety
    /// As for [`Core::reach`], and row `a` must hold `A`.
    #[inline(always)]
    unsafe fn reach_from<A: Address>(&self, o: &Op, mask: u32) -> (u64, u64) {
        // SAFETY: the row is in the frame, and nothing writes to the frame while its
        // addresses are read.
        let row = unsafe { &*self.frame.add(o.a as usize).cast::<[A; LANES]>() };
        let (mut low, mut high) = (u64::MAX, 0);
        for (i, address) in row.iter().enumerate() {
            let address = address.plus(o.c as i32);
            low = low.min(address | !on(mask, i));
            high = high.max(address & on(mask, i));
        }
        (low, high)
    }

    /// Returns the first lane's address and the stride, if all lanes run and their addresses have
    /// one stride. Columns of an array and fields of structures are accessed so.
    ///
    /// # Safety
    /// As for [`Core::evenly`].
    #[inline(always)]
    pub(in crate::machine) unsafe fn strided(
        &self,
        op: *const Op,
        mask: u32,
    ) -> Option<(u64, u64)> {
        // SAFETY: row `a` holds `u32` or `u64`, depending on `aux`.
        unsafe {
            match (*op).aux & flag::NARROW {
                _ if mask != FULL => None,
                0 => self.strided_from::<u64>(&*op),
                _ => self.strided_from::<u32>(&*op),
            }
        }
    }

    /// Does [`Core::strided`] for addresses of type `A`.
    ///
    /// # Safety
    /// As for [`Core::strided`], and row `a` must hold `A`.
    #[inline(always)]
    unsafe fn strided_from<A: Address>(&self, o: &Op) -> Option<(u64, u64)> {
        // SAFETY: the row is in the frame, and nothing writes to the frame while its
        // addresses are read.
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

    /// Returns the lanes' addresses: row `a` plus the offset in `c`.
    ///
    /// # Safety
    /// `op` must be a memory operation of the running frame.
    #[inline(always)]
    pub(in crate::machine) unsafe fn addresses(&self, op: *const Op) -> [u64; LANES] {
        // SAFETY: row `a` holds `u32` or `u64`, depending on `aux`.
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

    /// Returns the address of one lane.
    ///
    /// # Safety
    /// As for [`Core::addresses`].
    #[inline(always)]
    pub(in crate::machine) unsafe fn address(&self, op: *const Op, lane: u32) -> u64 {
        let lane = lane as usize % LANES;
        // SAFETY: row `a` holds `u32` or `u64`, depending on `aux`.
        unsafe {
            let (row, offset) = (self.frame.add((*op).a as usize), (*op).c as i32);
            match (*op).aux & flag::NARROW {
                0 => (*row.cast::<[u64; LANES]>())[lane].plus(offset),
                _ => (*row.cast::<[u32; LANES]>())[lane].plus(offset),
            }
        }
    }
}
