//! `atom` and `red`: read, change and write a place in memory as one step.
//!
//! PTX ISA, "Parallel Synchronization and Communication Instructions: atom, red". Lanes go one after another, lowest
//! first (the ISA leaves the order open). Global memory is changed with the host's own atomic instructions, in sequentially
//! consistent order, whatever the instruction's `.sem` and `.scope`: that is at least as strong as each of them. What an
//! operation makes of the old value is a function on values.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::access::{Generic, Global, Shared, Space, Where};
use super::alu::conjure;
use super::core::Core;
use super::event::{Act, Reach, What};
use super::lane::{FULL, LANES, Lane, Repr, lanes};
use super::level::{Level, levels};
use super::op::{Handler, Op};
use super::transfer::{NOWHERE, Place, Stored, local_lanes, read_words, write_words};
use crate::memory::window;

/// A type that atomics change in memory.
pub(crate) trait Cell: Copy + Default + PartialEq + 'static {
    /// Replaces what is at `at` by `f` of it, as one step, and gives what was there.
    ///
    /// # Safety
    /// `at` must be aligned and valid for reads and writes; it is accessed atomically only or by one host thread.
    unsafe fn update(at: *mut u8, f: impl Fn(Self) -> Self) -> Self;
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

/// The host has no stable 128-bit atomics: these take turns.
static WIDE: Mutex<()> = Mutex::new(());

impl Cell for u128 {
    unsafe fn update(at: *mut u8, f: impl Fn(Self) -> Self) -> Self {
        let _turn = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: valid by the caller's word; other 128-bit atomics wait for the lock.
        unsafe {
            let old = at.cast::<u128>().read_unaligned();
            at.cast::<u128>().write_unaligned(f(old));
            old
        }
    }
}

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn atomic_body<
    L: Level,
    S: Space,
    M: Cell + Stored<R>,
    T: Lane<Repr = R>,
    R: Repr + Lane<Repr = R>,
    F,
>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op
where
    F: Fn(T, T, T) -> T + Copy,
{
    // SAFETY: the decoder gave this operation an address row, a list of two operand rows and a destination row or none.
    unsafe {
        let o = &*op;
        let mut mask = core.mask(o);
        if mask == 0 {
            return op.add(1);
        }
        let f = conjure::<F>();
        let size = size_of::<M>() as u64;
        let lists = &core.run.program.lists;
        let (b, c) = (
            *core.lanes::<R>(lists[o.b as usize]),
            *core.lanes::<R>(lists[o.b as usize + 1]),
        );
        core.spins += 1;
        let new = |old: M, lane: usize| {
            M::narrow(f(T::of(old.widen()), T::of(b[lane]), T::of(c[lane])).repr())
        };
        let mut old = [R::default(); LANES];
        let local = local_lanes::<S>(core, op, mask);
        let all = mask;
        if local != 0 {
            // Local memory is this thread's alone: any two steps are as good as one.
            let addresses = core.addresses(op);
            let view = core.local;
            for lane in lanes(local) {
                let address = addresses[lane] - window::LOCAL;
                let offset = address.wrapping_sub(view.start);
                let (act, reach, bytes) = (Act::Atomic, Reach::Local, size as u32);
                if address % size != 0 {
                    return core.fault(
                        op,
                        lane,
                        What::Misaligned {
                            act,
                            reach,
                            address,
                            bytes,
                        },
                    );
                }
                if offset >= view.size || size > view.size - offset {
                    return core.fault(
                        op,
                        lane,
                        What::Access {
                            act,
                            reach,
                            generic: true,
                            address,
                            bytes,
                        },
                    );
                }
                let was = read_words::<M>(view.host, lane, address as usize);
                write_words(view.host, lane, address as usize, new(was, lane));
                old[lane] = was.widen();
            }
            mask &= !local;
        }
        if mask != 0 {
            if S::REACH == Reach::Global {
                let bytes = u64::from(mask.count_ones()) * size;
                core.read += bytes;
                core.written += bytes;
            }
            let place = core.locate::<S>(op, Act::Atomic, mask, size);
            for lane in lanes(mask) {
                let at = match &place {
                    Where::Row(host) => host.wrapping_add(lane * size as usize),
                    Where::One(host) => *host,
                    Where::Each(hosts) => hosts[lane],
                    Where::Wrong(lane, what) => return core.fault(op, *lane, what.clone()),
                };
                old[lane] = M::update(at, |old| new(old, lane)).widen();
            }
        }
        if o.d != NOWHERE {
            let d = core.lanes::<R>(o.d);
            if all == FULL {
                *d = old;
            } else {
                for i in 0..LANES {
                    d[i] = old[i].blend(d[i], all >> i & 1 != 0);
                }
            }
        }
        op.add(1)
    }
}

levels!(
    fn atomic_levels = atomic_body<S, M, T, R, F>
    where S: Space, M: Cell + Stored<R>, T: Lane<Repr = R>, R: Repr + Lane<Repr = R>, F: Fn(T, T, T) -> T + Copy
);

/// The handler of an atomic: memory of type `M` becomes `f(old, b, c)`. None: the space has no atomics.
pub(crate) fn atomic<M, T, R, F>(place: Place, _: F) -> Option<Handler>
where
    M: Cell + Stored<R>,
    T: Lane<Repr = R>,
    R: Repr + Lane<Repr = R>,
    F: Fn(T, T, T) -> T + Copy,
{
    Some(match place {
        Place::Global => atomic_levels::<Global, M, T, R, F>(),
        Place::Shared => atomic_levels::<Shared, M, T, R, F>(),
        Place::Generic => atomic_levels::<Generic, M, T, R, F>(),
        _ => return None,
    })
}
