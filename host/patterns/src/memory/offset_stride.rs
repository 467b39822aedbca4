//! Copies that start at an offset, and copies with a stride. `--by` is the offset of the former and
//! the stride of the latter, at least 1.

use anyhow::Result;
use gpu::memory::offset_stride::{offset_copy, stride_copy};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "offset_stride",
    chapter: "memory",
    summary: "an offset costs one sector more a warp; a stride costs all that lies between",
    source: "CUDA C++ Best Practices Guide, \"Memory Optimizations\"",
    size: Size {
        of: "elements that are copied",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("offset_copy", |device, setup| {
            let by = setup.by.unwrap_or(1);
            let offset = by as usize;
            // ANCHOR: offset
            let launch: Launch = Box::new(move |stream, config, input, output| {
                let mut output = output.slice_mut(offset..);
                stream.launch(offset_copy, config, (input, &mut output, by))
            });
            // ANCHOR_END: offset
            prepare(device, setup, (offset, 1), launch)
        }),
        Variant::new("stride_copy", |device, setup| {
            let stride = setup.by.unwrap_or(2).max(1) as usize;
            // ANCHOR: stride
            let launch: Launch = Box::new(move |stream, config, input, output| {
                let (input, output) = (input.matrix(stride), output.matrix_mut(stride));
                stream.launch(stride_copy, config, (input, output))
            });
            // ANCHOR_END: stride
            prepare(device, setup, (0, stride), launch)
        }),
    ],
};

/// Launches a kernel that copies from one buffer to the other.
type Launch = Box<
    dyn Fn(
        &Stream,
        LaunchConfig,
        &DeviceBuffer<f32>,
        &mut DeviceBuffer<f32>,
    ) -> Result<(), LaunchError>,
>;

/// Prepares a copy whose input and output are just long enough for as many copied elements as
/// the size gives.
fn prepare(
    device: &Device,
    setup: Setup,
    (offset, stride): (usize, usize),
    launch: Launch,
) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let length = n.saturating_mul(stride).saturating_add(offset);
    let length = Setup {
        size: length,
        ..setup
    }
    .elements()?;
    let input = input::floats(length, setup.seed);
    let expected = strided_copy(&input, n, offset, stride);

    let config = LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK));
    let input = DeviceBuffer::from_slice(device, &input)?;
    let output = DeviceBuffer::zeroed(device, length)?;
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Bytes(2 * 4 * n as u64),
        move |stream, [output]| Ok(launch(stream, config, &input, output)?),
    ))
}

// On the CPU.

/// Copies every `stride`-th element of `input` from `offset` on, `n` of them, to the same places in
/// a vector of zeroes.
pub fn strided_copy(input: &[f32], n: usize, offset: usize, stride: usize) -> Vec<f32> {
    let mut output = vec![0.0; input.len()];
    for at in (offset..input.len()).step_by(stride).take(n) {
        output[at] = input[at];
    }
    output
}
