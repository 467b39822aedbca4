//! What becomes of the sums of a product: scaled and added to what was there, or, in a layer of a
//! network, added to a bias and passed through a function.

use lanewise_std::fast;
use lanewise_std::unroll::computed_here;

use crate::element::Half;

/// A function that each element of a product passes through before it is stored.
pub trait Activation: Copy + Default + 'static {
    /// Returns the function's value.
    fn apply(self, x: f32) -> f32;
}

/// No function: each element stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

/// The rectified linear unit, `max(x, 0)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Relu;

/// The Gaussian error linear unit by `tanh`: `x / 2 (1 + tanh(0.79788 (x + 0.044715 x^3)))`, with
/// the hardware's `tanh.approx`, whose relative error is 2^-11.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gelu;

/// The sigmoid linear unit, `x / (1 + exp(-x))`, with `ex2.approx` and `div.approx`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silu;

impl Activation for Identity {
    #[inline(always)]
    fn apply(self, x: f32) -> f32 {
        x
    }
}

impl Activation for Relu {
    #[inline(always)]
    fn apply(self, x: f32) -> f32 {
        x.max(0.0)
    }
}

impl Activation for Gelu {
    #[inline(always)]
    fn apply(self, x: f32) -> f32 {
        /// The root of 2 / pi.
        const FACTOR: f32 = 0.797_884_6;
        let half = 0.5 * x;
        half + half * fast::tanh(x * (FACTOR + FACTOR * 0.044_715 * x * x))
    }
}

impl Activation for Silu {
    #[inline(always)]
    fn apply(self, x: f32) -> f32 {
        fast::div(x, 1.0 + fast::exp(-x))
    }
}

/// What is added to sums, and what is stored of them.
pub(crate) trait Epilogue: Copy {
    /// Returns what is added to the sums of a column.
    fn bias(self, column: usize) -> f32;
    /// Loads what is added to the sums of this column and the next one, for [`add`](Self::add).
    ///
    /// # Safety
    /// The bias is at a multiple of four bytes, with an even number of elements. So is the column.
    unsafe fn load(self, column: usize) -> u32;
    /// Adds what was loaded to two sums.
    fn add(self, sums: [f32; 2], loaded: u32) -> [f32; 2];
    /// Returns what is stored of a sum.
    fn finish(self, sum: f32) -> f32;
    /// The factor of what was there before, which is added to it. If it is 0, that is not read.
    fn beta(self) -> f32;
}

/// `alpha A B + beta C`.
#[derive(Clone, Copy)]
pub(crate) struct Scaled {
    pub(crate) alpha: f32,
    pub(crate) beta: f32,
}

impl Epilogue for Scaled {
    #[inline(always)]
    fn bias(self, _: usize) -> f32 {
        0.0
    }

    #[inline(always)]
    unsafe fn load(self, _: usize) -> u32 {
        0
    }

    #[inline(always)]
    fn add(self, sums: [f32; 2], _: u32) -> [f32; 2] {
        sums
    }

    #[inline(always)]
    fn finish(self, sum: f32) -> f32 {
        self.alpha * sum
    }

    #[inline(always)]
    fn beta(self) -> f32 {
        self.beta
    }
}

/// `f(A B + bias)`, with an element of the bias for each column, or none of it.
#[derive(Clone, Copy)]
pub(crate) struct Activated<'a, E, F> {
    pub(crate) bias: &'a [E],
    pub(crate) activation: F,
}

impl<E: Half, F: Activation> Epilogue for Activated<'_, E, F> {
    #[inline(always)]
    fn bias(self, column: usize) -> f32 {
        self.bias.get(column).map_or(0.0, |bias| bias.widen())
    }

    #[inline(always)]
    unsafe fn load(self, column: usize) -> u32 {
        if column >= self.bias.len() {
            return 0;
        }
        let pair = self.bias.as_ptr().wrapping_add(column);
        // Else the compiler might move the load to where its value is used, and it would take time.
        // SAFETY: both are in the bias, and aligned, as the caller promises.
        computed_here(unsafe { pair.cast::<u32>().read() })
    }

    #[inline(always)]
    fn add(self, sums: [f32; 2], loaded: u32) -> [f32; 2] {
        let bias = E::widen_bits(loaded);
        [0, 1].map(|i| sums[i] + bias[i])
    }

    #[inline(always)]
    fn finish(self, sum: f32) -> f32 {
        self.activation.apply(sum)
    }

    #[inline(always)]
    fn beta(self) -> f32 {
        0.0
    }
}
