//! The sum of two vectors, written to indices that start at an offset. `--by` is the offset.

use gpu::memory::misaligned_write::{write_offset, write_offset_unroll2, write_offset_unroll4};

use super::misaligned::{Offset, prepare};
use crate::{Pattern, Size, Variant};

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
            prepare(device, setup, write_offset, 1, Offset::Writes, add_to)
        }),
        Variant::new("write_offset_unroll2", |device, setup| {
            prepare(
                device,
                setup,
                write_offset_unroll2,
                2,
                Offset::Writes,
                add_to,
            )
        }),
        Variant::new("write_offset_unroll4", |device, setup| {
            prepare(
                device,
                setup,
                write_offset_unroll4,
                4,
                Offset::Writes,
                add_to,
            )
        }),
    ],
};

// On the CPU.

/// Computes `c[i + offset] = a[i] + b[i]`. Elements of `c` that have no such sum stay unchanged.
pub fn add_to(a: &[f32], b: &[f32], c: &mut [f32], offset: usize) {
    let sums = a.iter().zip(b).map(|(a, b)| a + b);
    for (c, sum) in c.iter_mut().skip(offset).zip(sums) {
        *c = sum;
    }
}
