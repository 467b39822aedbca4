//! The read-modify-write operations of system scope, which LLVM cannot generate; see `operations`.

use core::arch::asm;
use core::sync::atomic::Ordering;

use super::operations::ordered;
use crate::scope::Scope;

pub(super) use super::operations::{compare_exchange, load, store};

/// A number on which `atom.sys` operates.
pub(super) trait Word: Copy {
    unsafe fn swap(address: *mut Self, value: Self) -> Self;
    unsafe fn add(address: *mut Self, value: Self) -> Self;
    unsafe fn sub(address: *mut Self, value: Self) -> Self;
    unsafe fn and(address: *mut Self, value: Self) -> Self;
    unsafe fn or(address: *mut Self, value: Self) -> Self;
    unsafe fn xor(address: *mut Self, value: Self) -> Self;
    unsafe fn max(address: *mut Self, value: Self) -> Self;
    unsafe fn min(address: *mut Self, value: Self) -> Self;
}

macro_rules! atom {
    ($register:ident, $instruction:expr, $address:expr, $value:expr) => {{
        let old;
        // SAFETY: the caller promises that the address is valid, aligned, and used by atomics only.
        unsafe {
            asm!(
                concat!("atom.relaxed.sys.", $instruction, " {old}, [{address}], {value};"),
                old = lateout($register) old,
                address = in(reg64) $address,
                value = in($register) $value,
                options(nostack, preserves_flags),
            );
        }
        old
    }};
}

macro_rules! words {
    ($($ty:ident $register:ident: $bits:literal $number:literal $sum:literal;)*) => {
        $(
            impl Word for $ty {
                #[inline(always)]
                unsafe fn swap(address: *mut Self, value: Self) -> Self {
                    atom!($register, concat!("exch.", $bits), address, value)
                }
                #[inline(always)]
                unsafe fn add(address: *mut Self, value: Self) -> Self {
                    atom!($register, concat!("add.", $sum), address, value)
                }
                #[inline(always)]
                unsafe fn sub(address: *mut Self, value: Self) -> Self {
                    atom!($register, concat!("add.", $sum), address, value.wrapping_neg())
                }
                #[inline(always)]
                unsafe fn and(address: *mut Self, value: Self) -> Self {
                    atom!($register, concat!("and.", $bits), address, value)
                }
                #[inline(always)]
                unsafe fn or(address: *mut Self, value: Self) -> Self {
                    atom!($register, concat!("or.", $bits), address, value)
                }
                #[inline(always)]
                unsafe fn xor(address: *mut Self, value: Self) -> Self {
                    atom!($register, concat!("xor.", $bits), address, value)
                }
                #[inline(always)]
                unsafe fn max(address: *mut Self, value: Self) -> Self {
                    atom!($register, concat!("max.", $number), address, value)
                }
                #[inline(always)]
                unsafe fn min(address: *mut Self, value: Self) -> Self {
                    atom!($register, concat!("min.", $number), address, value)
                }
            }
        )*
    };
}

words! {
    u32 reg32: "b32" "u32" "u32";
    i32 reg32: "b32" "s32" "s32";
    u64 reg64: "b64" "u64" "u64";
    i64 reg64: "b64" "s64" "u64";
}

macro_rules! read_modify_write {
    ($($name:ident = $operation:ident;)*) => {
        $(
            /// # Safety
            /// As in `operations`.
            #[inline(always)]
            pub(super) unsafe fn $name<S: Scope, T: Word>(address: *mut T, value: T, order: Ordering) -> T {
                // SAFETY: the caller promises that the address is valid and used by atomics only.
                ordered::<S, T>(order, || unsafe { T::$operation(address, value) })
            }
        )*
    };
}

read_modify_write! {
    swap = swap;
    add = add;
    sub = sub;
    and = and;
    or = or;
    xor = xor;
    max = max;
    min = min;
    umax = max;
    umin = min;
}

/// Adds to a float, and returns the previous value.
///
/// # Safety
/// As in `operations`.
#[inline(always)]
pub(super) unsafe fn add_f32(address: *mut f32, value: f32) -> f32 {
    atom!(reg32, "add.f32", address, value)
}

/// Adds to a float, and returns the previous value.
///
/// # Safety
/// As in `operations`.
#[inline(always)]
pub(super) unsafe fn add_f64(address: *mut f64, value: f64) -> f64 {
    atom!(reg64, "add.f64", address, value)
}
