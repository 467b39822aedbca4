//! Local memory and `.param` variables of calls: the words of 32 lanes, interleaved.
//!
//! PTX ISA, "State Spaces: Local, Parameter". Word `w` of lane `l` is word `w * 32 + l`, so that a
//! variable that every thread has at one address is a row. Generic addresses may name local memory
//! for some lanes and other memory for others.

use super::flag;
use super::state_space::StateSpace;
use super::transfer::{Stored, element};
use crate::machine::checks::race::AccessKind;
use crate::machine::core::{Core, View};
use crate::machine::event::{FaultKind, Region};
use crate::machine::lane::{FULL, LANES, Lane, Repr, lanes};
use crate::machine::op::Op;
use crate::memory::window;

/// Reads a value at byte `offset` of one lane's words, which lie 32 words apart.
///
/// # Safety
/// The words must lie inside the bytes at `base`, and `offset` be a multiple of the value's size.
#[inline(always)]
pub(in crate::machine) unsafe fn read_words<T: Copy + Default>(
    base: *const u8,
    lane: usize,
    offset: usize,
) -> T {
    let mut value = T::default();
    let to = (&raw mut value).cast::<u8>();
    let size = size_of::<T>();
    for part in (0..size).step_by(4) {
        let at = offset + part;
        // SAFETY: the part is inside one word (values of four bytes or more are whole words,
        // smaller ones do not cross a boundary), and the caller guarantees that the word is there.
        unsafe {
            base.add((at / 4 * LANES + lane) * 4 + at % 4)
                .copy_to_nonoverlapping(to.add(part), size.min(4))
        };
    }
    value
}

/// Writes a value in the layout that [`read_words`] reads.
///
/// # Safety
/// As for [`read_words`].
#[inline(always)]
pub(in crate::machine) unsafe fn write_words<T: Copy>(
    base: *mut u8,
    lane: usize,
    offset: usize,
    value: T,
) {
    let from = (&raw const value).cast::<u8>();
    let size = size_of::<T>();
    for part in (0..size).step_by(4) {
        let at = offset + part;
        // SAFETY: as above.
        unsafe {
            base.add((at / 4 * LANES + lane) * 4 + at % 4)
                .copy_from_nonoverlapping(from.add(part), size.min(4))
        };
    }
}

/// Performs loads of local memory, or stores if `WRITE`. Addresses are counted from `origin`.
///
/// # Safety
/// As for every handler; `mask` are lanes whose guard is true.
#[inline(always)]
unsafe fn local_transfer<T: Stored<R>, R: Repr + Lane<Repr = R>, const WRITE: bool>(
    core: &mut Core<'_>,
    op: *const Op,
    mask: u32,
    origin: u64,
) -> Result<(), (usize, FaultKind)> {
    // SAFETY: as for `load_body`; offsets are checked against the local memory that the lanes have.
    unsafe {
        let o = &*op;
        let addresses = core.addresses(op);
        let elements = (o.aux >> flag::ELEMENTS) as usize + 1;
        let size = (size_of::<T>() * elements) as u64;
        let View {
            host,
            start,
            size: top,
        } = core.memory.local;
        // Most accesses are to a variable of every thread, whose words are contiguous.
        let address = addresses[0].wrapping_sub(origin);
        let offset = address.wrapping_sub(start);
        let apart = addresses
            .iter()
            .fold(0, |apart, a| apart | (a ^ addresses[0]));
        let inside = offset < top && size <= top - offset;
        if mask == FULL && apart == 0 && inside && address.is_multiple_of(size) {
            for e in 0..elements {
                let Some(register) = element(core, elements, o.d, e) else {
                    continue;
                };
                let row = core.lanes::<R>(register);
                let at = address as usize + e * size_of::<T>();
                for (lane, register) in row.iter_mut().enumerate() {
                    if WRITE {
                        write_words(host, lane, at, T::narrow(*register));
                    } else {
                        *register = read_words::<T>(host, lane, at).widen();
                    }
                }
            }
            return Ok(());
        }
        for lane in lanes(mask) {
            let address = addresses[lane].wrapping_sub(origin);
            let offset = address.wrapping_sub(start);
            let (act, region, bytes) = (
                if WRITE {
                    AccessKind::Write
                } else {
                    AccessKind::Read
                },
                Region::Local,
                size as u32,
            );
            if !address.is_multiple_of(size) {
                return Err((
                    lane,
                    FaultKind::Misaligned {
                        act,
                        region,
                        address,
                        bytes,
                    },
                ));
            }
            if offset >= top || size > top - offset {
                return Err((
                    lane,
                    FaultKind::Access {
                        act,
                        region,
                        generic: origin != 0,
                        address: addresses[lane],
                        bytes,
                    },
                ));
            }
            for e in 0..elements {
                let Some(register) = element(core, elements, o.d, e) else {
                    continue;
                };
                let register = &mut core.lanes::<R>(register)[lane];
                let at = address as usize + e * size_of::<T>();
                if WRITE {
                    write_words(host, lane, at, T::narrow(*register));
                } else {
                    *register = read_words::<T>(host, lane, at).widen();
                }
            }
        }
        Ok(())
    }
}

/// # Safety
/// As for every handler.
pub(in crate::machine) unsafe fn local_body<
    T: Stored<R>,
    R: Repr + Lane<Repr = R>,
    W: Direction,
>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: passed on.
    unsafe {
        let mask = core.mask(&*op);
        let done = if W::WRITE {
            local_transfer::<T, R, true>(core, op, mask, 0)
        } else {
            local_transfer::<T, R, false>(core, op, mask, 0)
        };
        match done {
            Ok(()) => op.wrapping_add(1),
            Err((lane, what)) => core.fault(op, lane, what),
        }
    }
}

/// Whether an operation loads or stores.
pub(crate) trait Direction: Copy + 'static {
    /// Whether it is a store.
    const WRITE: bool;
}
/// An access that loads.
#[derive(Clone, Copy)]
pub(crate) struct In;
/// An access that stores.
#[derive(Clone, Copy)]
pub(crate) struct Out;
impl Direction for In {
    const WRITE: bool = false;
}
impl Direction for Out {
    const WRITE: bool = true;
}

/// Accesses `.param` variables of calls: bytes at offset `c` of the area at `a` in the frame.
///
/// # Safety
/// As for every handler.
pub(in crate::machine) unsafe fn area_body<T: Stored<R>, R: Repr + Lane<Repr = R>, W: Direction>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: the decoder checked that the bytes lie inside the area.
    unsafe {
        let o = &*op;
        let mask = core.mask(o);
        let elements = (o.aux >> flag::ELEMENTS) as usize + 1;
        let base = core.frame.add(o.a as usize);
        for e in 0..elements {
            let Some(register) = element(core, elements, o.d, e) else {
                continue;
            };
            let at = o.c as usize + e * size_of::<T>();
            let row = core.lanes::<R>(register);
            for lane in lanes(mask) {
                if W::WRITE {
                    write_words(base, lane, at, T::narrow(row[lane]));
                } else {
                    row[lane] = read_words::<T>(base, lane, at).widen();
                }
            }
        }
        op.wrapping_add(1)
    }
}

/// Returns the lanes of `mask` whose generic addresses are in local memory.
///
/// # Safety
/// `op` must be a memory operation of the running frame.
#[inline(always)]
pub(in crate::machine) unsafe fn local_lanes<S: StateSpace>(
    core: &mut Core<'_>,
    op: *const Op,
    mask: u32,
) -> u32 {
    if !S::GENERIC {
        return 0;
    }
    // SAFETY: passed on.
    let addresses = unsafe { core.addresses(op) };
    let mut local = 0;
    for (i, address) in addresses.iter().enumerate() {
        local |= u32::from(address >> 32 == window::LOCAL >> 32) << i;
    }
    local & mask
}

/// Splits off the lanes of `mask` whose generic addresses are in local memory, and performs their
/// accesses. Returns the other lanes, or `None` for a fault.
///
/// # Safety
/// `op` must be a load or store through generic addresses in the running frame.
#[inline(never)]
pub(in crate::machine) unsafe fn serve_local<
    T: Stored<R>,
    R: Repr + Lane<Repr = R>,
    const WRITE: bool,
>(
    core: &mut Core<'_>,
    op: *const Op,
    mask: u32,
    local: u32,
) -> Option<u32> {
    // SAFETY: passed on.
    match unsafe { local_transfer::<T, R, WRITE>(core, op, local, window::LOCAL) } {
        Ok(()) => Some(mask & !local),
        Err((lane, what)) => {
            core.fault(op, lane, what);
            None
        }
    }
}
