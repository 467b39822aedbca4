//! Reduction with interleaved pairs: neighbouring threads touch neighbouring elements.

use gpu::execution::reduce_interleaved::reduce_interleaved;

use super::in_place::{Reduction, SIZE};
use crate::{Pattern, Variant};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "reduce_interleaved",
    chapter: "execution",
    summary: "pairs half a block apart: fewer sectors a request than neighbored pairs",
    source: "Professional CUDA C Programming, chapter 3",
    size: SIZE,
    variants: &[Variant::new("reduce_interleaved", |device, setup| {
        Reduction::prepare(device, setup, reduce_interleaved, 1)
    })],
};
