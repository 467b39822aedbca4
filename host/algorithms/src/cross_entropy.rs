//! Cross entropy of rows of logits.

use lanewise::{DeviceBuffer, DeviceCopy};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;

use crate::kernels::cross_entropy::{self as kernels, THREADS};
use crate::kernels::rows::Element;
use crate::queue::grid;
use crate::{Error, Queue};

/// The parameters of the kernel that computes losses.
type Losses<E> = (
    &'static [E],
    &'static [u32],
    DisjointSlice<'static, f32>,
    u32,
);
/// The parameters of the kernel that computes losses and the gradient.
type Both<E> = (
    &'static [E],
    &'static [u32],
    DisjointSlice<'static, f32>,
    DisjointSlice<'static, E>,
    u32,
    f32,
);

/// Writes the cross entropy of each row of logits, which has `columns` elements of `f32` or `Bf16`,
/// and its target: the logarithm of the sum of all `exp(logit)`, less the logit at the target. A
/// row whose target is no column is left out: its loss is 0.
///
/// # Errors
/// [`Error::TooShort`] if there are fewer rows of logits, or fewer losses, than targets;
/// [`Error::TooMany`] for 2^31 rows; [`Error::Launch`], [`Error::Graph`].
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::cross_entropy;
///
/// let device = Device::open()?;
/// let logits = DeviceBuffer::from_slice(&device, &[1.0f32, 1.0, 0.0, 100.0])?;
/// let targets = DeviceBuffer::from_slice(&device, &[0u32, 1])?;
/// let mut losses = DeviceBuffer::<f32>::zeroed(&device, 2)?;
/// cross_entropy(&device.stream()?, &logits, 2, &targets, &mut losses)?;
/// let losses = losses.to_vec()?;
/// assert!((losses[0] - 2.0f32.ln()).abs() < 1e-6 && losses[1] < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cross_entropy<E>(
    mut queue: impl Queue,
    logits: &DeviceBuffer<E>,
    columns: u32,
    targets: &DeviceBuffer<u32>,
    losses: &mut DeviceBuffer<f32>,
) -> Result<(), Error>
where
    E: Element + DeviceCopy,
    kernels::cross_entropy<E>: SafeKernel<Params = Losses<E>>,
{
    unless_enough(logits, columns, targets, losses)?;
    match grid(targets.len(), THREADS as u32)? {
        Some(config) => {
            let arguments = (logits, targets, losses, columns);
            queue.launch(kernels::cross_entropy::<E>, config, arguments)
        }
        None => Ok(()),
    }
}

/// Writes what [`cross_entropy`] does, and to `gradient` that of the sum of all losses times
/// `scale`: the softmax of the row, less 1 at its target, times `scale`. A row that is left out has
/// a gradient of 0.
///
/// # Errors
/// As [`cross_entropy`]; [`Error::TooShort`] if the gradient has fewer rows than there are targets.
pub fn cross_entropy_backward<E>(
    mut queue: impl Queue,
    logits: &DeviceBuffer<E>,
    columns: u32,
    targets: &DeviceBuffer<u32>,
    scale: f32,
    losses: &mut DeviceBuffer<f32>,
    gradient: &mut DeviceBuffer<E>,
) -> Result<(), Error>
where
    E: Element + DeviceCopy,
    kernels::cross_entropy_backward<E>: SafeKernel<Params = Both<E>>,
{
    unless_enough(logits, columns, targets, losses)?;
    let all = targets.len() * columns as usize;
    Error::unless_enough("a gradient", all, gradient.len())?;
    match grid(targets.len(), THREADS as u32)? {
        Some(config) => {
            let arguments = (logits, targets, losses, gradient, columns, scale);
            queue.launch(kernels::cross_entropy_backward::<E>, config, arguments)
        }
        None => Ok(()),
    }
}

fn unless_enough<E: DeviceCopy>(
    logits: &DeviceBuffer<E>,
    columns: u32,
    targets: &DeviceBuffer<u32>,
    losses: &DeviceBuffer<f32>,
) -> Result<(), Error> {
    Error::unless_enough("logits", targets.len() * columns as usize, logits.len())?;
    Error::unless_enough("losses", targets.len(), losses.len())
}
