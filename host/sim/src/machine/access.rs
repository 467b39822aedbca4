//! Addresses: from what an instruction names to bytes of the host, with every check on the way.
//!
//! PTX ISA, "State Spaces" and "Addresses as Operands". All accesses are checked: the bytes are in one live allocation (or
//! in the block's shared, the thread's local or the launch's parameter memory), writes do not go to constant memory, and
//! the address is a multiple of the access' size.
//!
//! Most warps access memory in one of two ways: side by side, or all at one place. Both are found with a few vector
//! operations over the 32 addresses and then checked once, as one piece. The rest is checked by its lowest and highest address, which
//! usually lie in one allocation, and only if not lane by lane.

use super::core::Core;
use super::event::{Act, Reach, What};
use super::lane::{FULL, LANES, lanes};
use super::op::Op;
use crate::memory::window::{self, Window};

/// Flags in `aux` of memory operations.
pub(crate) mod flag {
    /// The address register has 32 bits.
    pub(crate) const NARROW: u32 = 1;
    /// The access counts as spinning: volatile or ordered.
    pub(crate) const SPINS: u32 = 2;
    /// Where the number of vector elements, less one, starts in `aux`.
    pub(crate) const ELEMENTS: u32 = 8;
}

/// Where the lanes' bytes are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Found {
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

/// A space that instructions name.
pub(crate) trait Space: Copy + 'static {
    /// What reports call it.
    const REACH: Reach;
    /// Whether addresses are generic.
    const GENERIC: bool = false;
    /// The host address of `len` bytes at `address`, if all of them may be accessed so.
    fn host(
        core: &mut Core<'_>,
        op: *const Op,
        act: Act,
        address: u64,
        len: u64,
    ) -> Option<*mut u8>;
}

/// `.global`.
#[derive(Clone, Copy)]
pub(crate) struct Global;
/// `.shared`.
#[derive(Clone, Copy)]
pub(crate) struct Shared;
/// `.const`.
#[derive(Clone, Copy)]
pub(crate) struct Constant;
/// No space named.
#[derive(Clone, Copy)]
pub(crate) struct Generic;

impl Space for Global {
    const REACH: Reach = Reach::Global;

    #[inline(always)]
    fn host(
        core: &mut Core<'_>,
        op: *const Op,
        act: Act,
        address: u64,
        len: u64,
    ) -> Option<*mut u8> {
        let range = &core.ranges[Core::site(op)];
        if range.holds(address, len) && (act == Act::Read || !range.constant) {
            return Some(address as *mut u8);
        }
        core.find_global(op, act, address, len)
    }
}

impl Space for Shared {
    const REACH: Reach = Reach::Shared;

    #[inline(always)]
    fn host(core: &mut Core<'_>, _: *const Op, _: Act, address: u64, len: u64) -> Option<*mut u8> {
        let offset = address.wrapping_sub(core.shared.start);
        if offset < core.shared.size && len <= core.shared.size - offset {
            // SAFETY: the bytes lie inside the block's shared memory.
            return Some(unsafe { core.shared.host.add(offset as usize) });
        }
        core.find_shared(address, len)
    }
}

impl Space for Constant {
    const REACH: Reach = Reach::Constant;

    #[inline(always)]
    fn host(
        core: &mut Core<'_>,
        op: *const Op,
        act: Act,
        address: u64,
        len: u64,
    ) -> Option<*mut u8> {
        let range = &core.ranges[Core::site(op)];
        if !(range.holds(address, len) && range.constant) {
            core.find_global(op, act, address, len)?;
            if !core.ranges[Core::site(op)].constant {
                return None;
            }
        }
        Some(address as *mut u8)
    }
}

impl Space for Generic {
    const REACH: Reach = Reach::Global;
    const GENERIC: bool = true;

    #[inline(always)]
    fn host(
        core: &mut Core<'_>,
        op: *const Op,
        act: Act,
        address: u64,
        len: u64,
    ) -> Option<*mut u8> {
        match window::of(address) {
            Window::Global => Global::host(core, op, act, address, len),
            Window::Shared => Shared::host(core, op, act, address - window::SHARED, len),
            Window::Param => core.find_param(act, address - window::PARAM, len),
            // Local memory is interleaved: accesses to it are taken apart before they come here.
            Window::Local => None,
        }
    }
}

impl Core<'_> {
    /// The lanes' addresses: row `a` plus the offset in `c`.
    ///
    /// # Safety
    /// `op` must be a memory operation of the running frame.
    #[inline(always)]
    pub(super) unsafe fn addresses(&mut self, op: *const Op) -> [u64; LANES] {
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

    /// Where the bytes are that the lanes of `mask` (at least one) access, `1 << log` (at most 32) for each.
    ///
    /// # Safety
    /// `op` must be a memory operation of the running frame.
    #[inline(always)]
    pub(super) unsafe fn locate_here<S: Space>(
        &mut self,
        op: *const Op,
        act: Act,
        mask: u32,
        log: u32,
    ) -> Found {
        // SAFETY: passed on.
        let addresses = unsafe { self.addresses(op) };
        let (size, steps) = (1u64 << log, &STEPS[log as usize % STEPS.len()]);
        let first = mask.trailing_zeros() as usize;
        let start = addresses[first];
        let base = start.wrapping_sub(steps[first]);
        let mut apart = 0u64;
        if mask == FULL {
            for (address, step) in addresses.iter().zip(steps) {
                apart |= address ^ base.wrapping_add(*step);
            }
        } else {
            for i in 0..LANES {
                let on = 0u64.wrapping_sub(u64::from(mask >> i & 1));
                apart |= (addresses[i] ^ base.wrapping_add(steps[i])) & on;
            }
        }
        if apart == 0 && start & (size - 1) == 0 {
            let last = 31 - mask.leading_zeros() as usize;
            if let Some(host) = S::host(self, op, act, start, ((last - first + 1) as u64) << log) {
                return Found::Row(host.wrapping_sub(first << log));
            }
            return self.each::<S>(op, act, mask, size, &addresses);
        }
        let mut spread = 0u64;
        for (i, address) in addresses.iter().enumerate() {
            let on = 0u64.wrapping_sub(u64::from(mask >> i & 1));
            spread |= (address ^ start) & on;
        }
        if spread == 0 && start & (size - 1) == 0 {
            return match S::host(self, op, act, start, size) {
                Some(host) => Found::One(host),
                None => self.each::<S>(op, act, mask, size, &addresses),
            };
        }
        // Somewhere among each other: from the lowest to the highest in one piece?
        let (mut low, mut high, mut bits) = (u64::MAX, 0, 0);
        for (i, &address) in addresses.iter().enumerate() {
            let on = mask >> i & 1 != 0;
            low = low.min(if on { address } else { u64::MAX });
            high = high.max(if on { address } else { 0 });
            bits |= if on { address } else { 0 };
        }
        if bits & (size - 1) == 0
            && let Some(host) = S::host(self, op, act, low, (high - low).saturating_add(size))
        {
            for (to, address) in self.hosts.iter_mut().zip(addresses) {
                *to = host.wrapping_add(address.wrapping_sub(low) as usize);
            }
            return Found::Each;
        }
        self.each::<S>(op, act, mask, size, &addresses)
    }

    /// Lane by lane: accesses to several allocations, and wrong ones.
    #[cold]
    #[inline(never)]
    fn each<S: Space>(
        &mut self,
        op: *const Op,
        act: Act,
        mask: u32,
        size: u64,
        addresses: &[u64; LANES],
    ) -> Found {
        for lane in lanes(mask) {
            let address = addresses[lane];
            let (reach, bytes) = (reach::<S>(address), size as u32);
            if !address.is_multiple_of(size) {
                self.fault(
                    op,
                    lane,
                    What::Misaligned {
                        act,
                        reach,
                        address,
                        bytes,
                    },
                );
                return Found::Wrong;
            }
            match S::host(self, op, act, address, size) {
                Some(host) => self.hosts[lane] = host,
                None => {
                    self.fault(
                        op,
                        lane,
                        What::Access {
                            act,
                            reach,
                            generic: S::GENERIC,
                            address,
                            bytes,
                        },
                    );
                    return Found::Wrong;
                }
            }
        }
        Found::Each
    }

    /// Looks an address up among what is live, and remembers where it was found.
    #[cold]
    #[inline(never)]
    fn find_global(&mut self, op: *const Op, act: Act, address: u64, len: u64) -> Option<*mut u8> {
        let range = self.run.snapshot.find(address)?;
        if !range.holds(address, len) || (act != Act::Read && range.constant) {
            return None;
        }
        if range.heap && !self.run.heap.is_live(address, len) {
            return None;
        }
        if !range.heap {
            self.ranges[Self::site(op)] = range;
        }
        Some(address as *mut u8)
    }

    /// Shared memory of another block of the cluster: its rank, plus one, is in the upper bits of the address.
    #[cold]
    #[inline(never)]
    fn find_shared(&mut self, address: u64, len: u64) -> Option<*mut u8> {
        let rank = (address / window::SHARED_PER_BLOCK).checked_sub(1)?;
        let offset = (address % window::SHARED_PER_BLOCK).checked_sub(self.shared.start)?;
        let block = self.team.blocks.get_mut(usize::try_from(rank).ok()?)?;
        let inside = offset < self.shared.size && len <= self.shared.size - offset;
        // SAFETY: the bytes lie inside that block's shared memory, which is as large as this one's.
        inside.then(|| unsafe { block.shared.start().add(offset as usize) })
    }

    /// The kernel's parameters through a generic address: they can be read.
    #[cold]
    #[inline(never)]
    fn find_param(&mut self, act: Act, offset: u64, len: u64) -> Option<*mut u8> {
        let size = self.run.params.len() as u64 * 8;
        let inside = act == Act::Read && offset < size && len <= size - offset;
        inside.then(|| {
            self.run
                .params
                .as_ptr()
                .cast::<u8>()
                .cast_mut()
                .wrapping_add(offset as usize)
        })
    }
}

/// What an address names, for reports.
fn reach<S: Space>(address: u64) -> Reach {
    if !S::GENERIC {
        return S::REACH;
    }
    match window::of(address) {
        Window::Global => Reach::Global,
        Window::Shared => Reach::Shared,
        Window::Local => Reach::Local,
        Window::Param => Reach::Param,
    }
}
