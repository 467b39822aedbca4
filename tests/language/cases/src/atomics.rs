//! `core::sync::atomic`: every type, operation and order. Each thread has its own, so that results
//! are the same on both sides; that threads may share them, other tests say.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use core::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8,
    AtomicU16, AtomicU32, AtomicU64, AtomicUsize, compiler_fence, fence,
};

use crate::{Out, Random};

crate::case::subject! {
    /// Atomics of every type, and every order.
    atomics: of_u8, of_u16, of_u32, of_u64, of_usize, of_i8, of_i16, of_i32, of_i64, of_isize, of_bool, of_pointers, orders_of_loads,
    orders_of_exchanges, fences, updates, spin_lock, from_references, in_statics
}

macro_rules! integers {
    ($($case:ident: $atomic:ident, $ty:ident;)*) => {$(
        fn $case(random: &mut Random, out: &mut Out<'_>) {
            let (a, b, c) = (random.$ty(), random.$ty(), random.$ty());
            let atomic = $atomic::new(a);
            out.put([atomic.load(SeqCst), atomic.fetch_add(b, SeqCst), atomic.fetch_sub(c, AcqRel)]);
            out.put([atomic.fetch_and(b, Acquire), atomic.fetch_or(c, Release), atomic.fetch_xor(a, Relaxed)]);
            out.put([atomic.fetch_nand(c, SeqCst), atomic.fetch_max(b, AcqRel), atomic.fetch_min(c, Relaxed)]);
            out.put(atomic.swap(a, AcqRel));
            out.put(atomic.compare_exchange(a, b, SeqCst, Relaxed));
            out.put(atomic.compare_exchange(c, a, AcqRel, Acquire));
            atomic.store(c, Release);
            out.put(atomic.into_inner());
        }
    )*};
}

integers! {
    of_u8: AtomicU8, u8;
    of_u16: AtomicU16, u16;
    of_u32: AtomicU32, u32;
    of_u64: AtomicU64, u64;
    of_usize: AtomicUsize, usize;
    of_i8: AtomicI8, i8;
    of_i16: AtomicI16, i16;
    of_i32: AtomicI32, i32;
    of_i64: AtomicI64, i64;
    of_isize: AtomicIsize, isize;
}

fn of_bool(random: &mut Random, out: &mut Out<'_>) {
    let atomic = AtomicBool::new(random.bool());
    out.put([
        atomic.fetch_and(random.bool(), SeqCst),
        atomic.fetch_or(random.bool(), AcqRel),
    ]);
    out.put([
        atomic.fetch_xor(random.bool(), Relaxed),
        atomic.fetch_nand(random.bool(), SeqCst),
    ]);
    out.put([
        atomic.fetch_not(SeqCst),
        atomic.swap(true, Acquire),
        atomic.load(Relaxed),
    ]);
    out.put(atomic.compare_exchange(true, false, AcqRel, Relaxed));
}

fn of_pointers(random: &mut Random, out: &mut Out<'_>) {
    let mut values: [u32; 4] = random.array(Random::u32);
    let (i, j) = (random.below(4), random.below(4));
    let start = values.as_mut_ptr();
    let atomic = AtomicPtr::new(start.wrapping_add(i));
    let old = atomic.swap(start.wrapping_add(j), AcqRel);
    // SAFETY: both point into the array.
    out.put(unsafe { [*old, *atomic.load(Acquire)] });
    out.put(
        atomic
            .compare_exchange(start, core::ptr::null_mut(), SeqCst, SeqCst)
            .is_ok(),
    );
    out.put(atomic.load(Relaxed).is_null());
}

fn orders_of_loads(random: &mut Random, out: &mut Out<'_>) {
    let atomic = AtomicU32::new(random.u32());
    out.put([Relaxed, Acquire, SeqCst].map(|order| atomic.load(order)));
    for order in [Relaxed, Release, SeqCst] {
        atomic.store(random.u32(), order);
        out.put(atomic.load(SeqCst));
    }
}

fn orders_of_exchanges(random: &mut Random, out: &mut Out<'_>) {
    let atomic = AtomicU64::new(random.u64() & 3);
    for success in [Relaxed, Acquire, Release, AcqRel, SeqCst] {
        for failure in [Relaxed, Acquire, SeqCst] {
            out.put(
                atomic
                    .compare_exchange(random.u64() & 3, random.u64() & 3, success, failure)
                    .is_ok(),
            );
        }
    }
    out.put(atomic.load(SeqCst));
    for order in [Relaxed, Acquire, Release, AcqRel, SeqCst] {
        out.put(atomic.fetch_add(random.u64(), order));
    }
}

fn fences(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (AtomicU32::new(random.u32()), AtomicU32::new(0));
    for order in [Acquire, Release, AcqRel, SeqCst] {
        b.store(a.load(Relaxed) ^ 1, Relaxed);
        fence(order);
        compiler_fence(order);
        a.store(b.load(Relaxed).rotate_left(3), Relaxed);
    }
    out.put([a.into_inner(), b.into_inner()]);
}

fn updates(random: &mut Random, out: &mut Out<'_>) {
    let atomic = AtomicI32::new(random.i32());
    out.put(atomic.fetch_update(SeqCst, Relaxed, |n| n.checked_mul(3)));
    out.put(atomic.load(SeqCst));
    let mut now = atomic.load(Relaxed);
    // A weak exchange may fail for no reason, so it is tried until it does not.
    while let Err(other) = atomic.compare_exchange_weak(now, now ^ 0x55, AcqRel, Relaxed) {
        now = other;
    }
    out.put(atomic.into_inner());
}

fn spin_lock(random: &mut Random, out: &mut Out<'_>) {
    struct Lock(AtomicBool);
    struct Guard<'a>(&'a Lock);
    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            self.0.0.store(false, Release);
        }
    }
    impl Lock {
        fn lock(&self) -> Guard<'_> {
            while self
                .0
                .compare_exchange(false, true, Acquire, Relaxed)
                .is_err()
            {
                core::hint::spin_loop();
            }
            Guard(self)
        }
    }
    let lock = Lock(AtomicBool::new(false));
    let mut sum = 0u32;
    for _ in 0..random.below(5) {
        let _guard = lock.lock();
        sum = sum.wrapping_add(random.u32());
    }
    out.put((sum, lock.0.load(SeqCst)));
}

fn from_references(random: &mut Random, out: &mut Out<'_>) {
    let mut plain = random.u32();
    // SAFETY: nothing else refers to it meanwhile.
    let atomic = unsafe { AtomicU32::from_ptr(&raw mut plain) };
    atomic.fetch_add(random.u32(), SeqCst);
    let mut owned = AtomicU16::new(random.u16());
    *owned.get_mut() ^= 0x0ff0;
    out.put((plain, owned.into_inner()));
}

// All threads and cases share it, so that only what holds for all of them can be told.
fn in_statics(random: &mut Random, out: &mut Out<'_>) {
    static HIGHEST: AtomicU64 = AtomicU64::new(0);
    let mine = u64::from(random.u32());
    let before = HIGHEST.fetch_max(mine, SeqCst);
    let after = HIGHEST.load(SeqCst);
    out.put([after >= mine, after >= before]);
}
