//! Two or four numbers that one instruction loads or stores: CUDA's `float4` and similar types.
//!
//! A vector is aligned to its size, so that a copy of one is one `ld.v4` or `st.v4`. A kernel takes
//! a slice of them (`&[Float4]`) or writes them (`DisjointSlice<Float4>`); for both, the host can
//! pass a buffer of numbers by `as_vectors` and `as_vectors_mut`. A kernel that takes numbers sees
//! them as vectors by [`vectors_of`], and outputs by
//! [`DisjointSlice::into_vectors`](crate::DisjointSlice::into_vectors) and
//! [`GlobalMut::vectors`](crate::GlobalMut::vectors). Lanes exchange them by shuffles, and a
//! [`SharedTile`](crate::SharedTile) may have cells of them. CUDA C++ Programming Guide, "Built-in
//! Vector Types"; PTX ISA, "ld", "st".

use crate::kernel::Value;
use crate::warp::Shuffle;

/// Numbers that one instruction loads or stores: [`Float4`] and similar types, and [`Sixteen`].
///
/// # Safety
/// The type consists of exactly `LANES` elements, one after another. Its alignment is a
/// multiple of theirs.
pub unsafe trait Vector: Value {
    /// The type of its numbers.
    type Element: Value;
    /// The number of elements.
    const LANES: usize;
}

macro_rules! vectors {
    ($($(#[$doc:meta])* $name:ident = $ty:ident, $align:literal, $lanes:literal: $($field:ident)*;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            #[repr(C, align($align))]
            pub struct $name {
                $(
                    #[allow(missing_docs)]
                    pub $field: $ty,
                )*
            }

            impl $name {
                /// Makes the vector of these numbers, with the first at the lowest address.
                #[inline(always)]
                #[must_use]
                pub const fn new($($field: $ty),*) -> Self {
                    Self { $($field),* }
                }

                /// Makes the vector whose elements are all `value`.
                #[inline(always)]
                #[must_use]
                pub const fn splat(value: $ty) -> Self {
                    Self { $($field: value),* }
                }
            }

            impl From<[$ty; $lanes]> for $name {
                #[inline(always)]
                fn from([$($field),*]: [$ty; $lanes]) -> Self {
                    Self { $($field),* }
                }
            }

            impl From<$name> for [$ty; $lanes] {
                #[inline(always)]
                fn from($name { $($field),* }: $name) -> Self {
                    [$($field),*]
                }
            }

            // SAFETY: the type is numbers one after another. Its size equals its alignment, so it
            // has no padding.
            unsafe impl Value for $name {
                const LAYOUT: u64 = crate::kernel::layout::named(stringify!($name));
                const CHECKED: () = assert!(size_of::<$name>() == $align && size_of::<$name>() == $lanes * size_of::<$ty>());
            }
            // SAFETY: as above.
            unsafe impl Vector for $name {
                type Element = $ty;
                const LANES: usize = $lanes;
            }
            // SAFETY: the vector has as many words as its elements together; any bits are numbers.
            unsafe impl Shuffle for $name {
                #[inline]
                fn map(self, exchange: impl Fn(u32) -> u32) -> Self {
                    Shuffle::map(<[$ty; $lanes]>::from(self), exchange).into()
                }
            }
            crate::kernel::plain_numbers! { $name }
        )*
    };
}

vectors! {
    /// What CUDA C++ calls `float2`.
    Float2 = f32, 8, 2: x y;
    /// What CUDA C++ calls `float4`.
    Float4 = f32, 16, 4: x y z w;
    /// What CUDA C++ calls `double2`.
    Double2 = f64, 16, 2: x y;
    /// What CUDA C++ calls `int2`.
    Int2 = i32, 8, 2: x y;
    /// What CUDA C++ calls `int4`.
    Int4 = i32, 16, 4: x y z w;
    /// What CUDA C++ calls `uint2`.
    UInt2 = u32, 8, 2: x y;
    /// What CUDA C++ calls `uint4`.
    UInt4 = u32, 16, 4: x y z w;
    /// What CUDA C++ calls `longlong2`.
    Long2 = i64, 16, 2: x y;
    /// What CUDA C++ calls `ulonglong2`.
    ULong2 = u64, 16, 2: x y;
    /// What CUDA C++ calls `char4`.
    Char4 = i8, 4, 4: x y z w;
    /// What CUDA C++ calls `uchar4`.
    UChar4 = u8, 4, 4: x y z w;
    /// What CUDA C++ calls `short2`.
    Short2 = i16, 4, 2: x y;
    /// What CUDA C++ calls `ushort2`.
    UShort2 = u16, 4, 2: x y;
    /// What CUDA C++ calls `short4`.
    Short4 = i16, 8, 4: x y z w;
    /// What CUDA C++ calls `ushort4`.
    UShort4 = u16, 8, 4: x y z w;
}

/// `N` elements of 16 bytes together, which one instruction loads or stores, for code that is
/// generic over the type of the elements: `Sixteen<f32, 4>`, `Sixteen<f64, 2>`, `Sixteen<u8, 16>`.
///
/// ```
/// use lanewise_std::vector::{Sixteen, vectors_of};
///
/// fn sum<const N: usize>(numbers: &[f64]) -> f64 {
///     let (vectors, rest) = vectors_of::<Sixteen<f64, N>>(numbers).unwrap_or((&[], numbers));
///     let of_vectors = vectors.iter().flat_map(|vector| vector.0);
///     of_vectors.chain(rest.iter().copied()).sum()
/// }
/// assert_eq!(sum::<2>(&[1.0, 2.0, 3.0]), 6.0);
/// ```
///
/// The elements have 16 bytes, no more and no fewer:
///
/// ```compile_fail,E0080
/// use lanewise_std::vector::{Sixteen, vectors_of};
///
/// let _ = vectors_of::<Sixteen<f32, 3>>(&[1.0, 2.0, 3.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct Sixteen<T, const N: usize>(pub [T; N]);

impl<T, const N: usize> From<Sixteen<T, N>> for [T; N] {
    #[inline(always)]
    fn from(Sixteen(elements): Sixteen<T, N>) -> Self {
        elements
    }
}

// SAFETY: the type is elements one after another, without padding, as `LANES` checks.
unsafe impl<T: Value, const N: usize> Value for Sixteen<T, N> {
    const CHECKED: () = assert!(Self::LANES == N);
    const LAYOUT: u64 = crate::kernel::layout::aligned(<[T; N]>::LAYOUT, align_of::<Self>());
}
// SAFETY: as above. Without `LANES`, nothing makes a vector of elements.
unsafe impl<T: Value, const N: usize> Vector for Sixteen<T, N> {
    type Element = T;
    const LANES: usize = {
        assert!(
            N * size_of::<T>() == 16,
            "the elements have 16 bytes together"
        );
        N
    };
}
// SAFETY: elements that the host may copy to the device, one after another.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl<T: crate::kernel::DeviceCopy, const N: usize> crate::kernel::DeviceCopy
    for Sixteen<T, N>
{
}

/// Returns the slice as vectors, and the elements that are left over after them. Returns `None` if
/// the start of the slice is not aligned for a vector. A buffer is aligned, and so is each part of
/// one that begins at a multiple of the vector's lanes.
///
/// ```
/// use lanewise_std::vector::{UInt2, vectors_of};
///
/// let numbers = [UInt2::new(1, 2), UInt2::new(3, 4)].map(<[u32; 2]>::from);
/// let numbers = &numbers.as_flattened()[..3];
/// if let Some((vectors, rest)) = vectors_of::<UInt2>(numbers) {
///     assert_eq!((vectors, rest), (&[UInt2::new(1, 2)][..], &[3][..]));
/// }
/// ```
#[inline]
#[must_use]
pub fn vectors_of<V: Vector>(slice: &[V::Element]) -> Option<(&[V], &[V::Element])> {
    let first = slice.as_ptr().cast::<V>();
    if !first.is_aligned() {
        return None;
    }
    let (_, rest) = slice.split_at(slice.len() / V::LANES * V::LANES);
    // SAFETY: aligned. A vector is this many elements one after another, and any elements make a
    // valid vector.
    Some((
        unsafe { core::slice::from_raw_parts(first, slice.len() / V::LANES) },
        rest,
    ))
}

/// As [`vectors_of`], for elements that the caller may write.
///
/// ```
/// use lanewise_std::vector::{UInt2, vectors_of_mut};
///
/// let mut numbers = [UInt2::new(1, 2), UInt2::new(3, 4)].map(<[u32; 2]>::from);
/// if let Some((vectors, [])) = vectors_of_mut::<UInt2>(numbers.as_flattened_mut()) {
///     vectors[1].x = 5;
///     assert_eq!(numbers, [[1, 2], [5, 4]]);
/// }
/// ```
#[inline]
#[must_use]
pub fn vectors_of_mut<V: Vector>(
    slice: &mut [V::Element],
) -> Option<(&mut [V], &mut [V::Element])> {
    const { assert!(V::LANES > 0) };
    // SAFETY: as for `vectors_of`, and any vector makes valid elements.
    let (before, vectors, after) = unsafe { slice.align_to_mut::<V>() };
    before.is_empty().then_some((vectors, after))
}
