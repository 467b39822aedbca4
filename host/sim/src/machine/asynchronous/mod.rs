//! `cp.async`: copies to shared memory that a thread starts and waits for later, through groups
//! or an mbarrier.
//!
//! PTX ISA, "Data Movement and Conversion: cp.async, cp.async.commit_group, cp.async.wait_group,
//! cp.async.mbarrier.arrive". `pending` decides when the copies happen. Cache operators and
//! prefetch sizes are hints. Reported, besides wrong addresses: a source longer than the copy,
//! which is undefined.

pub(crate) mod bulk;
pub(crate) mod pending;
pub(crate) mod tensor;
pub(crate) mod tensor_map;

use self::pending::{CompletionSignal, Copied, Pending, PendingEffect};
use super::core::Core;
use super::event::{FaultKind, Region};
use super::lane::{LANES, lanes};
use super::meeting::mbarrier::{all_of_lanes, how};
use super::memory::access::LaneAccess;
use super::memory::state_space::NamedSpace;
use super::op::{Op, STOP};
use crate::machine::checks::race::AccessKind;
use crate::machine::program::{Class, SpaceClass};
use crate::semantics::mbarrier::MbarrierError;

/// An address operand of an instruction that has several.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Addressed {
    /// The row of addresses; they have 32 bits if `narrow`.
    pub(crate) row: u32,
    /// The offset that is added to each address.
    pub(crate) offset: u32,
    /// Whether the addresses have 32 bits.
    pub(crate) narrow: bool,
    /// The space that the instruction names.
    pub(crate) space: NamedSpace,
}

/// The operands of a `cp.async`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CopySite {
    /// The destination, in shared memory.
    pub(crate) to: Addressed,
    /// The source, in global memory.
    pub(crate) from: Addressed,
    /// The number of bytes that are written.
    pub(crate) bytes: u8,
    /// The number of bytes that are read. The rest are written as zeros.
    pub(crate) read: Read,
}

/// The number of bytes that a `cp.async` reads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Read {
    /// As many as it writes.
    All,
    /// The number in this row.
    Row(u32),
    /// None if this predicate is true, otherwise all.
    Unless(u32),
}

impl Core<'_> {
    /// Returns one lane's address.
    ///
    /// # Safety
    /// `a` must be an operand of an operation of the running frame.
    pub(super) unsafe fn address_of(&mut self, a: &Addressed, lane: usize) -> u64 {
        // SAFETY: passed on.
        unsafe {
            match a.narrow {
                true => self.lanes::<u32>(a.row)[lane].wrapping_add(a.offset).into(),
                false => self.lanes::<u64>(a.row)[lane].wrapping_add(a.offset as i32 as i64 as u64),
            }
        }
    }
}

/// `cp.async.ca`, `.cg`: site `aux`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn copy(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the running frame.
    let (o, mask) = unsafe { (&*op, core.mask(&*op)) };
    let site = &core.run.program.copies[o.aux as usize];
    let bytes = u64::from(site.bytes);
    let (mut sources, mut reading) = ([0; LANES], 0u32);
    if mask != 0 {
        core.step_races();
    }
    for lane in lanes(mask) {
        // SAFETY: the decoder gave this operation rows and a predicate of the frame.
        let (to, from, read) = unsafe {
            let read = match site.read {
                Read::All => bytes,
                Read::Row(row) => core.lanes::<u32>(row)[lane].into(),
                Read::Unless(p) if core.predicate(p) >> lane & 1 != 0 => 0,
                Read::Unless(_) => bytes,
            };
            (
                core.address_of(&site.to, lane),
                core.address_of(&site.from, lane),
                read,
            )
        };
        if read > bytes {
            let message = format!("a source of {read} bytes for a copy of {bytes}");
            let help = "the source may be shorter than the copy, not longer";
            return core.fault(op, lane, FaultKind::Illegal { message, help });
        }
        let one = LaneAccess {
            lane,
            act: AccessKind::Write,
            space: site.to.space,
            address: to,
            bytes,
            align: bytes,
        };
        let Some(host) = core.locate(op, one) else {
            return STOP;
        };
        let mut source = std::ptr::null_mut();
        if read > 0 {
            let one = LaneAccess {
                act: AccessKind::Read,
                space: site.from.space,
                address: from,
                bytes: read,
                ..one
            };
            let Some(found) = core.locate(op, one) else {
                return STOP;
            };
            source = found;
            (sources[lane], reading) = (from, reading | 1 << lane);
        }
        let spot = core.owner(site.to.space.spot(to).1);
        core.begin_access(op, lane, AccessKind::Write, spot, bytes);
        core.tally.read += read;
        let copies = &mut core.warp().copies;
        copies.list.push(Copied {
            lane: lane as u8,
            group: copies.groups[lane],
            number: copies.started,
            // If no bytes are read, the source may be any address.
            from: if read == 0 { host } else { source },
            to: host,
            bytes: (read as u8, site.bytes),
            address: spot.1,
        });
        copies.started += 1;
    }
    if let Err((by, error)) = core.relieve() {
        return core.undefined(by, LANES, error);
    }
    if core.run.is_checked && reading != 0 {
        let class = Class::Load(SpaceClass::Global);
        core.check_given(op, class, Region::Global, (&sources, reading), site.bytes);
    }
    op.wrapping_add(1)
}

/// `cp.async.commit_group`, or its bulk form if `aux` is not 0.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn commit(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the running frame.
    let (o, mask) = unsafe { (&*op, core.mask(&*op)) };
    core.commit(mask, o.aux != 0);
    op.wrapping_add(1)
}

/// The kinds of waits, in `aux`.
pub(crate) mod wait {
    /// The wait is for groups of `cp.async`, except the latest `b`.
    pub(crate) const GROUPS: u32 = 0;
    /// The wait is for every `cp.async`.
    pub(crate) const ALL: u32 = 1;
    /// The wait is for bulk groups, except the latest `b`.
    pub(crate) const BULK: u32 = 2;
    /// The wait is until bulk groups, except the latest `b`, have read their sources.
    pub(crate) const BULK_READ: u32 = 3;
}

/// `cp.async.wait_group`, `.wait_all`, `cp.async.bulk.wait_group`: `aux` is the kind of wait, and
/// `b` is how many groups may stay pending.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn wait_for(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the running frame.
    let (o, mask) = unsafe { (&*op, core.mask(&*op)) };
    let here = |lane: usize| mask >> lane & 1 != 0;
    let copies = &core.warp().copies;
    let (groups, bulk) = (copies.groups, copies.bulk);
    let old = |lane: usize| bulk[lane].saturating_sub(o.b);
    match o.aux {
        wait::GROUPS => core.complete_copies(|copy| {
            let lane = usize::from(copy.lane);
            here(lane) && copy.group < groups[lane].saturating_sub(o.b)
        }),
        wait::ALL => core.complete_copies(|copy| here(usize::from(copy.lane))),
        wait::BULK => core.complete_groups(mask, old),
        _ => core.read_groups(mask, old),
    }
    op.wrapping_add(1)
}

/// `cp.async.mbarrier.arrive`: arrives when the thread's copies are complete. Without `.noinc` (`b`
/// is 0), one more arrival is pending until then.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn arrive(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: the decoder gave this operation an address row.
    let (o, mask, addresses) = unsafe { (&*op, core.mask(&*op), core.addresses(op)) };
    let space = if o.aux & how::GENERIC == 0 {
        NamedSpace::Shared
    } else {
        NamedSpace::GenericShared
    };
    for lane in lanes(mask) {
        let Some((home, _)) = core.mbarrier(op, lane, space, addresses[lane]) else {
            return STOP;
        };
        let together = all_of_lanes(lane, mask, &addresses, |_| 1);
        let announced = core.change(home, |object| {
            let most = object.pending.max(object.expected);
            match together {
                _ if o.b == 0 => object.announce()?,
                // No phase takes what the lanes of this instruction add up to.
                Some(count) if count > most => {
                    let pending = most;
                    return Err(MbarrierError::TooMany { count, pending });
                }
                _ => {}
            }
            Ok(false)
        });
        if let Err(error) = announced {
            return core.undefined(op, lane, error);
        }
        let (rank, warp) = (core.current.0, core.current.1 as u32);
        let started = core.warp().copies.started;
        core.begin_pending(Pending {
            by: (rank, warp, lane as u32),
            op,
            until: CompletionSignal::Mbarrier(home),
            effect: PendingEffect::Arrive(started),
        });
    }
    if let Err((by, error)) = core.relieve() {
        return core.undefined(by, LANES, error);
    }
    op.wrapping_add(1)
}
