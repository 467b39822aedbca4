//! Softmax and norms of the rows of a matrix.

use lanewise::{DeviceBuffer, LaunchConfig};

use crate::kernels::rows::{self as kernels, OF_THREAD, OF_THREAD_WIDE};
use crate::queue::grid;
use crate::{Error, Queue};

/// The most threads of a block.
const THREADS: usize = 1024;
/// The most blocks of a cluster, and the most threads of each.
const CLUSTER: (usize, usize) = (8, 512);
/// The most columns.
pub const COLUMNS: usize = CLUSTER.0 * CLUSTER.1 * OF_THREAD_WIDE;

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
    match shape(columns as usize, &[input, output])? {
        None => Ok(()),
        Some((config, false, 4)) => {
            queue.launch(kernels::softmax::<4, 4>, config, (input, output, columns))
        }
        Some((config, false, _)) => {
            queue.launch(kernels::softmax::<1, 16>, config, (input, output, columns))
        }
        Some((config, true, 4)) => queue.launch(
            kernels::softmax_wide::<4, 8>,
            config,
            (input, output, columns),
        ),
        Some((config, true, _)) => queue.launch(
            kernels::softmax_wide::<1, 32>,
            config,
            (input, output, columns),
        ),
    }
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
    match shape(gamma.len(), &[input, output, gamma, beta])? {
        None => Ok(()),
        Some((config, false, 4)) => queue.launch(
            kernels::layer_norm::<4, 4>,
            config,
            (input, gamma, beta, output, columns, epsilon),
        ),
        Some((config, false, _)) => queue.launch(
            kernels::layer_norm::<1, 16>,
            config,
            (input, gamma, beta, output, columns, epsilon),
        ),
        Some((config, true, 4)) => queue.launch(
            kernels::layer_norm_wide::<4, 8>,
            config,
            (input, gamma, beta, output, columns, epsilon),
        ),
        Some((config, true, _)) => queue.launch(
            kernels::layer_norm_wide::<1, 32>,
            config,
            (input, gamma, beta, output, columns, epsilon),
        ),
    }
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
    match shape(gamma.len(), &[input, output, gamma])? {
        None => Ok(()),
        Some((config, false, 4)) => queue.launch(
            kernels::rms_norm::<4, 4>,
            config,
            (input, gamma, output, columns, epsilon),
        ),
        Some((config, false, _)) => queue.launch(
            kernels::rms_norm::<1, 16>,
            config,
            (input, gamma, output, columns, epsilon),
        ),
        Some((config, true, 4)) => queue.launch(
            kernels::rms_norm_wide::<4, 8>,
            config,
            (input, gamma, output, columns, epsilon),
        ),
        Some((config, true, _)) => queue.launch(
            kernels::rms_norm_wide::<1, 32>,
            config,
            (input, gamma, output, columns, epsilon),
        ),
    }
}

/// Returns the launch for rows of this length, whether a row has a cluster, and how many neighbours
/// a thread takes at once. `None` if there is nothing to write. The first two buffers are the input
/// and the output; sixteen bytes at once have to be aligned in all.
fn shape(
    columns: usize,
    buffers: &[&DeviceBuffer<f32>],
) -> Result<Option<(LaunchConfig, bool, usize)>, Error> {
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
    let threads = columns.div_ceil(OF_THREAD).next_multiple_of(32);
    if threads <= THREADS {
        let config = grid(rows, threads as u32)?;
        return Ok(config.map(|config| (config, false, lanes)));
    }
    let threads = columns.div_ceil(OF_THREAD_WIDE);
    let cluster = threads.div_ceil(CLUSTER.1).next_power_of_two();
    let threads = threads.div_ceil(cluster).next_multiple_of(32);
    let config = grid(rows * cluster, threads as u32)?;
    let config = config.map(|config| config.with_cluster((cluster as u32, 1, 1)));
    Ok(config.map(|config| (config, true, lanes)))
}
