//! `cp.async.bulk`, `cp.reduce.async.bulk`, `st.async`, `red.async`: asynchronous transfers
//! whose completion is signalled to an mbarrier or a group. Also `st.bulk`, which writes many
//! bytes at once.
//!
//! PTX ISA, "Data Movement and Conversion: cp.async.bulk, cp.reduce.async.bulk, st.async" and
//! "red.async". `pending` decides when they happen. Each element of a reduction is one atomic
//! step. A copy sees earlier writes of the generic proxy even without `fence.proxy.async`; the
//! race check finds a missing fence (`checks::race::proxy`). Reported: sizes that are not a
//! multiple of 16, an mbarrier in another block than the destination, and a multicast to blocks
//! that the cluster does not have.

use super::Addressed;
use super::pending::{
    ByteCopy, CheckedPlace, CompletionSignal, Join, Pending, PendingEffect, Source,
};
use crate::machine::checks::race::AccessKind;
use crate::machine::compute::alu::conjure;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, Region};
use crate::machine::lane::{LANES, Lane, Repr, lanes};
use crate::machine::memory::access::LaneAccess;
use crate::machine::memory::atomics::Cell;
use crate::machine::memory::flag;
use crate::machine::memory::state_space::NamedSpace;
use crate::machine::memory::transfer::Stored;
use crate::machine::op::{Op, STOP};
use crate::memory::window;

/// The operands of an asynchronous bulk transfer.
#[derive(Debug, Clone)]
pub(crate) struct BulkSite {
    /// The destination of the bytes.
    pub(crate) to: Addressed,
    /// The source: memory, or rows of this many bytes.
    pub(crate) from: BulkSource,
    /// The alignment of both addresses, and of the size if the source is memory.
    pub(crate) align: u64,
    /// How elements are combined with the old ones, and their size in bytes.
    pub(crate) join: Option<(Join, usize)>,
    /// The mbarrier that gets the completion signal. If there is none, the thread's bulk
    /// group gets it.
    pub(crate) mbarrier: Option<Addressed>,
    /// The row with the mask of blocks that get a copy each.
    pub(crate) blocks: Option<u32>,
    /// The row with the mask of the bytes that are copied of each 16.
    pub(crate) mask: Option<u32>,
}

/// The source of a transfer.
#[derive(Debug, Clone)]
pub(crate) enum BulkSource {
    /// Memory, and the row that holds the number of bytes.
    Memory(Addressed, u32),
    /// Registers, of 4 or 8 bytes each.
    Rows(Vec<u32>, usize),
}

/// # Safety
/// Both places must hold an aligned `M`.
unsafe fn join<M: Cell + Stored<R>, T: Lane<Repr = R>, R: Repr, F: Fn(T, T) -> T + Copy>(
    to: *mut u8,
    from: *const u8,
) {
    // SAFETY: passed on.
    unsafe {
        let by: M = from.cast::<M>().read_unaligned();
        let f = conjure::<F>();
        M::update(to, |old| {
            M::narrow(f(T::of(old.widen()), T::of(by.widen())).repr())
        });
    }
}

/// Returns how elements of memory type `M` are combined: `f` of the old one and the new one.
pub(crate) fn joining<M, T, R, F>(_: F) -> (Join, usize)
where
    M: Cell + Stored<R>,
    T: Lane<Repr = R>,
    R: Repr,
    F: Fn(T, T) -> T + Copy,
{
    (join::<M, T, R, F>, size_of::<M>())
}

/// Bits in `aux` of [`fill`], above `flag::NARROW`.
pub(crate) mod fills {
    /// The address is generic.
    pub(crate) const GENERIC: u32 = 2;
    /// The size has 64 bits.
    pub(crate) const WIDE: u32 = 4;
}

/// `st.bulk`: writes row `b` of zero bytes at addresses in row `a` plus `c`. PTX ISA 9.7.9
/// "st.bulk". The bytes are written at once, like those of an ordinary store. Reported: a size
/// that is not a multiple of 8 or is above 16 MiB, which is undefined; an address that is not a
/// multiple of 8.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn fill(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the running frame.
    let (o, mask) = unsafe { (&*op, core.mask(&*op)) };
    let has = |flag| o.aux & flag != 0;
    let space = match has(fills::GENERIC) {
        true => NamedSpace::GenericShared,
        false => NamedSpace::Shared,
    };
    let to = Addressed {
        row: o.a,
        offset: o.c,
        narrow: has(flag::NARROW),
        space,
    };
    if mask != 0 {
        core.step_races();
    }
    for lane in lanes(mask) {
        // SAFETY: the decoder gave this operation these rows.
        let (address, bytes) = unsafe {
            let bytes = match has(fills::WIDE) {
                true => core.lanes::<u64>(o.b)[lane],
                false => core.lanes::<u32>(o.b)[lane].into(),
            };
            (core.address_of(&to, lane), bytes)
        };
        if !bytes.is_multiple_of(8) || bytes > 1 << 24 {
            let message = format!("a bulk store of {bytes} bytes");
            let help = "give a multiple of 8 bytes, 16 MiB at most";
            return core.fault(op, lane, FaultKind::Illegal { message, help });
        }
        let one = LaneAccess {
            lane,
            act: AccessKind::Write,
            space,
            address,
            bytes,
            align: 8,
        };
        let Some(host) = core.locate(op, one) else {
            return STOP;
        };
        core.tell_access(
            op,
            lane,
            AccessKind::Write,
            (spot(core, space, address), bytes),
            false,
        );
        // SAFETY: `one` found this many bytes there, of memory that may be written.
        unsafe { host.write_bytes(0, bytes as usize) };
    }
    op.wrapping_add(1)
}

/// Starts the copies of an operation, one lane after another. Then it performs some of the pending
/// operations, if there are too many.
///
/// # Safety
/// `op` must be an operation of the running frame, and `start` must be valid for its lanes.
pub(super) unsafe fn for_each_lane<'r>(
    core: &mut Core<'r>,
    op: *const Op,
    start: impl Fn(&mut Core<'r>, usize) -> Option<()>,
) -> *const Op {
    // SAFETY: passed on.
    let mask = unsafe { core.mask(&*op) };
    if mask != 0 {
        core.step_races();
    }
    for lane in lanes(mask) {
        if start(core, lane).is_none() {
            return STOP;
        }
    }
    if let Err((by, error)) = core.relieve() {
        return core.undefined(by, LANES, error);
    }
    op.wrapping_add(1)
}

/// Starts the transfers of site `aux`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn start(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the running frame.
    let site = &core.run.program.bulks[unsafe { &*op }.aux as usize];
    // SAFETY: as above; the site is that of `op`.
    unsafe { for_each_lane(core, op, |core, lane| start_one(core, op, site, lane)) }
}

/// Starts one lane's transfer. None for a fault.
///
/// # Safety
/// `site` must be that of `op`, an operation of the running frame.
unsafe fn start_one(
    core: &mut Core<'_>,
    op: *const Op,
    site: &BulkSite,
    lane: usize,
) -> Option<()> {
    // SAFETY: the decoder gave this operation these rows.
    let (bytes, mask) = unsafe {
        let bytes = match &site.from {
            BulkSource::Memory(_, size) => core.lanes::<u32>(*size)[lane].into(),
            BulkSource::Rows(rows, width) => (rows.len() * width) as u64,
        };
        let mask = site.mask.map(|row| core.lanes::<u32>(row)[lane] as u16);
        (bytes, mask.unwrap_or(u16::MAX))
    };
    if !bytes.is_multiple_of(site.align) {
        let message = format!("a bulk copy of {bytes} bytes");
        return illegal(core, op, lane, message, "give a multiple of 16 bytes");
    }
    let by = (core.current.0, core.current.1 as u32, lane as u32);
    // SAFETY: passed on.
    let (values, from) = unsafe { source(core, op, site, lane, bytes)? };
    let joins = site.join.is_some();
    let act = if joins {
        AccessKind::Atomic
    } else {
        AccessKind::Write
    };
    let (to, mbarrier, blocks) = (&site.to, site.mbarrier.as_ref(), site.blocks);
    // SAFETY: passed on.
    for to in unsafe { destinations(core, op, lane, (to, mbarrier, blocks))? } {
        let (space, address) = to.bytes;
        let one = LaneAccess {
            lane,
            act,
            space,
            address,
            bytes,
            align: site.align,
        };
        let host = core.locate(op, one)?;
        let spot = spot(core, space, address);
        core.begin_access(op, lane, act, spot, bytes);
        if spot.0.is_none() {
            core.turn.effects += 1;
            core.tally.written += bytes;
        }
        let until = until(core, op, lane, &to, spot)?;
        let effect = PendingEffect::Copy(ByteCopy {
            from: values.clone(),
            to: host,
            bytes: bytes as usize,
            join: site.join,
            mask,
            spot,
            source: from,
        });
        core.begin_pending(Pending {
            by,
            op,
            until,
            effect,
        });
    }
    Some(())
}

/// Returns the completion signal for bytes that arrive at `spot`. None for a fault.
pub(super) fn until(
    core: &mut Core<'_>,
    op: *const Op,
    lane: usize,
    to: &Destination,
    spot: CheckedPlace,
) -> Option<CompletionSignal> {
    let Some((space, address)) = to.mbarrier else {
        return Some(CompletionSignal::Group(core.warp().copies.bulk[lane]));
    };
    let (home, _) = core.mbarrier(op, lane, space, address)?;
    if spot.0 != Some(core.team.blocks[home.rank].linear) {
        let message = "the mbarrier is in another block than the bytes go to".into();
        let help = "name both by the same block: `mapa` both, or none";
        return illegal(core, op, lane, message, help);
    }
    Some(CompletionSignal::Mbarrier(home))
}

pub(super) fn illegal<T>(
    core: &mut Core<'_>,
    op: *const Op,
    lane: usize,
    message: String,
    help: &'static str,
) -> Option<T> {
    core.fault(op, lane, FaultKind::Illegal { message, help });
    None
}

/// Returns the source of one lane's bytes, and its place if it is memory. None for a fault.
///
/// # Safety
/// As for [`start_one`].
unsafe fn source(
    core: &mut Core<'_>,
    op: *const Op,
    site: &BulkSite,
    lane: usize,
    bytes: u64,
) -> Option<(Source, Option<CheckedPlace>)> {
    match &site.from {
        BulkSource::Memory(from, _) => {
            // SAFETY: the decoder gave this operation these rows.
            let address = unsafe { core.address_of(from, lane) };
            let one = LaneAccess {
                lane,
                act: AccessKind::Read,
                space: from.space,
                address,
                bytes,
                align: site.align,
            };
            let host = core.locate(op, one)?;
            let spot = spot(core, from.space, address);
            core.begin_access(op, lane, AccessKind::Read, spot, bytes);
            if spot.0.is_none() {
                core.tally.read += bytes;
            }
            Some((Source::Memory(host), Some(spot)))
        }
        BulkSource::Rows(rows, width) => {
            let mut values = Vec::with_capacity(bytes as usize);
            for &row in rows {
                // SAFETY: as above.
                let value = unsafe {
                    match width {
                        4 => core.lanes::<u32>(row)[lane].into(),
                        _ => core.lanes::<u64>(row)[lane],
                    }
                };
                values.extend_from_slice(&value.to_le_bytes()[..*width]);
            }
            Some((Source::Bytes(values), None))
        }
    }
}

/// A destination, and the mbarrier that gets the signal.
pub(super) struct Destination {
    pub(super) bytes: (NamedSpace, u64),
    mbarrier: Option<(NamedSpace, u64)>,
}

/// Returns one destination, or the same place in each of the blocks that a mask names. None
/// for a fault.
///
/// # Safety
/// They must be operands of an operation of the running frame.
pub(super) unsafe fn destinations(
    core: &mut Core<'_>,
    op: *const Op,
    lane: usize,
    (to, mbarrier, blocks): (&Addressed, Option<&Addressed>, Option<u32>),
) -> Option<Vec<Destination>> {
    // SAFETY: the decoder gave this operation these rows.
    let (bytes, mbarrier, blocks) = unsafe {
        (
            (to.space, core.address_of(to, lane)),
            mbarrier.map(|m| (m.space, core.address_of(m, lane))),
            blocks.map(|row| core.lanes::<u32>(row)[lane] & 0xffff),
        )
    };
    let Some(blocks) = blocks else {
        return Some(vec![Destination { bytes, mbarrier }]);
    };
    let count = core.team.blocks.len();
    if blocks >> count.min(16) != 0 {
        let message = format!("a multicast to blocks {blocks:#x} of a cluster of {count}");
        let help = "set the bits of ranks below `%cluster_nctarank` only";
        return illegal(core, op, lane, message, help);
    }
    let in_block = |rank: usize, (space, address): (NamedSpace, u64)| {
        let at = space.spot(address).1 % window::SHARED_PER_BLOCK;
        let start = (rank as u64 + 1) * window::SHARED_PER_BLOCK;
        (NamedSpace::Shared, start + at)
    };
    let to = |rank| Destination {
        bytes: in_block(rank, bytes),
        mbarrier: mbarrier.map(|m| in_block(rank, m)),
    };
    Some(lanes(blocks).map(to).collect())
}

/// Returns a place in the form that the race check uses.
pub(super) fn spot(core: &Core<'_>, space: NamedSpace, address: u64) -> CheckedPlace {
    match space.spot(address) {
        (Region::Shared, at) => core.owner(at),
        (_, at) => (None, at),
    }
}
