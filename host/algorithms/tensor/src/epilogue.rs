//! What becomes of the sums of a product: scaled and added to what was there, or, in a layer of a
//! network, begun with a bias and passed through a function.

use lanewise_std::fast;

use crate::element::Output;

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

/// With what sums begin, and what is stored of them.
pub(crate) trait Epilogue: Copy {
    /// Returns what the sums of a column begin with.
    fn start(self, column: usize) -> f32;
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
    fn start(self, _: usize) -> f32 {
        0.0
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

impl<E: Output, F: Activation> Epilogue for Activated<'_, E, F> {
    #[inline(always)]
    fn start(self, column: usize) -> f32 {
        self.bias.get(column).map_or(0.0, |bias| bias.widen())
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
