//! Random numbers that are computed from their position.

use lanewise::{DeviceBuffer, DeviceCopy};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;

pub use crate::kernels::random::Random;
use crate::kernels::random::{self, BLOCK, TILE};
use crate::queue::grid;
use crate::{Error, Queue};

/// A stream of random numbers: Philox4x32-10, as in cuRAND and PyTorch.
///
/// There is no state on the device: number `i` of a stream is computed from the seed, the stream
/// and `i` alone.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::Philox;
///
/// let device = Device::open()?;
/// let stream = device.stream()?;
/// let mut numbers = DeviceBuffer::<f64>::zeroed(&device, 1000)?;
/// let philox = Philox { seed: 7, stream: 0, first: 0 };
/// philox.uniform(&stream, &mut numbers)?;
/// assert!(numbers.to_vec()?.iter().all(|x| (0.0..1.0).contains(x)));
/// // The next thousand: a counter gives two numbers of `f64`.
/// Philox { first: 500, ..philox }.normal(&stream, &mut numbers)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Philox {
    /// The seed of all streams.
    pub seed: u64,
    /// The number of the stream.
    pub stream: u64,
    /// The first counter; a counter gives four numbers of `f32`, or two of `f64`.
    pub first: u64,
}

/// The arguments of a kernel that writes numbers of a stream.
type Params<T> = (DisjointSlice<'static, T>, u64, u64, u64);

impl Philox {
    /// Fills `output` with floats from 0 (included) to 1 (not included), multiples of 2^-24, or of
    /// 2^-53 if they are `f64`.
    ///
    /// # Errors
    /// [`Error::Launch`], [`Error::Graph`].
    pub fn uniform<T: Random + DeviceCopy>(
        self,
        queue: impl Queue,
        output: &mut DeviceBuffer<T>,
    ) -> Result<(), Error>
    where
        random::uniform<T>: SafeKernel<Params = Params<T>>,
    {
        self.fill(random::uniform::<T>, queue, output)
    }

    /// Fills `output` with normally distributed floats of mean 0 and variance 1.
    ///
    /// # Errors
    /// As [`Self::uniform`].
    pub fn normal<T: Random + DeviceCopy>(
        self,
        queue: impl Queue,
        output: &mut DeviceBuffer<T>,
    ) -> Result<(), Error>
    where
        random::normal<T>: SafeKernel<Params = Params<T>>,
    {
        self.fill(random::normal::<T>, queue, output)
    }

    fn fill<T: Random + DeviceCopy, K: SafeKernel<Params = Params<T>>>(
        self,
        kernel: K,
        mut queue: impl Queue,
        output: &mut DeviceBuffer<T>,
    ) -> Result<(), Error> {
        let counters = output.len().div_ceil(T::LANES);
        let Some(config) = grid(counters.div_ceil(TILE), BLOCK)? else {
            return Ok(());
        };
        queue.launch(kernel, config, (output, self.seed, self.stream, self.first))
    }
}
