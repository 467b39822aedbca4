//! Complex numbers of both precisions. One instruction loads or stores such a number.

use core::ops::{Add, Mul, Sub};

use lanewise_std::kernel::Value;

use super::real::Real;

/// A complex number, aligned to its size. In memory it is the real part and then the imaginary
/// part, as in C, cuFFT and `num-complex`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex<T: Real = f32> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
    /// An array without elements, which only sets the alignment.
    aligned: [T::Pair; 0],
}

// SAFETY: the type has two numbers, no reference and, as the assertion checks, no padding.
unsafe impl<T: Real> Value for Complex<T> {
    const CHECKED: () =
        assert!(size_of::<Self>() == 2 * size_of::<T>() && align_of::<Self>() == size_of::<Self>());
}

// SAFETY: the type has two numbers and no reference.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl<T: Real> lanewise_std::kernel::DeviceCopy for Complex<T> {}

impl<T: Real> Default for Complex<T> {
    #[inline]
    fn default() -> Self {
        Complex::new(T::ZERO, T::ZERO)
    }
}

impl<T: Real> Complex<T> {
    /// Returns the complex number with these parts.
    #[inline(always)]
    #[must_use]
    pub const fn new(re: T, im: T) -> Self {
        Complex {
            re,
            im,
            aligned: [],
        }
    }

    /// Swaps both parts if `is_swapped`. A rotation in one direction then becomes one in the other.
    #[inline(always)]
    pub(super) fn swapped(self, is_swapped: bool) -> Self {
        if is_swapped {
            Complex::new(self.im, self.re)
        } else {
            self
        }
    }

    /// Returns the number multiplied by a real number.
    #[inline(always)]
    pub(super) fn scaled(self, by: T) -> Self {
        Complex::new(self.re * by, self.im * by)
    }

    /// Returns the number multiplied by -i.
    #[inline(always)]
    pub(super) fn quarter_turn(self) -> Self {
        Complex::new(self.im, -self.re)
    }

    /// Returns the number multiplied by (1 - i) / sqrt(2).
    #[inline(always)]
    pub(super) fn eighth_turn(self) -> Self {
        Complex::new(self.re + self.im, self.im - self.re).scaled(T::HALF_ROOT)
    }
}

impl<T: Real> Add for Complex<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Complex::new(self.re + other.re, self.im + other.im)
    }
}

impl<T: Real> Sub for Complex<T> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Complex::new(self.re - other.re, self.im - other.im)
    }
}

impl<T: Real> Mul for Complex<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Complex::new(
            self.re * other.re - self.im * other.im,
            self.re * other.im + self.im * other.re,
        )
    }
}
