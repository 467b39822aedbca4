//! What a kernel takes by value.

use core::num::NonZero;

use super::fingerprint;

/// A type that a kernel takes by value: its bytes mean the same on the host and on the device.
///
/// What has no bytes, as `[u8; 0]` or a structure that only marks, is no parameter of the PTX, and
/// aligns none:
///
/// ```compile_fail,E0080
/// #[lanewise_macros::kernel]
/// pub fn weigh(weights: [f32; 0]) {}
/// ```
///
/// # Safety
/// The type has the same layout on both sides (a primitive, or `#[repr(C)]` of such), and holds no
/// reference.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    note = "a kernel takes `&[T]`, `DisjointSlice<T>`, `DisjointMatrix<T>`, `PerBlock<T>`, `RowPerBlock<T>`, `GlobalMut<T>`, numbers, `bool`, raw pointers and arrays of these",
    note = "text and collections go in a slice: `&[u64]`, `&[u8]`",
    note = "a type of your own is one with `#[derive(Clone, Copy, lanewise_macros::Value)]` and `#[repr(C)]`"
)]
pub unsafe trait Value: Copy + 'static {
    /// Compiles if the type is what it promises; for what the compiler learns late, with the values
    /// of generic parameters.
    #[doc(hidden)]
    const CHECKED: () = ();
    /// Whether it is an address by itself: the host passes a buffer for one, so that nobody passes
    /// one of the host's.
    #[doc(hidden)]
    const IS_ADDRESS: bool = false;
    /// What the type is made of, as a number: see [`layout`](super::layout).
    #[doc(hidden)]
    const LAYOUT: u64 = fingerprint::of_size::<Self>();
}

macro_rules! values {
    ($($ty:ty)*) => {
        $(
            // SAFETY: a primitive.
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
            // SAFETY: a primitive that is not zero.
            unsafe impl Value for NonZero<$ty> {
                const LAYOUT: u64 = fingerprint::text(<$ty>::LAYOUT, "not zero");
            }
            // SAFETY: the language promises that zero is `None`.
            unsafe impl Value for Option<NonZero<$ty>> {
                const LAYOUT: u64 = fingerprint::text(<$ty>::LAYOUT, "or none");
            }
        )*
    };
}

non_zero! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

// SAFETY: an address has 64 bits on both sides; whoever follows it answers for what is there.
unsafe impl<T: 'static> Value for *const T {
    const IS_ADDRESS: bool = true;
}
// SAFETY: as for `*const T`.
unsafe impl<T: 'static> Value for *mut T {
    const IS_ADDRESS: bool = true;
}
// SAFETY: an array is its elements, one after another.
unsafe impl<T: Value, const N: usize> Value for [T; N] {
    const IS_ADDRESS: bool = T::IS_ADDRESS;
    const LAYOUT: u64 = fingerprint::number(T::LAYOUT, N as u64);
}

/// Compiles if `T` may be passed by value; `#[kernel]` writes a call for each such parameter.
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
