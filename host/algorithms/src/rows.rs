//! Softmax and norms of the rows of a matrix.

use lanewise::{DeviceBuffer, LaunchConfig};

use crate::kernels::rows::{self as kernels, CLUSTER, OF_THREAD, WARPS};
use crate::queue::grid;
use crate::{Error, Queue};

/// The most threads of a block.
const THREADS: usize = WARPS * 32;
/// The most columns.
pub const COLUMNS: usize = CLUSTER as usize * THREADS * OF_THREAD[1];

/// Launches the kernel for rows of this shape.
macro_rules! launch {
    ($queue:ident, $shape:expr, $kernel:ident, $wide:ident, $arguments:expr) => {
        match $shape {
            None => Ok(()),
            Some((config, Row::Short, 4)) => {
                $queue.launch(kernels::$kernel::<4, 4>, config, $arguments)
            }
            Some((config, Row::Short, _)) => {
                $queue.launch(kernels::$kernel::<1, 16>, config, $arguments)
            }
            Some((config, Row::Long, 4)) => {
                $queue.launch(kernels::$kernel::<4, 8>, config, $arguments)
            }
            Some((config, Row::Long, _)) => {
                $queue.launch(kernels::$kernel::<1, 32>, config, $arguments)
            }
            Some((config, Row::Wide, 4)) => {
                $queue.launch(kernels::$wide::<4, 8>, config, $arguments)
            }
            Some((config, Row::Wide, _)) => {
                $queue.launch(kernels::$wide::<1, 32>, config, $arguments)
            }
        }
    };
}

/// Writes the softmax of each row of `input`, which has rows of `columns` elements.
///
/// # Errors
/// [`Error::TooShort`] if `output` is shorter than `input`; [`Error::TooMany`] if a row has more
/// than [`COLUMNS`] elements; [`Error::Launch`], [`Error::Graph`].
pub fn softmax(
    mut queue: impl Queue,
    input: &DeviceBuffer<f32>,
    columns: u32,
    output: &mut DeviceBuffer<f32>,
) -> Result<(), Error> {
    let shape = shape(columns as usize, &[input, output])?;
    launch!(
        queue,
        shape,
        softmax,
        softmax_wide,
        (input, output, columns)
    )
}

/// Writes each row of `input` less its mean, over the root of its variance and `epsilon`, times
/// `gamma` plus `beta`.
///
/// # Errors
/// As [`softmax`]; [`Error::TooShort`] if `gamma` or `beta` has fewer elements than a row.
pub fn layer_norm(
    mut queue: impl Queue,
    input: &DeviceBuffer<f32>,
    (gamma, beta): (&DeviceBuffer<f32>, &DeviceBuffer<f32>),
    epsilon: f32,
    output: &mut DeviceBuffer<f32>,
) -> Result<(), Error> {
    Error::unless_enough("a beta", gamma.len(), beta.len())?;
    let columns = gamma.len() as u32;
    let shape = shape(gamma.len(), &[input, output, gamma, beta])?;
    let arguments = (input, gamma, beta, output, columns, epsilon);
    launch!(queue, shape, layer_norm, layer_norm_wide, arguments)
}

/// Writes each row of `input` over the root of its mean square and `epsilon`, times `gamma`.
///
/// # Errors
/// As [`layer_norm`].
pub fn rms_norm(
    mut queue: impl Queue,
    input: &DeviceBuffer<f32>,
    gamma: &DeviceBuffer<f32>,
    epsilon: f32,
    output: &mut DeviceBuffer<f32>,
) -> Result<(), Error> {
    let columns = gamma.len() as u32;
    let shape = shape(gamma.len(), &[input, output, gamma])?;
    let arguments = (input, gamma, output, columns, epsilon);
    launch!(queue, shape, rms_norm, rms_norm_wide, arguments)
}

/// What has a row.
enum Row {
    /// A block, with 16 elements a thread.
    Short,
    /// A block, with 32 elements a thread.
    Long,
    /// A cluster of such blocks.
    Wide,
}

/// Returns the launch for rows of this length, what has a row, and how many neighbours
/// a thread takes at once. `None` if there is nothing to write. The first two buffers are the input
/// and the output; sixteen bytes at once have to be aligned in all.
fn shape(
    columns: usize,
    buffers: &[&DeviceBuffer<f32>],
) -> Result<Option<(LaunchConfig, Row, usize)>, Error> {
    let (input, output) = (buffers[0], buffers[1]);
    Error::unless_enough("an output", input.len(), output.len())?;
    Error::unless_few("columns", COLUMNS, columns)?;
    if columns == 0 {
        return Ok(None);
    }
    let rows = input.len() / columns;
    let mut addresses = buffers.iter().map(|buffer| buffer.address());
    let are_aligned = addresses.all(|address| address.is_multiple_of(16));
    let lanes = if are_aligned && columns.is_multiple_of(4) {
        4
    } else {
        1
    };
    let [short, long] = OF_THREAD.map(|elements| columns.div_ceil(elements));
    let (threads, cluster, row) = if short <= THREADS / 2 {
        (short, 1, Row::Short)
    } else if long <= THREADS {
        (long, 1, Row::Long)
    } else {
        let cluster = long.div_ceil(THREADS).next_power_of_two();
        (long.div_ceil(cluster), cluster, Row::Wide)
    };
    let config = grid(rows * cluster, threads.next_multiple_of(32) as u32)?;
    let config = config.map(|config| match row {
        Row::Wide => config.with_cluster((cluster as u32, 1, 1)),
        _ => config,
    });
    Ok(config.map(|config| (config, row, lanes)))
}
