//! Where an algorithm's kernels go: to a stream, or into a graph.

use lanewise::{
    Arguments, DeviceBuffer, DeviceCopy, LaunchConfig, Record, RecordableAll, Stream, Zeroable,
};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::Error;

/// What takes an algorithm's kernels, one after another.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::Reduction;
/// use lanewise_std::collective::Max;
///
/// let device = Device::open()?;
/// let numbers = DeviceBuffer::from_slice(&device, &[3, 1, 4])?;
/// let mut most = DeviceBuffer::<i32>::zeroed(&device, 1)?;
/// let mut reduction = Reduction::new(&device)?;
/// let graph = device.record(|record| {
///     reduction.reduce(record, Max, &numbers, &mut most)?;
///     Ok(())
/// })?;
/// graph.launch(&device.stream()?)?;
/// assert_eq!(most.to_vec()?, [4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Queue {
    /// Queues a launch of a kernel that is safe with any arguments.
    ///
    /// # Errors
    /// [`Error::Launch`], [`Error::Graph`].
    fn launch<K: SafeKernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), Error> {
        // SAFETY: a `SafeKernel` has no conditions that its caller must meet.
        unsafe { self.launch_unchecked(kernel, config, arguments) }
    }

    /// Queues a launch.
    ///
    /// # Errors
    /// [`Error::Launch`], [`Error::Graph`].
    ///
    /// # Safety
    /// The conditions of the kernel's `# Safety` section hold whenever it runs.
    unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), Error>;

    /// Queues setting all words to zero.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Graph`].
    fn clear<T: DeviceCopy + Zeroable>(&mut self, words: &mut DeviceBuffer<T>)
    -> Result<(), Error>;
}

impl Queue for &Stream {
    unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), Error> {
        // SAFETY: the caller promises the same.
        unsafe { Stream::launch_unchecked(self, kernel, config, arguments)? };
        Ok(())
    }

    fn clear<T: DeviceCopy + Zeroable>(
        &mut self,
        words: &mut DeviceBuffer<T>,
    ) -> Result<(), Error> {
        Ok(self.fill_zero(words)?)
    }
}

impl Queue for &mut Record<'_> {
    unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), Error> {
        // SAFETY: the caller promises the same.
        unsafe { Record::launch_unchecked(self, kernel, config, arguments)? };
        Ok(())
    }

    fn clear<T: DeviceCopy + Zeroable>(
        &mut self,
        words: &mut DeviceBuffer<T>,
    ) -> Result<(), Error> {
        Ok(self.fill_zero(words)?)
    }
}

/// Returns the launch of this many blocks, or `None` if there are none.
pub(crate) fn grid(blocks: usize, threads: u32) -> Result<Option<LaunchConfig>, Error> {
    Error::unless_few("blocks", i32::MAX as usize, blocks)?;
    Ok((blocks > 0).then(|| LaunchConfig::new(blocks as u32, threads)))
}

/// Returns the launch of a grid-stride loop over the input: a thread has at least this many bytes,
/// and a multiprocessor at most this many blocks.
pub(crate) fn stride_grid<T: DeviceCopy>(
    input: &DeviceBuffer<T>,
    blocks: usize,
    threads: u32,
    bytes: usize,
) -> LaunchConfig {
    let most = input.device().properties().multiprocessors as usize * blocks;
    let all = (input.len() * size_of::<T>()).div_ceil(bytes * threads as usize);
    LaunchConfig::new(all.clamp(1, most) as u32, threads)
}
