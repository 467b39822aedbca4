//! Layers of networks: a product of matrices, a bias, a function.

use lanewise::tensor_map::TensorElement;
use lanewise::{DeviceBuffer, DeviceCopy};
use lanewise_algorithms_tensor::epilogue::Activation;
#[cfg(doc)]
use lanewise_algorithms_tensor::epilogue::{Gelu, Identity, Relu, Silu};
use lanewise_algorithms_tensor::gemm as any;
use lanewise_algorithms_tensor::layer::LayerKernels;

use crate::gemm::Gemm;
use crate::gemm_halves::{are_aligned, is_for_hopper, launch_of_any, queue_on_hopper};
use crate::{Error, Queue};

/// A layer of a network: `y = f(x W + bias)`, for any number of inputs at once.
///
/// All matrices are row after row: a row of `x` is an input, and a row of `y` its output. It is the
/// product of a [`Gemm`], whose sums are added to the bias and pass through the function before
/// they are rounded. So neither takes a pass over memory. The functions are [`Identity`], [`Relu`],
/// [`Gelu`] and [`Silu`], and those for which a crate of kernels calls
/// `lanewise_algorithms_tensor::layers!`.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::{Linear, Relu};
/// use lanewise_std::half::Bf16;
///
/// let device = Device::open()?;
/// let upload = |numbers: &[f32]| {
///     let numbers: Vec<Bf16> = numbers.iter().map(|x| Bf16::from_f32(*x)).collect();
///     DeviceBuffer::from_slice(&device, &numbers)
/// };
/// // Two inputs of three elements, and two outputs of each.
/// let x = upload(&[1.0, 2.0, 3.0, -1.0, 0.0, 1.0])?;
/// let weights = upload(&[1.0, -1.0, 1.0, 0.0, 1.0, 0.0])?;
/// let bias = upload(&[0.5, -0.5])?;
/// let mut y = upload(&[0.0; 4])?;
/// let layer = Linear::new(2, 3, 2);
/// layer.forward(&device.stream()?, Relu, &x, &weights, Some(&bias), &mut y)?;
/// let y: Vec<f32> = y.to_vec()?.into_iter().map(Bf16::to_f32).collect();
/// assert_eq!(y, [6.5, 0.0, 0.5, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// The number of inputs: rows of `x` and `y`.
    pub batch: u32,
    /// Elements of an input: columns of `x` and rows of the weights.
    pub inputs: u32,
    /// Elements of an output: columns of the weights and of `y`.
    pub outputs: u32,
    /// Whether the weights are given as their transpose, with a row for each output.
    pub are_weights_transposed: bool,
}

/// An element of a [`Linear`] layer with the function `F`: `F16` or `Bf16`, with [`Identity`],
/// [`Relu`], [`Gelu`], [`Silu`], or an [`Activation`] of a user's kernels.
pub trait LayerElement<F>: TensorElement + DeviceCopy + LayerKernels<F> {}

impl<F, T: TensorElement + DeviceCopy + LayerKernels<F>> LayerElement<F> for T {}

impl Linear {
    /// Returns the layer for this number of inputs and these sizes of one.
    #[must_use]
    pub fn new(batch: u32, inputs: u32, outputs: u32) -> Self {
        Linear {
            batch,
            inputs,
            outputs,
            are_weights_transposed: false,
        }
    }

    /// Computes the outputs. A bias has an element for each output.
    ///
    /// # Errors
    /// [`Error::TooShort`] if a buffer has less than its matrix; [`Error::TooMany`] as for
    /// [`Gemm::multiply`]; [`Error::Launch`], [`Error::Graph`].
    pub fn forward<T: LayerElement<F>, F: Activation>(
        self,
        queue: impl Queue,
        _activation: F,
        x: &DeviceBuffer<T>,
        weights: &DeviceBuffer<T>,
        bias: Option<&DeviceBuffer<T>>,
        y: &mut DeviceBuffer<T>,
    ) -> Result<(), Error> {
        let of = Gemm {
            is_b_transposed: self.are_weights_transposed,
            ..Gemm::new(self.batch, self.outputs, self.inputs)
        };
        of.check(x.len(), weights.len(), y.len())?;
        let outputs = self.outputs as usize;
        match bias {
            Some(bias) => {
                Error::unless_enough("a bias", outputs, bias.len())?;
                queue_layer::<T, F>(of, queue, [x, weights], bias, y)
            }
            None => queue_layer::<T, F>(of, queue, [x, weights], &x.slice(..0), y),
        }
    }
}

/// Queues the layer, which has been checked.
fn queue_layer<T: LayerElement<F>, F>(
    of: Gemm,
    mut queue: impl Queue,
    [x, weights]: [&DeviceBuffer<T>; 2],
    bias: &DeviceBuffer<T>,
    y: &mut DeviceBuffer<T>,
) -> Result<(), Error> {
    let (are_aligned, shape) = (are_aligned(&of, [x, weights]), of.shape());
    if are_aligned && bias.address().is_multiple_of(4) && is_for_hopper(&of, y) {
        let (along, across) = T::HOPPER;
        return if of.is_b_transposed {
            queue_on_hopper!(along, of, queue, [x, weights], y, bias, shape)
        } else {
            queue_on_hopper!(across, of, queue, [x, weights], y, bias, shape)
        };
    }
    let Some(config) = launch_of_any(&of)? else {
        return Ok(());
    };
    let (along, across) = T::ANY;
    y.device()
        .set_max_dynamic_shared(along, any::SHARED_BYTES)?;
    y.device()
        .set_max_dynamic_shared(across, any::SHARED_BYTES)?;
    let arguments = (x, weights, y, bias, shape, are_aligned);
    if of.is_b_transposed {
        queue.launch(along, config, arguments)
    } else {
        queue.launch(across, config, arguments)
    }
}
