//! How often each value occurs.

use lanewise::{DeviceBuffer, LaunchConfig};

use crate::kernels::histogram::{self, BINS, BLOCK, BLOCK_WIDE};
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
/// Bins that fit into a block's shared memory with two bytes each (116,224 on an H200) are counted
/// there. More are counted in the bins themselves, which takes many times as long.
///
/// # Errors
/// [`Error::Launch`], [`Error::Graph`].
pub fn histogram_even(
    mut queue: impl Queue,
    input: &DeviceBuffer<i32>,
    first: i32,
    shift: u32,
    bins: &mut DeviceBuffer<u32>,
) -> Result<(), Error> {
    let device = input.device();
    let shared = 4 * bins.len().div_ceil(2);
    let room = device.properties().shared_memory_per_block_optin as usize;
    if bins.len() <= BINS {
        let arguments = (input, bins, first, shift);
        return queue.launch(histogram::histogram_even, blocks(input), arguments);
    }
    if shared > room {
        let arguments = (input, bins, first, shift);
        return queue.launch(histogram::histogram_global, blocks(input), arguments);
    }
    device.set_max_dynamic_shared(histogram::histogram_wide, shared as u32)?;
    let (most, alone) = (device.properties().multiprocessors, 64 << 10);
    let most = if shared <= alone { 2 * most } else { most };
    let all = input.len().div_ceil(16 * BLOCK_WIDE as usize).max(1);
    let config = LaunchConfig::new(all.min(most as usize) as u32, BLOCK_WIDE);
    let config = config.with_dynamic_shared(shared as u32);
    queue.launch(
        histogram::histogram_wide,
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
