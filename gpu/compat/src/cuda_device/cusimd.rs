//! Several numbers in registers of their own.

use core::ops::Index;

/// A vector of `N` numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct CuSimd<T, const N: usize>([T; N]);

impl<T: Copy, const N: usize> CuSimd<T, N> {
    /// The vector of these numbers.
    #[inline(always)]
    #[must_use]
    pub const fn new(data: [T; N]) -> Self {
        CuSimd(data)
    }

    /// The number at an index that is known when the kernel is compiled.
    #[inline(always)]
    #[must_use]
    pub const fn get<const I: usize>(&self) -> T {
        const { assert!(I < N, "a number past the last") };
        self.0[I]
    }

    /// The number at an index.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, i: usize) -> T {
        self.0[i]
    }

    /// All numbers, as an array.
    #[inline(always)]
    #[must_use]
    pub const fn to_array(self) -> [T; N] {
        self.0
    }

    /// How many there are.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether there are none.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }
}

impl<T, const N: usize> Index<usize> for CuSimd<T, N> {
    type Output = T;

    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        &self.0[i]
    }
}

impl<T, const N: usize> From<[T; N]> for CuSimd<T, N> {
    #[inline(always)]
    fn from(data: [T; N]) -> Self {
        CuSimd(data)
    }
}

impl<T, const N: usize> From<CuSimd<T, N>> for [T; N] {
    #[inline(always)]
    fn from(simd: CuSimd<T, N>) -> Self {
        simd.0
    }
}

impl<T: Copy + Default, const N: usize> Default for CuSimd<T, N> {
    #[inline(always)]
    fn default() -> Self {
        CuSimd([T::default(); N])
    }
}

macro_rules! letters {
    ($lanes:literal: $($letter:ident $i:literal)*, $all:ident -> ($($ty:ident)*)) => {
        impl<T: Copy> CuSimd<T, $lanes> {
            $(
                #[doc = concat!("The number at ", stringify!($i), ".")]
                #[inline(always)]
                #[must_use]
                pub const fn $letter(&self) -> T {
                    self.0[$i]
                }
            )*

            /// All numbers, as a tuple.
            #[inline(always)]
            #[must_use]
            pub const fn $all(self) -> ($($ty,)*) {
                ($(self.0[$i],)*)
            }
        }
    };
}
letters! { 2: x 0 y 1, xy -> (T T) }
letters! { 4: x 0 y 1 z 2 w 3, xyzw -> (T T T T) }

impl<T: Copy> CuSimd<T, 4> {
    /// The first two of the four numbers.
    #[inline(always)]
    #[must_use]
    pub const fn lo(&self) -> CuSimd<T, 2> {
        CuSimd([self.0[0], self.0[1]])
    }

    /// The last two of the four numbers.
    #[inline(always)]
    #[must_use]
    pub const fn hi(&self) -> CuSimd<T, 2> {
        CuSimd([self.0[2], self.0[3]])
    }
}
