//! The kernels of layers of networks, for each activation: one for any GPU, and one for Hopper.

#[cfg(not(target_arch = "nvptx64"))]
use lanewise_std::DisjointSlice;
#[cfg(not(target_arch = "nvptx64"))]
use lanewise_std::kernel::{Kernel, SafeKernel};
#[cfg(not(target_arch = "nvptx64"))]
use lanewise_std::tma::{TensorMap, TensorMapMut};

use crate::epilogue::{Gelu, Identity, Relu, Silu};

/// The parameters of a kernel for any GPU.
#[cfg(not(target_arch = "nvptx64"))]
pub type OfAny<E> = (
    &'static [E],
    &'static [E],
    DisjointSlice<'static, E>,
    &'static [E],
    [u32; 4],
    bool,
);

/// The parameters of a kernel for Hopper.
#[cfg(not(target_arch = "nvptx64"))]
pub type OfHopper<E> = (
    TensorMap<'static, E, 3>,
    TensorMap<'static, E, 3>,
    TensorMapMut<'static, E, 3>,
    &'static [E],
    [u32; 4],
);

/// An element of a layer with the activation `F`: `F16` or `Bf16`. [`layers!`](crate::layers)
/// implements it.
///
/// # Safety
/// The kernels are those of `layers!`: they have the contracts of `gemm::layer` and
/// `gemm_hopper::layer`.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub unsafe trait LayerKernels<F>: Sized + 'static {
    /// The kernel for any GPU and the transpose of the weights.
    type AnyAlong: SafeKernel<Params = OfAny<Self>>;
    /// The kernel for any GPU and the weights themselves.
    type AnyAcross: SafeKernel<Params = OfAny<Self>>;
    /// The kernel for Hopper and the transpose of the weights.
    type HopperAlong: Kernel<Params = OfHopper<Self>>;
    /// The kernel for Hopper and the weights themselves.
    type HopperAcross: Kernel<Params = OfHopper<Self>>;
    /// Both kernels for any GPU.
    const ANY: (Self::AnyAlong, Self::AnyAcross);
    /// Both kernels for Hopper.
    const HOPPER: (Self::HopperAlong, Self::HopperAcross);
}

/// Makes the kernels of layers with these activations, in a module of this name. A crate of kernels
/// calls it for [`Activation`](crate::epilogue::Activation)s of its own, which it has in scope, and
/// `lanewise_algorithms::Linear` takes them. The crate's build script embeds PTX for Hopper, too:
/// `lanewise_builder::embed("Ptx", |builder| builder.arch("sm_80").arch("sm_90a"))`.
///
/// ```
/// use lanewise_algorithms_tensor::epilogue::Activation;
///
/// /// The square of what is positive.
/// #[derive(Clone, Copy, Default)]
/// pub struct SquaredRelu;
///
/// impl Activation for SquaredRelu {
///     fn apply(self, x: f32) -> f32 {
///         x.max(0.0) * x
///     }
/// }
///
/// lanewise_algorithms_tensor::layers!(squared: SquaredRelu);
/// # type Ptx = lanewise_std::kernel::NoPtx;
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! layers {
    ($module:ident: $($activation:ident)*) => {
        /// The kernels of layers.
        pub mod $module {
            use super::{$($activation),*};
            use ::lanewise_macros::{kernel, shared};
            use ::lanewise_std::DisjointSlice;
            use ::lanewise_std::barrier::Barriers;
            use ::lanewise_std::half::{Bf16, F16};
            use ::lanewise_std::scope::{Block, Cluster};
            use ::lanewise_std::tma::{TensorMap, TensorMapMut};
            use $crate::element::Half;
            use $crate::epilogue::Activation;
            use $crate::gemm_hopper::{RELEASES, STAGES, WARPS};
            use $crate::{gemm, gemm_hopper};

            /// Computes `f(A B + bias)` on any GPU: `gemm::layer`.
            #[kernel(instances($(
                (Bf16, $activation, 0), (Bf16, $activation, 1),
                (F16, $activation, 0), (F16, $activation, 1)
            ),*))]
            #[launch_bounds(256, 1)]
            #[launch_contract(dims = 1, block = (gemm::THREADS))]
            pub fn linear<E: gemm::Operand + Half, F: Activation, const B: u32>(
                a: &[E],
                b: &[E],
                c: DisjointSlice<E>,
                bias: &[E],
                shape: [u32; 4],
                are_aligned: bool,
            ) {
                gemm::layer::<E, F, B>(a, b, c, bias, shape, are_aligned);
            }

            /// Computes `f(A B + bias)` on Hopper: `gemm_hopper::layer`.
            ///
            /// # Safety
            /// As for `gemm_hopper::layer`.
            #[kernel(min_arch = "sm_90a", instances($(
                (Bf16, $activation, 0), (Bf16, $activation, 1),
                (F16, $activation, 0), (F16, $activation, 1)
            ),*))]
            #[cluster_launch(2)]
            #[launch_bounds(384, 1)]
            #[launch_contract(dims = 1, block = (384))]
            pub unsafe fn linear_hopper<E: gemm_hopper::Operand + Half, F: Activation, const B: u32>(
                a: TensorMap<E, 3>,
                b: TensorMap<E, 3>,
                c: TensorMapMut<E, 3>,
                bias: &[E],
                shape: [u32; 4],
            ) {
                shared! {
                    static FULL: Barriers<Block, STAGES> = 1;
                    static EMPTY: Barriers<Cluster, STAGES> = RELEASES;
                    static LOADED: Barriers<Block, WARPS> = 1;
                }
                let barriers = (FULL, EMPTY, LOADED);
                // SAFETY: the caller keeps the contract of this function.
                unsafe { gemm_hopper::layer::<E, F, B>(a, b, c, bias, shape, barriers) }
            }

            $crate::layers! { @elements $($activation)* }
        }
    };
    (@elements $($activation:ident)*) => {$(
        $crate::layers! { @element Bf16 $activation }
        $crate::layers! { @element F16 $activation }
    )*};
    (@element $ty:ident $activation:ident) => {
        // SAFETY: the kernels are those above.
        #[cfg(not(target_arch = "nvptx64"))]
        unsafe impl $crate::layer::LayerKernels<$activation> for $ty {
            type AnyAlong = linear<$ty, $activation, 0>;
            type AnyAcross = linear<$ty, $activation, 1>;
            type HopperAlong = linear_hopper<$ty, $activation, 0>;
            type HopperAcross = linear_hopper<$ty, $activation, 1>;
            const ANY: (Self::AnyAlong, Self::AnyAcross) =
                (linear::<$ty, $activation, 0>, linear::<$ty, $activation, 1>);
            const HOPPER: (Self::HopperAlong, Self::HopperAcross) =
                (linear_hopper::<$ty, $activation, 0>, linear_hopper::<$ty, $activation, 1>);
        }
    };
}

layers!(linear: Identity Relu Gelu Silu);
