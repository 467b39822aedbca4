//! The columns of a matrix as rows.

use lanewise::{DeviceBuffer, DeviceCopy, LaunchConfig};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;

use crate::kernels::transpose::{self as kernels, BLOCK, SIDE};
use crate::{Error, Number, Queue};

/// Writes the transpose of `input`, which has rows of `columns` elements, to `output`.
///
/// # Errors
/// [`Error::TooShort`] if `output` is shorter than `input`; [`Error::Launch`], [`Error::Graph`].
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
    if rows == 0 {
        return Ok(());
    }
    let tiles = rows.div_ceil(SIDE) * (columns as usize).div_ceil(SIDE);
    let config = LaunchConfig::new(tiles as u32, BLOCK);
    queue.launch(
        kernels::transpose::<T>,
        config,
        (input, output, rows as u32, columns),
    )
}
