//! How often each value occurs.

use lanewise::DeviceBuffer;

use crate::kernels::histogram::{self, BINS, BLOCK, BLOCK_WIDE};
use crate::queue::stride_grid;
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
    let config = stride_grid(input, BLOCKS, BLOCK, 16);
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
    let count = bins.len();
    let shared = 4 * count.div_ceil(2);
    let arguments = (input, bins, first, shift);
    if count <= BINS {
        let config = stride_grid(input, BLOCKS, BLOCK, 16);
        return queue.launch(histogram::histogram_even, config, arguments);
    }
    if shared > device.properties().shared_memory_per_block_optin as usize {
        let config = stride_grid(input, BLOCKS, BLOCK, 16);
        return queue.launch(histogram::histogram_global, config, arguments);
    }
    device.set_max_dynamic_shared(histogram::histogram_wide, shared as u32)?;
    let each = if shared <= 64 << 10 { 2 } else { 1 };
    let config = stride_grid(input, each, BLOCK_WIDE, 64).with_dynamic_shared(shared as u32);
    queue.launch(histogram::histogram_wide, config, arguments)
}
