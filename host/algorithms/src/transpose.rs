//! The columns of a matrix as rows.

use lanewise::{DeviceBuffer, DeviceCopy};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;

use crate::kernels::transpose::{self as kernels, BLOCK, SIDE};
use crate::queue::grid;
use crate::{Error, Number, Queue};

/// Writes the transpose of `input`, which has rows of `columns` elements, to `output`.
///
/// # Errors
/// [`Error::TooShort`] if `output` is shorter than `input`; [`Error::TooMany`] for 2^32 rows or
/// more; [`Error::Launch`], [`Error::Graph`].
pub fn transpose<T>(
    mut queue: impl Queue,
    input: &DeviceBuffer<T>,
    columns: u32,
    output: &mut DeviceBuffer<T>,
) -> Result<(), Error>
where
    T: Number + DeviceCopy,
    kernels::transpose<T>: SafeKernel<Params = (&'static [T], DisjointSlice<'static, T>, u32, u32)>,
{
    Error::unless_enough("an output", input.len(), output.len())?;
    let rows = input.len() / columns.max(1) as usize;
    Error::unless_few("rows", u32::MAX as usize, rows)?;
    let tiles = rows.div_ceil(SIDE) * (columns as usize).div_ceil(SIDE);
    let Some(config) = grid(tiles, BLOCK)? else {
        return Ok(());
    };
    queue.launch(
        kernels::transpose::<T>,
        config,
        (input, output, rows as u32, columns),
    )
}
