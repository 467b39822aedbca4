//! The atomic operations, generic over scope and type.
//!
//! Rust's intrinsics for atomics have orders but no scopes. So a function with a scope calls a
//! marker, `__lanewise_atomic_scope(scope)`. The builder sets that scope on the atomic instructions
//! in the same function. Then it removes the call and allows the function to be inlined. The
//! function must not be inlined before that. The read-modify-write operations have no marker: LLVM
//! 22 writes their `atom` without a scope, which means device scope in PTX. That is correct for the
//! device and for the block. For the system see `system`.

use core::intrinsics::{self, AtomicOrdering as Order};
use core::sync::atomic::Ordering;

use crate::intrinsics::__lanewise_atomic_scope;
use crate::scope::Scope;

/// Executes a fence of scope `S`. A relaxed fence does nothing.
#[inline(never)]
pub(crate) fn fence<S: Scope>(order: Ordering) {
    // SAFETY: the builder removes the marker, and a fence accesses no memory.
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

/// Performs a relaxed operation between the fences that `order` needs.
///
/// LLVM 22 makes the same `atom` from every order of `atomicrmw`, so fences have to
/// establish the order.
#[inline(always)]
pub fn ordered<S: Scope, T>(order: Ordering, operation: impl FnOnce() -> T) -> T {
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
            /// `address` is valid and aligned, and only atomic operations access it at
            /// the same time.
            #[inline(always)]
            pub(super) unsafe fn $name<S: Scope, T: Copy>(address: *mut T, value: T, order: Ordering) -> T {
                // SAFETY: the caller promises that the address is valid and used by atomics only.
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

/// Loads the value. `Release` counts as `Relaxed`, and `AcqRel` as `Acquire`.
///
/// # Safety
/// As for the operations above.
#[inline(never)]
pub(super) unsafe fn load<S: Scope, T: Copy>(address: *const T, order: Ordering) -> T {
    // SAFETY: the builder removes the marker; the caller promises that the address is valid.
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

/// Stores the value. `Acquire` counts as `Relaxed`, and `AcqRel` as `Release`.
///
/// # Safety
/// As for the operations above.
#[inline(never)]
pub(super) unsafe fn store<S: Scope, T: Copy>(address: *mut T, value: T, order: Ordering) {
    // SAFETY: the builder removes the marker; the caller promises that the address is valid.
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

/// Stores `new` if the value is `current`. Returns the previous value, and whether it was
/// `current`. The orders are those of success and failure.
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
    // SAFETY: the builder removes the marker; the caller promises that the address is valid.
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
