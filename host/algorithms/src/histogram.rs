//! How often each value occurs.

use lanewise::{DeviceBuffer, LaunchConfig};

use crate::kernels::histogram::{self, BINS, BLOCK};
use crate::{Error, Queue};

/// The number of blocks for each multiprocessor: as many as have room there.
const BLOCKS: usize = 4;

/// Adds to `bins[b]` how many bytes of `input` are `b`.
///
/// # Errors
/// [`Error::TooShort`] if there are fewer than 256 bins; [`Error::Launch`], [`Error::Graph`].
pub fn histogram_bytes(
    mut queue: impl Queue,
    input: &DeviceBuffer<u8>,
    bins: &mut DeviceBuffer<u32>,
) -> Result<(), Error> {
    Error::unless_enough("bins", BINS, bins.len())?;
    let config = blocks(input);
    queue.launch(histogram::histogram_bytes, config, (input, bins))
}

/// Adds to `bins[b]` how many elements of `input` are from `first + b * 2^shift` to before
/// `first + (b + 1) * 2^shift`. Other elements are not counted.
///
/// # Errors
/// As [`histogram_bytes`].
pub fn histogram_even(
    mut queue: impl Queue,
    input: &DeviceBuffer<i32>,
    first: i32,
    shift: u32,
    bins: &mut DeviceBuffer<u32>,
) -> Result<(), Error> {
    Error::unless_enough("bins", BINS, bins.len())?;
    let config = blocks(input);
    queue.launch(
        histogram::histogram_even,
        config,
        (input, bins, first, shift),
    )
}

/// Returns the launch of a grid-stride loop over the input, sixteen bytes to a thread.
fn blocks<T: lanewise::DeviceCopy>(input: &DeviceBuffer<T>) -> LaunchConfig {
    let most = input.device().properties().multiprocessors as usize * BLOCKS;
    let all = (input.len() * size_of::<T>()).div_ceil(16 * BLOCK as usize);
    LaunchConfig::new(all.clamp(1, most) as u32, BLOCK)
}
