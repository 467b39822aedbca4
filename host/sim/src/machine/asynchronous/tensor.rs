//! `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`, `cp.async.bulk.prefetch.tensor`:
//! asynchronous transfers of boxes of tensors.
//!
//! PTX ISA, "Data Movement and Conversion: Tensor copy". `semantics::tensor` defines which bytes a
//! box has and where they go. `pending` decides when they go. The tensor map and the coordinates
//! are read at the start. A prefetch is checked, and does nothing. The mbarrier's signal is for the
//! whole box, even if part of the box is outside of the tensor.
//!
//! Reported: memory that is not a tensor map, or a map that no device accepts; a map of other
//! dimensions or another access than the instruction's; shared memory that is not at a multiple of
//! 128 bytes; a box that begins between two multiples of 16 bytes of its row; a box that is stored
//! to before the tensor's beginning; a reduction that is not defined for the element's type; bytes
//! inside of the tensor that are in no live allocation; and all that is reported for a bulk copy.

use std::sync::Arc;

use super::Addressed;
use super::bulk::{Destination, destinations, for_each_lane, illegal, spot, until};
use super::pending::{CheckedPlace, Join, Pending, PendingEffect};
use super::tensor_map::{self, tensor_map};
use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::memory::access::LaneAccess;
use crate::machine::memory::state_space::NamedSpace;
use crate::machine::op::Op;
use crate::memory::window;
use crate::semantics::tensor::{BoxPosition, Element, Fill, Run, Swizzle, TensorMap, WalkError};

/// The alignment of boxes in shared memory, in bytes.
const ALIGN: u64 = 128;

/// The operands of a tensor copy.
#[derive(Debug, Clone)]
pub(crate) struct TensorSite {
    /// The tensor map.
    pub(crate) map: Addressed,
    /// The number of dimensions in the instruction.
    pub(crate) rank: u32,
    /// How the coordinates name the box.
    pub(crate) mode: Mode,
    /// The rows of the coordinates: five of them for four rows of a tensor.
    pub(crate) coordinates: Vec<u32>,
    /// The direction of the transfer.
    pub(crate) way: TensorOperation,
    /// The box in shared memory; `None` for a prefetch.
    pub(crate) shared: Option<Addressed>,
    /// The mbarrier that gets the signal. If there is none, the thread's bulk group gets it.
    pub(crate) mbarrier: Option<Addressed>,
    /// The row with the mask of blocks that get a box each.
    pub(crate) blocks: Option<u32>,
}

/// The meaning of the coordinates.
#[derive(Debug, Clone)]
pub(crate) enum Mode {
    /// The box of `.tile`.
    Tile,
    /// Four rows, with `.tile::gather4` or `.tile::scatter4`.
    Rows,
    /// `.im2col`, with rows of the offsets; or `.im2col_no_offs`.
    Column(Vec<u32>),
}

/// The direction of a transfer.
#[derive(Debug, Clone)]
pub(crate) enum TensorOperation {
    /// Elements are copied to shared memory.
    Load,
    /// Elements are copied from shared memory to the tensor.
    Store,
    /// Elements are copied from shared memory and combined with those of the tensor. The list is
    /// indexed by the number of the element's type.
    Join(Vec<Option<(Join, usize)>>),
    /// Elements are prefetched to the second-level cache.
    Prefetch,
}

/// A pending transfer of a box.
#[derive(Debug)]
pub(in crate::machine) struct TensorMove {
    runs: Arc<[Run]>,
    swizzle: Swizzle,
    /// The value of each eight bytes outside of the tensor.
    fill: [u8; 8],
    /// The box's host address, and its address in its block's shared memory.
    host: *mut u8,
    at: u32,
    how: Movement,
    /// The bytes of shared memory at the time when the program was told that they had been read.
    taken: Option<Vec<u8>>,
    /// The size of the box in bytes, which is signalled to an mbarrier.
    pub(in crate::machine) bytes: u32,
    /// The bytes of shared memory that the swizzled box spans.
    pub(in crate::machine) span: usize,
    /// The box, for the race check.
    pub(in crate::machine) shared: CheckedPlace,
}

/// [`TensorOperation`], for one element type.
#[derive(Debug, Clone, Copy)]
enum Movement {
    Load,
    Store,
    Join(Join, usize),
}

impl TensorMove {
    /// Reads the box in shared memory, so that the program may overwrite it. Returns false if the
    /// box is the destination, or was read before.
    pub(in crate::machine) fn take(&mut self) -> bool {
        if matches!(self.how, Movement::Load) || self.taken.is_some() {
            return false;
        }
        let mut bytes = vec![0; self.span];
        // SAFETY: `start` found `span` bytes of shared memory there, which does not move while
        // the team runs.
        unsafe {
            self.host
                .copy_to_nonoverlapping(bytes.as_mut_ptr(), self.span)
        };
        self.taken = Some(bytes);
        true
    }

    /// Returns whether shared memory is the destination.
    pub(in crate::machine) fn loads(&self) -> bool {
        matches!(self.how, Movement::Load)
    }

    /// Returns whether the box was read before, so that its shared memory is free.
    pub(in crate::machine) fn was_taken(&self) -> bool {
        self.taken.is_some()
    }

    /// Returns the addresses and lengths of the bytes that are inside of the tensor.
    pub(in crate::machine) fn inside(&self) -> impl Iterator<Item = (u64, usize)> {
        let runs = self.runs.clone();
        (0..runs.len()).filter_map(move |i| Some((runs[i].global?, runs[i].bytes as usize)))
    }

    /// Copies the bytes.
    ///
    /// # Safety
    /// The places that were found when the copy began must still be valid: the box, and
    /// the tensor's bytes.
    pub(in crate::machine) unsafe fn carry(&self) {
        let host = match &self.taken {
            Some(bytes) => bytes.as_ptr().cast_mut(),
            None => self.host,
        };
        let granule = self.swizzle.granule();
        for run in self.runs.iter() {
            let mut done = 0;
            while done < run.bytes {
                let address = self.at + run.offset + done;
                let length = (granule - address % granule).min(run.bytes - done) as usize;
                let global = run.global.map(|global| global + u64::from(done));
                // SAFETY: a swizzled address is in the same 128 bytes, and the box starts at a
                // multiple of them. Device memory is where its addresses say.
                unsafe {
                    let shared = host.add((self.swizzle.place(address) - self.at) as usize);
                    self.piece(shared, global.map(|at| at as *mut u8), address, length);
                }
                done += length as u32;
            }
        }
    }

    /// Copies bytes that are contiguous in both places.
    ///
    /// # Safety
    /// The bytes must be valid in both places.
    unsafe fn piece(&self, shared: *mut u8, global: Option<*mut u8>, address: u32, length: usize) {
        // SAFETY: passed on.
        unsafe {
            match (self.how, global) {
                (Movement::Load, Some(global)) => shared.copy_from_nonoverlapping(global, length),
                (Movement::Load, None) => {
                    for i in 0..length {
                        shared.add(i).write(self.fill[(address as usize + i) % 8]);
                    }
                }
                (Movement::Store, Some(global)) => global.copy_from_nonoverlapping(shared, length),
                (Movement::Join(join, size), Some(global)) => {
                    for i in (0..length).step_by(size) {
                        join(global.add(i), shared.add(i));
                    }
                }
                (_, None) => {}
            }
        }
    }
}

/// Starts the transfers of site `aux`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn start(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the running frame.
    let site = &core.run.program.tensors[unsafe { &*op }.aux as usize];
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
    site: &TensorSite,
    lane: usize,
) -> Option<()> {
    // SAFETY: passed on.
    let (map, place) = unsafe {
        let map = tensor_map(core, op, lane, &site.map)?;
        (map, place(core, site, lane))
    };
    if map.rank != site.rank {
        let message = format!(
            "an instruction of {} dimensions with a tensor map of {}",
            site.rank, map.rank
        );
        let help = "the instruction's `.1d` to `.5d` is the rank that the map was encoded with";
        return illegal(core, op, lane, message, help);
    }
    let bytes = match map.bytes(&place) {
        Ok(bytes) => bytes,
        Err(error @ WalkError::Start { .. }) => {
            let help = "begin boxes at multiples of 16 bytes in the dimension that is contiguous: a GPU ends the kernel with an illegal instruction";
            return illegal(core, op, lane, error.to_string(), help);
        }
        Err(error) => {
            return illegal(core, op, lane, error.to_string(), tensor_map::HELP);
        }
    };
    let Some(shared) = &site.shared else {
        return Some(());
    };
    let how = movement(core, (op, lane), site, (&map, &place))?;
    let act = match how {
        Movement::Load => AccessKind::Write,
        _ => AccessKind::Read,
    };
    // SAFETY: the decoder gave this operation these rows.
    let to = unsafe {
        destinations(
            core,
            op,
            lane,
            (shared, site.mbarrier.as_ref(), site.blocks),
        )?
    };
    let span = bytes.next_multiple_of(map.swizzle.span().unwrap_or(1).into());
    // Shared memory is checked first, so that a box that does not fit there is not enumerated.
    let mut places = Vec::with_capacity(to.len());
    for to in &to {
        let (space, address) = to.bytes;
        let one = LaneAccess {
            lane,
            act,
            space,
            address,
            bytes: span,
            align: ALIGN,
        };
        places.push(core.locate(op, one)?);
    }
    let runs: Arc<[Run]> = match how {
        Movement::Store => map.stored_runs(&place),
        Movement::Load | Movement::Join(..) => map.runs(&place),
    }
    .into();
    begin_global(core, op, lane, &runs, how)?;
    for (to, host) in to.iter().zip(places) {
        let shared = spot(core, to.bytes.0, to.bytes.1);
        core.begin_access(op, lane, act, shared, span);
        let moved = TensorMove {
            runs: runs.clone(),
            swizzle: map.swizzle,
            fill: fill(&map),
            host,
            at: (shared.1 % window::SHARED_PER_BLOCK) as u32,
            how,
            taken: None,
            bytes: bytes as u32,
            span: span as usize,
            shared,
        };
        begin(core, op, lane, to, moved)?;
    }
    Some(())
}

/// Returns how a transfer moves elements. None for a fault: a transfer that the map does not allow.
fn movement(
    core: &mut Core<'_>,
    (op, lane): (*const Op, usize),
    site: &TensorSite,
    (map, place): (&TensorMap, &BoxPosition),
) -> Option<Movement> {
    let how = match &site.way {
        TensorOperation::Join(by_type) => match by_type
            .get(map.element.number() as usize)
            .copied()
            .flatten()
        {
            Some((join, size)) => Movement::Join(join, size),
            None => {
                let message = format!(
                    "a reduction that is not defined for elements of type {:?}",
                    map.element
                );
                let help = "a GPU ends the kernel with an illegal instruction: add takes u32, s32, u64 and all floats, min and max all integers of 32 and 64 bits and f16 and bf16, and, or and xor u32, s32 and u64, inc and dec u32";
                return illegal(core, op, lane, message, help);
            }
        },
        TensorOperation::Store => Movement::Store,
        TensorOperation::Load | TensorOperation::Prefetch => Movement::Load,
    };
    if !matches!(how, Movement::Load) {
        if map.swizzle == Swizzle::B128Atom32Flip8 {
            let message =
                "a store by a tensor map whose swizzle exchanges halves of 16 bytes".into();
            return illegal(core, op, lane, message, "that swizzle is for loads");
        }
        if let Err(error) = map.check_stored(place) {
            let help = "a GPU ends the kernel with an illegal instruction: store from coordinate 0 on, and pixels by a map whose box is inside of the image, from inside of that box";
            return illegal(core, op, lane, error.to_string(), help);
        }
    }
    Some(how)
}

/// # Safety
/// As for [`start_one`].
unsafe fn place(core: &mut Core<'_>, site: &TensorSite, lane: usize) -> BoxPosition {
    let mut value = |row: Option<&u32>| match row {
        // SAFETY: the decoder gave this operation these rows.
        Some(&row) => unsafe { core.lanes::<u32>(row)[lane] },
        None => 0,
    };
    let at: [i32; 5] = std::array::from_fn(|i| value(site.coordinates.get(i)) as i32);
    match &site.mode {
        Mode::Tile => BoxPosition::Tile(at),
        Mode::Rows => BoxPosition::Rows(at[0], [at[1], at[2], at[3], at[4]]),
        Mode::Column(offsets) => {
            let offsets = std::array::from_fn(|i| value(offsets.get(i)) as u16);
            BoxPosition::Column(at, offsets)
        }
    }
}

/// Checks and counts the tensor's bytes. None for a fault.
fn begin_global(
    core: &mut Core<'_>,
    op: *const Op,
    lane: usize,
    runs: &[Run],
    how: Movement,
) -> Option<()> {
    let act = match how {
        Movement::Load => AccessKind::Read,
        Movement::Store => AccessKind::Write,
        Movement::Join(..) => AccessKind::Atomic,
    };
    for run in runs {
        let Some(address) = run.global else { continue };
        let bytes = u64::from(run.bytes);
        let one = LaneAccess {
            lane,
            act,
            space: NamedSpace::Global,
            address,
            bytes,
            align: 1,
        };
        core.locate(op, one)?;
        core.begin_access(op, lane, act, (None, address), bytes);
        match how {
            Movement::Load => core.tally.read += bytes,
            _ => core.tally.written += bytes,
        }
    }
    Some(())
}

fn begin(
    core: &mut Core<'_>,
    op: *const Op,
    lane: usize,
    to: &Destination,
    moved: TensorMove,
) -> Option<()> {
    let until = until(core, op, lane, to, moved.shared)?;
    core.begin_pending(Pending {
        by: (core.current.0, core.current.1 as u32, lane as u32),
        op,
        until,
        effect: PendingEffect::Tensor(moved),
    });
    Some(())
}

/// Returns the value of each eight bytes outside of the tensor.
fn fill(map: &TensorMap) -> [u8; 8] {
    let Fill::Nan = map.fill else { return [0; 8] };
    let size = Element::size(map.element).unwrap_or(8) as usize;
    let bits = map.element.outside().to_le_bytes();
    std::array::from_fn(|i| bits[i % size])
}
