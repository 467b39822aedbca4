//! Roots.

use super::machine::rsqrt_approx;

/// Returns the reciprocal of the square root.
#[inline(always)]
pub(crate) fn rsqrt(x: f64) -> f64 {
    rsqrt_approx(x)
}
