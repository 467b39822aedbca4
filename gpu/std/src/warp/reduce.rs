//! Reductions of a warp in one instruction, which needs `sm_80`. PTX ISA, "redux.sync".

use crate::intrinsics;

/// A 32-bit integer that `redux.sync` can add and compare.
pub trait Redux: Copy {
    /// Returns the sum over the lanes of `mask`, modulo 2^32.
    #[doc(hidden)]
    fn redux_add(self, mask: u32) -> Self;
    /// Returns the minimum over the lanes of `mask`.
    #[doc(hidden)]
    fn redux_min(self, mask: u32) -> Self;
    /// Returns the maximum over the lanes of `mask`.
    #[doc(hidden)]
    fn redux_max(self, mask: u32) -> Self;
}

macro_rules! redux {
    ($($ty:ty: $min:ident, $max:ident;)*) => {
        $(
            impl Redux for $ty {
                #[inline]
                fn redux_add(self, mask: u32) -> Self {
                    // SAFETY: the instruction reads registers only.
                    unsafe { intrinsics::redux_add(self as u32, mask) as $ty }
                }
                #[inline]
                fn redux_min(self, mask: u32) -> Self {
                    // SAFETY: the instruction reads registers only.
                    unsafe { intrinsics::$min(self, mask) }
                }
                #[inline]
                fn redux_max(self, mask: u32) -> Self {
                    // SAFETY: the instruction reads registers only.
                    unsafe { intrinsics::$max(self, mask) }
                }
            }
        )*
    };
}

redux! {
    u32: redux_min_u32, redux_max_u32;
    i32: redux_min_s32, redux_max_s32;
}

/// Returns the sum of `value` over the lanes of `mask`, modulo 2^32, in each of these lanes.
#[doc(alias = "__reduce_add_sync")]
#[doc(alias = "redux.sync.add")]
#[inline]
#[must_use]
pub fn redux_sync_add<T: Redux>(mask: u32, value: T) -> T {
    value.redux_add(mask)
}

/// Returns the minimum of `value` over the lanes of `mask`, in each of these lanes.
#[doc(alias = "__reduce_min_sync")]
#[doc(alias = "redux.sync.min")]
#[inline]
#[must_use]
pub fn redux_sync_min<T: Redux>(mask: u32, value: T) -> T {
    value.redux_min(mask)
}

/// Returns the maximum of `value` over the lanes of `mask`, in each of these lanes.
#[doc(alias = "__reduce_max_sync")]
#[doc(alias = "redux.sync.max")]
#[inline]
#[must_use]
pub fn redux_sync_max<T: Redux>(mask: u32, value: T) -> T {
    value.redux_max(mask)
}

/// Returns the bits of `value` that are set in all lanes of `mask`.
#[doc(alias = "__reduce_and_sync")]
#[doc(alias = "redux.sync.and")]
#[inline]
#[must_use]
pub fn redux_sync_and(mask: u32, value: u32) -> u32 {
    // SAFETY: the instruction reads registers only.
    unsafe { intrinsics::redux_and(value, mask) }
}

/// Returns the bits of `value` that are set in any lane of `mask`.
#[doc(alias = "__reduce_or_sync")]
#[doc(alias = "redux.sync.or")]
#[inline]
#[must_use]
pub fn redux_sync_or(mask: u32, value: u32) -> u32 {
    // SAFETY: the instruction reads registers only.
    unsafe { intrinsics::redux_or(value, mask) }
}

/// Returns the bits of `value` that are set in an odd number of lanes of `mask`.
#[doc(alias = "__reduce_xor_sync")]
#[doc(alias = "redux.sync.xor")]
#[inline]
#[must_use]
pub fn redux_sync_xor(mask: u32, value: u32) -> u32 {
    // SAFETY: the instruction reads registers only.
    unsafe { intrinsics::redux_xor(value, mask) }
}
