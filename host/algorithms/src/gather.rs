//! Elements from given places, and elements to given places.

use lanewise::DeviceBuffer;
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::Atomic;
use lanewise_std::kernel::SafeKernel;
use lanewise_std::scope::Device;

use crate::kernels::gather::{self, BLOCK};
use crate::queue::stride_grid;
use crate::{Error, Key, Queue};

/// The number of blocks for each multiprocessor: twice as many as have room there.
const BLOCKS: usize = 16;

/// Writes `input[indices[i]]` to `output[i]` for each index.
///
/// An index past the end of the input is a panic of the kernel: the next synchronisation returns it
/// as an error, and the device can't be used any more.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::gather;
///
/// let device = Device::open()?;
/// let input = DeviceBuffer::from_slice(&device, &[0.5f32, 1.5, 2.5])?;
/// let indices = DeviceBuffer::from_slice(&device, &[2u32, 0, 2, 1])?;
/// let mut output = DeviceBuffer::zeroed(&device, 4)?;
/// gather(&device.stream()?, &input, &indices, &mut output)?;
/// assert_eq!(output.to_vec()?, [2.5, 0.5, 2.5, 1.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::TooShort`] if `output` is shorter than `indices`; [`Error::Launch`],
/// [`Error::Graph`].
pub fn gather<T: Key>(
    mut queue: impl Queue,
    input: &DeviceBuffer<T>,
    indices: &DeviceBuffer<u32>,
    output: &mut DeviceBuffer<T>,
) -> Result<(), Error>
where
    gather::gather<T::Word>: SafeKernel<
        Params = (
            &'static [T::Word],
            &'static [u32],
            DisjointSlice<'static, T::Word>,
        ),
    >,
{
    Error::unless_enough("an output", indices.len(), output.len())?;
    let arguments = (&input.cast(), indices, &mut output.cast_mut());
    queue.launch(
        gather::gather::<T::Word>,
        stride_grid(indices, BLOCKS, BLOCK, size_of::<u32>()),
        arguments,
    )
}

/// Writes `input[i]` to `output[indices[i]]` for each index. Other elements of `output` stay as
/// they are. Of elements with the same index, one is written, and which one may differ from run to
/// run.
///
/// An index past the end of the output is a panic of the kernel: the next synchronisation returns
/// it as an error, and the device can't be used any more.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::scatter;
///
/// let device = Device::open()?;
/// let input = DeviceBuffer::from_slice(&device, &[7i64, 8, 9])?;
/// let indices = DeviceBuffer::from_slice(&device, &[3u32, 0, 1])?;
/// let mut output = DeviceBuffer::from_slice(&device, &[1i64, 1, 1, 1])?;
/// scatter(&device.stream()?, &input, &indices, &mut output)?;
/// assert_eq!(output.to_vec()?, [8, 9, 1, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::TooShort`] if `input` is shorter than `indices`; [`Error::Launch`],
/// [`Error::Graph`].
pub fn scatter<T: Key>(
    mut queue: impl Queue,
    input: &DeviceBuffer<T>,
    indices: &DeviceBuffer<u32>,
    output: &mut DeviceBuffer<T>,
) -> Result<(), Error>
where
    gather::scatter<T::Word>: SafeKernel<
        Params = (
            &'static [T::Word],
            &'static [u32],
            &'static [Atomic<T::Word, Device>],
        ),
    >,
{
    Error::unless_enough("an input", indices.len(), input.len())?;
    let arguments = (&input.cast(), indices, &mut output.cast_mut());
    queue.launch(
        gather::scatter::<T::Word>,
        stride_grid(indices, BLOCKS, BLOCK, size_of::<u32>()),
        arguments,
    )
}
