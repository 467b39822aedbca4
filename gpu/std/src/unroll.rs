//! Unrolled loops: CUDA's `#pragma unroll`, and the registers that they need.
//!
//! LLVM itself unrolls short loops of constant length. This function always unrolls, so an array
//! that is indexed by the iteration stays in registers. For CUDA's `__builtin_assume` use
//! [`core::hint::assert_unchecked`], which is `unsafe` because a wrong assumption is undefined
//! behaviour, or an `assert!`, which is safe.

use crate::warp::Shuffle;

/// Calls `body` with 0 to `N - 1`, one after another.
///
/// ```
/// use lanewise_std::unroll::unroll;
///
/// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [0.5; 4]);
/// let mut sum = 0.0;
/// unroll::<4>(|i| sum += a[i] * b[i]);
/// assert_eq!(sum, 5.0);
/// ```
///
/// `N` is at most 64:
/// ```compile_fail,E0080
/// lanewise_std::unroll::unroll::<65>(|_| {});
/// ```
#[inline(always)]
pub fn unroll<const N: usize>(mut body: impl FnMut(usize)) {
    const { assert!(N <= 64, "more than 64 rounds are a loop: put one around it") };
    macro_rules! rounds {
        ($($round:literal)*) => {
            $(if $round < N {
                body($round);
            })*
        };
    }
    rounds! {
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
    }
}

/// Returns the value. The compiler computes it here, and not later where it is used.
///
/// It may move a computation down to its use, even past a barrier. Until there, the values that it
/// is computed from stay in registers. In an unrolled loop these may be several for each
/// iteration, where the result is one.
///
/// ```
/// use lanewise_std::unroll::{computed_here, unroll};
///
/// let mut ranks = [0u32; 4];
/// unroll::<4>(|i| ranks[i] = computed_here(i as u32 * 3 + 1));
/// assert_eq!(ranks, [1, 4, 7, 10]);
/// ```
#[inline(always)]
pub fn computed_here<T: Shuffle>(value: T) -> T {
    value.map(|word| {
        #[cfg(target_arch = "nvptx64")]
        {
            let mut word = word;
            // SAFETY: the assembly contains no instruction.
            unsafe {
                core::arch::asm!("/* {0} */", inout(reg32) word, options(nomem, nostack, preserves_flags));
            }
            word
        }
        #[cfg(not(target_arch = "nvptx64"))]
        word
    })
}
