//! `tensormap.replace`, `tensormap.cp_fenceproxy`, and the reading of a tensor map.
//!
//! PTX ISA, "Data Movement and Conversion: tensormap.replace" and "Parallel Synchronization and
//! Communication: tensormap.cp_fenceproxy". Writes of the generic proxy are seen by an instruction
//! that reads the map without `fence.proxy.tensormap`: that a fence is missing is not found. A
//! field takes any value that fits; whether the map as a whole makes sense is looked at when it is
//! used. Reported: what is no tensor map; a map that no device takes, with the requirement; a map
//! in shared or local memory where one is used.

use super::Addressed;
use super::bulk::{illegal, spot};
use crate::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, ImageFault};
use crate::machine::lane::lanes;
use crate::machine::memory::access::LaneAccess;
use crate::machine::op::{Op, STOP};
use crate::memory::window::{self, Window};
use crate::semantics::tensor::{Field, TensorMap};

/// What to do about a map that cannot be used so.
pub(super) const HELP: &str =
    "encode the map for this instruction: `cuTensorMapEncodeTiled` or `cuTensorMapEncodeIm2col`";

/// What a map is at a multiple of where it is used, and where it is changed.
const ALIGN: (u64, u64) = (64, 128);

/// Whether a map may lie at this address, which is to be a multiple of this many bytes; if not, the
/// fault says so.
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
    /// What is replaced.
    pub(crate) field: Field,
    /// The row of the values, of 64 bits where `wide`.
    pub(crate) value: u32,
    /// Whether they have 64 bits.
    pub(crate) wide: bool,
}

/// The operands of `tensormap.cp_fenceproxy`.
#[derive(Debug, Clone)]
pub(crate) struct PublishSite {
    /// Where to, in global memory.
    pub(crate) to: Addressed,
    /// Where from, in shared memory.
    pub(crate) from: Addressed,
}

/// The map that one lane's instruction names. None: a fault.
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

/// Site `aux`.
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
        // SAFETY: `one` found this many bytes there, that may be written; no reference to them
        // lives on.
        let bytes = unsafe { &mut *host.cast::<[u8; TensorMap::BYTES]>() };
        if TensorMap::decode(bytes).is_none() {
            let message = format!("no tensor map is at {address:#x}");
            let help = "copy a map there before a field of it is replaced";
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

/// Site `aux`: one copy for the warp, there at once.
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
