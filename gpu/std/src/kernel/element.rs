//! What the elements of a `&[T]` are: plain values, or cells that threads write through.
//!
//! Nothing writes a slice of plain values while a kernel runs, so its loads go through the
//! read-only cache. A slice of cells (atomics, `Cell`, `UnsafeCell`, or a struct that contains one
//! of these) may be written through `&`, so its loads do not. A type that is `Copy` contains no
//! cell, which is how `#[kernel]` tells the two apart.

use core::cell::{Cell, UnsafeCell};
use core::marker::PhantomData;
use core::sync::atomic;

use super::fingerprint::digits;

/// Answers for one type whether slices of it are read-only; [`HoldsCells`] has the answer for the
/// others.
#[doc(hidden)]
pub struct Element<T>(PhantomData<T>);

impl<T: Copy> Element<T> {
    /// Nothing in a `Copy` type can be written through `&`.
    pub const IS_READ_ONLY: bool = true;
}

/// Answers for one type whether threads may share it; [`HoldsCells`] has the answer for the others.
#[doc(hidden)]
pub struct Shared<T>(PhantomData<T>);

impl<T: Sync> Shared<T> {
    /// As the type says.
    pub const IS_SYNC: bool = true;
}

/// The answers for types of which [`Element`] and [`Shared`] know nothing: their own constants go
/// before these.
#[doc(hidden)]
pub trait HoldsCells {
    /// There may be cells in it.
    const IS_READ_ONLY: bool = false;
    /// It does not say that threads may share it.
    const IS_SYNC: bool = false;
}

impl<T> HoldsCells for Element<T> {}
impl<T> HoldsCells for Shared<T> {}

/// The description of a kernel with these words where they begin, in bytes, and a number of 16
/// digits where `layout` says: what `#[kernel]` can't know.
#[doc(hidden)]
#[must_use]
pub const fn describe<const LENGTH: usize>(
    mut text: [u8; LENGTH],
    words: &[(usize, &str)],
    (start, layout): (usize, u64),
) -> [u8; LENGTH] {
    let (digits, mut digit) = (digits(layout), 0);
    while digit < 16 {
        text[start + digit] = digits[digit];
        digit += 1;
    }
    let mut number = 0;
    while number < words.len() {
        let (start, word) = words[number];
        let mut at = 0;
        while at < word.len() {
            text[start + at] = word.as_bytes()[at];
            at += 1;
        }
        number += 1;
    }
    text
}

/// A type that threads write through `&`: what the host passes for `&[Self]` is a buffer of plain
/// values, lent as `&mut`.
///
/// It is `AtomicU32::from_mut` for a buffer: while the launch has it, nothing else can read or
/// write the values.
///
/// # Safety
/// The type has the layout of `Value`, every `Value` is a valid one of it, and every one of it is
/// left a valid `Value`.
pub unsafe trait SharedCell {
    /// The type of the values that the host's buffer holds.
    type Value: Copy + 'static;
}

// SAFETY: `repr(transparent)`.
unsafe impl<T: Copy + 'static> SharedCell for Cell<T> {
    type Value = T;
}
// SAFETY: `repr(transparent)`.
unsafe impl<T: Copy + 'static> SharedCell for UnsafeCell<T> {
    type Value = T;
}
// SAFETY: an array is its elements, one after another.
unsafe impl<T: SharedCell, const N: usize> SharedCell for [T; N] {
    type Value = [T::Value; N];
}

macro_rules! cells {
    ($($cell:ty: $value:ty;)*) => {
        $(
            // SAFETY: the documentation of the atomic says that it has the layout of its number,
            // and every number is valid.
            unsafe impl $crate::kernel::SharedCell for $cell {
                type Value = $value;
            }
        )*
    };
}

pub(crate) use cells;

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

    #[test]
    fn a_description_has_its_words_and_its_number() {
        let text = *b"read_slice,value 0000000000000000";
        let number = (17, 0x0123_4567_89ab_cdef);
        assert_eq!(
            &describe(text, &[(0, "cell_slice"), (11, "value")], number),
            b"cell_slice,value 0123456789abcdef"
        );
        assert_eq!(
            &describe(text, &[(11, "empty")], number),
            b"read_slice,empty 0123456789abcdef"
        );
    }
}
