//! What a caller can choose of an algorithm: finite spaces, which `--tune` measures.

use anyhow::Result;
use lanewise_algorithms::Reduction;
use lanewise_std::vector::{Double2, Float2};

use super::{Measured, Runner, fft, sum_f32};

/// The values of one choice.
pub(crate) struct Space {
    /// The job whose time counts.
    pub(crate) job: &'static str,
    /// What can be chosen: an argument of the constructor.
    pub(crate) of: &'static str,
    pub(crate) values: &'static [usize],
    /// Measures the job with one of them.
    pub(crate) measure: fn(&Runner, usize) -> Result<Measured>,
}

/// Sequences that are under way at once: from one to all that are measured.
const BATCHES: &[usize] = &[1, 4, 8, 16, 32, 64];

pub(crate) const SPACES: &[Space] = &[
    Space {
        job: "sum_f32",
        of: "blocks",
        values: &[2, 4, 8, 16, 32, 64],
        measure: |run, blocks| {
            let blocks = u32::try_from(blocks)?;
            sum_f32(run, Reduction::with_blocks(&run.device, blocks)?)
        },
    },
    Space {
        job: "fft_1048576",
        of: "batch",
        values: BATCHES,
        measure: |run, batch| fft::transform::<Float2>(run, 1 << 20, Some(batch)),
    },
    Space {
        job: "fft_f64_1048576",
        of: "batch",
        values: BATCHES,
        measure: |run, batch| fft::transform::<Double2>(run, 1 << 20, Some(batch)),
    },
];
