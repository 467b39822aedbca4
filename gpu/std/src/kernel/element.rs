//! Whether the elements of a `&[T]` are plain values, or cells that threads can write through `&`.
//!
//! Nothing writes a slice of plain values while a kernel runs, so its loads go through the
//! read-only cache. A slice of cells (atomics, `Cell`, `UnsafeCell`, or a struct that contains one
//! of these) may be written through `&`, so its loads do not. A type that is `Copy` contains no
//! cell, which is how `#[kernel]` tells the two apart.

use core::cell::{Cell, UnsafeCell};
use core::marker::PhantomData;
use core::sync::atomic;

/// Contains whether slices of the type are read-only, if `T` is `Copy`. For other types,
/// [`HoldsCells`] supplies the constant.
#[doc(hidden)]
pub struct Element<T>(PhantomData<T>);

impl<T: Copy> Element<T> {
    /// Nothing in a `Copy` type can be written through `&`.
    pub const IS_READ_ONLY: bool = true;
}

/// Contains whether threads may share the type, if `T` is `Sync`. For other types, [`HoldsCells`]
/// supplies the constant.
#[doc(hidden)]
pub struct Shared<T>(PhantomData<T>);

impl<T: Sync> Shared<T> {
    /// The type is `Sync`, so threads may share it.
    pub const IS_SYNC: bool = true;
}

/// The constants for types whose [`Element`] or [`Shared`] has no constant of its own. An inherent
/// constant takes precedence over these.
#[doc(hidden)]
pub trait HoldsCells {
    /// The type may contain cells.
    const IS_READ_ONLY: bool = false;
    /// The type is not known to be `Sync`.
    const IS_SYNC: bool = false;
}

impl<T> HoldsCells for Element<T> {}
impl<T> HoldsCells for Shared<T> {}

/// A type that threads write through `&`. For `&[Self]`, the host passes a buffer of plain values,
/// borrowed as `&mut`.
///
/// It works like `AtomicU32::from_mut` for a buffer: while the launch borrows the buffer, no other
/// code can read or write the values.
///
/// # Safety
/// The type has the layout of `Value`. Every `Value` is a valid value of the type, and every value
/// of the type is a valid `Value`.
pub unsafe trait SharedCell {
    /// The type of the values that the host's buffer holds.
    type Value: Copy + 'static;
}

// SAFETY: the type is `repr(transparent)`, so the layouts are equal.
unsafe impl<T: Copy + 'static> SharedCell for Cell<T> {
    type Value = T;
}
// SAFETY: the type is `repr(transparent)`, so the layouts are equal.
unsafe impl<T: Copy + 'static> SharedCell for UnsafeCell<T> {
    type Value = T;
}
// SAFETY: an array consists of its elements, one after another.
unsafe impl<T: SharedCell, const N: usize> SharedCell for [T; N] {
    type Value = [T::Value; N];
}

macro_rules! cells {
    ($($cell:ty: $value:ty;)*) => {
        $(
            // SAFETY: the documentation of the atomic says that it has the layout of its number,
            // and every number is valid.
            unsafe impl SharedCell for $cell {
                type Value = $value;
            }
        )*
    };
}

cells! {
    atomic::AtomicI8: i8;
    atomic::AtomicI16: i16;
    atomic::AtomicI32: i32;
    atomic::AtomicI64: i64;
    atomic::AtomicIsize: isize;
    atomic::AtomicU8: u8;
    atomic::AtomicU16: u16;
    atomic::AtomicU32: u32;
    atomic::AtomicU64: u64;
    atomic::AtomicUsize: usize;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic::DeviceAtomicU64;

    #[allow(dead_code)]
    struct Slot {
        count: atomic::AtomicU32,
        key: u32,
    }

    #[test]
    fn a_type_with_a_cell_in_it_is_not_read_only() {
        const { assert!(<Element<f32>>::IS_READ_ONLY && <Element<[u64; 3]>>::IS_READ_ONLY) };
        const { assert!(<Element<*const f32>>::IS_READ_ONLY) };
        const { assert!(!<Element<Cell<u64>>>::IS_READ_ONLY && !<Element<Slot>>::IS_READ_ONLY) };
        const { assert!(!<Element<DeviceAtomicU64>>::IS_READ_ONLY) };
        const { assert!(!<Element<[atomic::AtomicU32; 4]>>::IS_READ_ONLY) };
    }

    #[test]
    fn threads_share_atomics_and_not_cells() {
        const { assert!(<Shared<Slot>>::IS_SYNC && <Shared<DeviceAtomicU64>>::IS_SYNC) };
        const { assert!(!<Shared<Cell<u64>>>::IS_SYNC) };
    }
}
