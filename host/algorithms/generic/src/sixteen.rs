//! Sixteen bytes of neighbours, which one instruction loads or stores.

use core::array::from_fn;

use lanewise_std::DisjointSlice;
use lanewise_std::kernel::Value;
use lanewise_std::warp::{Shuffle, WARP_SIZE, lane_id, warp_id, warps_per_block};

/// Neighbours that have sixteen bytes together: four of `f32`, two of `f64`.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
pub struct Sixteen<T, const N: usize>(pub [T; N]);

/// A number of which sixteen bytes have two or four.
///
/// Kernels read memory as `Neighbours`, so no other crate can implement it.
pub trait Number: Value + Shuffle + PartialOrd + Sealed {
    /// As many as have sixteen bytes.
    type Neighbours: Copy + AsRef<[Self]> + AsMut<[Self]>;
    /// How many these are.
    const LANES: usize;
    /// The least number; of floats, minus infinity.
    const LEAST: Self;
    /// The greatest number; of floats, infinity.
    const MOST: Self;
    /// Returns `LANES` times the same value.
    fn splat(self) -> Self::Neighbours;
    /// Returns the nearest number with 53 bits.
    fn to_f64(self) -> f64;
    /// Returns the number's bits, and zeros above them.
    fn to_bits(self) -> u64;
    /// Returns the number of these bits, of which those above its own do not count.
    fn from_bits(bits: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

impl<T, const N: usize> AsRef<[T]> for Sixteen<T, N> {
    #[inline(always)]
    fn as_ref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const N: usize> AsMut<[T]> for Sixteen<T, N> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

macro_rules! numbers {
    ($($ty:ident: $lanes:literal, $least:expr, $most:expr, $to_bits:expr, $from_bits:expr;)*) => {
        $(
            impl Sealed for $ty {}

            impl Number for $ty {
                type Neighbours = Sixteen<$ty, $lanes>;
                const LANES: usize = {
                    assert!(size_of::<Sixteen<$ty, $lanes>>() == 16 && size_of::<$ty>() * $lanes == 16);
                    $lanes
                };

                const LEAST: Self = $least;
                const MOST: Self = $most;

                #[inline(always)]
                fn splat(self) -> Self::Neighbours {
                    Sixteen([self; $lanes])
                }

                #[inline(always)]
                fn to_f64(self) -> f64 {
                    self as f64
                }

                #[inline(always)]
                fn to_bits(self) -> u64 {
                    $to_bits(self)
                }

                #[inline(always)]
                fn from_bits(bits: u64) -> Self {
                    $from_bits(bits)
                }
            }
        )*
    };
}

numbers! {
    u32: 4, u32::MIN, u32::MAX, u64::from, |bits| bits as u32;
    i32: 4, i32::MIN, i32::MAX, |x| u64::from(x as u32), |bits| bits as i32;
    f32: 4, f32::NEG_INFINITY, f32::INFINITY, |x: f32| u64::from(x.to_bits()), |bits| f32::from_bits(bits as u32);
    u64: 2, u64::MIN, u64::MAX, |x| x, |bits| bits;
    i64: 2, i64::MIN, i64::MAX, |x| x as u64, |bits| bits as i64;
    f64: 2, f64::NEG_INFINITY, f64::INFINITY, f64::to_bits, f64::from_bits;
}

/// Returns the slice as elements before the first aligned sixteen bytes, these as numbers `N`, and
/// what is left.
#[inline(always)]
pub fn sixteens<T: Value, N: Number>(slice: &[T]) -> (&[T], &[N::Neighbours], &[T]) {
    // SAFETY: values have no padding, and any bits make numbers.
    unsafe { slice.align_to() }
}

/// Writes `values` to the elements from `start` on, as many as there are.
///
/// # Safety
/// No other thread accesses these elements.
#[inline(always)]
pub unsafe fn store<T: Number>(output: &mut DisjointSlice<T>, start: usize, values: T::Neighbours) {
    let place = output.as_mut_ptr().wrapping_add(start);
    if start + T::LANES <= output.len() && place.cast::<T::Neighbours>().is_aligned() {
        // SAFETY: all of them are in the slice and this thread's, and the place is aligned.
        unsafe { place.cast::<T::Neighbours>().write(values) };
        return;
    }
    for k in 0..T::LANES {
        // SAFETY: the caller promises that no other thread accesses the element.
        if let Some(element) = unsafe { output.get_unique_mut(start + k) } {
            *element = values.as_ref()[k];
        }
    }
}

/// Where a thread's neighbours are: the first, and the step from each to the next, a multiple of
/// sixteen bytes. So all are aligned if the first is.
#[derive(Clone, Copy)]
pub struct Places {
    pub first: usize,
    pub step: usize,
}

/// Returns whether both slices have the elements before `end`, and begin at a multiple of sixteen
/// bytes. Kernels have code of their own for such tiles, without a test for each element.
#[inline(always)]
pub fn are_whole<T: Number>(input: &[T], output: &mut DisjointSlice<T>, end: usize) -> bool {
    let is_aligned = output.as_mut_ptr().cast::<T::Neighbours>().is_aligned();
    is_whole(input, end) && end <= output.len() && is_aligned
}

/// Returns whether the slice has the elements before `end`, and begins at a multiple of sixteen
/// bytes.
#[inline(always)]
pub fn is_whole<T: Number>(input: &[T], end: usize) -> bool {
    end <= input.len() && input.as_ptr().cast::<T::Neighbours>().is_aligned()
}

impl Places {
    /// Returns the places of this thread in a tile of its block: the elements of a warp follow each
    /// other, and so do those of each of its rounds.
    #[inline(always)]
    pub fn in_tile<T: Number, const ROUNDS: usize>(tile: usize) -> Self {
        let warp = tile * warps_per_block() as usize + warp_id() as usize;
        let first = warp * WARP_SIZE as usize * ROUNDS + lane_id() as usize;
        Places {
            first: first * T::LANES,
            step: WARP_SIZE as usize * T::LANES,
        }
    }

    /// Returns the neighbours of all rounds; `past` stands for those past the end.
    ///
    /// # Safety
    /// If `WHOLE`, all of them are in the slice, and aligned to sixteen bytes.
    #[inline(always)]
    pub unsafe fn load<const WHOLE: bool, T: Value, N, const ROUNDS: usize>(
        &self,
        input: &[T],
        past: N,
    ) -> [N; ROUNDS]
    where
        N: Copy + AsRef<[T]> + AsMut<[T]>,
    {
        if WHOLE {
            let first = input.as_ptr().wrapping_add(self.first);
            return from_fn(|round| {
                let place = first.wrapping_add(round * self.step);
                // SAFETY: the caller promises that all of them are in the slice and aligned.
                unsafe { place.cast::<N>().read() }
            });
        }
        // What is left from the first element on, so that all further numbers are constants.
        let input = input.get(self.first..).unwrap_or(&[]);
        from_fn(|round| {
            let mut values = past;
            for (k, value) in values.as_mut().iter_mut().enumerate() {
                if let Some(element) = input.get(round * self.step + k) {
                    *value = *element;
                }
            }
            values
        })
    }

    /// Writes the values to the neighbours of all rounds, but none from `end` on.
    ///
    /// # Safety
    /// No other thread accesses these elements. If `WHOLE`, all of them are in the slice, before
    /// `end` and aligned.
    #[inline(always)]
    pub unsafe fn store<const WHOLE: bool, T: Number, const ROUNDS: usize>(
        &self,
        output: &mut DisjointSlice<T>,
        end: usize,
        values: [T::Neighbours; ROUNDS],
    ) {
        let first = output.as_mut_ptr().wrapping_add(self.first);
        let left = end.min(output.len()).saturating_sub(self.first);
        for round in 0..ROUNDS {
            let place = first.wrapping_add(round * self.step);
            if WHOLE {
                // SAFETY: the caller promises that all of them are in the slice, this thread's and
                // aligned.
                unsafe { place.cast::<T::Neighbours>().write(values[round]) };
                continue;
            }
            for k in 0..T::LANES {
                if round * self.step + k < left {
                    // SAFETY: the element is in the slice, and the caller promises that no other
                    // thread accesses it.
                    unsafe { place.wrapping_add(k).write(values[round].as_ref()[k]) };
                }
            }
        }
    }
}
