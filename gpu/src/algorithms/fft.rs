//! The Fourier transform of lengths that are powers of two, in Stockham's order.
//!
//! One launch is one pass of radix 2 or 4 over any number of transforms that lie one after another in `input`. A pass of radix R after
//! passes whose radices multiply to p takes R elements that are `n / R` apart, turns them by powers of the p R-th root of one,
//! transforms them, and writes them p apart. When the radices multiply to n, `output` is the transform, in its natural order.
//! `shape` is the logarithm of n and that of p; `roots` are the n powers of e^(-2 pi i / n); `inverse` is 1 to turn the other way; all
//! results are multiplied by `scale`. Slices shorter than the shape says fail an assertion.
//! Launch: 1-D grid of 1-D blocks, any number of them.
//! Shows: the textbook's passes work in place and end in a scrambled order. Stockham's write elsewhere, and the order comes right by itself; loads are always
//! side by side. Radix 4 has half the passes of radix 2, and so half the traffic.
//! Source: CUDA study notes, chapter 8 (cuFFT); Van Loan, *Computational Frameworks for the Fast Fourier Transform*, 1.7.

use core::array::from_fn;
use core::ops::{Add, Mul, Sub};

use lanewise_macros::kernel;
use lanewise_std::thread::grid_stride;
use lanewise_std::{DisjointSlice, gpu_assert};

/// A complex number.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    /// The real part.
    pub re: f32,
    /// The imaginary part.
    pub im: f32,
}

// SAFETY: two numbers, without a reference.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl cust_core::DeviceCopy for Complex {}

/// A pass.
#[kernel(instances(2, 4))]
#[launch_contract(dims = 1)]
pub fn fft_stockham<const RADIX: usize>(
    input: &[Complex],
    roots: &[Complex],
    mut output: DisjointSlice<Complex>,
    shape: [u32; 2],
    inverse: u32,
    scale: f32,
) {
    let [log_n, log_p] = shape;
    gpu_assert!(
        log_n < 32 && log_p + RADIX.ilog2() <= log_n,
        "the passes are more than the transform"
    );
    let (n, p) = (1usize << log_n, 1usize << log_p);
    gpu_assert!(
        roots.len() >= n && output.len() >= input.len() && input.len().is_multiple_of(n),
        "a slice is shorter than the shape says"
    );
    // Elements from one input of a butterfly to the next; also the butterflies of a transform.
    let apart = n / RADIX;
    for butterfly in grid_stride(input.len() / RADIX) {
        let (start, i) = (butterfly / apart * n, butterfly % apart);
        let k = i % p;
        let mut x: [Complex; RADIX] = from_fn(|r| {
            let turned = input[start + i + r * apart];
            // The p R-th root to the power of r k, as a power of the n-th.
            let root = roots[r * k * (apart / p)];
            if r == 0 {
                turned
            } else {
                turned * root.turned_back(inverse != 0)
            }
        });
        transform(&mut x, inverse != 0);
        let first = start + (i - k) * RADIX + k;
        for (r, x) in x.iter().enumerate() {
            // SAFETY: (start, i - k, r, k) are the digits of the index in a mixed radix, so no two threads have the same.
            if let Some(place) = unsafe { output.get_unique_mut(first + r * p) } {
                *place = Complex {
                    re: x.re * scale,
                    im: x.im * scale,
                };
            }
        }
    }
}

/// The transform of 2 or 4 numbers.
#[inline(always)]
fn transform<const RADIX: usize>(x: &mut [Complex; RADIX], inverse: bool) {
    if RADIX == 2 {
        (x[0], x[1]) = (x[0] + x[1], x[0] - x[1]);
    } else {
        let (even, even_less) = (x[0] + x[2], x[0] - x[2]);
        let (odd, odd_less) = (x[1] + x[3], (x[1] - x[3]).quarter_turn(inverse));
        (x[0], x[1]) = (even + odd, even_less + odd_less);
        (x[2], x[3]) = (even - odd, even_less - odd_less);
    }
}

impl Complex {
    /// Mirrored at the real axis, if so: the root that turns the other way.
    #[inline(always)]
    fn turned_back(self, is_turned: bool) -> Self {
        Complex {
            re: self.re,
            im: if is_turned { -self.im } else { self.im },
        }
    }

    /// Multiplied by -i, or by i.
    #[inline(always)]
    fn quarter_turn(self, inverse: bool) -> Self {
        if inverse {
            Complex {
                re: -self.im,
                im: self.re,
            }
        } else {
            Complex {
                re: self.im,
                im: -self.re,
            }
        }
    }
}

impl Add for Complex {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl Sub for Complex {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Complex {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

impl Mul for Complex {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}
