//! Copies that start at an offset, and copies with a stride. `--by` is the offset of the former and
//! the stride of the latter.

use anyhow::Result;
use gpu::memory::offset_stride::{offset_copy, stride_copy};
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::{Kernel, SafeKernel};

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
            let offset = setup.by.unwrap_or(1);
            prepare(device, setup, offset_copy, offset, (offset as usize, 1))
        }),
        Variant::new("stride_copy", |device, setup| {
            let stride = setup.by.unwrap_or(2);
            prepare(device, setup, stride_copy, stride, (0, stride as usize))
        }),
    ],
};

/// Prepares a copy whose input and output are just long enough for as many copied elements as
/// the size gives.
fn prepare<K: SafeKernel<Params = <offset_copy as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
    by: u32,
    (offset, stride): (usize, usize),
) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let length = n.saturating_mul(stride.max(1)).saturating_add(offset);
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
    let device = device.clone();
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Bytes(2 * 4 * n as u64),
        // ANCHOR: launch
        move |stream, [output]| Ok(device.launch(stream, kernel, config, (&input, output, by))?),
        // ANCHOR_END: launch
    ))
}

// On the CPU.

/// Copies every `stride`-th element of `input` from `offset` on, `n` of them, to the same places in
/// a vector of zeroes. A stride of 0 copies nothing.
pub fn strided_copy(input: &[f32], n: usize, offset: usize, stride: usize) -> Vec<f32> {
    let mut output = vec![0.0; input.len()];
    if stride > 0 {
        for at in (offset..input.len()).step_by(stride).take(n) {
            output[at] = input[at];
        }
    }
    output
}
