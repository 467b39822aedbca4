//! Unrolled loops: CUDA's `#pragma unroll`.
//!
//! LLVM itself unrolls short loops of constant length. This function always unrolls, so an array
//! that is indexed by the iteration stays in registers. For CUDA's `__builtin_assume` use
//! [`core::hint::assert_unchecked`], which is `unsafe` because a wrong assumption is undefined
//! behaviour, or an `assert!`, which is safe.

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
