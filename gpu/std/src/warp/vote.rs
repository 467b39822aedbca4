//! Votes and matches, which compare predicates and values of the lanes of a warp.
//!
//! PTX ISA, "vote.sync", "match.sync"; CUDA C++ Programming Guide, "Warp Vote Functions",
//! "Warp Match Functions".

use crate::intrinsics;

/// Returns whether `predicate` is true in all lanes of `mask`.
#[doc(alias = "__all_sync")]
#[doc(alias = "vote.sync.all")]
#[inline]
#[must_use]
pub fn all_sync(mask: u32, predicate: bool) -> bool {
    // SAFETY: a vote reads predicates only.
    unsafe { intrinsics::vote_all(mask, predicate) }
}

/// Returns whether `predicate` is true in any lane of `mask`.
#[doc(alias = "__any_sync")]
#[doc(alias = "vote.sync.any")]
#[inline]
#[must_use]
pub fn any_sync(mask: u32, predicate: bool) -> bool {
    // SAFETY: a vote reads predicates only.
    unsafe { intrinsics::vote_any(mask, predicate) }
}

/// Returns whether `predicate` is the same in all lanes of `mask`.
#[doc(alias = "__uni_sync")]
#[doc(alias = "vote.sync.uni")]
#[inline]
#[must_use]
pub fn uni_sync(mask: u32, predicate: bool) -> bool {
    // SAFETY: a vote reads predicates only.
    unsafe { intrinsics::vote_uni(mask, predicate) }
}

/// Returns the lanes of `mask` in which `predicate` is true.
#[doc(alias = "__ballot_sync")]
#[doc(alias = "vote.sync.ballot")]
#[inline]
#[must_use]
pub fn ballot_sync(mask: u32, predicate: bool) -> u32 {
    // SAFETY: a vote reads predicates only.
    unsafe { intrinsics::vote_ballot(mask, predicate) }
}

/// A value of 32 or 64 bits that lanes can compare bit for bit.
pub trait Match: Copy {
    /// Returns the lanes of `mask` whose value has the same bits as this lane's.
    #[doc(hidden)]
    fn match_any(self, mask: u32) -> u32;
}

macro_rules! match_bits {
    ($($ty:ty: $intrinsic:ident, $bits:expr;)*) => {
        $(
            impl Match for $ty {
                #[inline]
                fn match_any(self, mask: u32) -> u32 {
                    // SAFETY: a match reads registers only.
                    unsafe { intrinsics::$intrinsic(mask, $bits(self)) }
                }
            }
        )*
    };
}

match_bits! {
    u32: match_any_b32, |x| x;
    i32: match_any_b32, |x| x as u32;
    f32: match_any_b32, f32::to_bits;
    u64: match_any_b64, |x| x;
    i64: match_any_b64, |x| x as u64;
    f64: match_any_b64, f64::to_bits;
}

/// Returns the lanes of `mask` that have the same `value` as this lane. Needs `sm_70`.
#[doc(alias = "__match_any_sync")]
#[doc(alias = "match.any.sync")]
#[inline]
#[must_use]
pub fn match_any_sync<T: Match>(mask: u32, value: T) -> u32 {
    value.match_any(mask)
}

/// Returns `mask` if all its lanes have the same `value`, else 0. Needs `sm_70`.
#[doc(alias = "__match_all_sync")]
#[doc(alias = "match.all.sync")]
#[inline]
#[must_use]
pub fn match_all_sync<T: Match>(mask: u32, value: T) -> u32 {
    if value.match_any(mask) == mask {
        mask
    } else {
        0
    }
}
