//! The first few elements of each row.

use lanewise::DeviceBuffer;

use crate::kernels::top::{self as kernels, BLOCK, MOST};
use crate::queue::grid;
use crate::sort::bits;
use crate::{Error, Key, Order, Queue};

/// Writes the first `wanted` elements of each row of `input` in the given order, and where they are
/// in the row, to the two buffers of `output`: `torch.topk`, `cub::DeviceTopK`. A row has `columns`
/// elements. Of equal elements, the one before in the row is first.
///
/// The time depends on the order of the elements: it is longest if each row is in the opposite
/// order.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::{Order, top_of_rows};
///
/// let device = Device::open()?;
/// let scores = DeviceBuffer::from_slice(&device, &[0.5f32, 2.0, 1.0, 7.0, -1.0, 7.0])?;
/// let mut best = DeviceBuffer::zeroed(&device, 4)?;
/// let mut places = DeviceBuffer::zeroed(&device, 4)?;
/// let (stream, output) = (device.stream()?, (&mut best, &mut places));
/// top_of_rows(&stream, Order::Descending, 2, &scores, 3, output)?;
/// assert_eq!(best.to_vec()?, [2.0, 1.0, 7.0, 7.0]);
/// assert_eq!(places.to_vec()?, [1, 2, 0, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::TooMany`] if more than 64 are wanted; [`Error::TooShort`] if that is more than
/// `columns`, or a buffer of `output` is shorter than `wanted` for each row;
/// [`Error::Launch`], [`Error::Graph`].
pub fn top_of_rows<K: Key<Word = u32>>(
    mut queue: impl Queue,
    order: Order,
    wanted: usize,
    input: &DeviceBuffer<K>,
    columns: u32,
    output: (&mut DeviceBuffer<K>, &mut DeviceBuffer<u32>),
) -> Result<(), Error> {
    let rows = input.len() / (columns as usize).max(1);
    Error::unless_few("elements of a row", MOST, wanted)?;
    Error::unless_enough("a row", wanted, columns as usize)?;
    Error::unless_enough("an output of elements", rows * wanted, output.0.len())?;
    Error::unless_enough("an output of places", rows * wanted, output.1.len())?;
    let Some(config) = grid(if wanted > 0 { rows } else { 0 }, BLOCK)? else {
        return Ok(());
    };
    // The greatest word is the first.
    let (negative, all) = bits::<K>(match order {
        Order::Ascending => Order::Descending,
        Order::Descending => Order::Ascending,
    });
    let (input, mut found) = (input.cast(), output.0.cast_mut());
    let arguments = (
        &input,
        columns,
        wanted as u32,
        &mut found,
        output.1,
        negative,
        all,
    );
    // SAFETY: a row has the elements that are wanted, and the outputs have room for all rows'.
    unsafe { queue.launch_unchecked(kernels::top_of_rows, config, arguments) }
}
