//! State spaces, and the memory that an address of each space leads to.
//!
//! PTX ISA, "State Spaces". An instruction names its space, or it names none (generic addressing),
//! and then the address determines the space. The allocation of an address is looked up once and
//! cached for the operation's site, since the next access is mostly to the same allocation.

use crate::machine::checks::race::AccessKind;
use crate::machine::core::{Core, View};
use crate::machine::event::Region;
use crate::machine::op::Op;
use crate::memory::window::{self, Window};

/// A range of memory that contains an address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostRange {
    /// Its first address.
    pub(crate) base: u64,
    /// How many bytes it has.
    pub(crate) size: u64,
    /// Its address on the host.
    pub(crate) host: *mut u8,
}

impl HostRange {
    /// Returns the host address of `len` bytes at `address`, if all of them are inside the range.
    #[inline(always)]
    pub(super) fn at(&self, address: u64, len: u64) -> Option<*mut u8> {
        let offset = address.wrapping_sub(self.base);
        (offset < self.size && len <= self.size - offset)
            .then(|| self.host.wrapping_add(offset as usize))
    }
}

/// A space that instructions name.
pub(crate) trait StateSpace: Copy + 'static {
    /// The name of the memory in reports.
    const REGION: Region;
    /// Whether addresses are generic.
    const GENERIC: bool = false;
    /// Returns the range that contains `address`, if this access to it is allowed. The range is the
    /// same for all addresses that it contains.
    fn host_range(
        core: &mut Core<'_>,
        op: *const Op,
        act: AccessKind,
        address: u64,
    ) -> Option<HostRange>;
}

/// The state space `.global`.
#[derive(Clone, Copy)]
pub(crate) struct Global;
/// `.shared`, of the block or of the cluster.
#[derive(Clone, Copy)]
pub(crate) struct Shared;
/// The state space `.const`.
#[derive(Clone, Copy)]
pub(crate) struct Constant;
/// Generic addressing: the instruction names no space.
#[derive(Clone, Copy)]
pub(crate) struct Generic;

impl StateSpace for Global {
    const REGION: Region = Region::Global;

    #[inline(always)]
    fn host_range(
        core: &mut Core<'_>,
        op: *const Op,
        act: AccessKind,
        address: u64,
    ) -> Option<HostRange> {
        let range = &core.memory.ranges[Core::site(op)];
        if range.holds(address, 1) && (act == AccessKind::Read || !range.constant) {
            return Some(HostRange {
                base: range.base,
                size: range.size,
                host: range.base as *mut u8,
            });
        }
        core.find_global(op, act, address)
    }
}

impl StateSpace for Shared {
    const REGION: Region = Region::Shared;

    #[inline(always)]
    fn host_range(
        core: &mut Core<'_>,
        _: *const Op,
        _: AccessKind,
        address: u64,
    ) -> Option<HostRange> {
        let View { host, start, size } = core.memory.shared;
        if address.wrapping_sub(start) < size {
            return Some(HostRange {
                base: start,
                size,
                host,
            });
        }
        core.find_shared(address)
    }
}

impl StateSpace for Constant {
    const REGION: Region = Region::Constant;

    #[inline(always)]
    fn host_range(
        core: &mut Core<'_>,
        op: *const Op,
        act: AccessKind,
        address: u64,
    ) -> Option<HostRange> {
        let host_range = Global::host_range(core, op, act, address)?;
        core.memory.ranges[Core::site(op)]
            .constant
            .then_some(host_range)
    }
}

impl StateSpace for Generic {
    const REGION: Region = Region::Global;
    const GENERIC: bool = true;

    #[inline(always)]
    fn host_range(
        core: &mut Core<'_>,
        op: *const Op,
        act: AccessKind,
        address: u64,
    ) -> Option<HostRange> {
        match window::of(address) {
            Window::Global => Global::host_range(core, op, act, address),
            Window::Shared => {
                let found = Shared::host_range(core, op, act, address - window::SHARED)?;
                Some(HostRange {
                    base: found.base + window::SHARED,
                    ..found
                })
            }
            Window::Param => core.find_param(act),
            // Local memory is interleaved, and accesses to it are split off before they come here.
            Window::Local => None,
        }
    }
}

/// The space that an instruction names, for operations that look up each address separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedSpace {
    /// The state space `.global`.
    Global,
    /// `.shared`, of the block or of the cluster.
    Shared,
    /// The instruction names no space, and the address determines it.
    Generic,
    /// The instruction names no space, and it takes shared memory only.
    GenericShared,
}

impl NamedSpace {
    /// Returns the memory that an address leads to, and the address there.
    pub(in crate::machine) fn spot(self, address: u64) -> (Region, u64) {
        match self {
            Self::Global => (Region::Global, address),
            Self::Shared => (Region::Shared, address),
            Self::Generic | Self::GenericShared => match region::<Generic>(address) {
                Region::Shared => (Region::Shared, address - window::SHARED),
                region => (region, address),
            },
        }
    }
}

impl Core<'_> {
    /// Looks up an address in the live allocations, and caches the range for the operation's site.
    #[cold]
    #[inline(never)]
    fn find_global(&mut self, op: *const Op, act: AccessKind, address: u64) -> Option<HostRange> {
        let range = self.run.snapshot.find(address)?;
        if act != AccessKind::Read && range.constant {
            return None;
        }
        if range.heap {
            // Blocks of the heap are allocated and freed while the launch runs.
            let (base, size) = self.run.heap.piece(address)?;
            return Some(HostRange {
                base,
                size,
                host: base as *mut u8,
            });
        }
        self.memory.ranges[Self::site(op)] = range;
        Some(HostRange {
            base: range.base,
            size: range.size,
            host: range.base as *mut u8,
        })
    }

    /// Finds shared memory of another block of the cluster. The upper bits of the address hold its
    /// rank plus one.
    #[cold]
    #[inline(never)]
    fn find_shared(&mut self, address: u64) -> Option<HostRange> {
        let rank = (address / window::SHARED_PER_BLOCK).checked_sub(1)?;
        let View { start, size, .. } = self.memory.shared;
        let inside = (address % window::SHARED_PER_BLOCK).wrapping_sub(start) < size;
        let block = self
            .team
            .blocks
            .get_mut(usize::try_from(rank).ok()?)
            .filter(|_| inside)?;
        let base = (rank + 1) * window::SHARED_PER_BLOCK + start;
        Some(HostRange {
            base,
            size,
            host: block.shared.start(),
        })
    }

    /// Finds the kernel's parameters through a generic address. They can be read only.
    #[cold]
    #[inline(never)]
    fn find_param(&mut self, act: AccessKind) -> Option<HostRange> {
        let host = self.run.params.as_ptr().cast::<u8>().cast_mut();
        let size = self.run.params.len() as u64 * 8;
        (act == AccessKind::Read).then_some(HostRange {
            base: window::PARAM,
            size,
            host,
        })
    }
}

/// Returns the memory that an address leads to, for reports.
pub(super) fn region<S: StateSpace>(address: u64) -> Region {
    if !S::GENERIC {
        return S::REGION;
    }
    match window::of(address) {
        Window::Global => Region::Global,
        Window::Shared => Region::Shared,
        Window::Local => Region::Local,
        Window::Param => Region::Param,
    }
}
