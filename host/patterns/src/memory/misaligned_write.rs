//! The sum of two vectors, written from an offset on: `--by` is the offset.

use gpu::memory::misaligned_write::{write_offset, write_offset_unroll2, write_offset_unroll4};

use super::misaligned::{Offset, prepare};
use crate::{Pattern, Size, Variant};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "misaligned_write",
    chapter: "memory",
    summary: "stores from an offset on: a fifth sector, and two that are written in part",
    source: "notes 000, chapter 4.3.3",
    size: Size {
        of: "elements",
        default: 1 << 20,
        bench: None,
    },
    variants: &[
        Variant::new("write_offset", |device, setup| {
            prepare(device, setup, write_offset, 1, Offset::Writes)
        }),
        Variant::new("write_offset_unroll2", |device, setup| {
            prepare(device, setup, write_offset_unroll2, 2, Offset::Writes)
        }),
        Variant::new("write_offset_unroll4", |device, setup| {
            prepare(device, setup, write_offset_unroll4, 4, Offset::Writes)
        }),
    ],
};
