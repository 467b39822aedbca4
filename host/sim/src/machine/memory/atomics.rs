//! `atom` and `red`: read, change and write a place in memory as one step.
//!
//! PTX ISA, "Parallel Synchronization and Communication Instructions: atom, red". Lanes go one
//! after another, lowest first (the ISA leaves the order open). Global memory is changed with
//! the host's own atomic instructions, in sequentially consistent order, whatever the
//! instruction's `.sem` and `.scope` are. That order is at least as strong as each of them. Each
//! operation computes the new value with a function of the old value. A vector's elements are
//! changed one after another.

use crate::machine::checks::race::AccessKind;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::access::LaneBytes;
use super::local::{local_lanes, read_words, write_words};
use super::state_space::{Generic, Global, Shared};
use super::transfer::{NOWHERE, Stored, spread};
use crate::machine::compute::alu::conjure;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, Region};
use crate::machine::lane::{Lane, Repr, lanes};
use crate::machine::level::{Level, Portable};
use crate::machine::op::{Handler, Op, STOP};
use crate::memory::window;

/// A type that atomics change in memory.
pub(crate) trait Cell: Copy + Default + PartialEq + 'static {
    /// Replaces the value `v` at `at` by `f(v)` as one atomic step, and returns the old value.
    ///
    /// # Safety
    /// `at` must be aligned and valid for reads and writes. Other threads access it atomically
    /// only, unless the simulated program has a race.
    unsafe fn update(at: *mut u8, f: impl Fn(Self) -> Self) -> Self;

    /// Does the same if no other host thread accesses the place.
    ///
    /// # Safety
    /// `at` must be valid for reads and writes, by this thread alone.
    #[inline(always)]
    unsafe fn update_alone(at: *mut u8, f: impl Fn(Self) -> Self) -> Self {
        // SAFETY: the caller guarantees this.
        unsafe {
            let old = at.cast::<Self>().read_unaligned();
            at.cast::<Self>().write_unaligned(f(old));
            old
        }
    }
}

macro_rules! cell {
    ($($t:ty: $atomic:ty),*) => {$(
        impl Cell for $t {
            #[inline(always)]
            unsafe fn update(at: *mut u8, f: impl Fn(Self) -> Self) -> Self {
                // SAFETY: passed on to the caller.
                let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
                let mut old = cell.load(Ordering::Relaxed);
                loop {
                    match cell.compare_exchange_weak(old, f(old), Ordering::SeqCst, Ordering::Relaxed) {
                        Ok(_) => return old,
                        Err(now) => old = now,
                    }
                }
            }
        }
    )*};
}
cell!(u16: AtomicU16, u32: AtomicU32, u64: AtomicU64);

/// The lock of 128-bit atomics, which run one at a time: the host has no stable ones.
pub(super) static WIDE: Mutex<()> = Mutex::new(());

impl Cell for u128 {
    unsafe fn update(at: *mut u8, f: impl Fn(Self) -> Self) -> Self {
        let _turn = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
        let [low, high] = [at, at.wrapping_add(8)].map(|half| {
            // SAFETY: the caller guarantees this for both halves.
            unsafe { AtomicU64::from_ptr(half.cast()) }
        });
        // Other 128-bit accesses wait for the lock.
        let halves = [&low, &high].map(|half| u128::from(half.load(Ordering::SeqCst)));
        let old = halves[0] | halves[1] << 64;
        let new = f(old);
        low.store(new as u64, Ordering::SeqCst);
        high.store((new >> 64) as u64, Ordering::SeqCst);
        old
    }
}

/// Finds the places that the lanes of `op` change. They are in `hosts`, except those of the
/// returned lanes, which are in local memory. The bool is whether all of them are one place. None
/// for a fault.
///
/// # Safety
/// `op` must be an atomic of the running frame.
#[inline(never)]
unsafe fn places(core: &mut Core<'_>, op: *const Op, mask: u32, size: u64) -> Option<(u32, bool)> {
    // SAFETY: passed on.
    unsafe {
        let space = (*op).aux >> SPACE & 3;
        let local = if space == GENERIC {
            local_lanes::<Generic>(core, op, mask)
        } else {
            0
        };
        let mask = mask & !local;
        if local != 0 {
            let (addresses, view) = (core.addresses(op), core.memory.local);
            for lane in lanes(local) {
                let address = addresses[lane] - window::LOCAL;
                let offset = address.wrapping_sub(view.start);
                let (act, region, bytes) = (AccessKind::Atomic, Region::Local, size as u32);
                if !address.is_multiple_of(size) {
                    core.fault(
                        op,
                        lane,
                        FaultKind::Misaligned {
                            act,
                            region,
                            address,
                            bytes,
                        },
                    );
                    return None;
                }
                if offset >= view.size || size > view.size - offset {
                    core.fault(
                        op,
                        lane,
                        FaultKind::Access {
                            act,
                            region,
                            generic: true,
                            address,
                            bytes,
                        },
                    );
                    return None;
                }
            }
        }
        if mask == 0 {
            return Some((local, false));
        }
        let log = size.trailing_zeros();
        let found = match space {
            GLOBAL => Portable::locate::<Global>(core, op, AccessKind::Atomic, mask, log),
            SHARED => Portable::locate::<Shared>(core, op, AccessKind::Atomic, mask, log),
            _ => Portable::locate::<Generic>(core, op, AccessKind::Atomic, mask, log),
        };
        if matches!(found, LaneBytes::Wrong) {
            return None;
        }
        spread(core, mask, size as usize, found);
        if space != SHARED {
            let bytes = u64::from(mask.count_ones()) * size;
            core.tally.read += bytes;
            core.tally.written += bytes;
        }
        Some((local, local == 0 && matches!(found, LaneBytes::One(_))))
    }
}

/// The bit at which the number of elements, less one, starts in `aux`.
pub(crate) const ELEMENTS: u32 = 16;
/// The bit at which the space starts in `aux`.
pub(crate) const SPACE: u32 = 8;
pub(crate) const GLOBAL: u32 = 0;
pub(crate) const SHARED: u32 = 1;
/// The instruction names no space.
pub(crate) const GENERIC: u32 = 2;

/// # Safety
/// As for every handler.
unsafe fn atomic_handler<M: Cell + Stored<R>, T: Lane<Repr = R>, R: Repr + Lane<Repr = R>, F>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op
where
    F: Fn(T, T, T) -> T + Copy,
{
    // SAFETY: the decoder gave this operation an address row and a list of three rows for
    // each element: where the old value goes (or none), and two operands; `places` checked
    // every lane's place.
    unsafe {
        let o = &*op;
        let mask = core.mask(o);
        if mask == 0 {
            return op.wrapping_add(1);
        }
        core.turn.spins += 1;
        let elements = (o.aux >> ELEMENTS) as usize + 1;
        let Some((local, one)) = places(core, op, mask, (size_of::<M>() * elements) as u64) else {
            return STOP;
        };
        // Shared memory belongs to the team, and a team runs on one host thread.
        let alone = o.aux >> SPACE & 3 == SHARED;
        let lists = &core.run.program.lists[o.b as usize..][..3 * elements];
        if one && let [d, b, c] = *lists {
            // Lanes that change one place one after another do so in a single atomic step.
            let (b, c) = (*core.lanes::<R>(b), *core.lanes::<R>(c));
            let next = |old: M, lane: usize| {
                M::narrow(conjure::<F>()(T::of(old.widen()), T::of(b[lane]), T::of(c[lane])).repr())
            };
            let at = core.memory.hosts[0];
            let mut old = match alone {
                true => M::update_alone(at, |old| lanes(mask).fold(old, next)),
                false => M::update(at, |old| lanes(mask).fold(old, next)),
            };
            if d != NOWHERE {
                let d = core.lanes::<R>(d);
                for lane in lanes(mask) {
                    d[lane] = old.widen();
                    old = next(old, lane);
                }
            }
            return op.wrapping_add(1);
        }
        for lane in lanes(mask) {
            for (e, rows) in lists.chunks_exact(3).enumerate() {
                let (b, c) = (
                    T::of(core.lanes::<R>(rows[1])[lane]),
                    T::of(core.lanes::<R>(rows[2])[lane]),
                );
                let new = |old: M| M::narrow(conjure::<F>()(T::of(old.widen()), b, c).repr());
                let old = if local >> lane & 1 != 0 {
                    // Local memory belongs to this thread alone, so a read and a write are as good
                    // as one step.
                    let at = (core.addresses(op)[lane] - window::LOCAL) as usize;
                    let old = read_words::<M>(core.memory.local.host, lane, at);
                    write_words(core.memory.local.host, lane, at, new(old));
                    old
                } else if alone {
                    M::update_alone(core.memory.hosts[lane].add(e * size_of::<M>()), new)
                } else {
                    M::update(core.memory.hosts[lane].add(e * size_of::<M>()), new)
                };
                if rows[0] != NOWHERE {
                    core.lanes::<R>(rows[0])[lane] = old.widen();
                }
            }
        }
        op.wrapping_add(1)
    }
}

/// Returns the handler of an atomic: memory of type `M` becomes `f(old, b, c)`.
pub(crate) fn atomic<M, T, R, F>(_: F) -> Handler
where
    M: Cell + Stored<R>,
    T: Lane<Repr = R>,
    R: Repr + Lane<Repr = R>,
    F: Fn(T, T, T) -> T + Copy,
{
    atomic_handler::<M, T, R, F>
}
