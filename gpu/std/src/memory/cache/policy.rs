//! The policy of the second-level cache for the lines that a copy touches, as a value
//! that copies take.

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use crate::state_space::ptx;

/// How long the second-level cache keeps the lines that a copy brings there. Needs `sm_80`.
///
/// Make it once with a constructor, and pass it to copies:
/// [`bulk::with_policy`](crate::bulk::with_policy), and `with_policy` of the maps of
/// [`tma`](crate::tma). It is a hint: it does not change what is copied. PTX ISA, "Cache
/// Eviction Priority Hints", "createpolicy"; CUDA C++ Programming Guide, "L2 Cache Set-Aside
/// for Persisting Accesses".
#[doc(alias = "createpolicy")]
#[derive(Clone, Copy, Debug)]
pub struct CachePolicy(u64);

macro_rules! policies {
    ($($(#[$doc:meta])* $name:ident, $part:ident: $priority:literal;)*) => {
        impl CachePolicy {$(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name() -> Self {
                Self::$part(1.0)
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") for this part of the lines, above 0 and up to 1, and the others as they are.")]
            #[inline]
            #[must_use]
            pub fn $part(fraction: f32) -> Self {
                let fraction = fraction.clamp(f32::MIN_POSITIVE, 1.0);
                let policy: u64;
                // SAFETY: the instruction only computes a number from a fraction, which is
                // in its range.
                unsafe {
                    ptx!("createpolicy":
                        concat!("createpolicy.fractional.L2::", $priority, ".b64 {policy}, {fraction};"),
                        policy = lateout(reg64) policy,
                        fraction = in(reg32) fraction,
                        options(pure, nomem, nostack, preserves_flags),
                    );
                }
                CachePolicy(policy)
            }
        )*}
    };
}
policies! {
    /// Evicts these lines first. For data that is copied only once.
    #[doc(alias = "L2::evict_first")]
    evict_first, evict_first_of: "evict_first";
    /// Evicts these lines last. For data that other threads will copy soon.
    #[doc(alias = "L2::evict_last")]
    evict_last, evict_last_of: "evict_last";
    /// Evicts these lines in the normal order, as without a policy.
    #[doc(alias = "L2::evict_normal")]
    evict_normal, evict_normal_of: "evict_normal";
    /// Leaves the priority of a line that is already in the cache as it is.
    #[doc(alias = "L2::evict_unchanged")]
    evict_unchanged, evict_unchanged_of: "evict_unchanged";
}

impl CachePolicy {
    /// Returns the policy as instructions take it.
    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}

/// An instruction with or without a policy. The arguments are its text up to the hint, the text
/// from there to the policy, the text after the policy, and its operands.
macro_rules! hinted {
    ($policy:expr, $name:literal: [$($words:expr),*], [$($operands:expr),*], [$($end:expr),*], $($asm:tt)*) => {
        match $policy {
            None => ptx!($name: concat!($($words,)* $($operands,)* $($end),*), $($asm)*),
            Some(policy) => ptx!($name:
                concat!($($words,)* ".L2::cache_hint", $($operands,)* ", {policy}", $($end),*),
                policy = in(reg64) $crate::cache::CachePolicy::bits(policy),
                $($asm)*
            ),
        }
    };
}
pub(crate) use hinted;
