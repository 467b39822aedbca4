//! Reduction with unrolled loads: each thread first adds two, four or eight elements.

use gpu::execution::reduce_unrolled::{reduce_unrolling2, reduce_unrolling4, reduce_unrolling8};

use super::in_place::{Reduction, SIZE};
use crate::{Pattern, Variant};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "reduce_unrolled",
    chapter: "execution",
    summary: "several independent loads a thread: fewer blocks, fewer stores, more in flight",
    source: "Professional CUDA C Programming, chapter 3",
    size: SIZE,
    variants: &[
        Variant::new("reduce_unrolling2", |device, setup| {
            Reduction::prepare(device, setup, reduce_unrolling2, 2)
        }),
        Variant::new("reduce_unrolling4", |device, setup| {
            Reduction::prepare(device, setup, reduce_unrolling4, 4)
        }),
        Variant::new("reduce_unrolling8", |device, setup| {
            Reduction::prepare(device, setup, reduce_unrolling8, 8)
        }),
    ],
};
