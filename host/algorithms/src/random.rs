//! Random numbers that are computed from their position.

use lanewise::{DeviceBuffer, LaunchConfig};

use crate::kernels::random::{self, BLOCK, TILE};
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
    pub fn uniform(
        self,
        mut queue: impl Queue,
        output: &mut DeviceBuffer<f32>,
    ) -> Result<(), Error> {
        match blocks(output) {
            None => Ok(()),
            Some(config) => queue.launch(
                random::uniform,
                config,
                (output, self.seed, self.stream, self.first),
            ),
        }
    }

    /// Fills `output` with normally distributed floats of mean 0 and variance 1.
    ///
    /// # Errors
    /// As [`Self::uniform`].
    pub fn normal(
        self,
        mut queue: impl Queue,
        output: &mut DeviceBuffer<f32>,
    ) -> Result<(), Error> {
        match blocks(output) {
            None => Ok(()),
            Some(config) => queue.launch(
                random::normal,
                config,
                (output, self.seed, self.stream, self.first),
            ),
        }
    }
}

/// Returns the launch that fills the buffer, or `None` if it is empty.
fn blocks(output: &DeviceBuffer<f32>) -> Option<LaunchConfig> {
    let blocks = output.len().div_ceil(TILE);
    (blocks > 0).then(|| LaunchConfig::new(blocks as u32, BLOCK))
}
