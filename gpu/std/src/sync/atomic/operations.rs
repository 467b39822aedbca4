//! The operations, generic over scope and type.
//!
//! Rust's intrinsics for atomics know orders and no scopes. A function here that has a scope to
//! give therefore calls a marker, `__lanewise_atomic_scope(scope)`; the builder sets that scope on
//! the atomic instructions in the same function, and takes the call out and lets the function be
//! inlined, which it must not be before. The read-modify-write operations have none to give: LLVM
//! 22 writes their `atom` without a scope, which PTX reads as the device. That is right for the
//! device and for the block; for the system see `system`.

use core::intrinsics::{self, AtomicOrdering as Order};
use core::sync::atomic::Ordering;

use super::scope::Scope;
use crate::intrinsics::__lanewise_atomic_scope;

/// A fence of scope `S`; relaxed is none.
#[inline(never)]
pub(crate) fn fence<S: Scope>(order: Ordering) {
    // SAFETY: the builder takes the marker out; a fence only orders.
    unsafe {
        __lanewise_atomic_scope(const { S::NUMBER });
        match order {
            Ordering::Relaxed => {}
            Ordering::Acquire => intrinsics::atomic_fence::<{ Order::Acquire }>(),
            Ordering::Release => intrinsics::atomic_fence::<{ Order::Release }>(),
            Ordering::AcqRel => intrinsics::atomic_fence::<{ Order::AcqRel }>(),
            _ => intrinsics::atomic_fence::<{ Order::SeqCst }>(),
        }
    }
}

/// Puts the fences of `order` around a relaxed operation.
///
/// LLVM 22 makes the same `atom` of every order of `atomicrmw`, so the order has to come from
/// fences.
#[inline(always)]
pub(crate) fn ordered<S: Scope, T>(order: Ordering, operation: impl FnOnce() -> T) -> T {
    match order {
        Ordering::Release | Ordering::AcqRel => fence::<S>(Ordering::Release),
        Ordering::SeqCst => fence::<S>(Ordering::SeqCst),
        _ => {}
    }
    let old = operation();
    match order {
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst => fence::<S>(Ordering::Acquire),
        _ => {}
    }
    old
}

macro_rules! read_modify_write {
    ($($name:ident = $operation:ident::<$($ty:ty),*>;)*) => {
        $(
            /// # Safety
            /// `address` is valid and aligned, and nothing but atomic operations touches it
            /// meanwhile.
            #[inline(always)]
            pub(super) unsafe fn $name<S: Scope, T: Copy>(address: *mut T, value: T, order: Ordering) -> T {
                // SAFETY: the caller says so.
                let relaxed = || unsafe { intrinsics::$operation::<$($ty,)* { Order::Relaxed }>(address, value) };
                ordered::<S, T>(order, relaxed)
            }
        )*
    };
}

read_modify_write! {
    swap = atomic_xchg::<T>;
    add = atomic_xadd::<T, T>;
    sub = atomic_xsub::<T, T>;
    and = atomic_and::<T, T>;
    or = atomic_or::<T, T>;
    xor = atomic_xor::<T, T>;
    max = atomic_max::<T>;
    min = atomic_min::<T>;
    umax = atomic_umax::<T>;
    umin = atomic_umin::<T>;
}

/// A load; an order with a release in it means its acquire.
///
/// # Safety
/// As for the operations above.
#[inline(never)]
pub(super) unsafe fn load<S: Scope, T: Copy>(address: *const T, order: Ordering) -> T {
    // SAFETY: the builder takes the marker out; the rest the caller says.
    unsafe {
        __lanewise_atomic_scope(const { S::NUMBER });
        match order {
            Ordering::Relaxed | Ordering::Release => {
                intrinsics::atomic_load::<T, { Order::Relaxed }>(address)
            }
            Ordering::Acquire | Ordering::AcqRel => {
                intrinsics::atomic_load::<T, { Order::Acquire }>(address)
            }
            _ => intrinsics::atomic_load::<T, { Order::SeqCst }>(address),
        }
    }
}

/// A store; an order with an acquire in it means its release.
///
/// # Safety
/// As for the operations above.
#[inline(never)]
pub(super) unsafe fn store<S: Scope, T: Copy>(address: *mut T, value: T, order: Ordering) {
    // SAFETY: the builder takes the marker out; the rest the caller says.
    unsafe {
        __lanewise_atomic_scope(const { S::NUMBER });
        match order {
            Ordering::Relaxed | Ordering::Acquire => {
                intrinsics::atomic_store::<T, { Order::Relaxed }>(address, value)
            }
            Ordering::Release | Ordering::AcqRel => {
                intrinsics::atomic_store::<T, { Order::Release }>(address, value)
            }
            _ => intrinsics::atomic_store::<T, { Order::SeqCst }>(address, value),
        }
    }
}

/// Stores `new` if the value is `current`; the value that was there, and whether it was `current`.
/// The orders are those of success and failure.
///
/// # Safety
/// As for the operations above.
#[inline(never)]
pub(super) unsafe fn compare_exchange<S: Scope, T: Copy>(
    address: *mut T,
    current: T,
    new: T,
    (success, failure): (Ordering, Ordering),
) -> (T, bool) {
    macro_rules! exchange {
        ($success:ident, $failure:ident) => {
            intrinsics::atomic_cxchg::<T, { Order::$success }, { Order::$failure }>(
                address, current, new,
            )
        };
        ($success:ident) => {
            match failure {
                Ordering::Relaxed | Ordering::Release => exchange!($success, Relaxed),
                Ordering::Acquire | Ordering::AcqRel => exchange!($success, Acquire),
                _ => exchange!($success, SeqCst),
            }
        };
    }
    // SAFETY: the builder takes the marker out; the rest the caller says.
    unsafe {
        __lanewise_atomic_scope(const { S::NUMBER });
        match success {
            Ordering::Relaxed => exchange!(Relaxed),
            Ordering::Release => exchange!(Release),
            Ordering::Acquire => exchange!(Acquire),
            Ordering::AcqRel => exchange!(AcqRel),
            _ => exchange!(SeqCst),
        }
    }
}
