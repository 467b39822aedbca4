//! The plan of the benchmark: every variant of the patterns whose kernels were also written in CUDA
//! C++ for comparison, at the sizes of that comparison. The README has the figures.

use crate::{ALL, Pattern, Variant};

/// Returns pattern, variant and size of each measurement.
pub fn plan() -> impl Iterator<Item = (&'static Pattern, &'static Variant, usize)> {
    let measured = ALL
        .iter()
        .filter_map(|pattern| pattern.size.bench.map(|size| (*pattern, size)));
    measured.flat_map(|(pattern, size)| {
        pattern
            .variants
            .iter()
            .map(move |variant| (pattern, variant, size))
    })
}
