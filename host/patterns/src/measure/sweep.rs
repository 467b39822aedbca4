//! Runs of a pattern over a range of offsets, strides, block shapes or sizes: the
//! points of a curve.

use anyhow::Result;
use lanewise::Device;

use super::run::{self, Rate};
use crate::{Pattern, Setup, Variant};

/// The parameter that changes from point to point.
#[derive(Debug, Clone, Copy)]
enum SweepAxis {
    /// `--by`, from the first to the last.
    By(u32, u32),
    /// The size: powers of two, from one exponent to the other.
    Sizes(u32, u32),
    /// The variants themselves.
    Variants,
}

/// A range that a pattern is run over.
#[derive(Debug, Clone, Copy)]
pub struct Sweep {
    pattern: &'static str,
    /// The meaning of the points.
    pub of: &'static str,
    over: SweepAxis,
}

/// Every pattern that has a range.
const ALL: &[Sweep] = &[
    Sweep {
        pattern: "grid_shape",
        of: "block",
        over: SweepAxis::Variants,
    },
    Sweep {
        pattern: "misaligned_read",
        of: "offset, elements of 4 bytes",
        over: SweepAxis::By(0, 32),
    },
    Sweep {
        pattern: "misaligned_write",
        of: "offset, elements of 4 bytes",
        over: SweepAxis::By(0, 32),
    },
    Sweep {
        pattern: "offset_stride",
        of: "offset or stride, elements of 4 bytes",
        over: SweepAxis::By(1, 32),
    },
    Sweep {
        pattern: "transfers",
        of: "elements of 4 bytes, as a power of two",
        over: SweepAxis::Sizes(10, 22),
    },
];

/// Returns the names of the patterns that have a range.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|sweep| sweep.pattern)
}

/// One curve, or one of several bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name of the variant that ran.
    pub name: &'static str,
    /// The position on the axis and the bandwidth in GB/s, for each point.
    pub points: Vec<(f64, f64)>,
}

impl Sweep {
    /// Returns the range of a pattern, if it has one.
    pub fn of(pattern: &Pattern) -> Option<&'static Sweep> {
        ALL.iter().find(|sweep| sweep.pattern == pattern.name)
    }

    /// Returns whether the variants are the points. Then each series has one point.
    pub fn is_of_variants(&self) -> bool {
        matches!(self.over, SweepAxis::Variants)
    }

    /// Runs every variant at every point, where it has to agree with the CPU. Calls `report` with
    /// the name of the next run.
    ///
    /// # Errors
    /// An error if a variant does not run, or its result is wrong.
    pub fn run(
        &self,
        device: &Device,
        pattern: &Pattern,
        setup: Setup,
        mut report: impl FnMut(&str),
    ) -> Result<Vec<Series>> {
        let mut all = Vec::new();
        for (index, variant) in pattern.variants.iter().enumerate() {
            let mut points = Vec::new();
            for (x, setup) in self.points(index, setup) {
                report(&format!("{} at {x}", variant.name));
                points.push((x, bandwidth(device, variant, setup)?));
            }
            let name = variant.name;
            all.push(Series { name, points });
        }
        Ok(all)
    }

    /// Returns the points of a variant: the position on the axis, and the setup there.
    fn points(&self, variant: usize, setup: Setup) -> Vec<(f64, Setup)> {
        match self.over {
            SweepAxis::By(from, to) => (from..=to)
                .map(|by| {
                    (
                        f64::from(by),
                        Setup {
                            by: Some(by),
                            ..setup
                        },
                    )
                })
                .collect(),
            SweepAxis::Sizes(from, to) => (from..=to)
                .map(|power| {
                    (
                        f64::from(power),
                        Setup {
                            size: 1 << power,
                            ..setup
                        },
                    )
                })
                .collect(),
            SweepAxis::Variants => vec![(variant as f64, setup)],
        }
    }
}

/// Returns the bandwidth of one setup in GB/s.
fn bandwidth(device: &Device, variant: &Variant, setup: Setup) -> Result<f64> {
    let outcome = run::run(device, variant, setup)?;
    if let Some(Err(mismatch)) = &outcome.check {
        anyhow::bail!("{} with {setup:?}: {mismatch}", variant.name);
    }
    Ok(match outcome.rate() {
        Some(Rate::Bandwidth(rate) | Rate::Arithmetic(rate) | Rate::Sorted(rate)) => rate,
        None => 0.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_of_a_pattern_and_has_points() {
        for sweep in ALL {
            let pattern = crate::ALL
                .iter()
                .find(|pattern| pattern.name == sweep.pattern);
            let pattern = pattern.unwrap_or_else(|| panic!("{} is no pattern", sweep.pattern));
            assert_eq!(Sweep::of(pattern).map(|found| found.of), Some(sweep.of));
            assert!(!sweep.points(0, Setup::new(8, 1)).is_empty());
        }
    }

    #[test]
    fn an_offset_is_swept_over_a_warp() {
        let sweep = ALL.iter().find(|sweep| sweep.pattern == "misaligned_read");
        let points = sweep.expect("it is there").points(0, Setup::new(8, 1));
        let by: Vec<_> = points.iter().filter_map(|(_, setup)| setup.by).collect();
        assert_eq!(by, (0..=32).collect::<Vec<_>>());
    }
}
