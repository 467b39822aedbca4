//! All elements folded into something else than an element.

use lanewise::{Device, DeviceBuffer, DeviceCopy, Pod};
use lanewise_algorithms_generic::fold::FoldKernels;
use lanewise_std::kernel::Value;

use crate::reduction::{blocks, in_two_launches};
use crate::{Error, Number, Queue};

/// Folds all elements of a buffer: to the place of the least or the greatest one
/// ([`ArgMin`](crate::ArgMin), [`ArgMax`](crate::ArgMax)), to their mean and variance
/// ([`MeanVariance`](crate::MeanVariance)), or to what a [`Folding`](crate::Folding) of your own
/// makes of them, for which a crate of kernels calls `lanewise_algorithms_generic::folds!`.
///
/// The order depends on the device and on the number of elements alone, so the result is the same
/// in each run.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::{ArgMin, Fold, MeanVariance, Moments, Place};
///
/// let device = Device::open()?;
/// let stream = device.stream()?;
/// let numbers = DeviceBuffer::from_slice(&device, &[3.0f32, 1.0, 4.0, 1.0, 6.0])?;
///
/// let mut least = DeviceBuffer::<Place>::zeroed(&device, 1)?;
/// Fold::new(&device)?.fold(&stream, ArgMin, &numbers, &mut least)?;
/// let [place] = least.to_vec()?[..] else { unreachable!() };
/// assert_eq!((place.index, place.value::<f32>()), (1, 1.0));
///
/// let mut moments = DeviceBuffer::<Moments>::zeroed(&device, 1)?;
/// Fold::new(&device)?.fold(&stream, MeanVariance, &numbers, &mut moments)?;
/// let [moments] = moments.to_vec()?[..] else { unreachable!() };
/// assert_eq!((moments.mean, moments.sample_variance()), (3.0, 4.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Fold<R: DeviceCopy> {
    /// The results of the first launch's blocks.
    results: DeviceBuffer<R>,
}

impl<R: Value + DeviceCopy + Pod> Fold<R> {
    /// Makes the workspace: a few thousand results, for inputs of any length.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(device: &Device) -> Result<Self, Error> {
        Ok(Self {
            results: DeviceBuffer::uninit(device, blocks(device))?,
        })
    }

    /// Folds all elements of `input`, and writes the result to the first element of `output`.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` has no element; [`Error::Launch`], [`Error::Graph`].
    pub fn fold<T: Number + DeviceCopy, F: FoldKernels<T, K, Result = R>, K>(
        &mut self,
        mut queue: impl Queue,
        _folding: F,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<R>,
    ) -> Result<(), Error> {
        in_two_launches(&mut queue, F::KERNELS, input, &mut self.results, output)
    }
}
