//! Loads and stores: `ld`, `st`, in every space, of one value or a vector.
//!
//! PTX ISA, "Data Movement and Conversion: ld, st". A load widens the value to the register:
//! unsigned and untyped values with zeros, signed values with the sign. A store drops the
//! register's upper bits. Cache operators are hints and do nothing. Where several lanes store to
//! one place, the highest lane wins; the ISA leaves this open.
//!
//! Weak global accesses are plain reads and writes of host memory that other cores may access at
//! the same time. Such a race belongs to the simulated program. The machine's own state does not
//! depend on the values that are read there. Strong accesses are in `strong`.

use super::access::LaneBytes;
use super::flag;
use super::local::{In, Out, area_body, local_body, local_lanes, serve_local};
use super::state_space::{Constant, Generic, Global, Shared, StateSpace};
use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::{FULL, LANES, Lane, Repr, lanes};
use crate::machine::level::{Level, levels};
use crate::machine::op::{Handler, Op, STOP};

/// A type in memory that a register of representation `R` holds.
pub(crate) trait Stored<R: Repr>: Copy + Default + 'static {
    /// Returns the value as a load fills the register.
    fn widen(self) -> R;
    /// Returns the value as a store takes it from the register.
    fn narrow(repr: R) -> Self;
}

macro_rules! stored {
    ($($t:ty as $via:ty => $r:ty;)*) => {$(
        impl Stored<$r> for $t {
            #[inline(always)]
            fn widen(self) -> $r {
                self as $via as $r
            }
            #[inline(always)]
            fn narrow(repr: $r) -> Self {
                repr as $t
            }
        }
    )*};
}

stored! {
    u8 as u8 => u32; u16 as u16 => u32; u32 as u32 => u32;
    i8 as i32 => u32; i16 as i32 => u32;
    u8 as u8 => u64; u16 as u16 => u64; u32 as u32 => u64; u64 as u64 => u64;
    i8 as i64 => u64; i16 as i64 => u64; i32 as i64 => u64;
    u128 as u128 => u128;
}

/// Returns the frame offset of element `e` of the vector (or the one value) that `first` names, or
/// `None` for `_`.
#[inline(always)]
pub(in crate::machine) fn element(
    core: &Core<'_>,
    elements: usize,
    first: u32,
    e: usize,
) -> Option<u32> {
    if elements == 1 {
        return Some(first);
    }
    let offset = core.run.program.lists[first as usize + e];
    (offset != NOWHERE).then_some(offset)
}

/// Stands for no register in a list of rows.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Does what a load or a store does before it moves bytes. It performs the accesses of lanes to
/// local memory. For the other lanes it returns which they are, how many elements each moves,
/// and the places. If there are no other lanes, or the access faults, it returns the operation
/// that comes next.
///
/// # Safety
/// As for every handler; the operation has an address row and rows of `R`.
#[inline(always)]
pub(super) unsafe fn locate<
    L: Level,
    S: StateSpace,
    T: Stored<R>,
    R: Repr + Lane<Repr = R>,
    const WRITES: bool,
>(
    core: &mut Core<'_>,
    op: *const Op,
) -> Result<(u32, usize, LaneBytes), *const Op> {
    // SAFETY: the caller guarantees this.
    unsafe {
        let o = &*op;
        let mut mask = core.mask(o);
        if mask == 0 {
            return Err(op.wrapping_add(1));
        }
        let elements = (o.aux >> flag::ELEMENTS) as usize + 1;
        let size = size_of::<T>() * elements;
        if !WRITES {
            core.turn.spins += o.aux >> 1 & 1;
        }
        if S::GENERIC {
            let local = local_lanes::<S>(core, op, mask);
            if local != 0 {
                match serve_local::<T, R, WRITES>(core, op, mask, local) {
                    Some(0) => return Err(op.wrapping_add(1)),
                    Some(left) => mask = left,
                    None => return Err(STOP),
                }
            }
        }
        if S::REGION == Region::Global {
            let moved = match WRITES {
                true => &mut core.tally.written,
                false => &mut core.tally.read,
            };
            *moved += u64::from(mask.count_ones()) * size as u64;
        }
        let act = match WRITES {
            true => AccessKind::Write,
            false => AccessKind::Read,
        };
        let log = size.trailing_zeros();
        let found = match core.locate_again::<S>(op, act, mask, log) {
            Some(found) => found,
            None => L::locate::<S>(core, op, act, mask, log),
        };
        match found {
            LaneBytes::Wrong => Err(STOP),
            found => Ok((mask, elements, found)),
        }
    }
}

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn load_body<L: Level, S: StateSpace, T: Stored<R>, R: Repr + Lane<Repr = R>>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: the decoder gave this operation an address row and destination rows of the frame;
    // `locate` gives places that hold the bytes of every lane of the mask.
    unsafe {
        let o = &*op;
        let (mask, elements, found) = match locate::<L, S, T, R, false>(core, op) {
            Ok(found) => found,
            Err(next) => return next,
        };
        match found {
            LaneBytes::Row(host) if elements == 1 && mask == FULL => {
                let row = host.cast::<[T; LANES]>().read_unaligned();
                let d = core.lanes::<R>(o.d);
                for i in 0..LANES {
                    d[i] = row[i].widen();
                }
            }
            LaneBytes::One(host) if elements == 1 => {
                let value = host.cast::<T>().read_unaligned().widen();
                let d = core.lanes::<R>(o.d);
                if mask == FULL {
                    *d = [value; LANES];
                } else {
                    for (i, d) in d.iter_mut().enumerate() {
                        *d = value.blend(*d, mask >> i & 1 != 0);
                    }
                }
            }
            found => gather::<T, R>(core, o, mask, elements, found),
        }
        op.wrapping_add(1)
    }
}

/// Reads lane by lane from the places that a load located.
///
/// # Safety
/// `found` must be what `locate` gave for the load `o` and the lanes of `mask`.
#[inline(never)]
unsafe fn gather<T: Stored<R>, R: Repr + Lane<Repr = R>>(
    core: &mut Core<'_>,
    o: &Op,
    mask: u32,
    elements: usize,
    found: LaneBytes,
) {
    spread(core, mask, size_of::<T>() * elements, found);
    for e in 0..elements {
        let Some(d) = element(core, elements, o.d, e) else {
            continue;
        };
        // SAFETY: the decoder gave a row for each element; every lane's place holds all elements.
        unsafe {
            let d = core.row::<R>(d).cast::<R>();
            if mask == FULL {
                for lane in 0..LANES {
                    *d.add(lane) = core.memory.hosts[lane]
                        .cast::<T>()
                        .add(e)
                        .read_unaligned()
                        .widen();
                }
                continue;
            }
            for lane in lanes(mask) {
                *d.add(lane) = core.memory.hosts[lane]
                    .cast::<T>()
                    .add(e)
                    .read_unaligned()
                    .widen();
            }
        }
    }
}

/// Fills `hosts` with each lane's place, for places that were found together.
#[inline(always)]
pub(in crate::machine) fn spread(core: &mut Core<'_>, mask: u32, size: usize, found: LaneBytes) {
    match found {
        LaneBytes::Row(host) => {
            for (lane, to) in core.memory.hosts.iter_mut().enumerate() {
                *to = host.wrapping_add(lane * size);
            }
        }
        LaneBytes::One(host) => core.memory.hosts = [host; LANES],
        LaneBytes::Each | LaneBytes::Wrong => debug_assert!(mask != 0),
    }
}

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn store_body<L: Level, S: StateSpace, T: Stored<R>, R: Repr + Lane<Repr = R>>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: as for `load_body`; places given for a write may be written.
    unsafe {
        let o = &*op;
        let (mask, elements, found) = match locate::<L, S, T, R, true>(core, op) {
            Ok(found) => found,
            Err(next) => return next,
        };
        match found {
            LaneBytes::Row(host) if elements == 1 && mask == FULL => {
                let from = core.lanes::<R>(o.d);
                let mut row = [T::default(); LANES];
                for i in 0..LANES {
                    row[i] = T::narrow(from[i]);
                }
                host.cast::<[T; LANES]>().write_unaligned(row);
            }
            found => scatter::<T, R>(core, o, mask, elements, found),
        }
        op.wrapping_add(1)
    }
}

/// Writes lane by lane to the places that a store located.
///
/// # Safety
/// As for [`gather`], for a store.
#[inline(never)]
unsafe fn scatter<T: Stored<R>, R: Repr + Lane<Repr = R>>(
    core: &mut Core<'_>,
    o: &Op,
    mask: u32,
    elements: usize,
    found: LaneBytes,
) {
    spread(core, mask, size_of::<T>() * elements, found);
    for e in 0..elements {
        let Some(from) = element(core, elements, o.d, e) else {
            continue;
        };
        // SAFETY: as for `gather`.
        unsafe {
            let from = core.row::<R>(from).cast::<R>();
            if mask == FULL {
                for lane in 0..LANES {
                    core.memory.hosts[lane]
                        .cast::<T>()
                        .add(e)
                        .write_unaligned(T::narrow(*from.add(lane)));
                }
                continue;
            }
            for lane in lanes(mask) {
                core.memory.hosts[lane]
                    .cast::<T>()
                    .add(e)
                    .write_unaligned(T::narrow(*from.add(lane)));
            }
        }
    }
}

levels!(fn load_levels = load_body<S, T, R> where S: StateSpace, T: Stored<R>, R: Repr + Lane<Repr = R>);
levels!(fn store_levels = store_body<S, T, R> where S: StateSpace, T: Stored<R>, R: Repr + Lane<Repr = R>);

/// `ld.param` of a kernel: bytes at offset `c` of the parameters, the same for all lanes.
///
/// # Safety
/// As for every handler.
unsafe fn param_body<T: Stored<R>, R: Repr + Lane<Repr = R>>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: the decoder checked that the bytes lie inside the parameters, and the launch checked
    // that it has all parameters.
    unsafe {
        let o = &*op;
        let mask = core.mask(o);
        let elements = (o.aux >> flag::ELEMENTS) as usize + 1;
        let params = core.run.params.as_ptr().cast::<u8>();
        for e in 0..elements {
            let Some(register) = element(core, elements, o.d, e) else {
                continue;
            };
            let value: R = params
                .add(o.c as usize)
                .cast::<T>()
                .add(e)
                .read_unaligned()
                .widen();
            let row = core.lanes::<R>(register);
            if mask == FULL {
                *row = [value; LANES];
            } else {
                for (i, to) in row.iter_mut().enumerate() {
                    *to = value.blend(*to, mask >> i & 1 != 0);
                }
            }
        }
        op.wrapping_add(1)
    }
}

/// The state spaces that handlers of loads and stores distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferSpace {
    /// The state space `.global`.
    Global,
    /// The state space `.shared`.
    Shared,
    /// The state space `.local`.
    Local,
    /// The state space `.const`.
    Constant,
    /// The instruction names no space, and the address determines it.
    Generic,
    /// Parameters of the kernel, at a fixed offset.
    Param,
    /// A `.param` variable of a call.
    Area,
}

/// The types in memory that loads and stores have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// Eight bits, zero-extended.
    U8,
    /// Eight bits, sign-extended.
    I8,
    /// 16 bits, zero-extended.
    U16,
    /// 16 bits, sign-extended.
    I16,
    /// 32 bits, zero-extended.
    U32,
    /// 32 bits, sign-extended.
    I32,
    /// An element of 64 bits.
    U64,
    /// An element of 128 bits.
    U128,
}

/// Returns the handler of a load of `width` into a register of `register` bytes. None if there is
/// no such load.
pub(crate) fn load(place: TransferSpace, width: Width, register: u64) -> Option<Handler> {
    fn typed<T: Stored<R>, R: Repr + Lane<Repr = R>>(place: TransferSpace) -> Handler {
        match place {
            TransferSpace::Global => load_levels::<Global, T, R>(),
            TransferSpace::Shared => load_levels::<Shared, T, R>(),
            TransferSpace::Local => local_body::<T, R, In>,
            TransferSpace::Constant => load_levels::<Constant, T, R>(),
            TransferSpace::Generic => load_levels::<Generic, T, R>(),
            TransferSpace::Param => param_body::<T, R>,
            TransferSpace::Area => area_body::<T, R, In>,
        }
    }
    Some(match (width, register) {
        (Width::U8, 1..=4) => typed::<u8, u32>(place),
        (Width::I8, 1..=4) => typed::<i8, u32>(place),
        (Width::U16, 2..=4) => typed::<u16, u32>(place),
        (Width::I16, 2..=4) => typed::<i16, u32>(place),
        (Width::U32 | Width::I32, 4) => typed::<u32, u32>(place),
        (Width::U8, 8) => typed::<u8, u64>(place),
        (Width::I8, 8) => typed::<i8, u64>(place),
        (Width::U16, 8) => typed::<u16, u64>(place),
        (Width::I16, 8) => typed::<i16, u64>(place),
        (Width::U32, 8) => typed::<u32, u64>(place),
        (Width::I32, 8) => typed::<i32, u64>(place),
        (Width::U64, 8) => typed::<u64, u64>(place),
        (Width::U128, 16) => typed::<u128, u128>(place),
        _ => return None,
    })
}

/// Returns the handler of a store of `width` from a register of `register` bytes. None if there is
/// no such store.
pub(crate) fn store(place: TransferSpace, width: Width, register: u64) -> Option<Handler> {
    fn typed<T: Stored<R>, R: Repr + Lane<Repr = R>>(place: TransferSpace) -> Option<Handler> {
        Some(match place {
            TransferSpace::Global => store_levels::<Global, T, R>(),
            TransferSpace::Shared => store_levels::<Shared, T, R>(),
            TransferSpace::Local => local_body::<T, R, Out>,
            TransferSpace::Generic => store_levels::<Generic, T, R>(),
            TransferSpace::Area => area_body::<T, R, Out>,
            TransferSpace::Constant | TransferSpace::Param => return None,
        })
    }
    match (width, register) {
        (Width::U8 | Width::I8, 1..=4) => typed::<u8, u32>(place),
        (Width::U16 | Width::I16, 2..=4) => typed::<u16, u32>(place),
        (Width::U32 | Width::I32, 4) => typed::<u32, u32>(place),
        (Width::U8 | Width::I8, 8) => typed::<u8, u64>(place),
        (Width::U16 | Width::I16, 8) => typed::<u16, u64>(place),
        (Width::U32 | Width::I32, 8) => typed::<u32, u64>(place),
        (Width::U64, 8) => typed::<u64, u64>(place),
        (Width::U128, 16) => typed::<u128, u128>(place),
        _ => None,
    }
}
