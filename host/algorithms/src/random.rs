//! Random numbers that are computed from their position.

use lanewise::DeviceBuffer;
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;

use crate::kernels::random::{self, BLOCK, TILE};
use crate::queue::grid;
use crate::{Error, Queue};

/// A stream of random numbers: Philox4x32-10, as in cuRAND and PyTorch.
///
/// There is no state on the device: number `i` of a stream is computed from the seed, the stream
/// and `i` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Philox {
    /// The seed of all streams.
    pub seed: u64,
    /// The number of the stream.
    pub stream: u64,
    /// The first counter; a counter gives four numbers.
    pub first: u64,
}

impl Philox {
    /// Fills `output` with floats from 0 (included) to 1 (not included), multiples of 2^-24.
    ///
    /// # Errors
    /// [`Error::Launch`], [`Error::Graph`].
    pub fn uniform(self, queue: impl Queue, output: &mut DeviceBuffer<f32>) -> Result<(), Error> {
        self.fill(random::uniform, queue, output)
    }

    /// Fills `output` with normally distributed floats of mean 0 and variance 1.
    ///
    /// # Errors
    /// As [`Self::uniform`].
    pub fn normal(self, queue: impl Queue, output: &mut DeviceBuffer<f32>) -> Result<(), Error> {
        self.fill(random::normal, queue, output)
    }

    fn fill<K>(
        self,
        kernel: K,
        mut queue: impl Queue,
        output: &mut DeviceBuffer<f32>,
    ) -> Result<(), Error>
    where
        K: SafeKernel<Params = (DisjointSlice<'static, f32>, u64, u64, u64)>,
    {
        let Some(config) = grid(output.len().div_ceil(TILE), BLOCK)? else {
            return Ok(());
        };
        queue.launch(kernel, config, (output, self.seed, self.stream, self.first))
    }
}
