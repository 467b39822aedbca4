//! All elements combined into one.

use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, Pod};
use lanewise_std::PerBlock;
use lanewise_std::kernel::SafeKernel;

use crate::kernels::reduce::{self, BLOCK};
use crate::{Error, Monoid, Number, Queue};

/// The number of blocks for each multiprocessor: four times as many as have room there, so that
/// all end at about the same time.
const BLOCKS: usize = 32;
/// The number of elements that one block combines by itself: a second launch would take longer.
pub(crate) const ALONE: usize = 32 * BLOCK as usize;

/// Returns the number of blocks of the first launch.
pub(crate) fn blocks(device: &Device) -> usize {
    device.properties().multiprocessors as usize * BLOCKS
}

/// Combines all elements of a buffer.
///
/// The order in which elements are combined depends on the device and on their number alone. So
/// the sum of floats is the same in each run.
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
        Ok(Self {
            results: DeviceBuffer::uninit(device, blocks(device))?,
        })
    }

    /// Combines all elements of `input`, and writes the result to the first element of `output`.
    /// Of no elements the result is the operator's neutral element.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` has no element; [`Error::Launch`], [`Error::Graph`].
    pub fn reduce<O: Monoid<T>>(
        &mut self,
        mut queue: impl Queue,
        _operator: O,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
    ) -> Result<(), Error>
    where
        reduce::reduce<T, O>: SafeKernel<Params = (&'static [T], PerBlock<'static, T>)>,
    {
        Error::unless_enough("an output", 1, output.len())?;
        let last = LaunchConfig::new(1, BLOCK);
        if input.len() <= ALONE {
            return queue.launch(reduce::reduce::<T, O>, last, (input, output));
        }
        let all = LaunchConfig::new(self.results.len() as u32, BLOCK);
        queue.launch(reduce::reduce::<T, O>, all, (input, &mut self.results))?;
        queue.launch(reduce::reduce::<T, O>, last, (&self.results, output))
    }
}
