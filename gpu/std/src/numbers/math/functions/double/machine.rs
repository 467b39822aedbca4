//! The instructions that the functions of `f64` consist of.
//!
//! On the host, the hardware's approximations are the nearest `f64`.

use crate::intrinsics;

macro_rules! instructions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident),*) = $intrinsic:ident or $host:expr;)*) => {
        $(
            $(#[$doc])*
            #[inline(always)]
            pub(super) fn $name($($argument: f64),*) -> f64 {
                if cfg!(target_arch = "nvptx64") {
                    // SAFETY: the intrinsic is defined for every float.
                    unsafe { intrinsics::$intrinsic($($argument),*) }
                } else {
                    $host
                }
            }
        )*
    };
}

instructions! {
    /// Returns the reciprocal of the square root, within a unit in the last place.
    fn rsqrt_approx(x) = rsqrt_approx_d or 1.0 / libm::sqrt(x);
}
