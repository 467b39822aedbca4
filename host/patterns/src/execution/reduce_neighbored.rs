//! Reduction with neighbored pairs: every second thread works, or the first half of them.

use gpu::execution::reduce_neighbored::{reduce_neighbored, reduce_neighbored_less};

use super::in_place::{Reduction, SIZE};
use crate::{Pattern, Variant};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "reduce_neighbored",
    chapter: "execution",
    summary: "the same sums by scattered threads and by the first threads: divergence",
    source: "Professional CUDA C Programming, chapter 3",
    size: SIZE,
    variants: &[
        Variant::new("reduce_neighbored", |device, setup| {
            Reduction::prepare(device, setup, reduce_neighbored, 1)
        }),
        Variant::new("reduce_neighbored_less", |device, setup| {
            Reduction::prepare(device, setup, reduce_neighbored_less, 1)
        }),
    ],
};
