//! The sum of two vectors with an offset on one side of the copy: the common part of the patterns
//! about reads and writes.

use anyhow::Result;
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use crate::case::Filling;
use crate::{Case, Setup, Work, input};

/// The offset of the reads. It is not a multiple of the 8 floats of a sector.
pub(super) const OFFSET: u32 = 11;

/// The indices to which the offset is added.
#[derive(Clone, Copy)]
pub(super) enum Offset {
    /// The indices that are read.
    Reads,
    /// The indices that are written.
    Writes,
}

/// Computes the sum on the CPU, from both vectors to the output, with the offset.
pub(super) type Sum = fn(&[f32], &[f32], &mut [f32], usize);

/// The buffers of a launch: both vectors and the output.
pub(super) type Buffers<'a> = (
    &'a DeviceBuffer<f32>,
    &'a DeviceBuffer<f32>,
    &'a mut DeviceBuffer<f32>,
);

/// Prepares a launch with `unroll` elements for each thread, whose result is compared with `sum`.
/// It gets the offset as its last argument. The vectors to whose indices the offset is added are
/// longer by the offset. So every element has a sum, every sum has an element, and every warp has
/// 32 of them.
pub(super) fn prepare(
    device: &Device,
    setup: Setup,
    unroll: usize,
    of: Offset,
    sum: Sum,
    launch: impl Fn(&Stream, LaunchConfig, Buffers<'_>, u32) -> Result<(), LaunchError> + 'static,
) -> Result<Box<dyn Case>> {
    let (n, offset) = (setup.elements()?, setup.by.unwrap_or(OFFSET));
    let size = n.saturating_add(offset as usize);
    let longer = Setup { size, ..setup }.elements()?;
    let (read, written) = match of {
        Offset::Reads => (longer, n),
        Offset::Writes => (n, longer),
    };
    let a = input::floats(read, setup.seed);
    let b = input::floats(read, setup.seed ^ 1);
    let mut expected = vec![0.0; written];
    sum(&a, &b, &mut expected, offset as usize);

    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    let config = LaunchConfig::cover_1d(n.div_ceil(unroll), block);
    let a = DeviceBuffer::from_slice(device, &a)?;
    let b = DeviceBuffer::from_slice(device, &b)?;
    let c = DeviceBuffer::zeroed(device, written)?;
    Ok(Filling::boxed(
        [c],
        [expected],
        Work::Bytes(3 * 4 * n as u64),
        move |stream, [c]| Ok(launch(stream, config, (&a, &b, c), offset)?),
    ))
}
