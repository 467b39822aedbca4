//! The sum of two vectors, read from indices that start at an offset. `--by` is the offset.

use anyhow::Result;
use gpu::memory::misaligned_read::{read_offset, read_offset_unroll2, read_offset_unroll4};
use lanewise::{Arguments, Device, DeviceBuffer, Stream};
use lanewise_std::kernel::SafeKernel;

use super::misaligned::{Buffers, Offset, prepare};
use crate::{Case, Pattern, Setup, Size, Variant};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "misaligned_read",
    chapter: "memory",
    summary: "loads from an offset on: a fifth sector, unless the offset is a multiple of 8 floats",
    source: "Professional CUDA C Programming, chapter 4",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("read_offset", |device, setup| {
            reads(device, setup, read_offset, 1)
        }),
        Variant::new("read_offset_unroll2", |device, setup| {
            reads(device, setup, read_offset_unroll2, 2)
        }),
        Variant::new("read_offset_unroll4", |device, setup| {
            reads(device, setup, read_offset_unroll4, 4)
        }),
    ],
};

/// Prepares a kernel that reads the vectors from the offset on.
fn reads<K: SafeKernel>(
    device: &Device,
    setup: Setup,
    kernel: K,
    unroll: usize,
) -> Result<Box<dyn Case>>
where
    for<'a> (
        &'a DeviceBuffer<f32>,
        &'a DeviceBuffer<f32>,
        &'a mut DeviceBuffer<f32>,
        u32,
    ): Arguments<K::Params>,
{
    let launch = move |stream: &Stream, config, (a, b, c): Buffers<'_>, offset| {
        stream.launch(kernel, config, (a, b, c, offset))
    };
    prepare(device, setup, unroll, Offset::Reads, add_from, launch)
}

// On the CPU.

/// Computes `c[i] = a[i + offset] + b[i + offset]`. Elements of `c` that have no such
/// sum stay unchanged.
pub fn add_from(a: &[f32], b: &[f32], c: &mut [f32], offset: usize) {
    let sums = a.iter().zip(b).skip(offset).map(|(a, b)| a + b);
    for (c, sum) in c.iter_mut().zip(sums) {
        *c = sum;
    }
}
