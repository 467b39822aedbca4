//! All elements combined into one.

use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, Pod};
use lanewise_algorithms_generic::reduce::{BLOCK, ReduceKernel};
use lanewise_std::PerBlock;
use lanewise_std::kernel::SafeKernel;

use crate::{Error, Number, Queue};

/// The number of blocks for each multiprocessor: four times as many as have room there, so that
/// all end at about the same time.
const BLOCKS: u32 = 32;
/// The number of elements that one block combines by itself: a second launch would take longer.
const ALONE: usize = 32 * BLOCK as usize;

/// Returns the number of blocks of the first launch.
pub(crate) fn blocks(device: &Device) -> usize {
    (device.properties().multiprocessors * BLOCKS) as usize
}

/// Combines all elements of a buffer: by `Sum`, `Min`, `Max`, and by operators of your own, for
/// which a crate of kernels calls `lanewise_algorithms_generic::reductions!`. If an operator does
/// not commute, the elements are combined in their order.
///
/// The order in which elements are combined depends on the device, on their number and on
/// [`with_blocks`](Self::with_blocks) alone. So the sum of floats is the same in each run.
#[derive(Debug)]
pub struct Reduction<T: DeviceCopy> {
    /// The results of the first launch's blocks.
    results: DeviceBuffer<T>,
}

impl<T: Number + DeviceCopy + Pod> Reduction<T> {
    /// Makes the workspace: a few thousand elements, for inputs of any length.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(device: &Device) -> Result<Self, Error> {
        Self::with_blocks(device, BLOCKS)
    }

    /// Makes the workspace for a grid of this many blocks for each multiprocessor, at least one.
    /// `algorithms --tune sum` measures which number is the fastest on a GPU; [`new`](Self::new)
    /// has 32.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer};
    /// use lanewise_algorithms::Reduction;
    /// use lanewise_std::collective::Sum;
    ///
    /// let device = Device::open()?;
    /// let numbers = DeviceBuffer::from_slice(&device, &[1; 100_000])?;
    /// let mut sum = DeviceBuffer::<i32>::zeroed(&device, 1)?;
    /// Reduction::with_blocks(&device, 8)?.reduce(&device.stream()?, Sum, &numbers, &mut sum)?;
    /// assert_eq!(sum.to_vec()?, [100_000]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooMany`] for 2^31 blocks; [`Error::Memory`].
    pub fn with_blocks(device: &Device, blocks: u32) -> Result<Self, Error> {
        let all = device.properties().multiprocessors as usize * blocks.max(1) as usize;
        Error::unless_few("blocks", i32::MAX as usize, all)?;
        Ok(Self {
            results: DeviceBuffer::uninit(device, all)?,
        })
    }

    /// Combines all elements of `input`, and writes the result to the first element of `output`.
    /// Of no elements the result is the operator's neutral element.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` has no element; [`Error::Launch`], [`Error::Graph`].
    pub fn reduce<O: ReduceKernel<T, K>, K>(
        &mut self,
        mut queue: impl Queue,
        _operator: O,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
    ) -> Result<(), Error> {
        let kernels = (O::KERNEL, O::KERNEL);
        in_two_launches(&mut queue, kernels, input, &mut self.results, output)
    }
}

/// Queues the two kernels of a reduction: the first for all blocks, the second for one block that
/// takes their results. A short input needs the first alone, with one block.
pub(crate) fn in_two_launches<T: DeviceCopy + 'static, R: DeviceCopy + 'static>(
    queue: &mut impl Queue,
    (first, second): (
        impl SafeKernel<Params = (&'static [T], PerBlock<'static, R>)>,
        impl SafeKernel<Params = (&'static [R], PerBlock<'static, R>)>,
    ),
    input: &DeviceBuffer<T>,
    results: &mut DeviceBuffer<R>,
    output: &mut DeviceBuffer<R>,
) -> Result<(), Error> {
    Error::unless_enough("an output", 1, output.len())?;
    let one = LaunchConfig::new(1, BLOCK);
    if input.len() <= ALONE {
        return queue.launch(first, one, (input, output));
    }
    let all = LaunchConfig::new(results.len() as u32, BLOCK);
    queue.launch(first, all, (input, &mut *results))?;
    queue.launch(second, one, (&*results, output))
}
