//! The sum of two vectors, written to indices that start at an offset. `--by` is the offset.

use anyhow::Result;
use gpu::memory::misaligned_write::{write_offset, write_offset_unroll2, write_offset_unroll4};
use lanewise::{Arguments, Device, DeviceBuffer, Part, Stream};
use lanewise_std::kernel::SafeKernel;

use super::misaligned::{Buffers, Offset, prepare};
use crate::{Case, Pattern, Setup, Size, Variant};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "misaligned_write",
    chapter: "memory",
    summary: "stores from an offset on: a fifth sector, and two that are written in part",
    source: "Professional CUDA C Programming, chapter 4",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("write_offset", |device, setup| {
            writes(device, setup, write_offset, 1)
        }),
        Variant::new("write_offset_unroll2", |device, setup| {
            writes(device, setup, write_offset_unroll2, 2)
        }),
        Variant::new("write_offset_unroll4", |device, setup| {
            writes(device, setup, write_offset_unroll4, 4)
        }),
    ],
};

/// Prepares a kernel that writes the part of the output that begins at the offset.
fn writes<K: SafeKernel>(
    device: &Device,
    setup: Setup,
    kernel: K,
    unroll: usize,
) -> Result<Box<dyn Case>>
where
    for<'a> (
        &'a DeviceBuffer<f32>,
        &'a DeviceBuffer<f32>,
        &'a mut Part<'a, f32>,
    ): Arguments<K::Params>,
{
    let launch = move |stream: &Stream, config, (a, b, c): Buffers<'_>, offset| {
        // ANCHOR: launch
        let mut c = c.slice_mut(offset as usize..);
        stream.launch(kernel, config, (a, b, &mut c))
        // ANCHOR_END: launch
    };
    prepare(device, setup, unroll, Offset::Writes, add_to, launch)
}

// On the CPU.

/// Computes `c[i + offset] = a[i] + b[i]`. Elements of `c` that have no such sum stay unchanged.
pub fn add_to(a: &[f32], b: &[f32], c: &mut [f32], offset: usize) {
    let sums = a.iter().zip(b).map(|(a, b)| a + b);
    for (c, sum) in c.iter_mut().skip(offset).zip(sums) {
        *c = sum;
    }
}
