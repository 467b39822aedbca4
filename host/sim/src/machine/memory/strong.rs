//! Strong loads and stores of memory that other cores of the host access at the same time:
//! `.volatile`, `.relaxed`, `.acquire`, `.release` and `.mmio`, in global memory.
//!
//! PTX ISA, "Memory Consistency Model: Strong Operations". They are atomic operations of the host.
//! All loads acquire and all stores release, which is at least as strong as each of the
//! instructions; the order of `fence.sc` comes from the host's own fence. So a program without a
//! data race has none on the host either. A vector's elements are accessed one after another.
//! Shared memory belongs to one core, so its strong accesses are plain.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::access::LaneBytes;
use super::atomics::WIDE;
use super::state_space::{Generic, Global, StateSpace};
use super::transfer::{Stored, TransferSpace, Width, element, locate, spread};
use crate::machine::core::Core;
use crate::machine::lane::{Lane, Repr, lanes};
use crate::machine::level::Portable;
use crate::machine::op::{Handler, Op};

/// A type of which the host loads and stores values in one piece.
pub(crate) trait Strong: Copy {
    /// # Safety
    /// `at` must be aligned and valid for reads. Other threads access it atomically only, unless
    /// the simulated program has a race.
    unsafe fn load(at: *mut u8) -> Self;

    /// # Safety
    /// As for [`Strong::load`], for writes.
    unsafe fn store(at: *mut u8, value: Self);
}

macro_rules! strong {
    ($($t:ty: $atomic:ty),*) => {$(
        impl Strong for $t {
            #[inline(always)]
            unsafe fn load(at: *mut u8) -> Self {
                // SAFETY: the caller guarantees this.
                unsafe { <$atomic>::from_ptr(at.cast()) }.load(Ordering::Acquire) as $t
            }

            #[inline(always)]
            unsafe fn store(at: *mut u8, value: Self) {
                // SAFETY: the caller guarantees this.
                unsafe { <$atomic>::from_ptr(at.cast()) }.store(value as _, Ordering::Release);
            }
        }
    )*};
}
strong!(u8: AtomicU8, i8: AtomicU8, u16: AtomicU16, i16: AtomicU16, u32: AtomicU32, i32: AtomicU32, u64: AtomicU64);

/// The host has no stable atomics of 128 bits. Under the lock that all of these take, a value is
/// in one piece.
impl Strong for u128 {
    unsafe fn load(at: *mut u8) -> Self {
        let _turn = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller guarantees this for both halves.
        let [low, high] = unsafe { [u64::load(at), u64::load(at.add(8))] };
        u128::from(low) | u128::from(high) << 64
    }

    unsafe fn store(at: *mut u8, value: Self) {
        let _turn = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller guarantees this for both halves.
        unsafe {
            u64::store(at, value as u64);
            u64::store(at.add(8), (value >> 64) as u64);
        }
    }
}

/// Copies bytes of memory that other threads may change, each word or byte in one piece.
///
/// # Safety
/// `from` must be valid for reads of as many bytes.
pub(in crate::machine) unsafe fn read(from: *const u8, to: &mut [u8]) {
    let mut at = 0;
    while at < to.len() {
        let place = from.wrapping_add(at).cast_mut();
        let rest = to.len() - at;
        // SAFETY: the bytes are inside of those that the caller guarantees, and aligned.
        let (value, size) = unsafe {
            match place as usize {
                word if word.is_multiple_of(8) && rest >= 8 => (u64::load(place), 8),
                word if word.is_multiple_of(4) && rest >= 4 => (u32::load(place).into(), 4),
                word if word.is_multiple_of(2) && rest >= 2 => (u16::load(place).into(), 2),
                _ => (u8::load(place).into(), 1),
            }
        };
        to[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        at += size;
    }
}

/// # Safety
/// As for every handler.
unsafe fn load_body<S: StateSpace, T: Strong + Stored<R>, R: Repr + Lane<Repr = R>>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: the decoder gave this operation an address row and destination rows of the frame;
    // `locate` gives aligned places that hold the bytes of every lane of the mask.
    unsafe {
        let o = &*op;
        let (mask, elements, found) = match locate::<Portable, S, T, R, false>(core, op) {
            Ok(found) => found,
            Err(next) => return next,
        };
        if let LaneBytes::One(host) = found
            && elements == 1
        {
            let value = T::load(host).widen();
            let d = core.lanes::<R>(o.d);
            lanes(mask).for_each(|lane| d[lane] = value);
            return op.wrapping_add(1);
        }
        spread(core, mask, size_of::<T>() * elements, found);
        for e in 0..elements {
            let Some(d) = element(core, elements, o.d, e) else {
                continue;
            };
            let d = core.row::<R>(d).cast::<R>();
            for lane in lanes(mask) {
                *d.add(lane) = T::load(core.memory.hosts[lane].add(e * size_of::<T>())).widen();
            }
        }
        op.wrapping_add(1)
    }
}

/// # Safety
/// As for every handler.
unsafe fn store_body<S: StateSpace, T: Strong + Stored<R>, R: Repr + Lane<Repr = R>>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: as for `load_body`; places given for a write may be written.
    unsafe {
        let o = &*op;
        let (mask, elements, found) = match locate::<Portable, S, T, R, true>(core, op) {
            Ok(found) => found,
            Err(next) => return next,
        };
        spread(core, mask, size_of::<T>() * elements, found);
        for e in 0..elements {
            let Some(from) = element(core, elements, o.d, e) else {
                continue;
            };
            let from = core.row::<R>(from).cast::<R>();
            for lane in lanes(mask) {
                let at = core.memory.hosts[lane].add(e * size_of::<T>());
                T::store(at, T::narrow(*from.add(lane)));
            }
        }
        op.wrapping_add(1)
    }
}

/// Returns the handler of a strong load of `width` into a register of `register` bytes. None if
/// such loads are those of [`super::transfer::load`].
pub(crate) fn load(place: TransferSpace, width: Width, register: u64) -> Option<Handler> {
    handler::<Load>(place, width, register)
}

/// Returns the handler of a strong store, as [`load`] does.
pub(crate) fn store(place: TransferSpace, width: Width, register: u64) -> Option<Handler> {
    handler::<Store>(place, width, register)
}

/// A load or a store.
trait Access {
    fn handler<S: StateSpace, T: Strong + Stored<R>, R: Repr + Lane<Repr = R>>() -> Handler;
}

struct Load;
struct Store;

impl Access for Load {
    fn handler<S: StateSpace, T: Strong + Stored<R>, R: Repr + Lane<Repr = R>>() -> Handler {
        load_body::<S, T, R>
    }
}

impl Access for Store {
    fn handler<S: StateSpace, T: Strong + Stored<R>, R: Repr + Lane<Repr = R>>() -> Handler {
        store_body::<S, T, R>
    }
}

fn handler<A: Access>(place: TransferSpace, width: Width, register: u64) -> Option<Handler> {
    fn typed<A: Access, T: Strong + Stored<R>, R: Repr + Lane<Repr = R>>(
        place: TransferSpace,
    ) -> Option<Handler> {
        match place {
            TransferSpace::Global => Some(A::handler::<Global, T, R>()),
            TransferSpace::Generic => Some(A::handler::<Generic, T, R>()),
            _ => None,
        }
    }
    match (width, register) {
        (Width::U8, 1..=4) => typed::<A, u8, u32>(place),
        (Width::I8, 1..=4) => typed::<A, i8, u32>(place),
        (Width::U16, 2..=4) => typed::<A, u16, u32>(place),
        (Width::I16, 2..=4) => typed::<A, i16, u32>(place),
        (Width::U32 | Width::I32, 4) => typed::<A, u32, u32>(place),
        (Width::U8, 8) => typed::<A, u8, u64>(place),
        (Width::I8, 8) => typed::<A, i8, u64>(place),
        (Width::U16, 8) => typed::<A, u16, u64>(place),
        (Width::I16, 8) => typed::<A, i16, u64>(place),
        (Width::U32, 8) => typed::<A, u32, u64>(place),
        (Width::I32, 8) => typed::<A, i32, u64>(place),
        (Width::U64, 8) => typed::<A, u64, u64>(place),
        (Width::U128, 16) => typed::<A, u128, u128>(place),
        _ => None,
    }
}
