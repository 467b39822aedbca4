//! What a kernel takes by value.

/// A type that a kernel takes by value: its bytes mean the same on the host and on the device.
///
/// # Safety
/// The type has the same layout on both sides (a primitive, or `#[repr(C)]` of such), and holds no reference.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    note = "a kernel takes `&[T]`, `DisjointSlice<T>`, `GlobalMut<T>`, numbers, `bool`, raw pointers and arrays of these",
    note = "wider integers, text and collections go in a slice: `&[u64]`, `&[u8]`",
    note = "a structure of your own that is `Copy` and `#[repr(C)]` can be one: `unsafe impl lanewise_std::kernel::Value` for it"
)]
pub unsafe trait Value: Copy + 'static {}

macro_rules! values {
    ($($ty:ty)*) => {
        $(
            // SAFETY: a primitive.
            unsafe impl Value for $ty {}
        )*
    };
}

values! { bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }

// SAFETY: an address has 64 bits on both sides; whoever follows it answers for what is there.
unsafe impl<T: 'static> Value for *const T {}
// SAFETY: as for `*const T`.
unsafe impl<T: 'static> Value for *mut T {}
// SAFETY: an array is its elements, one after another.
unsafe impl<T: Value, const N: usize> Value for [T; N] {}

/// Compiles if `T` may be passed by value; `#[kernel]` writes a call for each such parameter.
#[doc(hidden)]
pub const fn assert_value<T: Value>() {}
