//! Types that a kernel takes by value.

use core::num::NonZero;

use super::fingerprint;

/// A type that a kernel takes by value: its bytes mean the same on the host and on the device.
///
/// A type without bytes, such as `[u8; 0]` or a marker struct, becomes no parameter of the PTX.
/// Such a type must not have an alignment above 1:
///
/// ```compile_fail,E0080
/// #[lanewise_macros::kernel]
/// pub fn weigh(weights: [f32; 0]) {}
/// ```
///
/// # Safety
/// The type has the same layout on both sides (a primitive, or `#[repr(C)]` of such), and
/// holds no reference.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    note = "a kernel takes `&[T]`, `DisjointSlice<T>`, `DisjointMatrix<T>`, `PerBlock<T>`, `RowPerBlock<T>`, `GlobalMut<T>`, numbers, `bool`, raw pointers and arrays of these",
    note = "text and collections go in a slice: `&[u64]`, `&[u8]`",
    note = "a type of your own is one with `#[derive(Clone, Copy, lanewise_macros::Value)]` and `#[repr(C)]`"
)]
pub unsafe trait Value: Copy + 'static {
    /// Compiles only if the type keeps its promises. It is for checks that depend on the values
    /// of generic parameters.
    #[doc(hidden)]
    const CHECKED: () = ();
    /// Whether the type is itself an address. The host passes a buffer for an address, so that no
    /// address of host memory is passed.
    #[doc(hidden)]
    const IS_ADDRESS: bool = false;
    /// The fingerprint of the type's layout: see [`layout`](super::layout).
    #[doc(hidden)]
    const LAYOUT: u64 = fingerprint::of_size::<Self>();
}

/// Implements what the host requires of elements for types that are numbers without padding, for
/// which any bits are valid.
macro_rules! plain_numbers {
    ($($ty:ty)*) => {$(
        // SAFETY: the type is numbers.
        #[cfg(not(target_arch = "nvptx64"))]
        unsafe impl crate::kernel::DeviceCopy for $ty {}
        // SAFETY: the type is numbers without padding, for which any bits are valid.
        #[cfg(not(target_arch = "nvptx64"))]
        unsafe impl crate::kernel::Zeroable for $ty {}
        // SAFETY: as above.
        #[cfg(not(target_arch = "nvptx64"))]
        unsafe impl crate::kernel::Pod for $ty {}
    )*};
}
pub(crate) use plain_numbers;

macro_rules! values {
    ($($ty:ty)*) => {
        $(
            // SAFETY: the type is a primitive, with the same layout on the host and on the device.
            unsafe impl Value for $ty {
                const LAYOUT: u64 = fingerprint::text(fingerprint::START, stringify!($ty));
            }
        )*
    };
}

values! { bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }

macro_rules! non_zero {
    ($($ty:ty)*) => {
        $(
            // SAFETY: the type is a primitive that is not zero.
            unsafe impl Value for NonZero<$ty> {
                const LAYOUT: u64 = fingerprint::text(<$ty>::LAYOUT, "not zero");
            }
            // SAFETY: Rust guarantees that zero represents `None`.
            unsafe impl Value for Option<NonZero<$ty>> {
                const LAYOUT: u64 = fingerprint::text(<$ty>::LAYOUT, "or none");
            }
        )*
    };
}

non_zero! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

// SAFETY: an address has 64 bits on the host and on the device. Code that dereferences
// it is `unsafe`.
unsafe impl<T: 'static> Value for *const T {
    const IS_ADDRESS: bool = true;
}
// SAFETY: as for `*const T`.
unsafe impl<T: 'static> Value for *mut T {
    const IS_ADDRESS: bool = true;
}
// SAFETY: an array consists of its elements, one after another.
unsafe impl<T: Value, const N: usize> Value for [T; N] {
    const IS_ADDRESS: bool = T::IS_ADDRESS;
    const LAYOUT: u64 = fingerprint::number(T::LAYOUT, N as u64);
}

/// Compiles only if `T` may be passed by value. `#[kernel]` generates a call for
/// each such parameter.
#[doc(hidden)]
pub const fn assert_value<T: Value>() {
    const {
        let () = T::CHECKED;
        assert!(
            size_of::<T>() > 0 || align_of::<T>() == 1,
            "a parameter without bytes can't be aligned: it is no parameter of the PTX"
        );
    }
}
