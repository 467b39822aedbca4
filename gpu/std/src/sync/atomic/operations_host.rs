//! The atomic operations on the host. Kernels are type-checked against them, and they
//! are never executed.

#![expect(
    clippy::extra_unused_type_parameters,
    reason = "the functions of the device, whose names these are, use it"
)]

use core::sync::atomic::Ordering;

use crate::scope::Scope;

pub(crate) fn fence<S: Scope>(_: Ordering) {
    crate::device_only("fence")
}

/// Panics: atomics are instructions of the device.
pub fn ordered<S: Scope, T>(_: Ordering, _: impl FnOnce() -> T) -> T {
    crate::device_only("atom")
}

macro_rules! read_modify_write {
    ($($name:ident)*) => {
        $(
            pub(super) unsafe fn $name<S: Scope, T: Copy>(_: *mut T, _: T, _: Ordering) -> T {
                crate::device_only("atom")
            }
        )*
    };
}

read_modify_write! { swap add sub and or xor max min umax umin }

pub(super) unsafe fn load<S: Scope, T: Copy>(_: *const T, _: Ordering) -> T {
    crate::device_only("ld")
}

pub(super) unsafe fn store<S: Scope, T: Copy>(_: *mut T, _: T, _: Ordering) {
    crate::device_only("st")
}

pub(super) unsafe fn compare_exchange<S: Scope, T: Copy>(
    _: *mut T,
    _: T,
    _: T,
    _: (Ordering, Ordering),
) -> (T, bool) {
    crate::device_only("atom.cas")
}
