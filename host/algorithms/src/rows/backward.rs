//! Gradients of softmax and norms.

use lanewise::{Device, DeviceBuffer};

use super::{COLUMNS, OF_THREAD, RowElement, THREADS};
use crate::{Error, Queue};

/// Writes the gradient of a softmax to `dx`: `y (dy - sum of y dy)` for each row, where `y` is what
/// [`softmax`](super::softmax) wrote, and `dy` is the gradient with respect to it.
///
/// # Errors
/// [`Error::TooShort`] if `dy` or `dx` is shorter than `y`; [`Error::TooMany`] if a row has more
/// than [`COLUMNS`] elements; [`Error::Launch`], [`Error::Graph`].
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::softmax_backward;
///
/// let device = Device::open()?;
/// let y = DeviceBuffer::from_slice(&device, &[0.5f32, 0.5])?;
/// let dy = DeviceBuffer::from_slice(&device, &[1.0f32, 0.0])?;
/// let mut dx = DeviceBuffer::<f32>::zeroed(&device, 2)?;
/// softmax_backward(&device.stream()?, &y, &dy, 2, &mut dx)?;
/// assert_eq!(dx.to_vec()?, [0.25, -0.25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn softmax_backward<E: RowElement>(
    queue: impl Queue,
    y: &DeviceBuffer<E>,
    dy: &DeviceBuffer<E>,
    columns: u32,
    dx: &mut DeviceBuffer<E>,
) -> Result<(), Error> {
    E::softmax_backward(queue, [y, dy], columns, dx)
}

/// Gradients of layer norm and RMS norm, for rows of a given length. They need `sm_90`.
///
/// The gradients of the factors are sums over all rows. Each cluster of blocks adds up its rows,
/// and a second kernel adds up the clusters' sums, which are in this workspace. The order of the
/// additions depends on the device and the shape alone, so a result is the same in each run.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::NormBackward;
///
/// let device = Device::open()?;
/// let stream = device.stream()?;
/// // Both elements of the row have mean 0 and variance 1.
/// let x = DeviceBuffer::from_slice(&device, &[1.0f32, -1.0])?;
/// let dy = DeviceBuffer::from_slice(&device, &[3.0f32, 5.0])?;
/// let gamma = DeviceBuffer::from_slice(&device, &[1.0f32, 1.0])?;
/// let mut dx = DeviceBuffer::<f32>::zeroed(&device, 2)?;
/// let mut of_gamma = DeviceBuffer::<f32>::zeroed(&device, 2)?;
/// let mut of_beta = DeviceBuffer::<f32>::zeroed(&device, 2)?;
/// let mut backward = NormBackward::new(&device, 2)?;
/// let factors = (&mut of_gamma, &mut of_beta);
/// backward.layer_norm(&stream, &x, &dy, &gamma, 0.0, &mut dx, factors)?;
/// assert_eq!(dx.to_vec()?, [0.0, 0.0]);
/// assert_eq!(of_gamma.to_vec()?, [3.0, -5.0]);
/// assert_eq!(of_beta.to_vec()?, [3.0, 5.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NormBackward {
    partials: DeviceBuffer<f32>,
}

impl NormBackward {
    /// Makes a workspace for rows of this length, or shorter ones.
    ///
    /// # Errors
    /// [`Error::TooMany`] for more than [`COLUMNS`] columns; [`Error::Memory`].
    pub fn new(device: &Device, columns: usize) -> Result<Self, Error> {
        Error::unless_few("columns", COLUMNS, columns)?;
        // Two sums for each column and cluster, with as many clusters as 1024 threads for each
        // multiprocessor are.
        let threads = columns.div_ceil(OF_THREAD[0]).next_multiple_of(32);
        let most = device.properties().multiprocessors as usize * 2 * THREADS;
        let clusters = (most / threads.max(1)).max(1);
        let partials = DeviceBuffer::zeroed(device, 2 * columns * clusters)?;
        Ok(NormBackward { partials })
    }

    /// Writes the gradients of a layer norm with respect to its input, to `gamma` and to `beta`:
    /// `x` is its input, and `dy` the gradient with respect to what it wrote.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `dy` or `dx` is shorter than `x`, if a gradient of factors is shorter
    /// than `gamma`, or if the workspace is for shorter rows; [`Error::TooMany`] if a row has more
    /// than [`COLUMNS`] elements; [`Error::Launch`], [`Error::Graph`].
    #[expect(
        clippy::too_many_arguments,
        reason = "a layer norm has as many operands"
    )]
    pub fn layer_norm<E: RowElement>(
        &mut self,
        queue: impl Queue,
        x: &DeviceBuffer<E>,
        dy: &DeviceBuffer<E>,
        gamma: &DeviceBuffer<E>,
        epsilon: f32,
        dx: &mut DeviceBuffer<E>,
        (of_gamma, of_beta): (&mut DeviceBuffer<E>, &mut DeviceBuffer<E>),
    ) -> Result<(), Error> {
        let of_factors = &mut [of_gamma, of_beta];
        E::norm_backward(
            queue,
            [x, dy, gamma],
            epsilon,
            dx,
            of_factors,
            &mut self.partials,
        )
    }

    /// Writes the gradients of an RMS norm with respect to its input and to `gamma`.
    ///
    /// # Errors
    /// As [`Self::layer_norm`].
    #[expect(
        clippy::too_many_arguments,
        reason = "an RMS norm has as many operands"
    )]
    pub fn rms_norm<E: RowElement>(
        &mut self,
        queue: impl Queue,
        x: &DeviceBuffer<E>,
        dy: &DeviceBuffer<E>,
        gamma: &DeviceBuffer<E>,
        epsilon: f32,
        dx: &mut DeviceBuffer<E>,
        of_gamma: &mut DeviceBuffer<E>,
    ) -> Result<(), Error> {
        let of_factors = &mut [of_gamma];
        E::norm_backward(
            queue,
            [x, dy, gamma],
            epsilon,
            dx,
            of_factors,
            &mut self.partials,
        )
    }
}
