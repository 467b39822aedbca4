//! State spaces: the memory that an address of each leads to.
//!
//! PTX ISA, "State Spaces". An instruction names its space, or none (generic addressing), and then
//! the address says it. What holds an address is looked up once and kept by the operation's site,
//! since the next access is mostly to the same allocation.

use crate::checks::race::AccessKind;
use crate::machine::core::{Core, View};
use crate::machine::event::Region;
use crate::machine::op::Op;
use crate::memory::window::{self, Window};

/// A stretch of memory that holds an address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostRange {
    /// Its first address.
    pub(crate) base: u64,
    /// How many bytes it has.
    pub(crate) size: u64,
    /// Where it is on the host.
    pub(crate) host: *mut u8,
}

impl HostRange {
    /// The host address of `len` bytes at `address`, if all of them are inside.
    #[inline(always)]
    pub(super) fn at(&self, address: u64, len: u64) -> Option<*mut u8> {
        let offset = address.wrapping_sub(self.base);
        (offset < self.size && len <= self.size - offset)
            .then(|| self.host.wrapping_add(offset as usize))
    }
}

/// A space that instructions name.
pub(crate) trait StateSpace: Copy + 'static {
    /// What reports call it.
    const REGION: Region;
    /// Whether addresses are generic.
    const GENERIC: bool = false;
    /// The stretch that holds `address` and may be accessed so; the same one for all addresses that
    /// it holds.
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
/// No space named.
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
        let range = &core.ranges[Core::site(op)];
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
        let View { host, start, size } = core.shared;
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
        core.ranges[Core::site(op)].constant.then_some(host_range)
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
            // Local memory is interleaved: accesses to it are taken apart before they come here.
            Window::Local => None,
        }
    }
}

/// A space that the instruction names, for operations that look addresses up one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedSpace {
    /// The state space `.global`.
    Global,
    /// `.shared`, of the block or of the cluster.
    Shared,
    /// No space is named, the address says.
    Generic,
    /// None, and the instruction takes shared memory only.
    GenericShared,
}

impl NamedSpace {
    /// The memory that an address names, and the address there.
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
    /// Looks an address up among what is live, and remembers where it was found.
    #[cold]
    #[inline(never)]
    fn find_global(&mut self, op: *const Op, act: AccessKind, address: u64) -> Option<HostRange> {
        let range = self.run.snapshot.find(address)?;
        if act != AccessKind::Read && range.constant {
            return None;
        }
        if range.heap {
            // Pieces of the heap come and go while the launch runs.
            let (base, size) = self.run.heap.piece(address)?;
            return Some(HostRange {
                base,
                size,
                host: base as *mut u8,
            });
        }
        self.ranges[Self::site(op)] = range;
        Some(HostRange {
            base: range.base,
            size: range.size,
            host: range.base as *mut u8,
        })
    }

    /// Shared memory of another block of the cluster: its rank, plus one, is in the upper bits of
    /// the address.
    #[cold]
    #[inline(never)]
    fn find_shared(&mut self, address: u64) -> Option<HostRange> {
        let rank = (address / window::SHARED_PER_BLOCK).checked_sub(1)?;
        let View { start, size, .. } = self.shared;
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

    /// The kernel's parameters through a generic address: they can be read.
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

/// What an address names, for reports.
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
