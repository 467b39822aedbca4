#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
//! Layers of networks with an activation that the library does not have.

use lanewise_algorithms_tensor::epilogue::Activation;

lanewise_std::module!();

/// The square of what is positive.
#[derive(Clone, Copy, Debug, Default)]
pub struct SquaredRelu;

impl Activation for SquaredRelu {
    #[inline(always)]
    fn apply(self, x: f32) -> f32 {
        x.max(0.0) * x
    }
}

lanewise_algorithms_tensor::layers!(squared: SquaredRelu);
