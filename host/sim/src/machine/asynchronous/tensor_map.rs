//! `tensormap.replace`, `tensormap.cp_fenceproxy`, and the reading of a tensor map.
//!
//! PTX ISA, "Data Movement and Conversion: tensormap.replace" and "Parallel Synchronization and
//! Communication: tensormap.cp_fenceproxy". An instruction that reads the map sees writes of the
//! generic proxy even without `fence.proxy.tensormap`, and a missing fence is not found. A field
//! takes any value that fits. Whether the whole map is valid is checked when it is used. Reported:
//! memory that is not a tensor map; a map that no device accepts, with the requirement; the use of
//! a map in shared or local memory.

use super::Addressed;
use super::bulk::{illegal, spot};
use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, ImageFault};
use crate::machine::lane::lanes;
use crate::machine::memory::access::LaneAccess;
use crate::machine::op::{Op, STOP};
use crate::memory::window::{self, Window};
use crate::semantics::tensor::{Field, TensorMap};

/// What to do about a map that cannot be used by an instruction.
pub(super) const HELP: &str =
    "encode the map for this instruction: `cuTensorMapEncodeTiled` or `cuTensorMapEncodeIm2col`";

/// The alignment of a map in bytes: where it is used, and where it is changed.
const ALIGN: (u64, u64) = (64, 128);

/// Returns whether this address is aligned to this many bytes, as a map's must be. Raises a fault
/// if it is not.
fn is_aligned(core: &mut Core<'_>, op: *const Op, lane: usize, address: u64, align: u64) -> bool {
    let off = address % align;
    if off != 0 {
        let what = FaultKind::Image {
            kind: ImageFault::Misaligned,
            message: format!("a tensor map at an address that is not a multiple of {align}"),
            notes: vec![format!(
                "address is {address:#x}, {off} past a multiple of {align}"
            )],
            help: "align the map: `alignas(64)` on a parameter of type `CUtensorMap`, 128 on a copy that a kernel changes",
        };
        core.fault(op, lane, what);
    }
    off == 0
}

/// The operands of `tensormap.replace`.
#[derive(Debug, Clone)]
pub(crate) struct ReplaceSite {
    pub(crate) map: Addressed,
    /// The field that is replaced.
    pub(crate) field: Field,
    /// The row of the values; they have 64 bits if `wide`.
    pub(crate) value: u32,
    /// Whether the values have 64 bits.
    pub(crate) wide: bool,
}

/// The operands of `tensormap.cp_fenceproxy`.
#[derive(Debug, Clone)]
pub(crate) struct PublishSite {
    /// The destination, in global memory.
    pub(crate) to: Addressed,
    /// The source, in shared memory.
    pub(crate) from: Addressed,
}

/// Reads the map that one lane's instruction names. None for a fault.
///
/// # Safety
/// `at` must be an operand of `op`, an operation of the running frame.
pub(super) unsafe fn tensor_map(
    core: &mut Core<'_>,
    op: *const Op,
    lane: usize,
    at: &Addressed,
) -> Option<TensorMap> {
    // SAFETY: passed on.
    let address = unsafe { core.address_of(at, lane) };
    if matches!(window::of(address), Window::Shared | Window::Local) {
        let message = format!("a tensor map at {address:#x}, in shared or local memory");
        let help = "a map is used in global or constant memory, or as a kernel's parameter: copy it there with `tensormap.cp_fenceproxy`";
        return illegal(core, op, lane, message, help);
    }
    if !is_aligned(core, op, lane, address, ALIGN.0) {
        return None;
    }
    let bytes = TensorMap::BYTES as u64;
    let one = LaneAccess {
        lane,
        act: AccessKind::Read,
        space: at.space,
        address,
        bytes,
        align: ALIGN.0,
    };
    let host = core.locate(op, one)?;
    if window::of(address) == Window::Global {
        core.tell_access(op, lane, AccessKind::Read, ((None, address), bytes), false);
    }
    // SAFETY: `one` found this many bytes there.
    let bytes = unsafe { host.cast::<[u8; TensorMap::BYTES]>().read() };
    let Some(map) = TensorMap::decode(&bytes) else {
        let message = format!("no tensor map is at {address:#x}");
        let help = "pass the 128 bytes that `cuTensorMapEncodeTiled` wrote, by value and aligned to 64, as a `__grid_constant__` parameter";
        return illegal(core, op, lane, message, help);
    };
    if let Err(error) = map.check(core.run.model.sm()) {
        return illegal(core, op, lane, format!("a tensor map with {error}"), HELP);
    }
    Some(map)
}

/// Replaces the field of site `aux`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn replace(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the running frame.
    let (o, mask) = unsafe { (&*op, core.mask(&*op)) };
    let site = &core.run.program.replaces[o.aux as usize];
    if mask != 0 {
        core.step_races();
    }
    for lane in lanes(mask) {
        // SAFETY: the decoder gave this operation these rows.
        let (address, value) = unsafe {
            let value = match site.wide {
                true => core.lanes::<u64>(site.value)[lane],
                false => core.lanes::<u32>(site.value)[lane].into(),
            };
            (core.address_of(&site.map, lane), value)
        };
        if !is_aligned(core, op, lane, address, ALIGN.1) {
            return STOP;
        }
        let one = LaneAccess {
            lane,
            act: AccessKind::Write,
            space: site.map.space,
            address,
            bytes: TensorMap::BYTES as u64,
            align: ALIGN.1,
        };
        let Some(host) = core.locate(op, one) else {
            return STOP;
        };
        let place = (spot(core, site.map.space, address), one.bytes);
        core.tell_access(op, lane, AccessKind::Write, place, false);
        // SAFETY: `one` found this many bytes there, which may be written. No other reference to
        // them is live.
        let bytes = unsafe { &mut *host.cast::<[u8; TensorMap::BYTES]>() };
        TensorMap::begin(bytes);
        if TensorMap::decode(bytes).is_none() {
            let message = format!("no tensor map is at {address:#x}");
            let help = "copy a map there, or write zeros, before a field of it is replaced";
            illegal::<()>(core, op, lane, message, help);
            return STOP;
        }
        if !TensorMap::replace(bytes, site.field, value) {
            let message = format!("{value:#x} for a tensor map's field {:?}", site.field);
            let help = "the table of `tensormap.replace` says which values a field takes";
            illegal::<()>(core, op, lane, message, help);
            return STOP;
        }
    }
    op.wrapping_add(1)
}

/// Performs the copy of site `aux`. The warp makes one copy, which happens at once.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn publish(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the running frame.
    let (o, mask) = unsafe { (&*op, core.mask(&*op)) };
    let site = &core.run.program.publishes[o.aux as usize];
    let Some(lane) = lanes(mask).next() else {
        return op.wrapping_add(1);
    };
    core.step_races();
    let mut hosts = [std::ptr::null_mut(); 2];
    let ends = [
        (&site.from, AccessKind::Read),
        (&site.to, AccessKind::Write),
    ];
    for (host, (at, act)) in hosts.iter_mut().zip(ends) {
        // SAFETY: the decoder gave this operation these rows.
        let address = unsafe { core.address_of(at, lane) };
        if !is_aligned(core, op, lane, address, ALIGN.1) {
            return STOP;
        }
        let one = LaneAccess {
            lane,
            act,
            space: at.space,
            address,
            bytes: TensorMap::BYTES as u64,
            align: ALIGN.1,
        };
        let Some(found) = core.locate(op, one) else {
            return STOP;
        };
        let place = (spot(core, at.space, address), one.bytes);
        core.tell_access(op, lane, act, place, false);
        *host = found;
    }
    let [from, to] = hosts;
    // SAFETY: `one` found this many bytes at both; shared and global memory do not overlap.
    unsafe { to.copy_from_nonoverlapping(from, TensorMap::BYTES) };
    op.wrapping_add(1)
}
